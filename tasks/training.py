"""Trains task models: what `tasks.train` runs."""

import contextlib
import dataclasses
import datetime
import math
import os
import time

import keras
import numpy as np
import tensorflow as tf

from elmo_tf.atomic_file import temporary_folder
from elmo_tf.checksums import check_checksums
from elmo_tf.checksums import remove_checksums
from elmo_tf.checksums import write_checksums
from elmo_tf.errors import InputError
from elmo_tf.training.checkpoints import NamedVariables
from elmo_tf.training.checkpoints import restore_model
from elmo_tf.training.durable_checkpoint_manager import DurableCheckpointManager
from elmo_tf.training.host_state import HostState
from elmo_tf.training.overrides import to_dict
from elmo_tf.training.run import run
from elmo_tf.training.run import write_config
from elmo_tf.training.runtime import is_chief
from elmo_tf.training.runtime import set_up
from elmo_tf.training.workers import check_same
from elmo_tf.training.workers import first_worker_first
from elmo_tf.training.workers import from_first_worker
from elmo_tf.training.workers import lost_workers
from tasks.elmo.elmo_source import ElmoSource
from tasks.optimizers import make_optimizer
from tasks.pictures import draw_training
from tasks.predictor import Predictor
from tasks.registry import make_task
from tasks.results import layer_weights
from tasks.results import parameter_counts
from tasks.results import summarize
from tasks.results import write_results
from tasks.task_evaluator import TaskEvaluator
from tasks.task_model import BEST_FOLDER
from tasks.task_model import VOCABULARY_FILE_NAME
from tasks.task_model import TaskModel
from tasks.task_shape import SHAPE_FILE_NAME
from tasks.task_shape import TaskShape
from tasks.task_trainer import TaskTrainer
from tasks.text.word_coverage import WordCoverage
from tasks.text.word_vectors import WordVectors
from tasks.text.word_vocabulary import WordVocabulary
from tasks.training_batches import TrainingBatches
from tasks.validation import Validation
from tasks.weight_average import WeightAverage


def train(config, mode, model_dir, origin=None):
    """Trains a task model, once or with several seeds.

    Args:
        config: The `TaskExperimentConfig` of a task.
        mode: "train" or "train_and_eval".
        model_dir: The run's folder: gets the configuration, the vocabulary, the
            checkpoints, the best weights, `results.json` and a picture of the
            training; with several seeds a folder of each of them.
        origin: What `results.json` is to tell besides of how the training came
            about: a dictionary of `experiment` and `command`, or None.

    Returns:
        What `results.json` holds.

    Raises:
        InputError: The configuration, the data or what is in `model_dir` cannot
            be used.
        LostWorkerError: Another machine of the training is gone.
        NonFiniteError: The loss, a gradient or a weight became NaN or infinite.
    """
    with lost_workers():
        return _train(config, mode, model_dir, origin or {})


def _train(config, mode, model_dir, origin):
    if not config.seeds:
        strategy = set_up(config.runtime)
        return _train_once(config, strategy, mode, model_dir, origin)
    results = {}
    for seed in config.seeds:
        print(f"seed {seed}", flush=True)
        keras.backend.clear_session()
        runtime = dataclasses.replace(config.runtime, seed=seed)
        strategy = set_up(runtime)
        results[seed] = _train_once(
            dataclasses.replace(config, seeds=(), runtime=runtime),
            strategy,
            mode,
            os.path.join(model_dir, f"seed_{seed}"),
            origin,
        )
    summary = {**summarize(results), **origin}
    if is_chief(strategy):
        write_results(model_dir, summary)
    return summary


def _train_once(config, strategy, mode, model_dir, origin):
    started = time.monotonic()
    check_same(strategy, {"--mode": mode, **to_dict(config)})
    task = make_task(config.task)
    data = _read_data(task, config, mode)
    vectors = _read_vectors(config.task.word_vectors)
    vocabulary = _make_vocabulary(task, data["train"], vectors)
    source = None
    if config.task.elmo.is_used:
        source = ElmoSource(config.task.elmo)
    shape = TaskShape(
        state=task.state(),
        vocabulary_size=len(vocabulary),
        word_dim=config.task.word_vectors.dim
        if vectors is None
        else vectors.dim,
        elmo_fingerprint=None if source is None else source.fingerprint,
    )
    check_same(
        strategy,
        {
            "the number of examples": {
                split: len(examples) for split, examples in data.items()
            },
            "what the model depends on": dataclasses.asdict(shape),
        },
    )
    _check_model_dir(model_dir, shape, vocabulary)
    with temporary_folder("vocabulary") as folder, strategy.scope():
        # The lookup table reads the file now.
        vocabulary_file = os.path.join(folder, VOCABULARY_FILE_NAME)
        vocabulary.save(vocabulary_file)
        task_model = TaskModel(task, shape, vocabulary_file, source)
        model = task_model.model
        if vectors is not None:
            task_model.set_word_vectors(
                vocabulary.initial_vectors(vectors, config.runtime.seed)
            )
        optimizer = make_optimizer(config.task.optimizer)
        optimizer.build(model.trainable_variables)
        average = None
        if config.task.optimizer.ema_decay is not None:
            average = WeightAverage(
                model.trainable_variables, config.task.optimizer.ema_decay
            )
    # The first worker leaves ELMo's layers where the others may find them; the
    # others validate and test nothing.
    makers = first_worker_first(
        strategy,
        lambda: {
            split: task_model.input_maker(examples, split)
            for split, examples in data.items()
            if split == "train" or is_chief(strategy)
        },
    )
    batches = TrainingBatches(
        [_length(task, example) for example in data["train"]],
        config.task.train_data.batch_size,
        config.runtime.seed,
    )
    trainer_config = _with_intervals(config.trainer, batches.steps_per_epoch)
    trainer = TaskTrainer(
        dataclasses.replace(config, trainer=trainer_config),
        strategy,
        task,
        model,
        optimizer,
        batches,
        makers["train"],
        data["train"],
        average,
    )
    validation = Validation(task.metric, config.trainer.patience)
    best = DurableCheckpointManager(
        tf.train.Checkpoint(model=NamedVariables(model.weights)),
        os.path.join(model_dir, BEST_FOLDER),
        max_to_keep=1,
    )
    predictor = Predictor(task, [model], config.task.validation_data.batch_size)

    def measure(split):
        examples = data[split]
        return task.metrics(
            examples, predictor.predict(examples, [makers[split]])
        )

    def save_best():
        if is_chief(strategy):
            best.save()

    def after_validation(is_best):
        """Keeps the best weights; lowers the learning rate on a plateau."""
        if is_best:
            save_best()
        else:
            _lower_learning_rate(config.task.optimizer, optimizer, validation)

    evaluator = None
    if "validation" in data:
        evaluator = TaskEvaluator(
            strategy,
            lambda: measure("validation"),
            validation,
            trainer.global_step,
            after_validation,
            average,
        )

    averages = {}
    if average is not None:
        averages["average"] = NamedVariables(average.variables)

    def start():
        if is_chief(strategy):
            os.makedirs(model_dir, exist_ok=True)
            remove_checksums(model_dir)
            vocabulary.save(os.path.join(model_dir, VOCABULARY_FILE_NAME))
            shape.save(model_dir)
            write_checksums(model_dir, [SHAPE_FILE_NAME, VOCABULARY_FILE_NAME])
        write_config(config, model_dir, strategy)
        if evaluator is not None:
            evaluator.catch_up(trainer_config.validation_interval)
        trainer.start()

    run(
        mode,
        trainer,
        evaluator,
        tf.train.Checkpoint(
            model=NamedVariables(model.weights),
            optimizer=NamedVariables(optimizer.variables),
            validation=HostState(
                validation.save_state, validation.restore_state
            ),
            **averages,
        ),
        trainer_config,
        model_dir,
        start,
        lambda: validation.is_over,
    )
    if mode == "train":
        with contextlib.nullcontext() if average is None else average.applied():
            save_best()

    def finish():
        restore_model(model, os.path.join(model_dir, BEST_FOLDER))
        results = {
            "seed": config.runtime.seed,
            **origin,
            "date": datetime.datetime.now(datetime.UTC).isoformat(
                "T", "seconds"
            ),
            "steps": int(trainer.global_step.numpy()),
            "steps_per_epoch": batches.steps_per_epoch,
            "seconds": round(time.monotonic() - started, 1),
            "parameters": parameter_counts(model),
            "elmo": layer_weights(model),
            "examples": {
                split: len(examples) for split, examples in data.items()
            },
            "words": {
                split: dataclasses.asdict(
                    _coverage(
                        task, examples, vocabulary, data["train"], vectors
                    )
                )
                for split, examples in data.items()
            },
            "validation": validation.best,
            "test": measure("test") if "test" in data else None,
        }
        write_results(model_dir, results)
        draw_training(model_dir, validation.history, task.metric)
        return results

    return from_first_worker(strategy, finish)


def _read_data(task, config, mode):
    """The examples by split; what is not given is not there."""
    files = {
        "train": config.task.train_data.input_path,
        "validation": config.task.validation_data.input_path,
        "test": config.task.test_data.input_path,
    }
    needed = ["train"] + (["validation"] if mode == "train_and_eval" else [])
    for split in needed:
        if not files[split]:
            raise InputError(f"task.{split}_data.input_path is not set")
    data = {
        split: (task.read_training if split == "train" else task.read)(path)
        for split, path in files.items()
        if path
    }
    # Which classes there are is known, however few examples are used.
    task.learn(data["train"])
    n_used = math.ceil(config.task.train_fraction * len(data["train"]))
    generator = np.random.default_rng(config.runtime.seed)
    chosen = generator.permutation(len(data["train"]))[:n_used]
    data["train"] = [data["train"][index] for index in sorted(chosen)]
    for split in ("validation", "test"):
        if split in data:
            task.check(data[split])
    return data


def _read_vectors(config):
    if not config.input_path:
        return None
    return WordVectors.load(config.input_path, config.words_path or None)


def _sentences(task, examples):
    for example in examples:
        yield from task.texts(example)


def _length(task, example):
    return max(map(len, task.texts(example)))


def _make_vocabulary(task, examples, vectors):
    config = task.config.word_vectors
    return WordVocabulary.build(
        _sentences(task, examples),
        vectors,
        config.min_count,
        config.lowercase,
        config.zero_numbers,
    )


def _coverage(task, examples, vocabulary, training_examples, vectors):
    return WordCoverage.measure(
        _sentences(task, examples),
        vocabulary,
        _sentences(task, training_examples),
        vectors,
    )


def _check_model_dir(model_dir, shape, vocabulary):
    """A run goes on only with the model and the words it began with."""
    saved = TaskShape.load(model_dir)
    if saved is None:
        return
    for name, before in dataclasses.asdict(saved).items():
        if before != getattr(shape, name):
            raise InputError(
                f"{model_dir}: the run in this folder has another {name}; use "
                "another --model_dir"
            )
    path = os.path.join(model_dir, VOCABULARY_FILE_NAME)
    if WordVocabulary.load(path).words != vocabulary.words:
        raise InputError(
            f"{path}: the run in this folder has other words; use another "
            "--model_dir"
        )
    check_checksums(model_dir)


def _with_intervals(config, steps_per_epoch):
    """The configuration with all numbers of steps filled in."""
    return dataclasses.replace(
        config,
        train_steps=config.train_steps
        or max(1, int(config.train_epochs * steps_per_epoch)),
        checkpoint_interval=config.checkpoint_interval or steps_per_epoch,
        validation_interval=config.validation_interval or steps_per_epoch,
    )


def _lower_learning_rate(config, optimizer, validation):
    """Lowers it after so many validations without improvement."""
    if (
        config.plateau_factor is not None
        and validation.n_without_improvement % config.plateau_patience == 0
    ):
        optimizer.learning_rate = (
            float(optimizer.learning_rate) * config.plateau_factor
        )
