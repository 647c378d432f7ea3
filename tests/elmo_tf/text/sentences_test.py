"""Sentences of running text, against sentences broken by hand."""

import gzip
import tarfile

import pytest

from elmo_tf.errors import InputError
from elmo_tf.text import sentences

# Paragraphs, with | where a sentence ends.
BY_HAND = [
    "Mr. Smith went to Washington.| He met Dr. Jones on Jan. 3.| Good!",
    "It cost $3.50... no?| Yes!",
    "At 5 p.m. the bell rang.| It was 9 p.m.| Nobody came.",
    "J. R. Smith left the U.S. Army.| So did he and I.| Then: nothing.",
    "See No. 5, p. 3 and e.g. Fig. 2.| No.| That is all.",
    "Call foo.bar() or os.path.| Nothing happens...| Well.",
    # Closing marks stay with what they close.
    '"Well!" said he.| "What?" asked Mrs. Bennet.| (It was late.)| So.',
    "“Well!” said he.| “What?” asked Mrs. Bennet.| ‘Go.’| He went.",
    '\'Tis so.| "Yes."| [No.]| «Oui.»| Non.',
    "Wait!--said nobody.| Why, Sir?--because.",
    # Other scripts.
    "今日は。|元気ですか？|はい！|「はい。」と言った。",
    "यह है।| वह है।",
    "هل هذا؟| نعم.",
    "Сколько?| Пять.| Élan vital.| Это т.е. вот.",
    # Nothing to break.
    "no end",
    ".",
    "a",
]


@pytest.mark.parametrize("marked", BY_HAND)
def test_by_hand(marked):
    expected = [sentence.strip() for sentence in marked.split("|")]
    paragraph = marked.replace("|", "")
    assert sentences.break_sentences([paragraph]) == [expected]


def test_a_batch_is_its_paragraphs():
    paragraphs = [marked.replace("|", "") for marked in BY_HAND]
    assert sentences.break_sentences(paragraphs) == [
        sentences.break_sentences([paragraph])[0] for paragraph in paragraphs
    ]


def test_no_paragraph():
    assert sentences.break_sentences([]) == []


def write(tmp_path, text):
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode())
    return str(path)


def test_paragraphs(tmp_path):
    path = write(
        tmp_path,
        "\n\n  A wrapped\r\nparagraph,\t with\u00a0a\n  tab.\n \t\n"
        "Été.\n\n\nThe last line",
    )
    assert list(sentences.read_paragraphs(path)) == [
        "A wrapped paragraph, with a tab.",
        "Été.",
        "The last line",
    ]


def test_a_text_without_blank_lines_is_cut_after_a_sentence(tmp_path):
    line = "The sentence of this line ends\nhere, where this one ends.\n"
    path = write(tmp_path, line * 5000)
    paragraphs = list(sentences.read_paragraphs(path))
    assert len(paragraphs) > 1
    longest = max(map(len, paragraphs))
    assert longest < sentences._MAX_PARAGRAPH_CHARACTERS + len(line)
    assert all(paragraph.endswith(" ends.") for paragraph in paragraphs)
    assert " ".join(paragraphs).split() == (line * 5000).split()


def test_a_text_without_sentences_is_cut_anywhere(tmp_path):
    path = write(tmp_path, "words without an end\n" * 10000)
    paragraphs = list(sentences.read_paragraphs(path))
    assert len(paragraphs) == 4
    assert " ".join(paragraphs).split() == "words without an end".split() * (
        10000
    )


def test_batches(tmp_path):
    path = write(tmp_path, "One sentence. And\nanother one.\n\n" * 40000)
    batches = list(sentences.read_sentence_batches(path))
    assert len(batches) == 3
    assert [sentence for batch in batches for sentence in batch] == [
        "One sentence.",
        "And another one.",
    ] * 40000


def test_lines(tmp_path):
    path = write(tmp_path, "One sentence. And\n\n  another   one.\n")
    batches = list(sentences.read_sentence_batches(path, "line"))
    assert batches == [["One sentence. And", "another one."]]


def test_gzip_and_progress(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(gzip.compress(b"One. Two."))
    read = []
    batches = sentences.read_sentence_batches(str(path), progress=read.append)
    assert list(batches) == [["One.", "Two."]]
    assert sum(read) == path.stat().st_size


def test_an_unknown_breaker(tmp_path):
    with pytest.raises(InputError) as info:
        next(sentences.read_sentence_batches("none", "regex"))
    assert str(info.value) == (
        "sentence_breaker: found 'regex', expected state_based or line"
    )


def test_not_utf8(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(b"One.\nTw\xff.")
    with pytest.raises(InputError, match=r"text.txt:2: byte 0xff"):
        list(sentences.read_sentence_batches(str(path)))


def test_nothing_is_lost_of_a_novel(shared_data, tmp_path):
    novels = shared_data / "data" / "lm" / "litbank-novels"
    if not novels.is_dir():
        pytest.skip(f"no novels at {novels}")
    with tarfile.open(novels / "litbank-original-05.tar.xz") as archive:
        member = next(part for part in archive if part.isfile())
        text = archive.extractfile(member).read().decode("utf-8")[:300_000]
    found = [
        sentence
        for batch in sentences.read_sentence_batches(write(tmp_path, text))
        for sentence in batch
    ]
    assert "".join("".join(found).split()) == "".join(text.split())
    # Prose of the nineteenth century: fifteen to twenty-five words a sentence.
    assert 10 < len(text.split()) / len(found) < 30
