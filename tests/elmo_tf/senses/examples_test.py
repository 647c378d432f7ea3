"""The labelled sentences."""

import collections

from elmo_tf.senses.examples import EXAMPLES_FILE
from elmo_tf.senses.examples import read_examples


def test_the_list():
    occurrences = read_examples()
    counts = collections.Counter((o.word, o.sense) for o in occurrences)
    assert set(counts.values()) == {10}
    words = collections.Counter(word for word, _ in counts)
    assert len(words) == 12 and set(words.values()) == {2}
    assert len({o.tokens for o in occurrences}) == len(occurrences)
    for occurrence in occurrences:
        assert occurrence.tokens[occurrence.position] == occurrence.word
        # Or the label would be that of one of two.
        assert occurrence.tokens.count(occurrence.word) == 1


def test_the_text():
    lines = EXAMPLES_FILE.read_text("utf-8").splitlines()
    assert lines[0] == "word\tsense\tsentence"
    assert all(line.count("\t") == 2 for line in lines)
    assert all(line[-1] in ".?" for line in lines[1:])


def test_another_file(tmp_path):
    path = tmp_path / "examples.tsv"
    path.write_text(
        "word\tsense\tsentence\nwell\ta\tHe didn't feel well.\n", "utf-8"
    )
    (occurrence,) = read_examples(path)
    assert occurrence.tokens == ("He", "did", "n't", "feel", "well", ".")
    assert (occurrence.word, occurrence.sense) == ("well", "a")
    assert occurrence.position == 4
