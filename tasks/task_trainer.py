"""Trains a task model."""

import keras
import numpy as np
import tensorflow as tf

from elmo_tf.training.gradients import apply_reduced_gradients
from elmo_tf.training.gradients import clip_by_global_norm
from elmo_tf.training.gradients import reduce_gradients
from elmo_tf.training.prefetch import Prefetcher
from elmo_tf.training.runtime import local_replica_ids
from elmo_tf.training.trainer import Trainer
from tasks.batch_signature import batch_signature


class TaskTrainer(Trainer):
    """Trains a task model on batches of examples.

    The loss is the mean over the global batch, whatever the number of replicas.
    Dropout is a function of seed, step and replica, so that a resumed training
    equals an uninterrupted one without any saved generator.

    Args:
        config: The `TaskExperimentConfig`, `trainer.train_steps` among it.
        strategy: The `tf.distribute.Strategy`.
        task: The `Task`.
        model: Its model, made in the strategy's scope.
        optimizer: The optimizer, made and built there.
        batches: The `TrainingBatches`.
        make_inputs: The `InputMaker` of the training examples.
        examples: The training examples.
        average: The `WeightAverage` to take along; None: none.
    """

    def __init__(
        self,
        config,
        strategy,
        task,
        model,
        optimizer,
        batches,
        make_inputs,
        examples,
        average=None,
    ):
        super().__init__(
            strategy,
            optimizer.iterations.value,
            config.trainer.train_steps,
            config.trainer,
            unit="examples",
        )
        self._seed = config.runtime.seed
        self._clip_norm = config.task.optimizer.clip_norm
        self._clip_value = config.task.optimizer.clip_value
        self._task = task
        self._model = model
        self._optimizer = optimizer
        self._batches = batches
        self._make_inputs = make_inputs
        self._examples = examples
        self._average = average
        self._prefetcher = None
        self._step = None

    def start(self):
        """Begins to prepare batches, where the restored run had got to."""
        self._prefetcher = Prefetcher(
            self._replica_batches(int(self.global_step.numpy()))
        )

    def train_step(self):
        n_examples, batches = next(self._prefetcher)
        n_examples_tensor = tf.constant(n_examples, tf.float32)
        if len(batches) == 1:
            (batch,) = batches.values()
            if self._step is None:
                self._step = tf.function(
                    self._distributed_step,
                    input_signature=[
                        batch_signature(batch),
                        tf.TensorSpec([], tf.float32),
                    ],
                )
            loss, norms = self._step(batch, n_examples_tensor)
        else:
            if self._step is None:
                # TensorFlow knows no signature of several replicas' values.
                self._step = tf.function(
                    self._distributed_step, reduce_retracing=True
                )
            loss, norms = self._step(
                self.strategy.experimental_distribute_values_from_function(
                    lambda context: batches[context.replica_id_in_sync_group]
                ),
                n_examples_tensor,
            )
        values = {
            "epoch": int(self.global_step.numpy())
            / self._batches.steps_per_epoch,
            "loss": float(loss),
        }
        paths = [variable.path for variable in self._model.trainable_variables]
        norms = dict(zip(paths, norms.numpy().tolist(), strict=True))
        return n_examples, values, norms

    def close(self):
        if self._prefetcher is not None:
            self._prefetcher.close()
            self._prefetcher = None

    def _replica_batches(self, step):
        """Yields the number of a step's examples and the replicas' shares.

        Of the replicas only this process', by their numbers.
        """
        n_replicas = self.strategy.num_replicas_in_sync
        replica_ids = local_replica_ids(self.strategy)
        while True:
            # Not the numbers of the order of the examples.
            generator = np.random.default_rng([self._seed, step, 1])
            examples = [
                self._task.training_view(self._examples[index], generator)
                for index in self._batches.of_step(step)
            ]
            shares = np.array_split(np.arange(len(examples)), n_replicas)
            yield (
                len(examples),
                {
                    replica_id: self._replica_batch(
                        [examples[place] for place in shares[replica_id]]
                    )
                    for replica_id in replica_ids
                },
            )
            step += 1

    def _replica_batch(self, examples):
        """The inputs, the targets and the weight of each example."""
        weights = np.ones(max(len(examples), 1), np.float32)
        if not examples:
            # A replica without an example works on one that does not count.
            examples, weights = self._examples[:1], 0 * weights
        batch = (
            self._make_inputs(examples),
            self._task.targets(examples),
            weights,
        )
        return tf.nest.map_structure(tf.convert_to_tensor, batch)

    def _distributed_step(self, batches, n_examples):
        losses, norms = self.strategy.run(
            self._replica_step, args=(batches, n_examples)
        )
        loss = self.strategy.reduce(
            tf.distribute.ReduceOp.SUM, losses, axis=None
        )
        # The norms are those of the summed gradients, the same everywhere.
        return loss, self.strategy.experimental_local_results(norms)[0]

    def _replica_step(self, batch, n_examples):
        inputs, targets, weights = batch
        variables = self._model.trainable_variables
        n_replicas = self.strategy.num_replicas_in_sync
        with tf.GradientTape() as tape:
            with keras.StatelessScope(state_mapping=self._random_states()):
                outputs = self._model(inputs, training=True)
            losses = self._task.loss(self._model, outputs, targets)
            loss = tf.reduce_sum(losses * weights) / n_examples
            # Of the weights, such as λ‖w‖².
            penalties = self._model.losses
            if penalties:
                loss += tf.add_n(penalties) / n_replicas
        gradients = tape.gradient(
            loss, [variable.value for variable in variables]
        )
        gradients, norms = clip_by_global_norm(
            reduce_gradients(gradients), self._clip_norm
        )
        if self._clip_value is not None:
            gradients = [
                _clipped_by_value(gradient, self._clip_value)
                for gradient in gradients
            ]
        apply_reduced_gradients(self._optimizer, gradients, variables)
        if self._average is not None:
            self._average.update(self.global_step)
        return loss, norms

    def _random_states(self):
        """What the model's random generators shall start this step from."""
        context = tf.distribute.get_replica_context()
        step = tf.cast(self.global_step, tf.int32)
        seed = tf.random.fold_in(
            tf.random.fold_in([self._seed, 0], step),
            context.replica_id_in_sync_group,
        )
        # Keras counts the generators' states as variables, not as weights.
        weights = {id(weight) for weight in self._model.weights}
        states = [
            variable
            for variable in self._model.variables
            if id(variable) not in weights
        ]
        return [
            (state, tf.cast(tf.random.fold_in(seed, index), state.dtype))
            for index, state in enumerate(states)
        ]


def _clipped_by_value(gradient, bound):
    if isinstance(gradient, tf.IndexedSlices):
        values = tf.clip_by_value(gradient.values, -bound, bound)
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return tf.clip_by_value(gradient, -bound, bound)
