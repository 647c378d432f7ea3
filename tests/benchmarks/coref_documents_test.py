"""What coreference takes for long documents, from the flags to the table."""

import json

import pytest

from tests import binaries


@pytest.mark.slow
def test_what_it_prints():
    result = binaries.run(
        "benchmarks.coref_documents",
        "--experiments=coref/conll2012",
        "--lengths=20,1000",
        "--params_override=task.max_training_sentences=3",
        "--repetitions=1",
    )
    assert result.returncode == 0, result.stderr
    *table, line = result.stdout.splitlines()
    assert [row.split("|")[1].strip() for row in table[2:]] == [
        "coref/conll2012, prediction",
        "coref/conll2012, prediction",
        "coref/conll2012, training step",
    ]
    short, long, step = json.loads(line)["results"]
    assert (short["tokens"], long["tokens"], step["sentences"]) == (20, 1000, 3)
    assert long["longest_sentence"] > short["longest_sentence"]
    for found in (short, long, step):
        assert 0 < found["seconds"] < found["first_seconds"]
        assert 0 < found["bytes_on_top"] < found["peak_bytes"]
    # The products of all pairs at once would be so many bytes: of 400 spans,
    # each with 250 before it, as vectors of 1,526 numbers.
    assert long["bytes_on_top"] < 400 * 250 * 1526 * 4


@pytest.mark.parametrize(
    "flag, message",
    [
        ("--experiments=", "--experiments: is empty, expected a name"),
        (
            "--experiments=snli/snli",
            "--experiments: found snli/snli, expected one of coreference",
        ),
        ("--lengths=0", "--lengths: found '0', expected whole numbers from 1"),
        ("--input_path=nothing", "nothing: no such file"),
    ],
)
def test_wrong_flags(flag, message):
    result = binaries.run("benchmarks.coref_documents", flag)
    binaries.check_mistake(result, "coref_documents", message)
