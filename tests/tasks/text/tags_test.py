"""Tags and entities, in every encoding and from one to another."""

import itertools

import numpy as np
import pytest
import seqeval.scheme

from elmo_tf.errors import InputError
from tasks.text import column_file
from tasks.text import tags
from tasks.text.span import Span

# The same entities: X of 3, 1 and 2 tokens without a gap, Y of 1, X of 2.
SPANS = [
    Span("X", 0, 3),
    Span("X", 3, 4),
    Span("X", 4, 6),
    Span("Y", 6, 7),
    Span("X", 8, 10),
]
WRITTEN = {
    "BIO": "B-X I-X I-X B-X B-X I-X B-Y O B-X I-X O".split(),
    "IOB1": "I-X I-X I-X B-X B-X I-X I-Y O I-X I-X O".split(),
    "BIOUL": "B-X I-X L-X U-X B-X L-X U-Y O B-X L-X O".split(),
}
IOBES = "B-X I-X E-X S-X B-X E-X S-Y O B-X E-X O".split()
# "A-B" has a hyphen, and "I" is a prefix too.
LABELS = ("PER", "A-B", "I")


def message_of(function, *args):
    """The message of the InputError that a call raises, one line."""
    with pytest.raises(InputError) as info:
        function(*args)
    message = str(info.value)
    assert "\n" not in message
    return message


def random_spans(rng, length):
    spans = []
    start = 0
    while start < length:
        end = start + int(rng.integers(1, 4))
        if end <= length and rng.random() < 0.7:
            spans.append(Span(str(rng.choice(LABELS)), start, end))
        start = end
    return spans


def all_span_lists(length, labels, start=0):
    """Every way to have entities in a sentence, by brute force."""
    if start == length:
        return [[]]
    found = list(all_span_lists(length, labels, start + 1))
    for label in labels:
        for end in range(start + 1, length + 1):
            found += [
                [Span(label, start, end), *rest]
                for rest in all_span_lists(length, labels, end)
            ]
    return found


class TestReadingAndWriting:
    @pytest.mark.parametrize("encoding", tags.ENCODINGS)
    def test_by_hand(self, encoding):
        assert tags.read_spans(WRITTEN[encoding], encoding) == SPANS
        assert tags.write_tags(SPANS, 11, encoding) == WRITTEN[encoding]

    def test_iobes_is_read_as_bioul(self):
        assert tags.read_spans(IOBES, "BIOUL") == SPANS
        assert tags.convert(IOBES, "BIOUL", "BIOUL") == WRITTEN["BIOUL"]

    @pytest.mark.parametrize("source", tags.ENCODINGS)
    @pytest.mark.parametrize("target", tags.ENCODINGS)
    def test_conversion(self, source, target):
        converted = tags.convert(WRITTEN[source], source, target)
        assert converted == WRITTEN[target]

    @pytest.mark.parametrize("encoding", tags.ENCODINGS)
    def test_no_tags(self, encoding):
        assert tags.read_spans([], encoding) == []
        assert tags.read_spans_leniently([]) == []
        assert tags.write_tags([], 0, encoding) == []
        assert tags.write_tags([], 2, encoding) == ["O", "O"]

    @pytest.mark.parametrize("source", tags.ENCODINGS)
    @pytest.mark.parametrize("target", tags.ENCODINGS)
    def test_round_trips(self, source, target):
        rng = np.random.default_rng(0)
        for length in range(1, 60):
            spans = random_spans(rng, length)
            written = tags.write_tags(spans, length, source)
            converted = tags.convert(written, source, target)
            assert tags.read_spans(converted, target) == spans
            assert tags.read_spans_leniently(converted) == spans
            assert tags.convert(converted, target, source) == written

    @pytest.mark.parametrize(
        "encoding, scheme",
        [
            ("BIO", seqeval.scheme.IOB2),
            ("IOB1", seqeval.scheme.IOB1),
            ("BIOUL", seqeval.scheme.BILOU),
        ],
    )
    def test_seqeval_reads_the_same(self, encoding, scheme):
        rng = np.random.default_rng(1)
        for length in range(1, 60):
            spans = random_spans(rng, length)
            written = tags.write_tags(spans, length, encoding)
            entities = seqeval.scheme.Tokens(written, scheme).entities
            assert [
                Span(entity.tag, entity.start, entity.end)
                for entity in entities
            ] == spans

    def test_spans_in_any_order(self):
        assert tags.write_tags(SPANS[::-1], 11, "IOB1") == WRITTEN["IOB1"]

    @pytest.mark.parametrize(
        "spans",
        [
            [("X", 0, 2), ("Y", 1, 3)],
            [("X", 0, 2), ("X", 0, 2)],
            [("X", 1, 1)],
            [("X", 2, 1)],
            [("X", -1, 1)],
            [("X", 2, 4)],
        ],
    )
    def test_spans_that_cannot_be(self, spans):
        with pytest.raises(ValueError, match="^found Span.* of 3 tokens, "):
            tags.write_tags([Span(*span) for span in spans], 3, "BIO")


class TestStrictness:
    @pytest.mark.parametrize(
        "encoding, sentence, message",
        [
            (
                "BIO",
                "O I-X",
                "tag 2: found I-X after O, expected O or B-… in BIO",
            ),
            (
                "BIO",
                "I-X",
                "tag 1: found I-X at the start, expected O or B-… in BIO",
            ),
            (
                "BIO",
                "B-X I-Y",
                "tag 2: found I-Y after B-X, expected O, B-… or I-X in BIO",
            ),
            (
                "BIO",
                "B-X L-X",
                "tag 2: found L-X after B-X, expected O, B-… or I-X in BIO",
            ),
            (
                "IOB1",
                "I-X O B-X",
                "tag 3: found B-X after O, expected O or I-… in IOB1",
            ),
            (
                "IOB1",
                "I-X B-X B-Y",
                "tag 3: found B-Y after B-X, expected O, I-… or B-X in IOB1",
            ),
            (
                "BIOUL",
                "U-X I-X",
                "tag 2: found I-X after U-X, expected O, B-… or U-… in BIOUL",
            ),
            (
                "BIOUL",
                "B-X I-X B-X",
                "tag 3: found B-X after I-X, expected I-X or L-X in BIOUL",
            ),
            (
                "BIOUL",
                "B-X L-Y",
                "tag 2: found L-Y after B-X, expected I-X or L-X in BIOUL",
            ),
            (
                "BIOUL",
                "O B-X",
                "tag 2: found the end after B-X, expected I-X or L-X in BIOUL",
            ),
        ],
    )
    def test_invalid_sequences(self, encoding, sentence, message):
        assert message_of(tags.read_spans, sentence.split(), encoding) == (
            message
        )

    @pytest.mark.parametrize(
        "tag", ["", "X", "B", "B-", "-X", "o", "b-X", "O-X", "BI-X", "I_X"]
    )
    def test_what_is_no_tag(self, tag):
        message = (
            f"tag 2: found {tag!r}, expected a tag: O, or one of B, I, L, U, "
            "E and S with a hyphen and a class"
        )
        for encoding in tags.ENCODINGS:
            assert message_of(tags.read_spans, ["O", tag], encoding) == message
        assert message_of(tags.read_spans_leniently, ["O", tag]) == message

    @pytest.mark.parametrize(
        "content, message",
        [
            ("a B-X\n\nb O\nc I-X\n", "4: found I-X after O, "),
            ("a O\n\nb B-X\nc XX\n", "4: found 'XX', expected a tag: "),
        ],
    )
    def test_messages_name_file_and_line(self, tmp_path, content, message):
        path = tmp_path / "a.conll"
        path.write_text(content)
        first, second = column_file.read_sentences(path)
        arguments = second.column(1), "BIO", second.place
        for function in (
            tags.read_spans,
            lambda values, source, place: tags.convert(
                values, source, "BIOUL", place
            ),
        ):
            assert message_of(function, *arguments).startswith(
                f"{path}:{message}"
            )
        if "XX" in content:
            assert message_of(
                tags.read_spans_leniently, second.column(1), second.place
            ).startswith(f"{path}:{message}")

    def test_the_end_is_at_the_last_line(self, tmp_path):
        path = tmp_path / "a.conll"
        path.write_text("\na O\nb B-X\n\n")
        (sentence,) = column_file.read_sentences(path)
        assert message_of(
            tags.read_spans, sentence.column(1), "BIOUL", sentence.place
        ).startswith(f"{path}:3: found the end after B-X, ")

    @pytest.mark.parametrize(
        "function, arguments",
        [
            (tags.read_spans, [[]]),
            (tags.write_tags, [[], 0]),
            (tags.tag_set, [[]]),
            (tags.transition_mask, [[]]),
            (tags.start_mask, [[]]),
            (tags.end_mask, [[]]),
        ],
    )
    def test_no_encoding(self, function, arguments):
        assert message_of(function, *arguments, "IOE") == (
            "encoding: found 'IOE', expected one of BIO, IOB1, BIOUL"
        )


@pytest.mark.parametrize(
    "sentence, spans",
    [
        # As conlleval.
        ("I-X I-X O", [("X", 0, 2)]),
        ("O I-X", [("X", 1, 2)]),
        ("B-X I-Y I-Y", [("X", 0, 1), ("Y", 1, 3)]),
        ("I-X I-Y B-Y", [("X", 0, 1), ("Y", 1, 2), ("Y", 2, 3)]),
        ("B-X O I-X", [("X", 0, 1), ("X", 2, 3)]),
        ("I-X E-X I-X", [("X", 0, 2), ("X", 2, 3)]),
        ("E-X E-X", [("X", 0, 1), ("X", 1, 2)]),
        # What conlleval does not know.
        ("U-X U-X L-X", [("X", 0, 1), ("X", 1, 2), ("X", 2, 3)]),
        ("B-X B-X L-X", [("X", 0, 1), ("X", 1, 3)]),
        ("B-X L-X B-X O", [("X", 0, 2), ("X", 2, 3)]),
        ("I-X U-X I-X", [("X", 0, 1), ("X", 1, 2), ("X", 2, 3)]),
        ("B-X S-Y E-Y", [("X", 0, 1), ("Y", 1, 2), ("Y", 2, 3)]),
        ("I-X L-Y", [("X", 0, 1), ("Y", 1, 2)]),
    ],
)
def test_reading_leniently(sentence, spans):
    assert tags.read_spans_leniently(sentence.split()) == spans


class TestRecognition:
    @pytest.mark.parametrize("encoding", tags.ENCODINGS)
    def test_by_hand(self, encoding):
        assert tags.recognise_encoding([WRITTEN[encoding]]) == encoding

    def test_iobes(self):
        assert tags.recognise_encoding([IOBES]) == "BIOUL"

    @pytest.mark.parametrize("encoding", tags.ENCODINGS)
    def test_one_entity_is_enough(self, encoding):
        for length in range(1, 5):
            for spans in all_span_lists(length, "XY"):
                if spans:
                    written = tags.write_tags(spans, length, encoding)
                    sequences = [["O"], written]
                    assert tags.recognise_encoding(sequences) == encoding

    @pytest.mark.parametrize("sequences", [[], [[]], [["O"], ["O", "O"]]])
    def test_no_entities(self, sequences):
        assert tags.recognise_encoding(sequences) == "BIO"

    @pytest.mark.parametrize("encoding", tags.ENCODINGS)
    @pytest.mark.parametrize("slip", [["I-Y", "B-X"], ["?", ""]])
    def test_slips_are_outvoted(self, encoding, slip):
        sequences = [slip, WRITTEN[encoding], WRITTEN[encoding]]
        assert tags.recognise_encoding(sequences) == encoding

    @pytest.mark.parametrize(
        "name, encoding, n_spans",
        [
            ("wnut17/wnut17train.conll", "BIO", 1975),
            ("wnut17/emerging.dev.conll", "BIO", 836),
            ("wnut17/emerging.test.annotated", "BIO", 1079),
            ("wikigold/wikigold.conll.txt", "IOB1", 3558),
        ],
    )
    def test_real_files(self, shared_data, name, encoding, n_spans):
        """Strictly read; the numbers are those of the B- and of seqeval."""
        path = shared_data / "data" / "ner" / name
        sentences = list(column_file.read_sentences(path))
        sequences = [sentence.column(-1) for sentence in sentences]
        assert tags.recognise_encoding(sequences) == encoding
        spans = [
            tags.read_spans(values, encoding, sentence.place)
            for sentence, values in zip(sentences, sequences, strict=True)
        ]
        assert sum(map(len, spans)) == n_spans


class TestMasks:
    @pytest.mark.parametrize("encoding", tags.ENCODINGS)
    def test_they_allow_all_that_is_written_and_nothing_else(self, encoding):
        names = tags.tag_set("XY", encoding)
        transition = tags.transition_mask(names, encoding)
        start = tags.start_mask(names, encoding)
        end = tags.end_mask(names, encoding)
        n = len(names)
        assert transition.shape == (n, n) and start.shape == end.shape == (n,)
        assert transition.dtype == start.dtype == end.dtype == bool
        for length in range(1, 5):
            allowed = {
                tuple(names[i] for i in ids)
                for ids in itertools.product(range(n), repeat=length)
                if start[ids[0]]
                and end[ids[-1]]
                and all(transition[pair] for pair in itertools.pairwise(ids))
            }
            written = {
                tuple(tags.write_tags(spans, length, encoding))
                for spans in all_span_lists(length, "XY")
            }
            assert allowed == written

    def test_any_order_and_the_letters_of_iobes(self):
        names = ["E-X", "O", "B-X", "S-X", "I-X"]
        np.testing.assert_array_equal(
            tags.transition_mask(names, "BIOUL").astype(int),
            [
                [0, 1, 1, 1, 0],
                [0, 1, 1, 1, 0],
                [1, 0, 0, 0, 1],
                [0, 1, 1, 1, 0],
                [1, 0, 0, 0, 1],
            ],
        )
        np.testing.assert_array_equal(
            tags.start_mask(names, "BIOUL"), [False, True, True, True, False]
        )
        np.testing.assert_array_equal(
            tags.end_mask(names, "BIOUL"), [True, True, False, True, False]
        )

    @pytest.mark.parametrize(
        "function", [tags.transition_mask, tags.start_mask, tags.end_mask]
    )
    def test_a_tag_of_another_encoding(self, function):
        assert message_of(function, ["O", "U-X"], "BIO") == (
            "tag 2: found U-X, expected a tag of BIO"
        )
        assert message_of(function, ["O", "?"], "BIO").startswith(
            "tag 2: found '?', expected a tag: "
        )


@pytest.mark.parametrize(
    "encoding, expected",
    [
        ("BIO", "O B-Y I-Y B-X I-X"),
        ("IOB1", "O I-Y B-Y I-X B-X"),
        ("BIOUL", "O B-Y I-Y L-Y U-Y B-X I-X L-X U-X"),
    ],
)
def test_tag_set(encoding, expected):
    assert tags.tag_set(["Y", "X"], encoding) == expected.split()
