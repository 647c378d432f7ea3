"""What a task is."""

import abc

import tensorflow as tf

from elmo_tf.serving.warm_up import SENTENCES
from elmo_tf.text.tokenizer import tokenize


class Task(abc.ABC):
    """A supervised task on text: its data, its model, its measure.

    A task is made of its configuration alone; `learn` lets it see the training
    examples, `state` and `restore` carry what it learnt, the labels for one,
    to another process. `tasks/README.md` shows how to add one.

    An example is an object of the task's own. Its model is a Keras functional
    model from a dictionary of inputs, those of `ModelInputs`, to a dictionary
    of outputs.

    Args:
        config: The task's configuration, a `TaskConfig`.

    Attributes:
        config: The same.
        text_fields: Names of the model's texts: each example has one list of
            tokens for each.
        metric: Name of the metric, of those that `metrics` returns, that
            decides which weights are best: the larger, the better.
        labels: A tuple of the labels that the model's outputs are about, in
            their order; empty if they are about none. The members of an
            ensemble must have the same.
        has_own_tokenizer: Whether raw strings can be split in one way only.
        n_best: How many answers `write_n_best` writes, which may be set before
            predictions are made; None: the task has one answer an example.
    """

    text_fields = ("tokens",)
    metric = None
    labels = ()
    has_own_tokenizer = False
    n_best = None

    def __init__(self, config):
        self.config = config

    @abc.abstractmethod
    def read(self, path):
        """Reads labelled examples.

        Args:
            path: A file in the task's format, plain or gzip.

        Returns:
            A list of examples, at least one.

        Raises:
            InputError: The file cannot be used; the message names file and
                line.
        """

    def read_training(self, path):
        """Reads examples to train on; others than `read` where a task says so.

        Args:
            path: As for `read`.

        Returns:
            Likewise.

        Raises:
            InputError: Likewise.
        """
        return self.read(path)

    def read_to_predict(self, path):
        """Reads examples to make predictions for.

        Their labels are not used; where a task says so, they may be missing.

        Args:
            path: As for `read`.

        Returns:
            Likewise.

        Raises:
            InputError: Likewise.
        """
        return self.read(path)

    @abc.abstractmethod
    def texts(self, example):
        """Returns an example's tokens: a list of them for each text field."""

    def sentences(self, example):
        """Returns what the biLM reads by itself; by default whole texts.

        Args:
            example: The example.

        Returns:
            For each text field a list of lists of tokens, which are the text's
            tokens one after the other.
        """
        return [[tokens] for tokens in self.texts(example)]

    def sentence_lengths(self, extra):
        """Tells of `sentences`, in the graph.

        Args:
            extra: A dictionary of tensors, the extra inputs.

        Returns:
            For each text field the numbers of tokens of its sentences, int32
            `[batch, sentences]`, 0 where there are no more, or None, as by
            default: the biLM reads whole texts.
        """
        del extra
        return [None] * len(self.text_fields)

    @property
    def extra_inputs(self):
        """What an example has besides its texts; by default nothing.

        A dictionary from names to `tf.TensorSpec` whose first axis, the
        examples, is open. The functions of the exported SavedModel take them
        by these names.
        """
        return {}

    def extra_values(self, examples):
        """Returns the extra inputs of examples, by their names.

        Args:
            examples: A list of examples.

        Returns:
            A dictionary of what tensors can be made of, `[examples, …]`.
        """
        del examples
        return {}

    def warm_up_texts(self):
        """Returns texts that the exported model is warmed up with.

        A list of a list of tokens for each text field, at least one of them and
        none empty. See `elmo_tf.serving.warm_up`.
        """
        return [[tokens] * len(self.text_fields) for tokens in SENTENCES]

    def warm_up_extra(self, texts):
        """Returns the extra inputs of such texts; by default nothing.

        Args:
            texts: Some of those that `warm_up_texts` returns.

        Returns:
            As `extra_values`.
        """
        del texts
        return {}

    @property
    def model_inputs(self):
        """What the model reads besides its texts; as `extra_inputs`.

        By default the extra inputs themselves.
        """
        return self.extra_inputs

    def make_model_inputs(self, texts, extra):
        """Makes the inputs of `model_inputs`, in the graph.

        Args:
            texts: For each text field a tuple of tokens, string `[batch,
                time]`, and their numbers, int32 `[batch]`.
            extra: A dictionary of tensors, the extra inputs.

        Returns:
            A dictionary of tensors `[batch, …]`, by default `extra`.
        """
        del texts
        return extra

    def training_view(self, example, generator):
        """Chooses how a training step sees an example; by default as it is.

        Args:
            example: The example.
            generator: The step's `numpy.random.Generator`, to draw from. It
                depends on seed and step, so that a resumed training equals an
                uninterrupted one.

        Returns:
            An example.
        """
        del generator
        return example

    @abc.abstractmethod
    def learn(self, examples):
        """Takes what the model's shape depends on, e.g. the labels.

        Args:
            examples: The training examples.
        """

    @abc.abstractmethod
    def state(self):
        """Returns what `learn` has found, as values that JSON can hold."""

    @abc.abstractmethod
    def restore(self, state):
        """Takes what `state` has returned in place of `learn`."""

    @abc.abstractmethod
    def check(self, examples):
        """Checks that examples can be evaluated with what was learnt.

        Args:
            examples: The examples.

        Raises:
            InputError: A label does not occur in the training data.
        """

    @abc.abstractmethod
    def make_model(self, inputs):
        """Builds the model.

        Args:
            inputs: The `ModelInputs`.

        Returns:
            A `keras.Model` from `inputs.keras_inputs` to a dictionary.
        """

    @abc.abstractmethod
    def targets(self, examples):
        """Makes what the loss compares the outputs with.

        Args:
            examples: A list of examples.

        Returns:
            A dictionary of NumPy arrays `[examples, …]`.
        """

    @abc.abstractmethod
    def loss(self, model, outputs, targets):
        """Computes each example's loss.

        Args:
            model: The model.
            outputs: Its outputs.
            targets: What `targets` made, as tensors.

        Returns:
            Float32 `[examples]`.
        """

    @abc.abstractmethod
    def combine(self, models, outputs):
        """Joins what the members of an ensemble say, in the graph.

        Args:
            models: A list of the members' models.
            outputs: A list of their outputs for the same examples.

        Returns:
            A dictionary like one member's outputs, for `decode`.
        """

    @abc.abstractmethod
    def decode(self, outputs):
        """Computes the answers, in the graph.

        Args:
            outputs: The model's outputs, or what `combine` made.

        Returns:
            A dictionary of tensors `[examples, …]`, labels as strings: the
            outputs of the exported SavedModel.
        """

    def from_tokens(self, texts, answer):
        """Answers tokens, in the graph of the exported SavedModel.

        Args:
            texts: For each text field a tuple of tokens, string `[batch,
                time]`, and their numbers, int32 `[batch]`.
            answer: A function from such texts to what `decode` gives.

        Returns:
            A dictionary of tensors `[batch, …]`: by default the answers.
        """
        return answer(texts)

    def from_strings(self, strings, tokenizer, answer):
        """Answers raw strings, in the graph of the exported SavedModel.

        Args:
            strings: A list of a string tensor `[batch]` for each text field.
            tokenizer: How to split them: "whitespace" or "penn_treebank";
                a task that has its own takes that.
            answer: As for `from_tokens`.

        Returns:
            A dictionary of tensors `[batch, …]`: by default the tokens of each
            field, and the answers.
        """
        texts = []
        tokens = {}
        for prefix, values in zip(self.field_prefixes, strings, strict=True):
            ragged = tokenize(values, tokenizer)
            padded = ragged.to_tensor(default_value="")
            texts.append((padded, tf.cast(ragged.row_lengths(), tf.int32)))
            tokens[f"{prefix}tokens"] = padded
        return {**tokens, **self.from_tokens(texts, answer)}

    def inspector(self, model):
        """Makes what shows how a model comes to answers; by default nothing.

        Args:
            model: The model.

        Returns:
            A function, for graphs, from the model's inputs to a dictionary of
            its outputs and of more tensors `[examples, …]`; None: there is
            nothing to show. Where it is not None, the exported SavedModel has
            the signature `inspect`, and `inspect_strings` is needed.
        """
        del model
        return None

    def inspect_strings(self, strings, inspect):
        """Looks inside the model on raw strings, in the SavedModel's graph.

        Args:
            strings: As for `from_strings`.
            inspect: A function from what the `answer` of `from_strings` takes
                to what `inspector` gives, with what `decode` makes of it.

        Returns:
            A dictionary of tensors `[batch, …]`.
        """
        raise NotImplementedError

    @property
    def field_prefixes(self):
        """What stands before `tokens` in a signature, for each text field."""
        if len(self.text_fields) == 1:
            return [""]
        return [f"{field}_" for field in self.text_fields]

    @abc.abstractmethod
    def predictions(self, examples, decoded):
        """Turns decoded tensors into one object for each example.

        Args:
            examples: A list of examples.
            decoded: What `decode` gave for them, as NumPy arrays.

        Returns:
            A list of objects that `metrics` and `write` take.
        """

    @abc.abstractmethod
    def metrics(self, examples, predictions):
        """Measures predictions.

        Args:
            examples: A list of examples.
            predictions: Their predictions.

        Returns:
            A dictionary of numbers, `metric` among them.
        """

    @abc.abstractmethod
    def write(self, examples, predictions, file):
        """Writes predictions in the task's standard format.

        Args:
            examples: A list of examples.
            predictions: Their predictions.
            file: A text file to write to.
        """

    def writer(self, output):
        """Chooses how to write predictions; by default `write`.

        Args:
            output: The name of the file, for tasks whose files have several
                formats.

        Returns:
            A function like `write`.
        """
        del output
        return self.write

    def write_n_best(self, examples, predictions, file):
        """Writes the n best answers; for tasks that have `n_best`.

        Args:
            examples: A list of examples.
            predictions: Their predictions.
            file: A text file to write to.
        """
        raise NotImplementedError(f"{self.config.name} has no n best answers")
