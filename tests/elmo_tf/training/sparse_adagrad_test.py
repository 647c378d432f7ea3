import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.training.gradients import apply_reduced_gradients
from elmo_tf.training.gradients import reduce_gradients
from elmo_tf.training.sparse_adagrad import SparseAdagrad
from tests import replicas
from tests.reference import adagrad as reference

LEARNING_RATE = 0.3
N_ROWS = 7


def make(shape, seed=0, **kwargs):
    values = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    variable = keras.Variable(values, name="variable")
    optimizer = SparseAdagrad(LEARNING_RATE, **kwargs)
    optimizer.build([variable])
    return variable, optimizer, np.float64(values)


def accumulator_of(optimizer):
    (accumulator,) = [
        variable
        for variable in optimizer.variables
        if "accumulator" in variable.path
    ]
    return accumulator


def slices(rows, values, shape):
    return tf.IndexedSlices(
        tf.constant(values, tf.float32),
        tf.constant(rows, tf.int32),
        tf.constant(shape),
    )


def random_rows(generator, n):
    rows = generator.integers(0, N_ROWS, size=n)
    return rows, generator.normal(size=(n, 3)).astype(np.float32)


def test_dense():
    variable, optimizer, expected = make((4, 3))
    accumulator = np.ones((4, 3))
    generator = np.random.default_rng(1)
    for _ in range(5):
        gradient = generator.normal(size=(4, 3)).astype(np.float32)
        optimizer.apply([tf.constant(gradient)], [variable])
        expected, accumulator = reference.dense_update(
            expected, accumulator, gradient, LEARNING_RATE
        )
        np.testing.assert_allclose(variable.numpy(), expected, rtol=1e-5)
        np.testing.assert_allclose(
            accumulator_of(optimizer).numpy(), accumulator, rtol=1e-5
        )
    assert int(optimizer.iterations.numpy()) == 5


@pytest.mark.parametrize("compiled", [False, True])
def test_sparse_with_duplicates(compiled):
    variable, optimizer, expected = make((N_ROWS, 3), seed=2)
    accumulator = np.ones((N_ROWS, 3))

    def step(gradient):
        optimizer.apply([gradient], [variable])

    if compiled:
        step = tf.function(step)
    generator = np.random.default_rng(3)
    for n in (9, 1, 12, 5, 9):
        rows, values = random_rows(generator, n)
        step(slices(rows, values, (N_ROWS, 3)))
        expected, accumulator = reference.sparse_update(
            expected, accumulator, rows, values, LEARNING_RATE
        )
        np.testing.assert_allclose(
            variable.numpy(), expected, rtol=1e-5, atol=1e-6
        )
        np.testing.assert_allclose(
            accumulator_of(optimizer).numpy(), accumulator, rtol=1e-5
        )


def test_keras_adagrad_does_not_sum_duplicates():
    """Why there is this class: the same step by the two differs."""
    rows, values = [1, 1], np.float32([[3.0], [4.0]])
    variable, optimizer, _ = make((2, 1))
    optimizer.apply([slices(rows, values, (2, 1))], [variable])
    assert accumulator_of(optimizer).numpy()[1] == 1 + (3 + 4) ** 2
    theirs = keras.optimizers.Adagrad(
        LEARNING_RATE, initial_accumulator_value=1.0
    )
    theirs.build([variable])
    theirs.apply([slices(rows, values, (2, 1))], [variable])
    assert accumulator_of(theirs).numpy()[1] == 1 + 3**2 + 4**2


def test_other_rows_stay_bit_for_bit():
    variable, optimizer, before = make((N_ROWS, 3))
    accumulator = accumulator_of(optimizer)
    # Rows that any arithmetic would change.
    accumulator.assign(np.full((N_ROWS, 3), np.nan))
    variable.assign(np.full((N_ROWS, 3), np.nan))
    for array in (accumulator, variable):
        value = array.numpy()
        value[[2, 5]] = 1.0
        array.assign(value)
    optimizer.apply(
        [slices([5, 2, 5], np.ones((3, 3)), (N_ROWS, 3))], [variable]
    )
    for array in (accumulator, variable):
        finite = np.isfinite(array.numpy()).all(axis=1)
        assert finite.tolist() == [r in (2, 5) for r in range(N_ROWS)]
    np.testing.assert_allclose(accumulator.numpy()[2], 2.0)
    np.testing.assert_allclose(accumulator.numpy()[5], 5.0)


def test_no_dense_pass():
    """No operation of a step reads or makes an array of the table's size."""
    n_rows = 1234
    variable, optimizer, _ = make((n_rows, 3))

    @tf.function
    def step(gradient):
        optimizer.apply([gradient], [variable])

    graph = step.get_concrete_function(
        tf.IndexedSlicesSpec([n_rows, 3], tf.float32, tf.int32)
    ).graph
    for operation in graph.get_operations():
        for tensor in operation.outputs:
            assert n_rows not in (tensor.shape or []), operation


def test_no_rows():
    variable, optimizer, before = make((N_ROWS, 3))
    optimizer.apply(
        [slices(np.zeros(0), np.zeros((0, 3)), (N_ROWS, 3))], [variable]
    )
    np.testing.assert_array_equal(variable.numpy(), np.float32(before))
    np.testing.assert_array_equal(accumulator_of(optimizer).numpy(), 1.0)


def test_a_scalar_and_a_vector():
    for shape in ((), (4,)):
        variable, optimizer, expected = make(shape)
        gradient = np.float32(np.full(shape, 2.0))
        optimizer.apply([tf.constant(gradient)], [variable])
        expected, _ = reference.dense_update(
            expected, np.ones(shape), gradient, LEARNING_RATE
        )
        np.testing.assert_allclose(variable.numpy(), expected, rtol=1e-6)


def test_initial_accumulator_value():
    variable, optimizer, expected = make((2,), initial_accumulator_value=0.25)
    optimizer.apply([tf.constant([1.0, -2.0])], [variable])
    expected, accumulator = reference.dense_update(
        expected, 0.25, np.float64([1.0, -2.0]), LEARNING_RATE
    )
    np.testing.assert_allclose(variable.numpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(accumulator, accumulator_of(optimizer).numpy())
    with pytest.raises(ValueError) as info:
        SparseAdagrad(initial_accumulator_value=0.0)
    assert str(info.value) == (
        "`initial_accumulator_value` should be positive, there is no epsilon. "
        "Received: initial_accumulator_value=0.0"
    )


def test_learning_rate_schedule():
    variable, optimizer, expected = make((2,))
    schedule = keras.optimizers.schedules.PiecewiseConstantDecay(
        [0], [0.5, 0.0]
    )
    optimizer = SparseAdagrad(schedule)
    optimizer.build([variable])
    gradient = np.float64([1.0, -2.0])
    accumulator = np.ones(2)
    # At the boundary itself the first value still holds.
    for learning_rate in (0.5, 0.0):
        optimizer.apply([tf.constant(gradient, tf.float32)], [variable])
        expected, accumulator = reference.dense_update(
            expected, accumulator, gradient, learning_rate
        )
        np.testing.assert_allclose(variable.numpy(), expected, rtol=1e-6)


def test_config():
    optimizer = SparseAdagrad(0.125, 0.5, name="another")
    config = optimizer.get_config()
    assert config["initial_accumulator_value"] == 0.5
    again = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    assert type(again) is SparseAdagrad
    assert again.get_config() == config


def test_two_replicas():
    """Each replica's copy gets the update of the summed gradients, once."""
    strategy = replicas.two_replica_strategy()
    with strategy.scope():
        table, optimizer, table_reference = make((N_ROWS, 3), seed=4)
        dense = keras.Variable([1.0, 2.0], name="dense")
        optimizer = SparseAdagrad(LEARNING_RATE)
        optimizer.build([table, dense])
    dense_reference = dense.numpy()
    accumulators = [np.ones((N_ROWS, 3)), np.ones(2)]

    @tf.function
    def step(rows, values, dense_gradient):
        def replica_step(rows, values, dense_gradient):
            gradients = reduce_gradients(
                [slices_of(rows, values), dense_gradient]
            )
            apply_reduced_gradients(optimizer, gradients, [table, dense])

        strategy.run(replica_step, args=(rows, values, dense_gradient))

    def slices_of(rows, values):
        return tf.IndexedSlices(values, rows, tf.constant([N_ROWS, 3]))

    generator = np.random.default_rng(5)
    for _ in range(4):
        parts = [random_rows(generator, 6) for _ in range(2)]
        dense_parts = generator.normal(size=(2, 2)).astype(np.float32)
        step(
            replicas.distribute([rows.astype(np.int32) for rows, _ in parts]),
            replicas.distribute([values for _, values in parts]),
            replicas.distribute(dense_parts),
        )
        table_reference, accumulators[0] = reference.sparse_update(
            table_reference,
            accumulators[0],
            np.concatenate([rows for rows, _ in parts]),
            np.concatenate([values for _, values in parts]),
            LEARNING_RATE,
        )
        dense_reference, accumulators[1] = reference.dense_update(
            dense_reference,
            accumulators[1],
            dense_parts.sum(axis=0),
            LEARNING_RATE,
        )
    assert int(optimizer.iterations.numpy()) == 4
    for variable, expected in (
        (table, table_reference),
        (dense, dense_reference),
        (optimizer._accumulators[0], accumulators[0]),
        (optimizer._accumulators[1], accumulators[1]),
    ):
        copies = strategy.experimental_local_results(variable.value)
        assert len(copies) == 2
        for copy in copies:
            np.testing.assert_allclose(copy, expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(*copies)
