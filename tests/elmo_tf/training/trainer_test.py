import math

import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.training.experiment import TrainerConfig
from elmo_tf.training.trainer import NonFiniteError
from elmo_tf.training.trainer import Trainer
from elmo_tf.training.trainer import check_finite_variables


class CountingTrainer(Trainer):
    """Gives the losses of a list, one a step."""

    def __init__(self, losses, norms=None, **config):
        super().__init__(
            tf.distribute.get_strategy(),
            tf.Variable(0, dtype=tf.int64),
            len(losses),
            TrainerConfig(**{"progress_seconds": 0, **config}),
            unit="words",
        )
        self._losses = losses
        self._norms = norms or {"a": 3.0, "b": 4.0}

    def train_step(self):
        loss = self._losses[int(self.global_step.numpy())]
        self.global_step.assign_add(1)
        return 7, {"loss": np.float32(loss)}, self._norms


def test_values_of_the_last_step(capsys):
    trainer = CountingTrainer([4.0, 3.0, 2.0])
    assert trainer.train(tf.constant(2)) == {"loss": 3.0}
    assert trainer.train(tf.constant(1)) == {"loss": 2.0}
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines] == [
        "step 1/3",
        "step 2/3",
        "step 3/3",
    ]
    assert " words/s | loss 2 | gradient_norm 5 | 0:00:00 left" in lines[-1]
    trainer.close()


def test_resumed_in_the_middle(capsys):
    trainer = CountingTrainer([9.0] * 5)
    trainer.global_step.assign(3)
    trainer.train(tf.constant(2))
    assert capsys.readouterr().out.startswith("step 4/5 | ")


def read_scalars(folder):
    scalars = {}
    for path in folder.iterdir():
        for record in tf.data.TFRecordDataset(str(path)):
            event = tf.compat.v1.Event.FromString(record.numpy())
            for value in event.summary.value:
                scalars.setdefault(value.tag, {})[event.step] = float(
                    tf.make_ndarray(value.tensor)
                )
    return scalars


def test_tensorboard(tmp_path):
    trainer = CountingTrainer([5.0, 4.0, 3.0, 2.0, 1.0], summary_interval=2)
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(), tf.summary.record_if(True):
        trainer.train(tf.constant(5))
    writer.close()
    scalars = read_scalars(tmp_path)
    assert scalars["loss"] == {2: 4.0, 4: 2.0}
    assert scalars["gradient_norm/a"] == {2: 3.0, 4: 3.0}
    assert scalars["gradient_norm"] == {2: 5.0, 4: 5.0}
    assert len(scalars["words_per_second"]) == 5


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_not_finite(bad):
    trainer = CountingTrainer([1.0, bad, 1.0])
    with pytest.raises(NonFiniteError) as info:
        trainer.train(tf.constant(3))
    assert str(info.value) == (
        f"training stopped at step 2: loss is {bad}. The last checkpoint was "
        "written before; a lower learning rate or clip norm may help"
    )
    assert int(trainer.global_step.numpy()) == 2


def test_a_gradient_that_is_not_finite():
    norms = {"good": 1.0, "x/kernel": math.nan, "y/bias": math.inf}
    with pytest.raises(NonFiniteError) as info:
        CountingTrainer([1.0], norms).train(tf.constant(1))
    assert str(info.value).startswith(
        "training stopped at step 1: the loss is finite; gradients not finite: "
        "x/kernel, y/bias. "
    )


def test_a_long_list_is_cut():
    norms = {f"v{i}": math.nan for i in range(40)}
    with pytest.raises(NonFiniteError) as info:
        CountingTrainer([math.nan], norms).train(tf.constant(1))
    assert "loss is nan; gradients not finite: v0, v1, v2, v3 and 36 more." in (
        str(info.value)
    )


def test_check_finite_variables():
    good = keras.Variable([1.0, 2.0], name="good")
    steps = keras.Variable(3, dtype="int64", name="steps")
    check_finite_variables(5, [good, steps])
    check_finite_variables(5, [])
    bad = [
        keras.Variable([0.0, value], name=name)
        for name, value in (("nan", np.nan), ("inf", -np.inf))
    ]
    with pytest.raises(NonFiniteError) as info:
        check_finite_variables(5, [good, bad[0], steps, bad[1]])
    assert str(info.value).startswith(
        "training stopped at step 5: weights not finite: nan, inf. "
    )
