"""Whole training steps and whole runs, in this process.

The binary, killed and run by several workers, is in train_test.py.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil

import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf import pretraining_trainer
from elmo_tf.errors import InputError
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.language_model_batch import LanguageModelEncoder
from elmo_tf.layers.log_uniform import log_uniform_candidates
from elmo_tf.model_dir import load_language_model
from elmo_tf.model_dir import load_typical_state
from elmo_tf.perplexity import PerplexityMeter
from elmo_tf.pretraining_trainer import PretrainingTrainer
from elmo_tf.text.bidirectional_corpus import BidirectionalCorpusReader
from elmo_tf.text.corpus_statistics import scan
from elmo_tf.text.shards import read_sentences
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.training.sparse_adagrad import SparseAdagrad
from elmo_tf.training.trainer import NonFiniteError
from tests import replicas
from tests import tiny_pretraining as tiny
from tests.reference import adagrad
from tests.reference import bilm as reference
from tests.reference import sampled_softmax


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return tiny.make_corpus(tmp_path_factory.mktemp("corpus"))


# Loops end at steps 3, 4, 6 and 8: at checkpoints and at validations.
RUN = {"trainer.checkpoint_interval": 4, "trainer.validation_interval": 3}


@pytest.fixture(scope="module")
def finished_run(corpus, tmp_path_factory):
    """The folder of a run of 8 steps and its last validation's figures."""
    folder = tmp_path_factory.mktemp("run") / "new" / "model"
    with pytest.MonkeyPatch.context() as patch:
        result = tiny.pretrain(
            patch, tiny.make_config(corpus, 8, RUN), folder, "train_and_eval"
        )
    return folder, result


def make_trainer(config, strategy=None):
    """A trainer that has been started, as `pretrain` makes it."""
    strategy = strategy or tf.distribute.OneDeviceStrategy("CPU:0")
    vocabulary = Vocabulary.load(config.task.vocab_file)
    model_config = dataclasses.replace(
        config.task.model, n_tokens_vocab=len(vocabulary)
    )
    with strategy.scope():
        model = BiLanguageModel(
            model_config,
            config.task.n_negative_samples_batch,
            name="language_model",
        )
        model.build()
        optimizer = SparseAdagrad(
            config.task.learning_rate, config.task.initial_accumulator_value
        )
        optimizer.build(model.trainable_variables)
    generator = np.random.default_rng(0)
    for variable in model.variables:
        variable.assign(0.5 * generator.normal(size=variable.shape))
    trainer = PretrainingTrainer(
        config,
        strategy,
        model,
        optimizer,
        LanguageModelEncoder(model_config, vocabulary),
        scan(config.task.train_data.input_path),
        model.zero_state(1),
    )
    trainer.start()
    return trainer, model, optimizer


def weights_of(model):
    return {
        variable.path.removeprefix("language_model/"): variable.numpy()
        for variable in model.variables
    }


def accumulators_of(optimizer):
    return [
        variable.numpy()
        for variable in optimizer.variables
        if "accumulator" in variable.path
    ]


class PlainLanguageModel:
    """The loss written out in float64, one step after the other."""

    def __init__(self, config, vocabulary):
        self._task = config.task
        self._vocabulary = vocabulary

    def loss(self, weights, window, state, step, seed):
        """Returns the mean loss of both directions and the states after."""
        losses = []
        final_state = []
        for index, name in enumerate(("forward", "backward")):
            prefix = "" if index == 0 else "reverse_"
            # [batch, time, dim]
            x = self._token_vectors(weights, window[f"{prefix}inputs"])
            direction_state = []
            for layer in range(self._task.model.lstm.n_layers):
                output, layer_state = self._lstm(
                    weights,
                    f"bilm/{name}/lstm_{layer}",
                    x,
                    None if state is None else state[index][layer],
                )
                x = output + x if layer else output
                direction_state.append(layer_state)
            final_state.append(direction_state)
            targets = window[f"{prefix}targets"].reshape(-1)
            losses.append(
                self._softmax_loss(
                    weights,
                    tf.reshape(x, [-1, x.shape[-1]]),
                    [self._vocabulary.id(t.decode()) for t in targets],
                    index,
                    step,
                    seed,
                )
            )
        return tf.reduce_mean(tf.stack(losses)), final_state

    def _token_vectors(self, weights, tokens):
        char_cnn = self._task.model.char_cnn
        ids = np.array(
            [
                [
                    reference.word_character_ids(
                        token.decode(), char_cnn.max_characters_per_token
                    )
                    for token in row
                ]
                for row in tokens
            ]
        )
        table = weights["bilm/token_encoder/character_embedding"]
        # [batch, time, characters, dim]; the file has no row for id 0.
        embedded = tf.gather(table, ids - 1)
        features = []
        for i, (width, _) in enumerate(char_cnn.filters):
            kernel = weights[f"bilm/token_encoder/kernel_{i}"]
            values = []
            for start in range(ids.shape[-1] - width + 1):
                values.append(
                    weights[f"bilm/token_encoder/bias_{i}"]
                    + sum(
                        embedded[:, :, start + offset] @ kernel[offset]
                        for offset in range(width)
                    )
                )
            features.append(tf.nn.relu(tf.reduce_max(tf.stack(values), 0)))
        x = tf.concat(features, axis=-1)
        for i in range(char_cnn.n_highway):
            highway = {
                name: weights[f"bilm/token_encoder/highway_{i}/{name}"]
                for name in (
                    *("carry_kernel", "carry_bias"),
                    *("transform_kernel", "transform_bias"),
                )
            }
            carry = tf.sigmoid(
                x @ highway["carry_kernel"] + highway["carry_bias"]
            )
            transform = tf.nn.relu(
                x @ highway["transform_kernel"] + highway["transform_bias"]
            )
            x = carry * transform + (1 - carry) * x
        return (
            x @ weights["bilm/token_encoder/projection_kernel"]
            + weights["bilm/token_encoder/projection_bias"]
        )

    def _lstm(self, weights, name, x, state):
        lstm = self._task.model.lstm
        if state is None:
            cell = tf.zeros([x.shape[0], lstm.dim], tf.float64)
            hidden = tf.zeros([x.shape[0], lstm.projection_dim], tf.float64)
        else:
            cell, hidden = state
        outputs = []
        for step in range(x.shape[1]):
            gates = (
                x[:, step] @ weights[f"{name}/kernel"]
                + hidden @ weights[f"{name}/recurrent_kernel"]
                + weights[f"{name}/bias"]
            )
            i, j, f, o = tf.split(gates, 4, axis=1)
            cell = tf.sigmoid(f + 1) * cell + tf.sigmoid(i) * tf.tanh(j)
            cell = tf.clip_by_value(cell, -lstm.cell_clip, lstm.cell_clip)
            hidden = (tf.sigmoid(o) * tf.tanh(cell)) @ weights[
                f"{name}/projection_kernel"
            ]
            hidden = tf.clip_by_value(hidden, -lstm.proj_clip, lstm.proj_clip)
            outputs.append(hidden)
        return tf.stack(outputs, axis=1), (cell, hidden)

    def _softmax_loss(self, weights, x, labels, direction, step, seed):
        size = len(self._vocabulary)
        # [n, vocabulary]
        logits = (
            tf.matmul(x, weights["softmax/kernel"], transpose_b=True)
            + weights["softmax/bias"]
        )
        n_negatives = self._task.n_negative_samples_batch
        if n_negatives is not None:
            seed = tf.random.fold_in(
                tf.random.fold_in(
                    [seed, pretraining_trainer._NEGATIVES_STREAM], step
                ),
                direction,
            )
            candidates, n_draws = log_uniform_candidates(
                n_negatives, size, seed
            )
            logits -= np.log(
                sampled_softmax.expected_count(
                    np.arange(size), size, float(n_draws)
                )
            )
            # The right word and the candidates stay, each of them once.
            stays = np.zeros((len(labels), size), bool)
            stays[:, candidates.numpy()] = True
            stays[np.arange(len(labels)), labels] = True
            logits = tf.where(stays, logits, -np.inf)
        return -tf.reduce_mean(
            tf.gather(tf.nn.log_softmax(logits), labels, batch_dims=1)
        )


@pytest.mark.parametrize("negatives", [None, 6])
def test_steps_against_the_loss_written_out(corpus, negatives):
    """Loss × unroll, clipped by the global norm, Adagrad, state carried."""
    config = tiny.make_config(
        corpus,
        10,
        {
            "task.model.dropout": 0.0,
            "task.model.lstm.n_layers": 2,
            "task.n_negative_samples_batch": negatives,
            # Less than any step's norm.
            "task.all_clip_norm_val": 1.0,
        },
    )
    data = config.task.train_data
    seed = config.runtime.seed
    trainer, model, optimizer = make_trainer(config)
    plain = PlainLanguageModel(config, Vocabulary.load(config.task.vocab_file))
    reader = BidirectionalCorpusReader(
        data.input_path, data.global_batch_size, data.unroll_steps, seed
    )
    expected = {
        name: value.astype(np.float64)
        for name, value in weights_of(model).items()
    }
    accumulators = {
        name: np.ones_like(value) for name, value in expected.items()
    }
    state = None
    with contextlib.closing(trainer):
        for step in range(3):
            variables = {
                name: tf.Variable(value) for name, value in expected.items()
            }
            with tf.GradientTape() as tape:
                loss, state = plain.loss(
                    variables, reader.next_window(), state, step, seed
                )
                scaled = loss * data.unroll_steps
            gradients = [
                tf.convert_to_tensor(gradient).numpy()
                for gradient in tape.gradient(scaled, list(variables.values()))
            ]
            _, values, norms = trainer.train_step()
            np.testing.assert_allclose(values["loss"], loss, rtol=2e-5)
            np.testing.assert_allclose(
                np.linalg.norm(list(norms.values())),
                np.sqrt(sum((g**2).sum() for g in gradients)),
                rtol=1e-4,
            )
            clipped = adagrad.clip_by_global_norm(gradients, 1.0)
            assert clipped[-1].max() < gradients[-1].max()
            for name, gradient in zip(expected, clipped, strict=True):
                expected[name], accumulators[name] = adagrad.dense_update(
                    expected[name],
                    accumulators[name],
                    gradient,
                    config.task.learning_rate,
                )
    for (name, value), accumulator in zip(
        weights_of(model).items(), accumulators_of(optimizer), strict=True
    ):
        np.testing.assert_allclose(
            value, expected[name], rtol=1e-4, atol=1e-5, err_msg=name
        )
        np.testing.assert_allclose(
            accumulator,
            accumulators[name],
            rtol=1e-3,
            atol=1e-5,
            err_msg=name,
        )
    tf.nest.map_structure(
        lambda actual, wanted: np.testing.assert_allclose(
            actual, wanted, atol=1e-5
        ),
        trainer._gathered_lstm_state(),
        [[list(layer) for layer in layers] for layers in state],
    )


def run_steps(trainer, n):
    with contextlib.closing(trainer):
        return [trainer.train_step() for _ in range(n)]


def check_no_dense_pass(trainer, model):
    """No operation of a step makes an array as long as the vocabulary."""
    batches, _ = next(trainer._prefetcher)
    graph = trainer._distributed_step.get_concrete_function(
        trainer._distribute(lambda replica_id: batches[replica_id]),
        trainer._lstm_state,
    ).graph
    size = model.config.n_tokens_vocab
    for operation in graph.get_operations():
        for tensor in operation.outputs:
            if tensor.dtype != tf.resource and tensor.shape.rank:
                assert size not in tensor.shape.as_list(), operation
    assert len([v for v in model.variables if v.shape[0] == size]) == 2


def test_no_dense_pass_over_the_vocabulary(corpus):
    trainer, model, _ = make_trainer(tiny.make_config(corpus, 10))
    with contextlib.closing(trainer):
        check_no_dense_pass(trainer, model)


def test_two_replicas_do_what_one_device_does(corpus):
    """Half of the rows each, the same negatives, each its own LSTM state."""
    config = tiny.make_config(corpus, 10, {"task.model.dropout": 0.0})
    one, model, optimizer = make_trainer(config)
    strategy = replicas.two_replica_strategy()
    two, model_of_two, optimizer_of_two = make_trainer(config, strategy)
    with contextlib.closing(one), contextlib.closing(two):
        steps = [(one.train_step(), two.train_step()) for _ in range(4)]
        state = one._lstm_state
        state_of_two = two._lstm_state
        # Once more for the graph alone.
        check_no_dense_pass(two, model_of_two)
    for (_, values, norms), (_, values_of_two, norms_of_two) in steps:
        assert values == pytest.approx(values_of_two, rel=1e-5)
        assert norms == pytest.approx(norms_of_two, rel=1e-4, abs=1e-6)
    weights = weights_of(model)
    for variable, value in zip(
        model_of_two.variables, weights.values(), strict=True
    ):
        copies = strategy.experimental_local_results(variable.value)
        np.testing.assert_array_equal(*copies)
        np.testing.assert_allclose(
            copies[0], value, rtol=1e-4, atol=1e-6, err_msg=variable.path
        )
    for left, right in zip(
        accumulators_of(optimizer),
        accumulators_of(optimizer_of_two),
        strict=True,
    ):
        np.testing.assert_allclose(left, right, rtol=1e-3, atol=1e-6)
    assert int(optimizer_of_two.iterations.numpy()) == 4
    # Each replica has the state of its rows, which differ.
    for part, part_of_one in zip(
        tf.nest.flatten(state_of_two),
        tf.nest.flatten(state),
        strict=True,
    ):
        first, second = strategy.experimental_local_results(part)
        assert first.shape[0] == second.shape[0] == 2
        assert np.abs(first - second).max() > 1e-3
        np.testing.assert_allclose(
            tf.concat([first, second], axis=0), part_of_one, atol=1e-5
        )


@pytest.mark.slow
def test_replicas_drop_differently(corpus):
    config = tiny.make_config(corpus, 10, {"task.model.dropout": 0.5})
    strategy = replicas.two_replica_strategy()
    trainer, _, _ = make_trainer(config, strategy)
    same = []
    with contextlib.closing(trainer):
        batches, _ = next(trainer._prefetcher)

        def same_rows(replica_id):
            del replica_id
            return batches[0]

        _, _, states = trainer._distributed_step(
            trainer._distribute(same_rows), trainer._lstm_state
        )
        for part in tf.nest.flatten(states):
            first, second = strategy.experimental_local_results(part)
            same.append(np.allclose(first, second, atol=1e-4))
    assert not any(same)


def test_resume_is_exact(corpus, finished_run, tmp_path, monkeypatch):
    """Stopped between two checkpoints of an epoch, dropout on."""
    config = tiny.make_config(corpus, 8, RUN)
    original = PretrainingTrainer.train_step

    def fail_at_8(self):
        if int(self.global_step.numpy()) == 7:
            raise RuntimeError("killed")
        return original(self)

    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(PretrainingTrainer, "train_step", fail_at_8)
        tiny.pretrain(monkeypatch, config, tmp_path, "train_and_eval")
    assert tf.train.latest_checkpoint(tmp_path).endswith("ckpt-4")
    result = tiny.pretrain(monkeypatch, config, tmp_path, "train_and_eval")
    folder, expected_result = finished_run
    tiny.assert_same_run(tmp_path, folder)
    assert result == expected_result


@pytest.mark.slow
def test_two_replicas_then_one(corpus, tmp_path, monkeypatch):
    """The one goes on with the states of both."""
    options = {"task.model.dropout": 0.0}
    results = []
    for folder, steps, strategy in (
        ("two", 3, replicas.two_replica_strategy()),
        ("two", 6, None),
        ("one", 6, None),
    ):
        results.append(
            tiny.pretrain(
                monkeypatch,
                tiny.make_config(corpus, steps, options),
                tmp_path / folder,
                mode="train_and_eval",
                strategy=strategy,
            )
        )
    tiny.assert_same_run(tmp_path / "two", tmp_path / "one", tolerance=1e-4)
    assert results[1] == pytest.approx(results[2], rel=1e-4)
    # Validation under two replicas counts every word once too.
    for name in ("tokens", "unknown_tokens"):
        assert results[0][name] == results[2][name]


def test_what_the_folder_holds(corpus, finished_run):
    folder, result = finished_run
    assert sorted(os.listdir(folder)) == [
        "SHA256SUMS",
        "checkpoint",
        "ckpt-4.data-00000-of-00001",
        "ckpt-4.index",
        "ckpt-8.data-00000-of-00001",
        "ckpt-8.index",
        "options.json",
        "params.yaml",
        "train",
        "validation",
        "vocab.txt",
    ]
    assert list(result) == [
        "forward_perplexity",
        "backward_perplexity",
        "average_perplexity",
        "geometric_perplexity",
        "tokens",
        "unknown_tokens",
    ]
    text = pathlib.Path(corpus.valid).read_text(encoding="utf-8")
    assert result["tokens"] == len(text.split()) + text.count("\n")
    assert result["unknown_tokens"] == 2
    model, vocabulary = load_language_model(str(folder))
    assert len(vocabulary) == model.config.n_tokens_vocab == 27
    state = load_typical_state(str(folder), model)
    rows = tiny.checkpoint_arrays(folder)["lstm_state"]
    tf.nest.map_structure(
        lambda mean, rows: np.testing.assert_allclose(
            mean, rows.mean(axis=0, keepdims=True), atol=1e-6
        ),
        state,
        rows,
    )


def test_eval_needs_no_options_of_the_training(
    corpus, finished_run, monkeypatch
):
    """Another batch size, no vocabulary named: those of the folder serve."""
    folder, result = finished_run
    config = tiny.make_config(
        corpus,
        3,
        {
            "task.vocab_file": "",
            "task.train_data.input_path": "",
            "task.train_data.global_batch_size": 7,
            "task.validation_data.batch_size": 2,
        },
    )
    again = tiny.pretrain(monkeypatch, config, folder, mode="eval")
    assert again == pytest.approx(result, rel=1e-5)


@pytest.mark.parametrize("epochs", [0.3, 1, 2.5])
def test_epochs(corpus, epochs):
    config = tiny.make_config(corpus, None, {"trainer.train_epochs": epochs})
    trainer, _, _ = make_trainer(config)
    trainer.close()
    targets = scan(corpus.train).targets
    assert trainer.total_steps == int(epochs * (targets // 20)) > 1


@pytest.mark.parametrize(
    "options",
    [
        {"task.model.char_cnn": None},
        {
            "task.model.char_cnn": None,
            "task.model.share_embedding_softmax": True,
            "task.model.bidirectional": False,
        },
        {
            "task.model.bidirectional": False,
            "task.train_data.shuffle": False,
            "task.train_data.unroll_steps": 1,
            "task.train_data.global_batch_size": 40,
        },
        {
            "task.model.lstm.n_layers": 2,
            "task.model.lstm.dim": 4,
            "task.model.lstm.cell_clip": None,
            "task.model.lstm.proj_clip": None,
            "task.model.lstm.use_skip_connections": False,
            "task.model.char_cnn.activation": "tanh",
            "task.model.char_cnn.n_highway": 0,
            "task.n_negative_samples_batch": None,
            "task.all_clip_norm_val": None,
        },
    ],
    ids=["words", "shared table", "one direction, unroll 1", "bare"],
)
def test_every_kind_of_model_learns(corpus, options):
    options = {"task.model.dropout": 0.0, **options}
    config = tiny.make_config(corpus, 60, options)
    trainer, model, _ = make_trainer(config)
    meter = PerplexityMeter(
        model,
        LanguageModelEncoder(model.config, Vocabulary.load(corpus.vocabulary)),
        batch_size=4,
        window=20,
    )
    sentences = list(read_sentences(corpus.train))
    before = meter.measure(sentences)
    run_steps(trainer, 60)
    after = meter.measure(sentences)
    assert after.forward_perplexity < 0.8 * before.forward_perplexity
    if config.task.model.bidirectional:
        assert after.backward_perplexity < 0.8 * before.backward_perplexity
    else:
        assert after.backward_perplexity is None
    is_word_input = config.task.model.char_cnn is None
    tables = [v for v in model.variables if v.shape == (27, 4)]
    shared = config.task.model.share_embedding_softmax
    assert len(tables) == (2 if is_word_input and not shared else 1)
    if shared:
        assert model.softmax.kernel is model.bilm.token_encoder.embeddings


def test_shared_table_gets_both_gradients(corpus):
    """Words that are only inputs and words that are only targets both move."""
    config = tiny.make_config(
        corpus,
        5,
        {
            "task.model.char_cnn": None,
            "task.model.share_embedding_softmax": True,
            "task.n_negative_samples_batch": 1,
            "task.train_data.global_batch_size": 1,
            "task.train_data.unroll_steps": 2,
        },
    )
    trainer, model, _ = make_trainer(config)
    before = model.softmax.kernel.numpy()
    reader = BidirectionalCorpusReader(corpus.train, 1, 2, config.runtime.seed)
    run_steps(trainer, 1)
    moved = np.abs(model.softmax.kernel.numpy() - before).max(axis=1) > 0
    vocabulary = Vocabulary.load(corpus.vocabulary)
    words = np.concatenate(list(reader.next_window().values())).reshape(-1)
    ids = {vocabulary.id(word.decode()) for word in words}
    assert ids <= set(np.flatnonzero(moved).tolist())
    # Besides at most one negative a direction.
    assert moved.sum() <= len(ids) + 2


def test_mixed_precision_is_near(corpus):
    """Products in bfloat16; weights, states and losses in float32."""
    config = tiny.make_config(
        corpus,
        5,
        {
            "task.model.dropout": 0.0,
            # A value may be clipped in one precision and not in the other.
            "task.model.lstm.cell_clip": None,
            "task.model.lstm.proj_clip": None,
        },
    )
    trainer, _, _ = make_trainer(config)
    expected = run_steps(trainer, 3)
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        trainer, model, optimizer = make_trainer(config)
        actual = run_steps(trainer, 3)
    finally:
        keras.config.set_dtype_policy(before)
    for (_, values, norms), (_, wanted, wanted_norms) in zip(
        actual, expected, strict=True
    ):
        assert values["loss"] != wanted["loss"]
        assert values["loss"] == pytest.approx(wanted["loss"], rel=0.01)
        assert np.linalg.norm(list(norms.values())) == pytest.approx(
            np.linalg.norm(list(wanted_norms.values())), rel=0.02
        )
    for variable in model.variables + optimizer.variables:
        assert variable.dtype in ("float32", "int64", "int32")
    for part in tf.nest.flatten(trainer._lstm_state):
        assert part.dtype == tf.float32


def test_a_poisoned_weight_stops_the_run(corpus, tmp_path, monkeypatch):
    config = tiny.make_config(corpus, 10, {"trainer.checkpoint_interval": 2})
    original = PretrainingTrainer.train_step

    def poisoned(self):
        if int(self.global_step.numpy()) == 4:
            bias = self._model.bilm.stacks[1].lstms[0].bias
            bias.assign(np.full(bias.shape, np.nan))
        return original(self)

    monkeypatch.setattr(PretrainingTrainer, "train_step", poisoned)
    with pytest.raises(NonFiniteError) as info:
        tiny.pretrain(monkeypatch, config, tmp_path)
    message = str(info.value)
    assert message.startswith("training stopped at step 5: loss is nan; ")
    # The forward direction is as sound as before.
    assert (
        "backward_loss is nan; gradients not finite: language_model/bilm/"
        in (message)
    )
    assert tf.train.latest_checkpoint(tmp_path).endswith("ckpt-4")
    for name, value in tiny.checkpoint_arrays(tmp_path).items():
        if name != "reader_state":
            for part in tf.nest.flatten(value):
                assert np.isfinite(part).all(), name


def test_a_huge_learning_rate_stops_the_run(corpus, tmp_path, monkeypatch):
    """Before weights that overflow get into a checkpoint."""
    config = tiny.make_config(
        corpus,
        10,
        {"trainer.checkpoint_interval": 1, "task.learning_rate": 1e39},
    )
    with pytest.raises(NonFiniteError) as info:
        tiny.pretrain(monkeypatch, config, tmp_path)
    assert str(info.value).startswith(
        "training stopped at step 1: weights not finite: language_model/"
    )
    assert tf.train.latest_checkpoint(tmp_path) is None


MISTAKES = [
    ({"task.vocab_file": ""}, "task.vocab_file is not set; "),
    ({"task.vocab_file": "none.txt"}, "none.txt: cannot be read: No such file"),
    (
        {"task.train_data.input_path": ""},
        "task.train_data.input_path is not set",
    ),
    ({"task.train_data.input_path": "none/*.txt"}, "none/*.txt: no such file"),
    (
        {"task.validation_data.input_path": "none.txt"},
        "none.txt: no such file",
    ),
    (
        {"task.n_negative_samples_batch": 28},
        "task.n_negative_samples_batch is 28, but the vocabulary has 27 words; "
        "set a smaller number, or null for the exact softmax",
    ),
    (
        {"task.init_weights": "none.hdf5"},
        "none.hdf5: no such file",
    ),
    (
        {"trainer.train_steps": None, "trainer.train_epochs": 0.01},
        "trainer.train_epochs is 0.01, which is less than one step: the text "
        "has ",
    ),
]


@pytest.mark.parametrize(
    "options, message", MISTAKES, ids=[message for _, message in MISTAKES]
)
def test_mistakes(corpus, tmp_path, monkeypatch, options, message):
    with pytest.raises(InputError) as info:
        tiny.pretrain(
            monkeypatch, tiny.make_config(corpus, 5, options), tmp_path / "m"
        )
    assert str(info.value).startswith(message)
    assert "\n" not in str(info.value)
    assert not (tmp_path / "m").exists()


def test_a_batch_that_does_not_divide(corpus, tmp_path, monkeypatch):
    config = tiny.make_config(
        corpus, 5, {"task.train_data.global_batch_size": 5}
    )
    with pytest.raises(InputError) as info:
        tiny.pretrain(
            monkeypatch,
            config,
            tmp_path / "m",
            strategy=replicas.two_replica_strategy(),
        )
    assert str(info.value) == (
        "task.train_data.global_batch_size is 5, which does not divide among "
        "2 replicas"
    )
    assert not (tmp_path / "m").exists()


def test_evaluation_without_text(corpus, tmp_path, monkeypatch):
    config = tiny.make_config(
        corpus, 5, {"task.validation_data.input_path": ""}
    )
    for mode in ("eval", "train_and_eval"):
        with pytest.raises(InputError) as info:
            tiny.pretrain(monkeypatch, config, tmp_path / "m", mode=mode)
        assert str(info.value) == (
            f"--mode={mode} needs task.validation_data.input_path"
        )
    assert not (tmp_path / "m").exists()


def snapshot(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_folder_of_another_run(corpus, finished_run, tmp_path, monkeypatch):
    """What does not fit is refused, and the folder stays as it is."""
    other = tmp_path / "other.txt"
    other.write_text("<S>\n</S>\n<UNK>\nword1\n", encoding="utf-8")
    text = tmp_path / "text.txt"
    text.write_text("word1 word2\n" * 50, encoding="utf-8")
    same_size = tmp_path / "same_size.txt"
    words = ["<S>", "</S>", "<UNK>", *(f"other{i}" for i in range(24))]
    same_size.write_text("\n".join(words) + "\n", encoding="utf-8")
    folder, _ = finished_run
    before = snapshot(folder)
    for options, message in (
        (
            {"task.model.lstm.n_layers": 3},
            f"{folder}/options.json: the run in this folder has lstm ",
        ),
        (
            {"task.model.char_cnn.n_highway": 2},
            f"{folder}/options.json: the run in this folder has char_cnn ",
        ),
        (
            {"task.model.bidirectional": False},
            f"{folder}/options.json: the run in this folder has bidirectional "
            "True, found False; use another --model_dir",
        ),
        (
            {"task.vocab_file": str(other), "task.n_negative_samples_batch": 2},
            f"{folder}/options.json: the run in this folder has n_tokens_vocab "
            "27, found 4; use another --model_dir",
        ),
        (
            {"task.vocab_file": str(same_size)},
            f"{folder}/vocab.txt: the run in this folder has another "
            "vocabulary; use another --model_dir",
        ),
        (
            {"task.train_data.global_batch_size": 8},
            "task.train_data.global_batch_size is 8, but the checkpoint to go "
            "on from was written with 4",
        ),
        (
            {"runtime.seed": 4},
            "corpus position: saved with seed=3, found seed=4",
        ),
        (
            {"task.train_data.input_path": str(text)},
            "corpus position: saved for 2 files, found 1",
        ),
    ):
        with pytest.raises(InputError) as info:
            tiny.pretrain(
                monkeypatch, tiny.make_config(corpus, 12, options), folder
            )
        assert str(info.value).startswith(message)
        assert snapshot(folder) == before


def test_what_may_change_when_a_run_goes_on(
    corpus, finished_run, tmp_path, monkeypatch
):
    folder = tmp_path / "m"
    shutil.copytree(finished_run[0], folder)
    changed = {
        "task.model.dropout": 0.3,
        "task.learning_rate": 0.1,
        "task.n_negative_samples_batch": None,
        "task.train_data.unroll_steps": 3,
        "task.all_clip_norm_val": 1.0,
    }
    tiny.pretrain(monkeypatch, tiny.make_config(corpus, 10, changed), folder)
    assert tf.train.latest_checkpoint(folder) == f"{folder}/ckpt-10"
    options = json.loads((folder / "options.json").read_text())
    assert options["dropout"] == 0.3
