"""Embeddings of whole files, in the format of `allennlp elmo`."""

import itertools
import json
import os
import tempfile

import h5py

from elmo_tf.atomic_file import check_output_file
from elmo_tf.atomic_file import write_hdf5
from elmo_tf.errors import InputError
from elmo_tf.text.shards import check_file
from elmo_tf.text.shards import read_lines

SENTENCE_INDEX = "sentence_to_index"

_LARGEST_CHUNK = 2**31


def embed_file(
    elmo,
    input_file,
    output_file,
    layers="all",
    batch_size=None,
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
    The file appears only when it is complete. Vectors that are damaged later
    cannot be read: they have a checksum, HDF5's Fletcher-32.

    Args:
        elmo: The `Elmo`.
        input_file: UTF-8 text, plain or gzip.
        output_file: The HDF5 file to write.
        layers: "all", "top" or "average".
        batch_size: As in `Elmo.embed`.
        tokenize: Whether to split lines as raw sentences; else they are tokens
            with whitespace between them.
        use_sentence_keys: Whether sentences, not numbers, name the datasets.
        forget_sentences: Whether to leave `sentence_to_index` out.
        progress: Called after each sentence with the number of sentences done
            and of tokens in this sentence.

    Returns:
        A tuple of the number of sentences and of tokens.

    Raises:
        InputError: The input is missing, empty or not UTF-8; the output cannot
            be written or is the input; or a sentence that is to be a name
            cannot be one or stands there twice.
    """
    path = os.fspath(input_file)
    check_file(path, expected="one sentence a line")
    check_output_file(output_file, [path])
    if use_sentence_keys:
        _check_names(path)
    with write_hdf5(output_file) as file:
        return write_embeddings(
            file,
            elmo,
            _text_lines(path),
            layers=layers,
            batch_size=batch_size,
            tokenize=tokenize,
            use_sentence_keys=use_sentence_keys,
            forget_sentences=forget_sentences,
            progress=progress,
        )


def write_embeddings(
    file,
    elmo,
    lines,
    first_number=0,
    layers="all",
    batch_size=None,
    tokenize=False,
    use_sentence_keys=False,
    forget_sentences=False,
    progress=None,
):
    """Embeds lines into an HDF5 file that is open, as `embed_file`.

    Args:
        file: The `h5py.File`.
        elmo: The `Elmo`.
        lines: An iterable of strings, without white space around them.
        first_number: The number of the first line.
        layers: As for `embed_file`, as are the following.
        batch_size: See there.
        tokenize: See there.
        use_sentence_keys: See there; the names must be valid.
        forget_sentences: See there.
        progress: See there.

    Returns:
        A tuple of the number of sentences and of tokens.
    """
    keeps_index = not use_sentence_keys and not forget_sentences
    n_sentences = n_tokens = 0
    with tempfile.TemporaryFile() as index:
        # The vectors of a line come some lines after it was read.
        lines, for_embedding = itertools.tee(lines)
        sentences = (
            line if tokenize else line.split() for line in for_embedding
        )
        arrays = elmo.embed_stream(sentences, layers, batch_size)
        for line, array in zip(lines, arrays, strict=True):
            number = first_number + n_sentences
            name = line if use_sentence_keys else str(number)
            _write_vectors(file, name, array)
            if keeps_index:
                # Of a sentence that stands there twice the last number counts.
                entry = f'{json.dumps(line, ensure_ascii=False)}: "{number}"'
                index.write(f"{', ' if n_sentences else '{'}{entry}".encode())
            n_words = array.shape[-2]
            n_sentences += 1
            n_tokens += n_words
            if progress is not None:
                progress(n_sentences, n_words)
        if keeps_index:
            dataset = file.create_dataset(
                SENTENCE_INDEX, (1,), dtype=h5py.string_dtype()
            )
            index.write(b"}")
            index.seek(0)
            dataset[0] = index.read()
    return n_sentences, n_tokens


def _write_vectors(file, name, array):
    """Writes them with a checksum, which HDF5 checks when they are read."""
    options = {}
    if array.size:
        # One chunk, as long as HDF5 knows chunks of that size.
        chunks = array.shape if array.nbytes < _LARGEST_CHUNK else True
        options = {"fletcher32": True, "chunks": chunks}
    file.create_dataset(name, data=array, **options)


def _text_lines(path):
    """A file's lines, without white space around them."""
    return map(text_of_line, read_lines(path))


def text_of_line(line):
    """What a line's name and tokens are made of.

    Args:
        line: UTF-8.

    Returns:
        A string without white space around it.
    """
    return line.decode("utf-8").strip()


def _check_names(path):
    """Checks that each line of a file can name a dataset of its own."""
    numbers = {}
    for number, line in enumerate(_text_lines(path), 1):
        if line in numbers:
            raise InputError(
                f"{path}:{number}: the sentence stands already at line "
                f"{numbers[line]}, so it cannot name a dataset; use numbers"
            )
        # HDF5 takes some of these for folders.
        if not line or "/" in line or line == "." or "\0" in line:
            raise InputError(
                f"{path}:{number}: {line!r:.60} cannot name an HDF5 dataset; "
                "use numbers"
            )
        numbers[line] = number
