"""Pre-trains a biLM: the task that `elmo_tf.train` runs."""

import dataclasses
import os

import tensorflow as tf

from elmo_tf.checksums import check_checksums
from elmo_tf.config import BiLMConfig
from elmo_tf.errors import InputError
from elmo_tf.initial_weights import read_initial_weights
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.language_model_batch import LanguageModelEncoder
from elmo_tf.model_dir import OPTIONS_FILE_NAME
from elmo_tf.model_dir import VOCABULARY_FILE_NAME
from elmo_tf.model_dir import write_model_files
from elmo_tf.perplexity import PerplexityMeter
from elmo_tf.perplexity_evaluator import PerplexityEvaluator
from elmo_tf.pretraining_trainer import PretrainingTrainer
from elmo_tf.text.corpus_statistics import scan
from elmo_tf.text.shards import list_shards
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.training.checkpoints import NamedVariables
from elmo_tf.training.host_state import HostState
from elmo_tf.training.overrides import to_dict
from elmo_tf.training.run import run
from elmo_tf.training.run import write_config
from elmo_tf.training.runtime import is_chief
from elmo_tf.training.runtime import set_up
from elmo_tf.training.sparse_adagrad import SparseAdagrad
from elmo_tf.training.workers import check_same
from elmo_tf.training.workers import lost_workers


def pretrain(config, mode, model_dir):
    """Runs a pre-training, from the data's check to the last checkpoint.

    Args:
        config: The `PretrainingConfig`.
        mode: "train", "eval" or "train_and_eval".
        model_dir: The run's folder: gets the options, the vocabulary, the
            configuration, the checkpoints and TensorBoard's files.

    Returns:
        The last validation's figures, a dictionary; None if there was none.

    Raises:
        InputError: The configuration, the data, the vocabulary or what is in
            `model_dir` cannot be used. Nothing is written then.
        LostWorkerError: Another machine of the training is gone.
        NonFiniteError: The loss, a gradient or a weight became NaN or infinite.
    """
    with lost_workers():
        return _pretrain(config, mode, model_dir)


def _pretrain(config, mode, model_dir):
    task = config.task
    trains = mode != "eval"
    vocabulary = _load_vocabulary(task, model_dir, trains)
    model_config = dataclasses.replace(
        task.model, n_tokens_vocab=len(vocabulary)
    )
    _check_negatives(task, len(vocabulary))
    _check_model_dir(model_config, vocabulary, model_dir)
    if task.validation_data.input_path:
        scan(task.validation_data.input_path)
    elif mode != "train":
        raise InputError(f"--mode={mode} needs task.validation_data.input_path")
    statistics = _scan_training_data(task) if trains else None

    strategy = set_up(config.runtime)
    check_same(
        strategy,
        {
            "--mode": mode,
            **to_dict(config),
            "the vocabulary's size": len(vocabulary),
            "the training data's size": statistics
            and dataclasses.asdict(statistics),
        },
    )
    _check_batch_size(task, strategy)
    with strategy.scope():
        model = BiLanguageModel(
            model_config, task.n_negative_samples_batch, name="language_model"
        )
        model.build()
        optimizer = SparseAdagrad(
            task.learning_rate, task.initial_accumulator_value
        )
        optimizer.build(model.trainable_variables)
    initial_state = model.zero_state(1)
    if trains and task.init_weights:
        initial_state = read_initial_weights(
            task.init_weights, model, vocabulary
        )
    encoder = LanguageModelEncoder(model_config, vocabulary)
    trainer = PretrainingTrainer(
        config,
        strategy,
        model,
        optimizer,
        encoder,
        statistics,
        initial_state,
    )
    evaluator = None
    if task.validation_data.input_path:
        evaluator = PerplexityEvaluator(
            strategy,
            PerplexityMeter(
                model, encoder, batch_size=task.validation_data.batch_size
            ),
            task.validation_data.input_path,
            trainer.typical_lstm_state,
        )
    checkpoint = tf.train.Checkpoint(
        model=NamedVariables(model.variables),
        optimizer=NamedVariables(optimizer.variables),
        host_state=HostState(trainer.save_state, trainer.restore_state),
    )

    def start():
        trainer.start()
        if is_chief(strategy):
            write_model_files(model_dir, model_config, vocabulary)
            write_config(config, model_dir, strategy)

    return run(
        mode, trainer, evaluator, checkpoint, config.trainer, model_dir, start
    )


def _load_vocabulary(task, model_dir, trains):
    if trains and task.init_weights and not os.path.exists(task.init_weights):
        raise InputError(f"{task.init_weights}: no such file or folder")
    path = task.vocab_file
    if not path and not trains:
        path = os.path.join(model_dir, VOCABULARY_FILE_NAME)
    elif not path and task.init_weights and os.path.isdir(task.init_weights):
        path = os.path.join(task.init_weights, VOCABULARY_FILE_NAME)
    if not path:
        raise InputError(
            "task.vocab_file is not set; `python -m elmo_tf.build_vocab` makes "
            "a vocabulary"
        )
    return Vocabulary.load(path)


def _scan_training_data(task):
    if not task.train_data.input_path:
        raise InputError("task.train_data.input_path is not set")
    list_shards(task.train_data.input_path)
    return scan(task.train_data.input_path)


def _check_negatives(task, vocabulary_size):
    negatives = task.n_negative_samples_batch
    if negatives is not None and negatives > vocabulary_size:
        raise InputError(
            f"task.n_negative_samples_batch is {negatives}, but the vocabulary "
            f"has {vocabulary_size} words; set a smaller number, or null for "
            "the exact softmax"
        )


def _check_batch_size(task, strategy):
    batch_size = task.train_data.global_batch_size
    n_replicas = strategy.num_replicas_in_sync
    if batch_size % n_replicas:
        raise InputError(
            f"task.train_data.global_batch_size is {batch_size}, which does "
            f"not divide among {n_replicas} replicas"
        )


def _check_model_dir(model_config, vocabulary, model_dir):
    """A run goes on only with the model and the vocabulary it began with."""
    options_path = os.path.join(model_dir, OPTIONS_FILE_NAME)
    if not os.path.exists(options_path):
        return
    saved = BiLMConfig.from_json_file(options_path)
    # A change of the dropout rate leaves the weights' shapes alone.
    if dataclasses.replace(saved, dropout=model_config.dropout) != model_config:
        for field in dataclasses.fields(BiLMConfig):
            before = getattr(saved, field.name)
            now = getattr(model_config, field.name)
            if before != now and field.name != "dropout":
                raise InputError(
                    f"{options_path}: the run in this folder has {field.name} "
                    f"{before}, found {now}; use another --model_dir"
                )
    vocabulary_path = os.path.join(model_dir, VOCABULARY_FILE_NAME)
    if Vocabulary.load(vocabulary_path).tokens != vocabulary.tokens:
        raise InputError(
            f"{vocabulary_path}: the run in this folder has another "
            "vocabulary; use another --model_dir"
        )
    check_checksums(model_dir)
