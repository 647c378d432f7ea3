import numpy as np

from tasks.training_batches import TrainingBatches


def epoch(batches, number):
    first = number * batches.steps_per_epoch
    return [
        batches.of_step(first + index).tolist()
        for index in range(batches.steps_per_epoch)
    ]


def test_each_example_once_an_epoch():
    batches = TrainingBatches([3] * 10, 4, seed=1)
    assert batches.steps_per_epoch == 3
    for number in range(3):
        found = epoch(batches, number)
        assert sorted(map(len, found)) == [2, 4, 4]
        assert sorted(sum(found, [])) == list(range(10))


def test_examples_of_like_length_together():
    lengths = list(range(40))
    for batch in epoch(TrainingBatches(lengths, 4, seed=1), 0):
        assert max(batch) - min(batch) == 3


def test_another_order_each_epoch_and_seed():
    lengths = np.arange(50) % 7
    orders = [
        epoch(TrainingBatches(lengths, 5, seed), number)
        for seed in (1, 2)
        for number in (0, 1)
    ]
    for index, order in enumerate(orders):
        assert order not in orders[:index]


def test_a_function_of_seed_and_step():
    lengths = np.arange(50) % 7
    batches = TrainingBatches(lengths, 5, seed=3)
    found = [batches.of_step(step).tolist() for step in range(25)]
    for step in (24, 3, 11):
        again = TrainingBatches(lengths, 5, seed=3)
        assert again.of_step(step).tolist() == found[step]
