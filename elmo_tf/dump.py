"""The files that bilm-tf's functions of the same names write."""

import tensorflow as tf

from elmo_tf.atomic_file import write_hdf5
from elmo_tf.config import BiLMConfig
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from elmo_tf.text.characters import character_ids
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.weights import load_bilm

# Words that go through the character CNN at once.
_WORDS_AT_ONCE = 4096


def dump_bilm_embeddings(
    vocab_file, dataset_file, options_file, weight_file, outfile
):
    """Embeds a file, with the arguments and the format of bilm-tf.

    Each sentence starts from the zero state, where bilm-tf carried the state
    from one to the next (`StatefulElmo` does).

    Args:
        vocab_file: The vocabulary of a word-input biLM. Not needed for
            character input: characters are read from the words themselves.
        dataset_file: Text of one tokenised sentence a line.
        options_file: The options.json.
        weight_file: The HDF5 weights file.
        outfile: The HDF5 file to write: a dataset `[n_layers, n, output_dim]`
            for each line, its name the line's number.

    Raises:
        InputError: A file is missing or of no use.
    """
    if BiLMConfig.from_json_file(options_file).char_cnn is not None:
        vocab_file = None
    elmo = Elmo.from_weights(options_file, weight_file, vocab_file)
    elmo.embed_file(dataset_file, outfile, forget_sentences=True)


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
    with write_hdf5(outfile) as file:
        dataset = file.create_dataset(
            "embedding",
            (len(words), bilm.config.lstm.projection_dim),
            "float32",
        )
        for start in range(0, len(words), _WORDS_AT_ONCE):
            end = start + _WORDS_AT_ONCE
            dataset[start:end] = encode(tf.constant(words[start:end])).numpy()
