"""A task model behind its frozen biLM, from strings to answers."""

import tensorflow as tf

from elmo_tf.inference.untracked import Untracked
from elmo_tf.saved_model import load_saved_model
from elmo_tf.serving.warm_up import text_inputs
from elmo_tf.text.characters import checked_lengths
from tasks.graph_inputs import graph_inputs
from tasks.text.sentences import join_sentences
from tasks.text.sentences import split_sentences


class TaskFunctions(tf.Module):
    """The functions of a task's SavedModel.

    The biLM, the vocabulary and the task model are in their graphs: what comes
    in are strings. They need nothing besides TensorFlow.

    Args:
        config: The task's `TaskConfig`.
        task_model: The `TaskModel`, trained.
        tokenizer: How raw strings are split: "whitespace" or "penn_treebank";
            see `Task.from_strings`.
    """

    def __init__(self, config, task_model, tokenizer):
        super().__init__()
        self._tokenizer = tokenizer
        self._task_model = Untracked(task_model)
        self._features = task_model.features
        self._variables = [
            variable.value for variable in task_model.model.variables
        ]
        self._bilm = None
        if task_model.elmo_source is not None:
            self._bilm = load_saved_model(config.elmo.saved_model)
            self._bilm_function = self._bilm.signatures["tokens"]

    def warm_up_batches(self):
        """Makes batches for `elmo_tf.serving.warm_up.write_warm_up_requests`.

        Returns:
            A list of two dictionaries: one example, and several.
        """
        task = self._task_model.value.task
        texts = task.warm_up_texts()
        batches = []
        for examples in (texts[:1], texts):
            inputs = dict(task.warm_up_extra(examples))
            for prefix, name, field_texts in zip(
                task.field_prefixes,
                _names_of_strings(task),
                zip(*examples, strict=True),
                strict=True,
            ):
                inputs.update(text_inputs(field_texts, prefix, name))
            batches.append(inputs)
        return batches

    def signatures(self):
        """Returns the functions by the name of their signature.

        `tokens` takes for each text field its tokens, string `[batch, time]`,
        and `sequence_len`, int32 `[batch]`; `default` takes raw strings
        `[batch]`, and gives the tokens too. With one text field the arguments
        are `tokens` and `sequence_len`, and `strings`; with several the
        field's name stands before the former and in place of the latter. Both
        take the task's `extra_inputs` besides.
        `inspect` takes what `default` takes; only with a model that the task
        can look into, see `Task.inspector`.
        """
        task = self._task_model.value.task
        inspector = task.inspector(self._task_model.value.model)
        prefixes = task.field_prefixes
        names = _names_of_strings(task)

        def from_tokens(**arguments):
            texts = []
            for prefix in prefixes:
                tokens = arguments[f"{prefix}tokens"]
                lengths = arguments[f"{prefix}sequence_len"]
                texts.append((tokens, checked_lengths(tokens, lengths)))
            return task.from_tokens(
                texts, lambda texts: self._answer(texts, extra(arguments))
            )

        def from_strings(**arguments):
            return task.from_strings(
                [arguments[name] for name in names],
                self._tokenizer,
                lambda texts: self._answer(texts, extra(arguments)),
            )

        def inspect_strings(**arguments):
            def inspect(texts):
                found = inspector(self._inputs(texts, extra(arguments)))
                return {**found, **task.decode(found)}

            strings = [arguments[name] for name in names]
            return task.inspect_strings(strings, inspect)

        def extra(arguments):
            return {name: arguments[name] for name in task.extra_inputs}

        extra_specs = {
            name: tf.TensorSpec(spec.shape, spec.dtype, name=name)
            for name, spec in task.extra_inputs.items()
        }
        token_specs = dict(extra_specs)
        for prefix in prefixes:
            for name, shape, dtype in (
                (f"{prefix}tokens", [None, None], tf.string),
                (f"{prefix}sequence_len", [None], tf.int32),
            ):
                token_specs[name] = tf.TensorSpec(shape, dtype, name=name)
        string_specs = dict(extra_specs)
        for name in names:
            string_specs[name] = tf.TensorSpec([None], tf.string, name=name)
        signatures = {
            "default": tf.function(from_strings).get_concrete_function(
                **string_specs
            ),
            "tokens": tf.function(from_tokens).get_concrete_function(
                **token_specs
            ),
        }
        if inspector is not None:
            signatures["inspect"] = tf.function(
                inspect_strings
            ).get_concrete_function(**string_specs)
        return signatures

    def _answer(self, texts, extra):
        """The task's answers to what `graph_inputs` takes."""
        task_model = self._task_model.value
        outputs = task_model.model(self._inputs(texts, extra), training=False)
        return task_model.task.decode(outputs)

    def _inputs(self, texts, extra):
        """The model's inputs, of what `_answer` takes."""
        task = self._task_model.value.task
        inputs = graph_inputs(task, self._features, texts, extra)
        if self._bilm is not None:
            # Behind the task's own checks of its extra inputs.
            with tf.control_dependencies(list(inputs.values())):
                for field, text, sentence_lengths in zip(
                    task.text_fields,
                    texts,
                    task.sentence_lengths(extra),
                    strict=True,
                ):
                    inputs[f"{field}_elmo"] = self._elmo(
                        *text, sentence_lengths
                    )
        return inputs

    def _elmo(self, tokens, sequence_len, sentence_lengths):
        """The biLM's layers, `[batch, time, n_layers, output_dim]`."""
        if sentence_lengths is None:
            return self._bilm_function(
                tokens=tokens, sequence_len=sequence_len
            )["layers"]
        layers = self._bilm_function(
            tokens=split_sentences(tokens, sentence_lengths),
            sequence_len=tf.reshape(sentence_lengths, [-1]),
        )["layers"]
        return join_sentences(layers, sentence_lengths, tf.shape(tokens)[1])


def _names_of_strings(task):
    """The names of the raw strings in a signature, one for each text field."""
    if len(task.text_fields) == 1:
        return ["strings"]
    return task.text_fields
