"""Embeddings of whole files, in the formats of `allennlp elmo` and bilm-tf."""

import contextlib
import itertools
import json
import os

import h5py
import numpy as np
import tensorflow as tf

from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from elmo_tf.text.characters import character_ids
from elmo_tf.text.shards import list_shards
from elmo_tf.text.shards import read_lines
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.weights import load_bilm

SENTENCE_INDEX = "sentence_to_index"

# Words of a vocabulary that go through the character CNN at once.
_WORDS_AT_ONCE = 4096


def embed_file(
    elmo,
    input_file,
    output_file,
    layers="all",
    batch_size=64,
    tokenize=False,
    use_sentence_keys=False,
    forget_sentences=False,
    progress=None,
):
    """Embeds a file of one sentence a line as `allennlp elmo` does.

    The HDF5 file has a float32 dataset for each line, `[n_layers, n,
    output_dim]` for all layers, else `[n, output_dim]`; a blank line's n is 0.
    Its name is the line's number, counted from 0, or the sentence. With numbers
    there is also `sentence_to_index`, a JSON object from sentence to number.
    The file appears only when it is complete.

    Args:
        elmo: The `Elmo`.
        input_file: UTF-8 text, plain or gzip.
        output_file: The HDF5 file to write.
        layers: "all", "top" or "average".
        batch_size: Number of sentences to run at once.
        tokenize: Whether to split lines as raw sentences; else they are tokens
            with whitespace between them.
        use_sentence_keys: Whether sentences, not numbers, name the datasets.
        forget_sentences: Whether to leave `sentence_to_index` out.
        progress: Called after each sentence with the number of sentences done
            and of tokens in this sentence.

    Returns:
        A tuple of the number of sentences and of tokens.

    Raises:
        InputError: The input is missing, empty or not UTF-8, or a sentence
            cannot be a name or stands there twice.
    """
    (path,) = list_shards([os.fspath(input_file)])
    indices = {}
    names = {}
    n_tokens = 0
    number = -1
    with _write(output_file) as file:
        # The vectors of a line come some lines after it was read.
        lines, for_embedding = itertools.tee(_text_lines(path))
        sentences = (
            line if tokenize else line.split() for line in for_embedding
        )
        arrays = elmo.embed_stream(sentences, layers, batch_size)
        for number, (line, array) in enumerate(zip(lines, arrays, strict=True)):
            name = str(number)
            if use_sentence_keys:
                name = line
                _check_name(path, number, name, names)
            file.create_dataset(name, data=array)
            indices[line] = str(number)
            n_words = array.shape[-2]
            n_tokens += n_words
            if progress is not None:
                progress(number + 1, n_words)
        if not use_sentence_keys and not forget_sentences:
            dataset = file.create_dataset(
                SENTENCE_INDEX, (1,), dtype=h5py.string_dtype()
            )
            dataset[0] = json.dumps(indices, ensure_ascii=False)
    return number + 1, n_tokens


def dump_bilm_embeddings(
    vocab_file, dataset_file, options_file, weight_file, outfile
):
    """Embeds a file, with the arguments and the format of bilm-tf.

    Args:
        vocab_file: Not needed: characters are read from the words themselves.
        dataset_file: Text of one tokenised sentence a line.
        options_file: The options.json.
        weight_file: The HDF5 weights file.
        outfile: The HDF5 file to write: a dataset `[n_layers, n, output_dim]`
            for each line, its name the line's number.

    Raises:
        InputError: A file is missing or of no use.
    """
    del vocab_file
    elmo = Elmo.from_weights(options_file, weight_file)
    embed_file(elmo, dataset_file, outfile, forget_sentences=True)


def dump_token_embeddings(vocab_file, options_file, weight_file, outfile):
    """Writes the vectors of a vocabulary's words, as bilm-tf does.

    `Elmo.from_weights` takes the file as `token_embeddings_file`: for text of
    these words alone it gives the same vectors without the character CNN.

    Args:
        vocab_file: The vocabulary, one word a line.
        options_file: The options.json of a character-input biLM.
        weight_file: The HDF5 weights file.
        outfile: The HDF5 file to write: a dataset `embedding` `[words,
            projection_dim]`.

    Raises:
        InputError: A file is missing or of no use.
    """
    vocabulary = Vocabulary.load(vocab_file)
    bilm = load_bilm(options_file, weight_file)
    if bilm.config.char_cnn is None:
        raise InputError(
            f"{options_file}: has no char_cnn; a word-input biLM's token "
            "vectors are in its weights file"
        )
    encode = tf.function(
        lambda words: bilm.token_encoder(
            character_ids(words, bilm.config.max_characters_per_token)
        ),
        input_signature=[tf.TensorSpec([None], tf.string)],
    )
    words = [word.encode("utf-8") for word in vocabulary.tokens]
    vectors = [
        encode(tf.constant(words[start : start + _WORDS_AT_ONCE])).numpy()
        for start in range(0, len(words), _WORDS_AT_ONCE)
    ]
    with _write(outfile) as file:
        file["embedding"] = np.concatenate(vectors)


def _text_lines(path):
    """Yields a file's lines, without white space around them."""
    for number, line in enumerate(read_lines(path), 1):
        try:
            yield line.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise InputError(
                f"{path}:{number}: not UTF-8 ({error.reason})"
            ) from None


def _check_name(path, number, name, names):
    where = f"{path}:{number + 1}"
    if name in names:
        raise InputError(
            f"{where}: the sentence stands already at line {names[name]}, so "
            "it cannot name a dataset; use numbers"
        )
    # HDF5 takes these for folders.
    if not name or "/" in name or name == "." or "\0" in name:
        raise InputError(
            f"{where}: {name!r:.60} cannot name an HDF5 dataset; use numbers"
        )
    names[name] = number + 1


@contextlib.contextmanager
def _write(path):
    partial = f"{path}.partial"
    try:
        with h5py.File(partial, "w") as file:
            yield file
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)
