import gzip
import io
import json

import pytest

from elmo_tf.errors import InputError
from tasks.label_prediction import LabelPrediction
from tasks.snli.data import LABELS
from tasks.snli.data import SNLIExample
from tasks.snli.data import read_examples
from tasks.snli.data import read_pairs_to_label
from tasks.snli.data import write_examples

PAIR = {
    "gold_label": "neutral",
    "sentence1": "A dog (brown) isn't asleep.",
    "sentence2": "It runs.",
}
PARSES = {
    "sentence1_binary_parse": "( ( A dog ) ( -LRB- ( brown -RRB- ) ) )",
    "sentence2_binary_parse": "( It ( runs . ) )",
}
TOKENS = ("A", "dog", "(", "brown", ")", "is", "n't", "asleep", ".")


def write(folder, text, name="pairs.txt"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def write_json(folder, *pairs):
    return write(folder, "".join(json.dumps(pair) + "\n" for pair in pairs))


def without(name):
    return {key: value for key, value in PAIR.items() if key != name}


def test_json_lines(tmp_path):
    path = write_json(tmp_path, {**PAIR, "pairID": "7#1", "other": [1]}, PAIR)
    hypothesis = ("It", "runs", ".")
    assert read_examples(path) == (
        [
            SNLIExample(TOKENS, hypothesis, "neutral", "7#1"),
            SNLIExample(TOKENS, hypothesis, "neutral", None),
        ],
        0,
    )


def test_leaves_of_the_parse_are_the_tokens(tmp_path):
    pair = {**PAIR, **PARSES, "sentence1": "not this"}
    [example], _ = read_examples(write_json(tmp_path, pair))
    assert example.premise == ("A", "dog", "(", "brown", ")")
    assert example.hypothesis == ("It", "runs", ".")


def test_parse_alone_or_empty(tmp_path):
    alone = {"gold_label": "neutral", **PARSES}
    empty = {**PAIR, "sentence1_binary_parse": "( )"}
    examples, _ = read_examples(write_json(tmp_path, alone, empty))
    assert examples[0].hypothesis == ("It", "runs", ".")
    assert examples[1].premise == TOKENS


def test_columns_with_names(tmp_path):
    names = ["pairID", "sentence2", "gold_label", "more", "sentence1"]
    rows = [
        names,
        ["1", "It's one.", "entailment", "", "Two"],
        ["2", "no", "-", "x", "No"],
        ["3", "no", "contradiction", "x", "No"],
    ]
    path = write(tmp_path, "".join("\t".join(row) + "\n" for row in rows))
    assert read_examples(path) == (
        [
            SNLIExample(("Two",), ("It", "'s", "one", "."), "entailment", "1"),
            SNLIExample(("No",), ("no",), "contradiction", "3"),
        ],
        1,
    )


@pytest.mark.parametrize("first", [True, False], ids=["in front", "at the end"])
@pytest.mark.parametrize(
    "labels",
    [
        ("entailment", "neutral", "contradiction", "-"),
        ("0", "1", "2", "-"),
    ],
    ids=["words", "numbers"],
)
def test_three_columns(labels, first, tmp_path):
    pair = ["he said `` hi ''", "so  it is ."]
    rows = [[label, *pair] if first else [*pair, label] for label in labels]
    path = write(tmp_path, "".join("\t".join(row) + "\n" for row in rows))
    examples, n_without_label = read_examples(path)
    assert n_without_label == 1
    assert [example.label for example in examples] == [
        "entailment",
        "neutral",
        "contradiction",
    ]
    # The tokens are taken as they stand.
    assert {example.premise for example in examples} == {
        ("he", "said", "``", "hi", "''")
    }
    assert {example.hypothesis for example in examples} == {
        ("so", "it", "is", ".")
    }


def test_pairs_without_a_label_are_left_out(tmp_path):
    pairs = [{**PAIR, "gold_label": label} for label in "-"]
    path = write_json(tmp_path, *pairs, PAIR, *pairs)
    examples, n_without_label = read_examples(path)
    assert len(examples) == 1
    assert n_without_label == 2


def test_gzip_blank_lines_and_line_ends(tmp_path):
    line = json.dumps(PAIR)
    path = tmp_path / "pairs"
    path.write_bytes(gzip.compress(f"\n{line}\r\n\n{line}\n \n".encode()))
    examples, _ = read_examples(path)
    assert len(examples) == 2


def test_more_sentences_than_are_split_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("tasks.snli.data._SENTENCES_AT_ONCE", 3)
    pairs = [
        {**PAIR, "sentence1": f"Number {i}.", "sentence2": f"It's {i}"}
        for i in range(4)
    ]
    pairs[1] |= PARSES
    examples, _ = read_examples(write_json(tmp_path, *pairs))
    assert [example.hypothesis[-1] for example in examples] == list("0.23")
    assert examples[3].premise == ("Number", "3", ".")


def test_lone_surrogates_are_left_out(tmp_path):
    pair = {
        **PAIR,
        "pairID": "7\ud800",
        "sentence1": "a\ud800 b",
        "sentence2_binary_parse": "( c \ud800 )",
    }
    [example], _ = read_examples(write_json(tmp_path, pair))
    assert example == SNLIExample(("a", "b"), ("c",), "neutral", "7")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(without("gold_label")),
        json.dumps({**PAIR, "gold_label": "-"}),
        json.dumps({**PAIR, "gold_label": "maybe"}),
        "sentence1\tsentence2\nA dog (brown) isn't asleep.\tIt runs.",
        "A dog ( brown ) is n't asleep .\tIt runs .",
        "A dog ( brown ) is n't asleep .\tIt runs .\t0",
        "-\tA dog ( brown ) is n't asleep .\tIt runs .",
    ],
)
def test_pairs_to_label(text, tmp_path):
    pairs = read_pairs_to_label(write(tmp_path, text))
    assert pairs == [SNLIExample(TOKENS, ("It", "runs", "."), None)]


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "one\n",
            ":1: found 'one', expected a JSON object, or columns with tabs "
            "between them: two sentences with a label before or after them, or "
            "names, sentence1 among them",
        ),
        ("a b\t\n", ":1: found an empty sentence2, expected at least one word"),
        ("a\tb\na\n", ":2: found no sentence2, expected one"),
        ("sentence1\tsentence2", ": found no pair, expected at least one"),
    ],
)
def test_error_in_pairs_to_label(text, message, tmp_path):
    path = write(tmp_path, text)
    with pytest.raises(InputError) as error:
        read_pairs_to_label(path)
    assert str(error.value) == f"{path}{message}"


@pytest.mark.parametrize(
    "text, message",
    [
        (
            json.dumps(without("gold_label")),
            "2: found no gold_label, expected one",
        ),
        (
            json.dumps(without("sentence2")),
            "2: found no sentence2, expected one",
        ),
        (
            json.dumps({**PAIR, "gold_label": "maybe"}),
            "2: found the label 'maybe', expected one of entailment, neutral, "
            "contradiction and -",
        ),
        (
            json.dumps({**PAIR, "gold_label": 1}),
            "2: found the label 1, expected one of entailment, neutral, "
            "contradiction and -",
        ),
        (
            json.dumps({**PAIR, "sentence1": " \t"}),
            "2: found an empty sentence1, expected at least one word",
        ),
        (
            json.dumps({**PAIR, "sentence1": "\ud800"}),
            "2: found an empty sentence1, expected at least one word",
        ),
        (
            json.dumps({**PAIR, "gold_label": "-", "sentence2": ""}),
            "2: found an empty sentence2, expected at least one word",
        ),
        (
            json.dumps({**PAIR, "sentence2": ["a"]}),
            '2: found ["a"] as sentence2, expected a text',
        ),
        (
            json.dumps({**PAIR, "sentence2_binary_parse": 5}),
            "2: found 5 as sentence2_binary_parse, expected a text",
        ),
        (
            json.dumps({**PAIR, "pairID": 5}),
            "2: found 5 as pairID, expected a text",
        ),
        (
            json.dumps(PAIR)[:-1],
            "2: found no valid JSON (Expecting ',' delimiter), expected an "
            "object",
        ),
        (
            "[" * 100_000,
            "2: found no valid JSON (maximum recursion depth exceeded while "
            "decoding a JSON array from a unicode string), expected an object",
        ),
        ("[1]", "2: found '[1]', expected a JSON object"),
    ],
)
def test_error_in_json_lines(text, message, tmp_path):
    path = write(tmp_path, f"{json.dumps(PAIR)}\n{text}\n")
    check_error(path, f"{path}:{message}")


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "a\tb\tneutral\na\tb\tentails\n",
            ":2: found the label 'entails', expected one of entailment, "
            "neutral, contradiction and -",
        ),
        (
            "a\tb\n",
            ":1: found 'a\\tb', expected a JSON object, or columns with tabs "
            "between them: two sentences with a label before or after them, or "
            "names, sentence1 among them",
        ),
        ("a\tb\t1\na\tb\n", ":2: found no gold_label, expected one"),
        ("1\ta\tb\n\n1\ta\n", ":3: found no sentence2, expected one"),
        (
            "1\ta\tb\n1\ta\tb\tc\n",
            ":2: found 4 columns with tabs between them, expected 3 as in the "
            "first line",
        ),
        (
            "a\t \t1\n",
            ":1: found an empty sentence2, expected at least one word",
        ),
        (
            "gold_label\tsentence1\n1\ta\n",
            ":2: found the label '1', expected one of entailment, neutral, "
            "contradiction and -",
        ),
        (
            "gold_label\tsentence1\nneutral\ta\n",
            ":2: found no sentence2, expected one",
        ),
        (
            "\nA dog.\tA cat.\n",
            ":2: found 'A dog.\\tA cat.', expected a JSON object, or columns "
            "with tabs between them: two sentences with a label before or "
            "after them, or names, sentence1 among them",
        ),
        ("a\tb\t-\n", ": found no pair with a label, expected at least one"),
        (
            "gold_label\tsentence1\tsentence2\n",
            ": found no pair, expected at least one",
        ),
        (
            "",
            ": empty file, expected SNLI's JSON lines or text with tabs",
        ),
    ],
)
def test_error_in_columns(text, message, tmp_path):
    path = write(tmp_path, text)
    check_error(path, f"{path}{message}")


def test_long_line_in_a_message(tmp_path):
    path = write(tmp_path, "word " * 100)
    with pytest.raises(InputError) as error:
        read_examples(path)
    assert f"found '{'word ' * 12}…', expected" in str(error.value)


def check_error(path, message):
    with pytest.raises(InputError) as error:
        read_examples(path)
    assert str(error.value) == message


def test_predictions_are_json_lines():
    probabilities = {"entailment": 0.5, "neutral": 0.25, "contradiction": 0.25}
    predictions = [LabelPrediction("entailment", probabilities)] * 2
    file = io.StringIO()
    write_examples(
        [
            SNLIExample(("Å",), ("b", "c"), "neutral", "7#1"),
            SNLIExample(("a",), ("b",), None),
        ],
        predictions,
        file,
    )
    lines = file.getvalue().splitlines()
    assert "Å" in lines[0]
    first, second = map(json.loads, lines)
    assert first == {
        "pairID": "7#1",
        "premise": ["Å"],
        "hypothesis": ["b", "c"],
        "gold": "neutral",
        "label": "entailment",
        "probabilities": probabilities,
    }
    assert second == {
        "premise": ["a"],
        "hypothesis": ["b"],
        "label": "entailment",
        "probabilities": probabilities,
    }


@pytest.mark.parametrize(
    "name, n_of_labels, n_without_label",
    [
        ("snli-text/snli_dev.tsv.gz", (3329, 3235, 3278), 0),
        ("snli-text/snli_test.tsv.gz", (3368, 3219, 3237), 0),
        (
            "snli-1.0-partial/snli_1.0_dev.first.jsonl.gz",
            (433, 421, 419),
            16,
        ),
        (
            "snli-1.0-partial/snli_1.0_test.first.jsonl.gz",
            (405, 429, 420),
            23,
        ),
    ],
)
def test_real_files(shared_data, name, n_of_labels, n_without_label):
    path = shared_data / "data" / "nli" / name
    if not path.exists():
        pytest.skip(f"no {path}")
    examples, n_left_out = read_examples(path)
    found = [example.label for example in examples]
    assert tuple(map(found.count, LABELS)) == n_of_labels
    assert n_left_out == n_without_label
