"""Files in every layout: what is read of them, written, and refused."""

import dataclasses
import gzip
import io

import pytest

from elmo_tf.errors import InputError
from tasks.srl.data import read_sentences
from tasks.srl.data import write_sentences
from tasks.srl.file_layout import LAYOUTS
from tasks.srl.file_layout import UNIVERSAL_PROPBANK
from tasks.srl.proposition import Proposition
from tasks.srl.srl_sentence import SRLSentence
from tasks.text.span import Span
from tests.tasks.srl import tiny_srl

WITHOUT_WORDS = "props"
BRACKETS = sorted(name for name in LAYOUTS if LAYOUTS[name].has_brackets)
WITH_POS = ("conll2005", "propbank", "conll2012", UNIVERSAL_PROPBANK)
WITH_DOCUMENTS = ("propbank", "conll2012", UNIVERSAL_PROPBANK)
# Sentences, tokens, propositions; the spans that are neither V nor pieces nor
# references; pieces; references.
REAL_FILES = {
    "srl/propbank-ewt/ewt-srl.train.gold_conll.gz": (
        *("propbank", 12527, 204246, 40435),
        *(79086, 838, 1498),
    ),
    "srl/propbank-ewt/ewt-srl.dev.gold_conll.gz": (
        *("propbank", 1968, 24892, 4963),
        *(9326, 104, 153),
    ),
    "srl/propbank-ewt/ewt-srl.test.gold_conll.gz": (
        *("propbank", 2058, 24944, 4795),
        *(9108, 87, 142),
    ),
    "srl/srl-eval/gold.props.gz": (
        *("props", 2058, 24944, 4795),
        *(9108, 87, 142),
    ),
    "srl/srl-eval/noisy.props.gz": (
        *("props", 2058, 24944, 4795),
        *(8015, 77, 123),
    ),
    "srl/conll2012-samples/subdomain/example.gold_conll": (
        *("conll2012", 4, 44, 6),
        *(15, 0, 0),
    ),
    "srl/conll2012-samples/subdomain2/example.gold_conll": (
        *("conll2012", 1, 15, 2),
        *(7, 0, 0),
    ),
    "coref/conll2012-sample/coref.gold_conll": (
        *("conll2012", 9, 173, 22),
        *(50, 2, 1),
    ),
}


@pytest.fixture
def write(tmp_path):
    """A function that writes text or bytes to a file; returns its path."""

    def write_file(content, name="a.conll"):
        path = tmp_path / name
        if isinstance(content, str):
            content = content.encode()
        path.write_bytes(content)
        return str(path)

    return write_file


def written(sentences, layout):
    file = io.StringIO()
    write_sentences(sentences, file, layout)
    return file.getvalue()


def cells_of(text):
    """The lines' columns, whatever stands between them; no blank lines."""
    return [line.split() for line in text.splitlines() if line.strip()]


def message_of(function, *args, **kwargs):
    """The message of the InputError that a call raises, one line."""
    with pytest.raises(InputError) as info:
        function(*args, **kwargs)
    message = str(info.value)
    assert "\n" not in message
    return message


class TestReading:
    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("is_named", [True, False])
    def test_each_layout(self, write, layout, is_named):
        path = write(tiny_srl.TEXTS[layout])
        sentences = read_sentences(path, layout if is_named else None)
        assert [len(sentence) for sentence in sentences] == [9, 2]
        assert [sentence.propositions for sentence in sentences] == [
            tiny_srl.propositions(layout),
            (),
        ]
        has_words = layout != WITHOUT_WORDS
        assert [sentence.tokens for sentence in sentences] == (
            tiny_srl.WORDS if has_words else [None, None]
        )
        assert [sentence.pos for sentence in sentences] == (
            tiny_srl.POS if layout in WITH_POS else [None, None]
        )
        line = {"conll2012": 4, UNIVERSAL_PROPBANK: 8}.get(layout, 3)
        assert sentences[0].place(2) == f"{path}:{line}"

    def test_documents(self, write):
        first, second = read_sentences(write(tiny_srl.TEXTS["conll2012"]))
        assert first.document == second.document == "nw/wsj/00/wsj_0001"
        assert first.genre == "nw"
        assert [first.document_index, second.document_index] == [0, 1]
        assert second.document_line == (
            "#begin document (nw/wsj/00/wsj_0001); part 002"
        )
        first, second = read_sentences(write(tiny_srl.TEXTS["propbank"]))
        assert (first.document, first.genre) == (
            "google/ewt/email/00/a.xml",
            "email",
        )
        assert first.document_line is None
        first, second = read_sentences(write(tiny_srl.TEXTS["props"]))
        assert (first.document, first.genre) == (None, None)

    def test_other_columns(self, write):
        sentence, _ = read_sentences(write(tiny_srl.TEXTS["conll2012"]))
        assert sentence.columns == {
            "part": ("1",) * 9,
            # Not always all of them.
            "token": tuple("012345679"),
            "parse": ("(S*", *("*",) * 7, "*)"),
            "lemma": (
                *(None, None, "man", None, "come"),
                *("say", None, None, "often"),
            ),
            # Only that of a word that is no predicate.
            "roleset": (None, None, "01", *(None,) * 6),
            "sense": (None, None, "2", None, None, "1", None, None, None),
            "speaker": ("Ann",) * 9,
            "entities": ("*", "*", "(PERSON)", *("*",) * 6),
            "coreference": ("(1", *(None,) * 3, "1)", *(None,) * 4),
        }

    def test_words_of_another_file(self, write):
        path = write(tiny_srl.TEXTS["props"])
        words = "\n\n".join("\n".join(words) for words in tiny_srl.WORDS)
        sentences = read_sentences(
            path, words_path=write(words + "\n", "words.txt")
        )
        assert [sentence.tokens for sentence in sentences] == tiny_srl.WORDS
        assert sentences[0].propositions == tiny_srl.propositions("props")

    def test_parts_of_speech_that_are_not_known(self, write):
        sentences = read_sentences(
            write(
                "d\t0\t0\tGo\t-\t*\tgo\t-\t(V*)\n\n"
                "d\t1\t0\tGo\tVB\t*\t-\t-\nd\t1\t1\t!\t-\t*\t-\t-\n"
            )
        )
        assert [sentence.pos for sentence in sentences] == [None, ("VB", "-")]

    def test_gzip(self, write):
        text = tiny_srl.TEXTS["conll2012"]
        path = write(gzip.compress(text.encode()), "a.gz")
        assert read_sentences(path) == read_sentences(write(text))

    def test_the_predicate_may_stand_elsewhere_than_v(self, write):
        """As PropBank has it for a few verbs and their particles."""
        path = write("say - *\ngive - (V*)\nup give (C-V*)\n")
        (sentence,) = read_sentences(path)
        assert sentence.propositions[0].predicate == 2

    @pytest.mark.parametrize(
        "rows, predicates",
        [
            # A roleset without a column, before and after.
            (["01 *", "01 (V*)", "01 *"], [1]),
            # Of the tokens of V, that with a roleset.
            (["01 *", "- (V*", "01 *)"], [2]),
            (["01 *", "- (V*", "- *)"], [1]),
            # Of V and its pieces, likewise.
            (["- (V*)", "01 *", "01 (C-V*)"], [2]),
            (["01 (V*)", "- *", "01 (C-V*)"], [0]),
            (["- (V*)", "01 *", "- (C-V*)"], [0]),
            # No V, but as many rolesets as columns.
            (["01 * *", "- * (A1*)", "02 (A0*) *"], [0, 2]),
            (["01 (V*) *", "- * (A1*)", "02 (A0*) *"], [0, 2]),
        ],
    )
    def test_which_column_is_whose(self, write, rows, predicates):
        rows = [row.split() for row in rows]
        text = "".join(
            f"d 0 {i} w NN * x {roleset} - - * {' '.join(cells)} -\n"
            for i, (roleset, *cells) in enumerate(rows)
        )
        path = write(f"#begin document (d); part 000\n{text}")
        (sentence,) = read_sentences(path)
        found = [item.predicate for item in sentence.propositions]
        assert found == predicates

    def test_a_predicate_without_a_lemma(self, write):
        path = write(
            "#begin document (d); part 000\n"
            "d 0 0 Says VBZ * - 01 - - * (V*) -\n"
        )
        assert read_sentences(path)[0].propositions[0].lemma == "says"


class TestReadingMistakes:
    @pytest.mark.parametrize(
        "text, message",
        [
            (
                "say (V*)\n- (A1*\n",
                "2: found (A1 in column 2, expected a closing bracket before "
                "the sentence ends",
            ),
            (
                "-\n\nsay (V*)\n- *)\n",
                "4: found '*)' in column 2, expected no closing bracket, as "
                "none is open",
            ),
            (
                "say (V*)\n- *\n\ngo (V*)\n- A0\n",
                "5: found 'A0' in column 2, expected an asterisk between "
                "brackets, such as (ARG0*, *, *) or (V*)",
            ),
            (
                "say (V*)\n- *\n\ngo\n-\n",
                "4: found 0 columns of arguments, expected 1, one for each "
                "predicate in column 1",
            ),
            (
                "- (V*)\n- *\n",
                "1: found 1 column of arguments, expected 0, one for each "
                "predicate in column 1",
            ),
            (
                "Say say (V*)\nit - *\n\nGo go\n",
                "4: found 0 columns of arguments, expected 1, one for each "
                "predicate in column 2",
            ),
            (
                "say (V*)\n-\n",
                "2: found 1 column, expected 2 as in line 1, with spaces or "
                "tabs between them",
            ),
            (
                "#begin document (d); part 000\nd 0 0 w NN * - -\n",
                "2: found 8 columns, expected at least 12: document, part, "
                "token, word, pos, parse, lemma, roleset, sense, speaker, "
                "entities, coreference",
            ),
            (
                "#begin document (d); part 000\n"
                "d 0 0 w NN * say 01 - - * * (V*) -\n",
                "2: found 2 columns of arguments, expected 1, one for each "
                "predicate in column 8",
            ),
            (
                "d\t1\t0\tw\tNN\t*\tsay\tsay.01\n",
                "1: found 0 columns of arguments, expected 1, one for each "
                "predicate in column 7",
            ),
            (
                "say\t(V*)\n-\t\n",
                "2: found nothing in column 2, expected a value",
            ),
            (
                b"say (V*)\n\xe9 *\n",
                "2: byte 0xe9 at position 1 of the line is not UTF-8",
            ),
        ],
    )
    def test_lines(self, write, text, message):
        path = write(text)
        found = message_of(read_sentences, path)
        assert found.startswith(f"{path}:{message}")

    @pytest.mark.parametrize("layout", sorted(set(BRACKETS) - {"props"}))
    def test_columns_missing(self, write, layout):
        names = LAYOUTS[layout].leading + LAYOUTS[layout].trailing
        path = write("a\n")
        assert message_of(read_sentences, path, layout) == (
            f"{path}:1: found 1 column, expected at least {len(names)}: "
            + ", ".join(names)
        )

    def test_no_such_layout(self, write):
        message = message_of(read_sentences, write("-\n"), "prop")
        assert message.startswith("layout: found 'prop', expected one of ")

    def test_no_file(self, tmp_path):
        path = tmp_path / "none"
        assert message_of(read_sentences, path) == (
            f"{path}: cannot be read: No such file or directory"
        )

    @pytest.mark.parametrize("text", ["\n\n", " \n"])
    def test_no_token(self, write, text):
        path = write(text)
        assert message_of(read_sentences, path).startswith(
            f"{path}: found no token, expected one token a line"
        )

    def test_words_of_another_length(self, write):
        path = write("-\n\nsay (V*)\n- *\n")
        words = write("Oh\n\nSay\n", "words.txt")
        assert message_of(read_sentences, path, words_path=words) == (
            f"{words}:3: found a sentence of 1 words, expected 2 as in {path}:3"
        )

    def test_words_of_other_sentences(self, write):
        path = write("-\n\nsay (V*)\n- *\n")
        words = write("Oh\n", "words.txt")
        assert message_of(read_sentences, path, words_path=words) == (
            f"{words}: found 1 sentences, expected 2 as in {path}"
        )

    @pytest.mark.parametrize("layout", sorted(set(LAYOUTS) - {WITHOUT_WORDS}))
    def test_words_where_there_are_some(self, write, layout):
        path = write(tiny_srl.TEXTS[layout])
        words = write("Oh\n", "words.txt")
        assert message_of(read_sentences, path, words_path=words) == (
            f"{words}: found words for {path}, expected none, as that has some"
        )


class TestWriting:
    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_what_was_read(self, write, layout):
        text = tiny_srl.TEXTS[layout]
        sentences = read_sentences(write(text))
        again = written(sentences, layout)
        assert cells_of(again) == cells_of(text)
        assert read_sentences(write(again, "again")) == sentences

    @pytest.mark.parametrize("source", sorted(set(LAYOUTS) - {WITHOUT_WORDS}))
    @pytest.mark.parametrize("target", LAYOUTS)
    def test_conversion(self, write, source, target):
        sentences = read_sentences(write(tiny_srl.TEXTS[source]))
        converted = read_sentences(
            write(written(sentences, target), "converted"), target
        )
        assert [
            [(p.predicate, p.lemma, p.arguments) for p in s.propositions]
            for s in converted
        ] == [
            [(p.predicate, p.lemma, p.arguments) for p in s.propositions]
            for s in sentences
        ]
        if target != WITHOUT_WORDS:
            assert [s.tokens for s in converted] == tiny_srl.WORDS
        if target in WITH_POS and source in WITH_POS:
            assert [s.pos for s in converted] == tiny_srl.POS
        if target in WITH_DOCUMENTS and source in WITH_DOCUMENTS:
            assert [s.document for s in converted] == [
                s.document for s in sentences
            ]
        rolesets = [p.roleset for p in converted[0].propositions]
        expected = tiny_srl.ROLESETS[source]
        if target == UNIVERSAL_PROPBANK:
            # A sense there has a lemma.
            expected = {"0": ("come.01", "say.02"), "N": ("come", "say")}.get(
                str(expected[0])[0], expected
            )
        elif "roleset" not in LAYOUTS[target].leading:
            expected = None, None
        assert rolesets == [
            roleset or ("-" if "roleset" in LAYOUTS[target].leading else None)
            for roleset in expected
        ]

    def test_what_is_not_known(self):
        sentence = SRLSentence(
            2,
            (Proposition(1, "go", arguments=(Span("V", 1, 2),)),),
            tokens=("I", "go"),
        )
        assert written([sentence], "conll2012") == (
            "#begin document (-); part 000\n"
            "-\t0\t0\tI\t-\t*\t-\t-\t-\t-\t*\t*\t-\n"
            "-\t0\t1\tgo\t-\t*\tgo\t-\t-\t-\t*\t(V*)\t-\n"
            "\n"
            "#end document\n"
        )
        assert written([sentence] * 2, "propbank").splitlines()[3:5] == [
            "-\t1\t0\tI\t-\t*\t-\t-\t*",
            "-\t1\t1\tgo\t-\t*\tgo\t-\t(V*)",
        ]

    def test_documents_of_a_layout_that_does_not_mark_them(self, write):
        sentences = [
            SRLSentence(1, tokens=("a",), document=name)
            for name in ("x", "x", "y")
        ]
        text = written(sentences, "conll2012")
        assert [line for line in text.splitlines() if line[:1] == "#"] == [
            "#begin document (x); part 000",
            "#end document",
            "#begin document (y); part 000",
            "#end document",
        ]
        numbers = [row[1] for row in cells_of(written(sentences, "propbank"))]
        assert numbers == ["0", "1", "0"]

    def test_predicates_in_any_order(self, write):
        sentences = read_sentences(write(tiny_srl.TEXTS["props"]))
        turned = [
            dataclasses.replace(s, propositions=s.propositions[::-1])
            for s in sentences
        ]
        assert written(turned, "props") == tiny_srl.TEXTS["props"] + "\n"

    def test_no_sentences(self):
        assert written([], "conll2012") == ""

    def test_no_words(self, write):
        path = write(tiny_srl.TEXTS["props"])
        sentences = read_sentences(path)
        for layout in set(BRACKETS) - {WITHOUT_WORDS}:
            assert message_of(written, sentences, layout) == (
                f"{path}:1: found no words, expected those of the sentence"
            )

    def test_a_predicate_twice(self):
        sentence = SRLSentence(1, (Proposition(0, "go"),) * 2)
        with pytest.raises(ValueError, match=r"predicates \[0, 0\], expected"):
            written([sentence], "props")

    def test_a_lemma_that_is_not_known(self, write):
        """It is not written where the file has none."""
        text = (
            "#begin document (d); part 000\n"
            "d 0 0 Says VBZ * - 01 - - * (V*) -\n"
            "#end document\n"
        )
        sentences = read_sentences(write(text))
        again = written(sentences, "conll2012")
        assert cells_of(again) == cells_of(text)
        assert read_sentences(write(again)) == sentences

    @pytest.mark.parametrize("layout", BRACKETS)
    def test_arguments_that_overlap(self, layout):
        """Those of Universal PropBank are found by programs."""
        spans = Span("A0", 0, 2), Span("A1", 1, 3)
        sentence = SRLSentence(
            3,
            (Proposition(2, "go", arguments=spans),),
            tokens=("a", "b", "c"),
            path="a",
            lines=(7, 8, 9),
        )
        assert message_of(written, [sentence], layout) == (
            "a:9: found A0 of words 1 to 2, A1 of words 2 to 3, expected "
            "arguments that contain each other or do not overlap, which "
            "brackets can show"
        )

    def test_no_such_layout(self):
        message = message_of(written, [], "prop")
        assert message.startswith("layout: found 'prop', expected one of ")


each_real_file = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if counts[1] > 999 else ())
        for name, counts in REAL_FILES.items()
    ],
)


def test_all_real_files_are_listed(shared_data):
    folder = shared_data / "data"
    found = {
        path.relative_to(folder).as_posix()
        for path in (folder / "srl").rglob("*")
        if {".gold_conll", ".props", ".conllu", ".conllup"} & {*path.suffixes}
    }
    assert found == {name for name in REAL_FILES if name.startswith("srl/")}


@each_real_file
def test_real_files(shared_data, write, name):
    """Read, written and read again, and nothing is lost."""
    layout, *expected = REAL_FILES[name]
    path = shared_data / "data" / name
    sentences = read_sentences(path)
    labels = [
        span.label
        for sentence in sentences
        for proposition in sentence.propositions
        for span in proposition.arguments
    ]
    n_pieces = sum(label.startswith("C-") for label in labels)
    n_references = sum(label.startswith("R-") for label in labels)
    n_propositions = sum(len(s.propositions) for s in sentences)
    assert labels.count("V") == n_propositions
    assert expected == [
        len(sentences),
        sum(map(len, sentences)),
        n_propositions,
        len(labels) - n_propositions - n_pieces - n_references,
        n_pieces,
        n_references,
    ]
    again = written(sentences, layout)
    assert read_sentences(write(again)) == sentences
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    assert cells_of(again) == cells_of(content.decode())


@pytest.mark.parametrize("layout", LAYOUTS)
@each_real_file
def test_real_files_in_other_layouts(shared_data, write, name, layout):
    """Nothing that a layout has a place for is lost in it."""
    path = shared_data / "data" / name
    words = None
    if REAL_FILES[name][0] == WITHOUT_WORDS:
        words = path.parent / "words.txt.gz"
    sentences = read_sentences(path, words_path=words)
    converted = read_sentences(write(written(sentences, layout)))
    assert len(converted) == len(sentences)
    for found, expected in zip(converted, sentences, strict=True):
        propositions = expected.propositions
        if layout not in ("conll2012", REAL_FILES[name][0]):
            propositions = sorted(propositions, key=lambda p: p.predicate)
        assert [
            (p.predicate, p.lemma, p.arguments) for p in found.propositions
        ] == [(p.predicate, p.lemma, p.arguments) for p in propositions]
        if layout != WITHOUT_WORDS:
            assert found.tokens == expected.tokens
        if layout in WITH_POS:
            assert found.pos == expected.pos
        if layout in WITH_DOCUMENTS:
            assert found.document == expected.document
    # Once more there and back, and all is as it was.
    assert read_sentences(write(written(converted, layout))) == converted
