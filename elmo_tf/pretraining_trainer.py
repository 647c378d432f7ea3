"""Trains a language model on the windows of a corpus."""

import json

import numpy as np
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.language_model_batch import call_language_model
from elmo_tf.text.bidirectional_corpus import BidirectionalCorpusReader
from elmo_tf.training.gradients import apply_reduced_gradients
from elmo_tf.training.gradients import clip_by_global_norm
from elmo_tf.training.gradients import reduce_gradients
from elmo_tf.training.prefetch import Prefetcher
from elmo_tf.training.runtime import local_replica_ids
from elmo_tf.training.trainer import Trainer
from elmo_tf.training.trainer import check_finite_variables
from elmo_tf.training_state import pack_state
from elmo_tf.training_state import typical_state
from elmo_tf.training_state import unpack_state

# Streams of random numbers of a step.
_DROPOUT_STREAM = 0
_NEGATIVES_STREAM = 1


class PretrainingTrainer(Trainer):
    """Trains a `BiLanguageModel` on the windows of a corpus.

    The global batch is the same whatever the number of replicas: each takes
    its share of the rows, keeps the LSTM state of these rows, and draws the
    same negatives as the others.

    Args:
        config: The `PretrainingConfig`.
        strategy: The `tf.distribute.Strategy`.
        model: The `BiLanguageModel`, made in the strategy's scope.
        optimizer: The optimizer, made and built there.
        encoder: The `LanguageModelEncoder`.
        statistics: The `CorpusStatistics` of the training data; None if the
            trainer is only to be restored.
        initial_state: The LSTM state that every row starts from, as `BiLM`'s
            with one row.
    """

    def __init__(
        self,
        config,
        strategy,
        model,
        optimizer,
        encoder,
        statistics,
        initial_state,
    ):
        data = config.task.train_data
        tokens_per_step = data.global_batch_size * data.unroll_steps
        total_steps = config.trainer.train_steps
        if total_steps is None and statistics is not None:
            total_steps = int(
                config.trainer.train_epochs
                * max(1, statistics.targets // tokens_per_step)
            )
            if total_steps == 0:
                raise InputError(
                    f"trainer.train_epochs is {config.trainer.train_epochs}, "
                    f"which is less than one step: the text has "
                    f"{statistics.targets} tokens, a step {tokens_per_step}"
                )
        super().__init__(
            strategy,
            optimizer.iterations.value,
            total_steps,
            config.trainer,
            unit="tokens",
        )
        self._task = config.task
        self._seed = config.runtime.seed
        self._model = model
        self._optimizer = optimizer
        self._encoder = encoder
        self._tokens_per_step = tokens_per_step
        self._n_replicas = strategy.num_replicas_in_sync
        self._rows_per_replica = data.global_batch_size // self._n_replicas
        self._saved_state = None
        self._reader_state = None
        self._lstm_state = self._distribute(
            lambda _: tf.nest.map_structure(
                lambda part: tf.repeat(part, self._rows_per_replica, axis=0),
                initial_state,
            )
        )
        self._prefetcher = None
        # Against a sample of words the perplexity is lower than the true one.
        self._perplexity_name = (
            "perplexity"
            if config.task.n_negative_samples_batch is None
            else "sampled_perplexity"
        )
        if statistics is not None:
            self._steps_per_epoch = statistics.targets / tokens_per_step
        self._distributed_step = tf.function(self._distributed_step)
        self._gather = tf.function(self._gather)

    def start(self):
        """Opens the training data, where the restored run had got to.

        Raises:
            InputError: The restored run had other data, another seed or
                another batch size.
        """
        data = self._task.train_data
        reader = BidirectionalCorpusReader(
            data.input_path,
            data.global_batch_size,
            data.unroll_steps,
            seed=self._seed,
            shuffle=data.shuffle,
            bidirectional=self._task.model.bidirectional,
        )
        if self._saved_state is not None:
            self._unpack_state(self._saved_state)
            self._saved_state = None
            reader.restore(json.loads(self._reader_state))
        self._reader_state = json.dumps(reader.state())
        self._prefetcher = Prefetcher(self._batches(reader))

    def train_step(self):
        batches, self._reader_state = next(self._prefetcher)
        losses, norms, self._lstm_state = self._distributed_step(
            self._distribute(lambda replica_id: batches[replica_id]),
            self._lstm_state,
        )
        losses = losses.numpy()
        loss = float(losses.mean())
        values = {
            "epoch": int(self.global_step.numpy()) / self._steps_per_epoch,
            "loss": loss,
            self._perplexity_name: float(np.exp(loss)),
        }
        if len(losses) == 2:
            values["forward_loss"] = losses[0]
            values["backward_loss"] = losses[1]
        paths = [variable.path for variable in self._model.trainable_variables]
        norms = dict(zip(paths, norms.numpy().tolist(), strict=True))
        return self._tokens_per_step, values, norms

    def close(self):
        if self._prefetcher is not None:
            self._prefetcher.close()
            self._prefetcher = None

    def save_state(self):
        """Packs the position in the data and the LSTM state.

        Returns:
            Bytes; see `pack_state`.

        Raises:
            NonFiniteError: A weight is not finite, so there is no state to
                keep.
        """
        check_finite_variables(
            int(self.global_step.numpy()),
            self._model.variables + self._optimizer.variables,
        )
        return pack_state(self._reader_state, self._gathered_lstm_state())

    def restore_state(self, packed):
        """Takes what `save_state` packed, for `start`.

        Args:
            packed: The bytes.
        """
        self._saved_state = packed

    def typical_lstm_state(self):
        """The mean of the LSTM states that the training carries.

        Returns:
            A state of one row, of NumPy arrays.
        """
        if self._saved_state is None:
            return typical_state(self._gathered_lstm_state())
        _, lstm_state = unpack_state(
            self._saved_state, self._model.zero_state(1)
        )
        return typical_state(lstm_state)

    def _gathered_lstm_state(self):
        """The LSTM state of the global batch, NumPy arrays."""
        return tf.nest.map_structure(
            lambda part: part.numpy(), self._gather(self._lstm_state)
        )

    def _gather(self, lstm_state):
        return tf.nest.map_structure(
            lambda part: self.strategy.gather(part, axis=0), lstm_state
        )

    def _unpack_state(self, packed):
        self._reader_state, lstm_state = unpack_state(
            packed, self._model.zero_state(1)
        )
        rows = len(tf.nest.flatten(lstm_state)[0])
        expected = self._task.train_data.global_batch_size
        if rows != expected:
            raise InputError(
                f"task.train_data.global_batch_size is {expected}, but the "
                f"checkpoint to go on from was written with {rows}"
            )
        self._lstm_state = self._distribute(
            lambda replica_id: tf.nest.map_structure(
                lambda part: tf.constant(part[self._rows_of(replica_id)]),
                lstm_state,
            )
        )

    def _rows_of(self, replica_id):
        """The rows of the global batch that a replica works on."""
        first = replica_id * self._rows_per_replica
        return slice(first, first + self._rows_per_replica)

    def _distribute(self, value_of):
        """Makes a per-replica value of this process' replicas."""
        return self.strategy.experimental_distribute_values_from_function(
            lambda context: value_of(context.replica_id_in_sync_group)
        )

    def _batches(self, reader):
        """Yields each replica's batch and the reader's position after it."""
        replica_ids = local_replica_ids(self.strategy)
        while True:
            window = reader.next_window()
            inputs = [window["inputs"]]
            targets = [window["targets"]]
            if self._task.model.bidirectional:
                inputs.append(window["reverse_inputs"])
                targets.append(window["reverse_targets"])
            # [directions, batch, time]
            inputs = np.stack(inputs)
            targets = np.stack(targets)
            batches = {
                replica_id: self._encoder(
                    inputs[:, self._rows_of(replica_id)],
                    targets[:, self._rows_of(replica_id)],
                )
                for replica_id in replica_ids
            }
            # As text: TensorFlow would wrap a dictionary that an attribute of
            # a trainer holds.
            yield batches, json.dumps(reader.state())

    def _distributed_step(self, batches, states):
        losses, norms, states = self.strategy.run(
            self._replica_step, args=(batches, states)
        )
        mean_losses = self.strategy.reduce(
            tf.distribute.ReduceOp.MEAN, losses, axis=None
        )
        # The norms are those of the summed gradients, the same everywhere.
        norms = self.strategy.experimental_local_results(norms)[0]
        return mean_losses, norms, states

    def _replica_step(self, batch, state):
        step = tf.cast(self.global_step, tf.int32)
        context = tf.distribute.get_replica_context()
        dropout_seed = tf.random.fold_in(
            tf.random.fold_in([self._seed, _DROPOUT_STREAM], step),
            context.replica_id_in_sync_group,
        )
        sample_seed = tf.random.fold_in([self._seed, _NEGATIVES_STREAM], step)
        variables = self._model.trainable_variables
        with tf.GradientTape() as tape:
            losses, state = call_language_model(
                self._model,
                batch,
                initial_state=state,
                training=True,
                dropout_seed=dropout_seed,
                sample_seed=sample_seed,
            )
            # [directions]
            losses = tf.reduce_mean(losses, axis=[1, 2])
            # The official code clips the gradient of the loss times the
            # number of unrolled steps.
            scaled_loss = (
                tf.reduce_mean(losses)
                * self._task.train_data.unroll_steps
                / self._n_replicas
            )
        gradients = tape.gradient(
            scaled_loss, [variable.value for variable in variables]
        )
        gradients, norms = clip_by_global_norm(
            reduce_gradients(gradients), self._task.all_clip_norm_val
        )
        apply_reduced_gradients(self._optimizer, gradients, variables)
        return losses, norms, state
