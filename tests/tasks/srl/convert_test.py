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


def test_universal_propbank(write, tmp_path):
    """Its words come from the treebank; what comes out is read elsewhere."""
    both = tiny_srl.TEXTS["universal_propbank"]
    header, *lines = both.splitlines()
    rows = [line.split("\t") for line in lines if line[:1] != "#"]
    path = write(
        "# global.columns = ID UP:PRED UP:ARGHEADS UP:ARGSPANS\n"
        + "".join("\t".join([row[0], *row[10:]]) + "\n" for row in rows),
        "up.conllup",
    )
    treebank = write(
        "".join("\t".join(line.split("\t")[:10]) + "\n" for line in lines),
        "ud.conllu",
    )
    joined = tmp_path / "joined.conllup"
    result = convert(
        path,
        f"--words={treebank}",
        *("--layout=universal_propbank", f"--output={joined}"),
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout)["arguments"] == 6
    assert joined.read_text() == both + "\n"
    props = tmp_path / "props"
    result = convert(joined, "--layout=props", f"--output={props}")
    assert result.returncode == 0, result.stderr
    assert props.read_text() == tiny_srl.TEXTS["props"] + "\n"
    # A treebank by itself has no roles.
    binaries.check_mistake(
        convert(treebank, "--layout=props", f"--output={props}"),
        "convert",
        f"{treebank}:1: found no list of columns, expected '# global.columns",
    )


def test_arguments_that_overlap(write, tmp_path):
    path = write(
        "# global.columns = ID FORM UP:PRED UP:ARGSPANS\n"
        "1\tHe\t_\t_\n2\tcame\tcome.01\tA0:1-2|A1:2-3\n3\tin\t_\t_\n",
        "up.conllup",
    )
    output = tmp_path / "output"
    binaries.check_mistake(
        convert(path, "--layout=props", f"--output={output}"),
        "convert",
        f"{path}:3: found A0 of words 1 to 2, A1 of words 2 to 3, V of words "
        "2 to 2, expected arguments that contain each other or do not overlap",
    )
    assert not output.exists()


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
