import json

import pytest

from tasks.srl.data import read_sentences
from tests import binaries
from tests.tasks.srl import tiny_srl


@pytest.fixture
def write(tmp_path):
    """A function that writes text to a file and returns its path."""

    def write_file(text, name):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write_file


def convert(*arguments):
    return binaries.run("tasks.srl.convert", *arguments)


def test_there_and_back(write, tmp_path):
    words = "\n\n".join("\n".join(words) for words in tiny_srl.WORDS)
    source = write(tiny_srl.TEXTS["props"], "a.props")
    there, back = tmp_path / "there", tmp_path / "back"
    result = convert(
        source,
        f"--words={write(words, 'words')}",
        "--layout=conll2012",
        f"--output={there}",
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.count("\n") == 1
    assert json.loads(result.stdout) == {
        "sentences": 2,
        "tokens": 11,
        "propositions": 2,
        "arguments": 6,
    }
    assert [s.tokens for s in read_sentences(there)] == tiny_srl.WORDS
    result = convert(there, "--layout=props", f"--output={back}")
    assert result.returncode == 0, result.stderr
    assert back.read_text() == tiny_srl.TEXTS["props"] + "\n"


def test_predicates_by_rule(write, tmp_path):
    output = tmp_path / "output"
    result = convert(
        write(tiny_srl.TEXTS["conll2012"], "a"),
        *("--layout=props", "--predicates=verbs", f"--output={output}"),
    )
    assert json.loads(result.stdout)["arguments"] == 0
    sentence, _ = read_sentences(output)
    assert [(p.predicate, p.lemma) for p in sentence.propositions] == [
        (4, "come"),
        (5, "say"),
    ]


def test_the_input_in_a_layout_that_it_is_not(write, tmp_path):
    source = write(tiny_srl.TEXTS["words_and_props"], "a")
    flags = ("--layout=props", f"--output={tmp_path / 'output'}")
    result = convert(source, "--input_layout=props", *flags)
    binaries.check_mistake(
        result,
        "convert",
        f"{source}:1: found '-' in column 2, expected an asterisk",
    )
    assert not (tmp_path / "output").exists()


def test_mistakes(write):
    source = write(tiny_srl.TEXTS["props"], "a")
    result = convert(source, "--layout=props", f"--output={source}")
    binaries.check_mistake(
        result, "convert", f"--output={source}: is one of the input files"
    )
    output = f"--output={source}.out"
    result = convert(source, "--layout=conll2005", output)
    binaries.check_mistake(
        result, "convert", f"{source}:1: found no words, expected those of "
    )
    for flag, missing in ((output, "layout"), ("--layout=props", "output")):
        assert f"--{missing}" in convert(source, flag).stderr
