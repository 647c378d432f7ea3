"""Asks of a biLM's layers whether they tell senses apart."""

import collections
import os
import pathlib
import tempfile

import keras
import numpy as np

from elmo_tf import pretrained
from elmo_tf.bilm import BiLM
from elmo_tf.config import BiLMConfig
from elmo_tf.embedder import Elmo
from elmo_tf.senses.examples import read_examples
from elmo_tf.senses.nearest_neighbour import indices_by_word
from elmo_tf.senses.nearest_neighbour import leave_one_out_accuracy
from elmo_tf.senses.nearest_neighbour import nearest_neighbour_accuracy
from elmo_tf.senses.occurrence import Occurrence
from elmo_tf.senses.occurrence import occurrence_vectors
from elmo_tf.weights import write_weights
from tasks.wsd.semcor import read_semcor
from tasks.wsd.sense_key import PARTS_OF_SPEECH

# Of SemCor's files one in so many is asked about.
_TEST_EVERY = 5


def probe_examples(elmo):
    """Probes a biLM with this project's list of labelled sentences.

    Args:
        elmo: The `Elmo`.

    Returns:
        A dictionary: `words`, see `leave_one_out_accuracy`; `layers`, the
        accuracies by layer, the mean of the words; `most_frequent_sense`
        likewise; `words_above_token_layer`, the number of words of which the
        top layer is right more often than the token layer.
    """
    occurrences = read_examples()
    words = leave_one_out_accuracy(
        occurrence_vectors(elmo, occurrences), occurrences
    )
    layers = np.array([word["layers"] for word in words.values()])
    return {
        "words": words,
        "layers": layers.mean(axis=0).tolist(),
        "most_frequent_sense": float(
            np.mean([word["most_frequent_sense"] for word in words.values()])
        ),
        "words_above_token_layer": int((layers[:, -1] > layers[:, 0]).sum()),
    }


def probe_semcor(elmo, path):
    """Probes a biLM with the WordNet senses of SemCor's part brown1.

    Every fifth file is asked about, neighbours come from the others. A word
    counts that has several senses in these others. Left out are words of
    several tokens ("took_place"), those that the annotators redefined, names
    among them, and those with several senses.

    Args:
        elmo: The `Elmo`.
        path: As of `read_semcor`.

    Returns:
        A dictionary: `layers`, the accuracies by layer; `most_frequent_sense`,
        how often the sense is the most frequent one of the other files;
        `occurrences`, how many were asked about; `parts_of_speech`, the same
        figures of each.

    Raises:
        InputError: As `read_semcor`.
    """
    files = [
        _occurrences(sentences)
        for sentences in read_semcor(path, ("brown1",)).values()
    ]
    occurrences = [occurrence for file in files for occurrence in file]
    is_test = np.repeat(
        np.arange(len(files)) % _TEST_EVERY == _TEST_EVERY - 1,
        [len(file) for file in files],
    )
    asked = {}
    for word, indices in indices_by_word(occurrences).items():
        queries = [index for index in indices if is_test[index]]
        candidates = [index for index in indices if not is_test[index]]
        senses = {occurrences[index].sense for index in candidates}
        if queries and len(senses) > 1:
            asked[word] = queries, candidates
    kept = sorted(
        index for groups in asked.values() for part in groups for index in part
    )
    place = {index: number for number, index in enumerate(kept)}
    vectors = occurrence_vectors(elmo, [occurrences[index] for index in kept])
    figures = collections.defaultdict(list)
    for word, (queries, candidates) in asked.items():
        indices = queries + candidates
        senses = [occurrences[index].sense for index in indices]
        accuracy = nearest_neighbour_accuracy(
            vectors[[place[index] for index in indices]],
            senses,
            range(len(queries)),
            range(len(queries), len(indices)),
        )
        counts = collections.Counter(senses[len(queries) :])
        ((most_frequent, _),) = counts.most_common(1)
        is_most_frequent = [
            sense == most_frequent for sense in senses[: len(queries)]
        ]
        # [queries, 1 + n_layers]
        figures[word[-1]].append(np.column_stack([is_most_frequent, accuracy]))
    parts = {
        name: np.concatenate(figures[letter])
        for letter, name in PARTS_OF_SPEECH.items()
        if letter in figures
    }
    return {
        **_means(np.concatenate(list(parts.values()))),
        "parts_of_speech": {name: _means(part) for name, part in parts.items()},
    }


def untrained(saved_model):
    """Makes a biLM of the same shape with the weights a training starts from.

    Its LSTM layers mix a token with its neighbours as well: what it reaches in
    a probe has not been learnt.

    Args:
        saved_model: A SavedModel's folder or a pre-trained biLM's name.

    Returns:
        An `Elmo`.
    """
    if os.path.exists(saved_model):
        folder = pathlib.Path(saved_model) / "assets.extra"
    else:
        folder = pretrained.folder(saved_model)
    options_file = folder / "options.json"
    keras.utils.set_random_seed(1)
    bilm = BiLM(BiLMConfig.from_json_file(options_file), name="bilm")
    bilm.build()
    with tempfile.TemporaryDirectory() as temporary:
        weights_file = os.path.join(temporary, "weights.hdf5")
        write_weights(weights_file, bilm)
        return Elmo.from_weights(options_file, weights_file)


def _occurrences(sentences):
    """The `Occurrence` of a file, in its order."""
    return [
        Occurrence(
            word=f"{instance.lemma}%{instance.pos}",
            sense=instance.keys[0].rpartition("%")[2],
            tokens=sentence.tokens,
            position=instance.start,
        )
        for sentence in sentences
        for instance in sentence.instances
        if instance.end - instance.start == 1
        and len(instance.keys) == 1
        and not instance.is_redefined
    ]


def _means(figures):
    """Averages `[queries, 1 + n_layers]`."""
    most_frequent_sense, *layers = figures.mean(axis=0).tolist()
    return {
        "layers": layers,
        "most_frequent_sense": most_frequent_sense,
        "occurrences": len(figures),
    }
