r"""Finds the words that a text uses most like a word in a sentence.

    python -m tasks.probes.neighbours --saved_model=mini --input_path=text.txt \
        --word=play --sentence="They went to see a play ." --output=FOLDER

The question of table 4 of the ELMo paper: the biLM's vector of a word in its
context has other neighbours than the word's static vector. For each layer
these are the tokens of the text with the largest cosine, each in its sentence;
of all words, or with --same_word of this one. With --word_vectors, the
neighbours in GloVe or the like stand beside them.

The vectors of all tokens are kept in --index_dir and found there again, if
neither the text nor the biLM has changed. From --exact_below tokens on the
search for all words is approximate. FOLDER gets results.json and table.md.
Prints the table, then one line of JSON. The sentence itself, where the text has
it, is left out.
"""

import datetime
import hashlib
import os
import pathlib
import sys

from absl import flags

from elmo_tf import command_line
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from elmo_tf.flag_checks import check_choices
from elmo_tf.machine import describe_machine
from elmo_tf.nearest_rows import nearest_rows
from elmo_tf.nearest_rows import unit_vectors
from elmo_tf.training.progress import Progress
from tasks.elmo.fingerprint import fingerprint
from tasks.markdown_table import markdown_table
from tasks.probes.line_corpus import LineCorpus
from tasks.probes.occurrence_index import OccurrenceIndex
from tasks.probes.page import write_page
from tasks.results import write_results
from tasks.text.word_vectors import WordVectors

FLAGS = flags.FLAGS

_MODULE = "tasks.probes.neighbours"

# Of a sentence in the table, on each side of the word.
_TOKENS_AROUND = 10

flags.DEFINE_string(
    "saved_model", "mini", "Folder of a SavedModel, or a pre-trained biLM."
)
flags.DEFINE_string(
    "input_path",
    None,
    "The text to search, one tokenised sentence a line, plain or gzip: a glob, "
    "or several files with commas between them.",
)
flags.DEFINE_string("word", None, "The word.")
flags.DEFINE_multi_string(
    "sentence",
    None,
    "A sentence with the word, in tokens with spaces between them, like the "
    "text's; may be given several times.",
)
flags.DEFINE_integer(
    "occurrence",
    None,
    "Which occurrence of the word in the sentence, from 1 on; needed where "
    "there are several.",
    1,
)
flags.DEFINE_bool(
    "same_word", False, "Whether to search other occurrences of the word only."
)
flags.DEFINE_integer("k", 10, "How many neighbours to list.", 1)
flags.DEFINE_list(
    "layers",
    None,
    "Which layers, by number, 0 being the token layer; with commas; default: "
    "all.",
)
flags.DEFINE_string(
    "word_vectors", None, "GloVe's or word2vec's text format, plain or gzip."
)
flags.DEFINE_string(
    "output", None, "Folder for the results; made if it does not exist."
)
flags.DEFINE_string(
    "index_dir",
    None,
    "Folder of the vectors, by text and biLM; default: index in --output.",
)
flags.DEFINE_enum(
    "dtype",
    "float16",
    ["float16", "float32"],
    "Of the vectors on disk, 2 or 4 bytes × width for a token and layer.",
)
flags.DEFINE_integer(
    "exact_below",
    1_000_000,
    "From so many tokens on the search for all words is approximate.",
    0,
)
flags.DEFINE_integer(
    "recall_queries",
    0,
    "How many tokens of the text, drawn at random, to measure the approximate "
    "search on, against the exact one.",
    0,
)


def main(_):
    elmo = Elmo(FLAGS.saved_model)
    layers = _layers(elmo)
    queries = [_query(sentence.split()) for sentence in FLAGS.sentence]
    static = _static_neighbours()
    corpus = LineCorpus(FLAGS.input_path)
    occurrences, excluded = _scan(corpus, queries)
    for (tokens, _), numbers in zip(queries, excluded, strict=True):
        if FLAGS.same_word and not set(occurrences) - set(numbers):
            raise InputError(
                f"--same_word: found no {FLAGS.word!r} in {FLAGS.input_path} "
                f"but in {' '.join(tokens)!r}"
            )
    index = OccurrenceIndex(
        _index_folder(corpus), elmo, corpus, FLAGS.dtype, FLAGS.exact_below
    )
    index.prepare(layers, _progress)
    found = []
    for (tokens, position), numbers in zip(queries, excluded, strict=True):
        # [n_layers, output_dim]
        vectors = elmo.embed([tokens])[0][:, position]
        found.append(
            {
                layer: index.search(
                    layer,
                    vectors[layer],
                    FLAGS.k,
                    occurrences if FLAGS.same_word else None,
                    numbers,
                )
                for layer in layers
            }
        )
    texts = _read_sentences(corpus, found)
    results = {
        "probe": "neighbours",
        "command": command_line.command(_MODULE),
        "date": datetime.datetime.now(datetime.UTC).isoformat("T", "seconds"),
        "saved_model": FLAGS.saved_model,
        "input_path": FLAGS.input_path,
        "sentences": corpus.n_sentences,
        "tokens": corpus.n_tokens,
        "word": FLAGS.word,
        "occurrences": len(occurrences),
        "same_word": FLAGS.same_word,
        "k": FLAGS.k,
        "approximate": index.is_approximate and not FLAGS.same_word,
        "recall": _recall(index, layers),
        "word_vectors": static,
        "queries": [
            {
                "sentence": tokens,
                "position": position,
                "layers": {
                    layer: _describe(corpus, texts, *nearest)
                    for layer, nearest in by_layer.items()
                },
            }
            for (tokens, position), by_layer in zip(queries, found, strict=True)
        ],
        "machine": describe_machine(),
    }
    tables = _format_tables(results)
    pathlib.Path(FLAGS.output).mkdir(parents=True, exist_ok=True)
    write_page(
        os.path.join(FLAGS.output, "table.md"),
        f"The neighbours of {FLAGS.word}",
        _MODULE,
        tables,
    )
    write_results(FLAGS.output, results)
    print(tables)
    command_line.print_json(results)


def _layers(elmo):
    known = [str(layer) for layer in range(elmo.n_layers)]
    if FLAGS.layers is None:
        return list(range(elmo.n_layers))
    check_choices("layers", FLAGS.layers, known)
    return sorted({int(layer) for layer in FLAGS.layers})


def _query(tokens):
    """A sentence's tokens and the position of the word."""
    positions = [
        position for position, token in enumerate(tokens) if token == FLAGS.word
    ]
    if not positions:
        raise InputError(
            f"--sentence: found no token {FLAGS.word!r} in "
            f"{' '.join(tokens)!r}, expected tokens with spaces between them"
        )
    if FLAGS.occurrence is None:
        if len(positions) > 1:
            raise InputError(
                f"--sentence: found {FLAGS.word!r} {len(positions)} times in "
                f"{' '.join(tokens)!r}, expected --occurrence to say which"
            )
        return tokens, positions[0]
    if FLAGS.occurrence > len(positions):
        raise InputError(
            f"--occurrence: found {FLAGS.occurrence}, but {FLAGS.word!r} is "
            f"there {len(positions)} times in {' '.join(tokens)!r}"
        )
    return tokens, positions[FLAGS.occurrence - 1]


def _static_neighbours():
    """The neighbours of the word's own vector; None without word vectors."""
    if FLAGS.word_vectors is None:
        return None
    vectors = WordVectors.load(FLAGS.word_vectors)
    # Most word vectors are those of words in small letters.
    forms = [
        form for form in (FLAGS.word, FLAGS.word.lower()) if form in vectors
    ]
    found = []
    if forms:
        units = unit_vectors(vectors.vectors)
        row = vectors.words.index(forms[0])
        found = [
            {"word": vectors.words[number], "similarity": float(cosine)}
            for cosine, number in zip(
                *nearest_rows(units, units[row], FLAGS.k, excluded=[row]),
                strict=True,
            )
        ]
    return {
        "input_path": FLAGS.word_vectors,
        "word": forms[0] if forms else None,
        "neighbours": found,
    }


def _scan(corpus, queries):
    """Finds the word's tokens, and those of the queries' own sentences.

    Returns a list of the numbers of the tokens that are the word, and for each
    query a list of the numbers of the tokens to leave out.
    """
    occurrences = []
    excluded = [[] for _ in queries]
    for start, tokens in zip(corpus.starts, corpus.sentences(), strict=False):
        if FLAGS.word not in tokens:
            continue
        occurrences += [
            int(start) + position
            for position, token in enumerate(tokens)
            if token == FLAGS.word
        ]
        for numbers, (query, _) in zip(excluded, queries, strict=True):
            if tokens == query:
                numbers += range(int(start), int(start) + len(tokens))
    return occurrences, excluded


def _index_folder(corpus):
    parent = FLAGS.index_dir or os.path.join(FLAGS.output, "index")
    parts = (fingerprint(FLAGS.saved_model), corpus.fingerprint, FLAGS.dtype)
    name = hashlib.sha256(" ".join(parts).encode()).hexdigest()[:32]
    return os.path.join(parent, name)


def _progress(title, n_steps, step_name):
    print(f"{title}: {n_steps:,} {step_name}s", file=sys.stderr)
    progress = Progress(n_steps, step_name=step_name, file=sys.stderr)
    return lambda done, tokens: progress.update(done, tokens, {})


def _read_sentences(corpus, found):
    """The sentences of all tokens that were found, by their numbers."""
    wanted = {
        corpus.locate(row)[0]
        for by_layer in found
        for _, rows in by_layer.values()
        for row in rows
    }
    return {
        number: tokens
        for number, tokens in enumerate(corpus.sentences())
        if number in wanted
    }


def _describe(corpus, texts, cosines, rows):
    described = []
    for cosine, row in zip(cosines, rows, strict=True):
        sentence, position = corpus.locate(row)
        path, line = corpus.place(sentence)
        described.append(
            {
                "similarity": float(cosine),
                "sentence": texts[sentence],
                "position": position,
                "file": path,
                "line": line,
            }
        )
    return described


def _recall(index, layers):
    """The share of the nearest that are found, by layer; None: not measured."""
    if not FLAGS.recall_queries or not index.is_approximate:
        return None
    return {
        layer: index.recall(layer, FLAGS.k, FLAGS.recall_queries)
        for layer in layers
    }


def _format_tables(results):
    """A table for each sentence, with the static vectors' neighbours first."""
    parts = []
    static = results["word_vectors"]
    if static is not None:
        words = ", ".join(found["word"] for found in static["neighbours"])
        parts.append(
            f"Word vectors, {static['word'] or results['word']}: "
            f"{words or 'not there'}"
        )
    for query in results["queries"]:
        parts.append(_mark(query))
        files = {
            found["file"]
            for neighbours in query["layers"].values()
            for found in neighbours
        }
        rows = []
        for layer, neighbours in query["layers"].items():
            name = "token layer" if layer == 0 else f"LSTM {layer}"
            for rank, found in enumerate(neighbours, start=1):
                line = str(found["line"])
                if len(files) > 1:
                    line = f"{found['file']}:{line}"
                sentence = _mark(found, _TOKENS_AROUND).replace("|", r"\|")
                rows.append(
                    [
                        name,
                        str(rank),
                        f"{found['similarity']:.3f}",
                        line,
                        sentence,
                    ]
                )
        parts.append(
            markdown_table(["layer", "", "cosine", "line", "sentence"], rows)
        )
    if results["recall"] is not None:
        parts.append(
            f"Recall of the approximate search among the {results['k']} "
            "nearest: "
            + ", ".join(
                f"layer {layer} {share:.3f}"
                for layer, share in results["recall"].items()
            )
        )
    return "\n\n".join(parts)


def _mark(found, n_around=None):
    """A sentence with the word in brackets; n tokens on each side, or all."""
    tokens = list(found["sentence"])
    position = found["position"]
    tokens[position] = f"[{tokens[position]}]"
    if n_around is not None:
        if position + n_around + 1 < len(tokens):
            tokens[position + n_around + 1 :] = ["…"]
        if position > n_around:
            tokens[: position - n_around] = ["…"]
    return " ".join(tokens)


if __name__ == "__main__":
    flags.mark_flags_as_required(["input_path", "word", "sentence", "output"])
    command_line.run(main)
