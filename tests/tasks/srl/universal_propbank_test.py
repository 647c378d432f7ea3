"""Files of Universal PropBank: what is read of them, written, and refused."""

import gzip
import io

import pytest

from elmo_tf.errors import InputError
from tasks.srl import data
from tasks.srl.file_layout import UNIVERSAL_PROPBANK
from tasks.srl.proposition import Proposition
from tasks.srl.srl_sentence import SRLSentence
from tasks.srl.universal_propbank import read_sentences
from tasks.srl.universal_propbank import write_sentences
from tasks.text.span import Span
from tests.tasks.srl import tiny_srl

TEXT = tiny_srl.TEXTS[UNIVERSAL_PROPBANK]
HEADER = "# global.columns = ID FORM UP:PRED UP:ARGHEADS UP:ARGSPANS\n"
V = Span("V", 3, 4)


@pytest.fixture
def write(tmp_path):
    """A function that writes text or bytes to a file; returns its path."""

    def write_file(content, name="a.conllup"):
        path = tmp_path / name
        if isinstance(content, str):
            content = content.encode()
        path.write_bytes(content)
        return str(path)

    return write_file


def written(sentences):
    file = io.StringIO()
    write_sentences(sentences, file)
    return file.getvalue()


def message_of(function, *args):
    """The message of the InputError that a call raises, one line."""
    with pytest.raises(InputError) as info:
        function(*args)
    message = str(info.value)
    assert "\n" not in message
    return message


def one_sentence(heads, spans, roleset="go.01"):
    """A file of five words, the fourth of them a predicate."""
    rows = [[str(i), f"w{i}", "_", "_", "_"] for i in range(1, 6)]
    rows[3][2:] = roleset, heads, spans
    return HEADER + "".join("\t".join(row) + "\n" for row in rows) + "\n"


def columns_of(text, *chosen):
    """A file with these columns of another one, numbers from 0 up."""
    lines = []
    for line in text.splitlines():
        row = line.split("\t")
        if line.startswith("# global"):
            mark, names = line.split(" = ")
            names = names.split()
            line = f"{mark} = {' '.join(names[i] for i in chosen)}"
        elif len(row) > 1:
            line = "\t".join(row[i] for i in chosen)
        lines.append(line)
    return "\n".join(lines) + "\n\n"


def without_first_line(text):
    return text.partition("\n")[2]


WITHOUT_WORDS = columns_of(TEXT, 0, 10, 11, 12)
TREEBANK = without_first_line(columns_of(TEXT, *range(10)))


class TestReading:
    def test_everything(self, write):
        path = write(TEXT)
        first, second = read_sentences(path)
        assert first.propositions == tiny_srl.propositions(UNIVERSAL_PROPBANK)
        assert second.propositions == ()
        assert [first.tokens, second.tokens] == tiny_srl.WORDS
        assert [first.pos, second.pos] == tiny_srl.POS
        assert [first.document, second.document] == ["news", None]
        assert [first.document_index, second.document_index] == [0, 1]
        assert first.document_line is None
        assert first.columns["lemma"][7:] == ("-", "often")
        assert first.columns["FEATS"][:3] == (
            *("Definite=Def|PronType=Art", None),
            "Number=Sing",
        )
        assert set(second.columns) == {
            *("lemma", "UPOS", "HEAD", "DEPREL", "DEPS"),
        }
        assert second.columns["lemma"] == ("hello", None)
        assert first.comments == (
            "# newdoc id = news",
            "# sent_id = 1",
            "# text = The #man who came says it-often",
        )
        assert first.other_rows[0] == (1, {"ID": "2-3", "FORM": "#man"})
        assert first.other_rows[1][0] == 7
        # The lines of the words alone.
        assert first.lines == (5, 7, 8, 9, 10, 11, 12, 14, 15)

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    @pytest.mark.parametrize("compress", [bytes, gzip.compress])
    def test_line_ends_and_gzip_make_no_difference(self, write, end, compress):
        content = compress(TEXT.replace("\n", end).encode())
        found = data.read_sentences(write(content, "other"))
        assert found == read_sentences(write(TEXT))

    def test_the_columns_may_stand_anywhere(self, write):
        text = columns_of(TEXT, 12, 4, 10, 1, 0)
        first, _ = data.read_sentences(write(text))
        assert first.tokens == tiny_srl.WORDS[0]
        assert first.pos == tiny_srl.POS[0]
        come, say = tiny_srl.propositions(UNIVERSAL_PROPBANK)
        # There is neither a lemma nor a head.
        assert first.propositions == (
            Proposition(4, "came", come.roleset, come.arguments),
            Proposition(5, "says", say.roleset, say.arguments),
        )
        assert first.columns == {}

    def test_without_words(self, write):
        first, second = data.read_sentences(write(WITHOUT_WORDS))
        assert first.tokens is first.pos is second.tokens is None
        # The lemma is that of the sense.
        assert first.propositions == tiny_srl.propositions(UNIVERSAL_PROPBANK)

    @pytest.mark.parametrize(
        "header", ["", TEXT.partition(" UP:PRED")[0] + "\n"]
    )
    def test_words_of_the_treebank(self, write, header):
        treebank = write(header + TREEBANK, "ud.conllu")
        path = write(WITHOUT_WORDS)
        found = data.read_sentences(path, words_path=treebank)
        assert found == read_sentences(write(TEXT, "both"))
        assert found[0].place(1) == f"{path}:7"

    def test_sentences_without_names(self, write):
        treebank = write(TREEBANK.replace("# sent_id = 2\n", ""), "ud.conllu")
        path = write(WITHOUT_WORDS.replace("# sent_id = 1\n", ""))
        first, second = read_sentences(path, treebank)
        assert [first.tokens, second.tokens] == tiny_srl.WORDS

    def test_a_predicate_without_arguments(self, write):
        for heads in ("_", "V:4"):
            spans = "_" if heads == "_" else "V:4-4"
            path = write(one_sentence(heads, spans))
            (sentence,) = read_sentences(path)
            assert sentence.propositions[0].arguments == (V,)
        assert sentence.propositions[0].heads == (3,)

    @pytest.mark.parametrize(
        "spans, expected",
        [
            # In any order.
            (
                "A1:5-5|A0:1-2|AM-TMP:1-3",
                [("AM-TMP", 0, 3), ("A0", 0, 2), V, ("A1", 4, 5)],
            ),
            # Around the predicate; the predicate itself is inside.
            ("A0:4-4|A1:3-5", [("A1", 2, 5), ("A0", 3, 4), V]),
            # One argument twice.
            ("A1:2-2|A1:2-2", [("A1", 1, 2), ("A1", 1, 2), V]),
            # Overlapping.
            ("A0:1-3|A1:2-5", [("A0", 0, 3), ("A1", 1, 5), V]),
            # A predicate of two words, and one in two pieces.
            ("V:4-5", [("V", 3, 5)]),
            ("V:1-1|C-V:4-4", [("V", 0, 1), ("C-V", 3, 4)]),
            ("R-AM-LOC:1-1", [("R-AM-LOC", 0, 1), V]),
        ],
    )
    def test_arguments(self, write, spans, expected):
        (sentence,) = read_sentences(write(one_sentence("_", spans)))
        (proposition,) = sentence.propositions
        assert proposition.arguments == tuple(expected)
        assert proposition.heads is None
        again = read_sentences(write(written([sentence])))
        assert again == [sentence]

    def test_heads(self, write):
        """They stay with their arguments, and may be outside of them."""
        text = one_sentence("A1:5|A0:2|A2:4", "A1:5-5|A0:1-1|A2:1-5")
        (sentence,) = read_sentences(write(text))
        assert sentence.propositions[0].heads == (3, 1, 3, 4)
        row = written([sentence]).splitlines()[4]
        assert row.endswith("A2:4|A0:2|A1:5\tA2:1-5|A0:1-1|A1:5-5")

    def test_only_other_rows_in_between(self, write):
        text = (
            "# global.columns = ID FORM UP:PRED UP:ARGSPANS\n"
            "0.1\tx\t_\t_\n1-2\tdu\t_\t_\n1\tde\t_\t_\n1.1\ty\t_\t_\n"
            "2\tle\tle.01\t_\n2.1\tz\t_\t_\n2.2\tz\t_\t_\n\n"
        )
        (sentence,) = read_sentences(write(text))
        assert sentence.tokens == ("de", "le")
        assert [place for place, _ in sentence.other_rows] == [0, 0, 1, 2, 2]
        again = written([sentence])
        assert [line.split("\t")[0] for line in again.splitlines()[1:]] == [
            line.split("\t")[0] for line in text.splitlines()[1:]
        ]
        assert read_sentences(write(again)) == [sentence]


class TestReadingMistakes:
    @pytest.mark.parametrize(
        "text",
        [
            # A treebank, and Universal PropBank 1.0.
            TREEBANK,
            "# sent_id 1\n"
            "1\tEr\ter\tPRON\tPPER\t_\t2\tnsubj\t_\t_\tA0\n"
            "2\tgeht\tgehen\tVERB\tVVFIN\t_\t0\troot\tY\tgo.01\t_\n",
            "1-2\tam\t_\t_\t_\t_\t_\t_\t_\t_\n"
            "1\tAn\tan\tADP\tAPPR\t_\t2\tcase\t_\t_\n"
            "2\tdem\tder\tDET\tART\t_\t0\troot\t_\t_\n",
        ],
    )
    def test_no_list_of_columns(self, write, text):
        path = write(text)
        for function in (data.read_sentences, read_sentences):
            assert message_of(function, path) == (
                f"{path}:1: found no list of columns, expected '# "
                "global.columns = ID FORM … UP:PRED UP:ARGHEADS UP:ARGSPANS' "
                "in the first line; files with the heads of arguments alone, "
                "as those of Universal PropBank 1.0, cannot be used: a head "
                "does not tell its span"
            )

    def test_heads_alone(self, write):
        """As in the gold data of Universal PropBank 2.0."""
        path = write("\n" + columns_of(TEXT, 0, 1, 10, 11))
        assert message_of(data.read_sentences, path) == (
            f"{path}:2: found the columns ID, FORM, UP:PRED, UP:ARGHEADS, "
            "expected each once, and ID, UP:PRED, UP:ARGSPANS among them; a "
            "head does not tell its span"
        )

    @pytest.mark.parametrize(
        "names", ["ID FORM UP:ARGSPANS", "UP:PRED UP:ARGSPANS", "", "ID ID"]
    )
    def test_columns_missing(self, write, names):
        path = write(f"# global.columns = {names}\n1\ta\n")
        assert message_of(data.read_sentences, path) == (
            f"{path}:1: found the columns {', '.join(names.split())}, expected "
            "each once, and ID, UP:PRED, UP:ARGSPANS among them"
        )

    def test_a_column_twice(self, write):
        path = write(HEADER.replace("FORM", "FORM FORM") + "1\ta\n")
        assert "FORM, FORM, UP:PRED" in message_of(read_sentences, path)

    @pytest.mark.parametrize(
        "heads, spans, message",
        [
            (
                "_",
                "A0:1-6",
                "found 'A0:1-6' among the arguments, expected a role and words "
                "from 1 to 5, such as A0:1-2",
            ),
            ("_", "A0:0-1", "found 'A0:0-1' among the arguments, expected"),
            ("_", "A0:3-2", "found 'A0:3-2' among the arguments, expected"),
            ("_", "A0:1-1|A1:3", "found 'A1:3' among the arguments, expected"),
            ("_", "A0:1-1|", "found '' among the arguments, expected"),
            ("_", "1-2", "found '1-2' among the arguments, expected"),
            ("_", "A0:1.1-2", "found 'A0:1.1-2' among the arguments, expected"),
            (
                "A0:6",
                "A0:1-1",
                "found 'A0:6' among the arguments, expected a role and words "
                "from 1 to 5, such as A0:2",
            ),
            (
                "A0:1|A1:2",
                "A0:1-1",
                "found the heads A0:1|A1:2, expected one of each of the "
                "arguments A0:1-1",
            ),
            ("A1:1", "A0:1-1", "found the heads A1:1, expected one of each"),
            ("A0:1", "_", "found the heads A0:1, expected one of each"),
        ],
    )
    def test_arguments(self, write, heads, spans, message):
        path = write(one_sentence(heads, spans))
        found = message_of(data.read_sentences, path)
        assert found.startswith(f"{path}:5: {message}")

    @pytest.mark.parametrize("cells", ["A0:1\t_", "_\tA0:1-1"])
    def test_arguments_without_a_predicate(self, write, cells):
        path = write(one_sentence(*cells.split("\t"), roleset="_"))
        assert message_of(data.read_sentences, path) == (
            f"{path}:5: found the arguments {cells.replace('_', '').strip()}, "
            "expected _, as there is no predicate"
        )

    @pytest.mark.parametrize(
        "rows, message",
        [
            (
                "1\ta\t_\t_\t_\n3\ta\t_\t_\t_\n",
                "3: found '3' in the column ID, ",
            ),
            ("2\ta\t_\t_\t_\n", "2: found '2' in the column ID, expected 1"),
            ("x\ta\t_\t_\t_\n", "2: found 'x' in the column ID, expected 1"),
            ("1\t\t_\t_\t_\n", "2: found nothing in column 2, expected a "),
            (
                "1-2\ta\t_\t_\t_\n",
                "2: found a sentence without words, expected at least one",
            ),
            (
                "1\ta\t_\t_\t_\n1.1\tb\tgo.01\t_\t_\n",
                "3: found a predicate or arguments at 1.1, expected them at "
                "words, whose numbers are whole",
            ),
            (
                "1\ta\t_\t_\n",
                "2: found 4 columns, expected 5, with a tab between them: ID, "
                "FORM, UP:PRED, UP:ARGHEADS, UP:ARGSPANS",
            ),
            (
                "1 a _ _ _\n",
                "2: found 1 column, expected 5, with a tab between them: ID, ",
            ),
            (
                "1\ta\t_\t_\t_\n2\tb\t_\t_\n",
                "3: found 4 columns, expected 5 as in line 2, with a tab",
            ),
        ],
    )
    def test_rows(self, write, rows, message):
        path = write(HEADER + rows)
        found = message_of(data.read_sentences, path)
        assert found.startswith(f"{path}:{message}")

    def test_no_token(self, write):
        path = write(HEADER)
        assert message_of(data.read_sentences, path) == (
            f"{path}: found no token, expected one token a line and blank "
            "lines between sentences"
        )

    @pytest.mark.parametrize(
        "changes, message",
        [
            (("2-3\t#man", "2\t#man"), "5: found 2, expected 2-3 as in {}:6"),
            (
                ("\n2\t-DOCSTART-", "\n1.1\t-DOCSTART-"),
                "19: found 1.1, expected 2 as in {}:20",
            ),
            (
                ("\n\n# newdoc", "\n10\tx" + "\t_" * 8 + "\n\n# newdoc"),
                "15: found 10, expected the sentence's end as in {}:15",
            ),
            (("9\toften", "#"), "13: found the sentence's end, expected 9 as "),
            (
                ("sent_id = 2", "sent_id = 3"),
                "18: found the sentence 3, expected 2 as in {}:19",
            ),
        ],
    )
    def test_another_treebank(self, write, changes, message):
        path = write(WITHOUT_WORDS)
        treebank = write(TREEBANK.replace(*changes), "ud.conllu")
        found = message_of(read_sentences, path, treebank)
        assert found.startswith(f"{treebank}:{message.format(path)}")

    def test_more_sentences(self, write):
        path, treebank = write(WITHOUT_WORDS), write(TREEBANK * 2, "ud.conllu")
        assert message_of(read_sentences, path, treebank) == (
            f"{treebank}: found 4 sentences, expected 2 as in {path}"
        )

    def test_a_treebank_without_words(self, write):
        path = write(WITHOUT_WORDS)
        assert message_of(read_sentences, path, path) == (
            f"{path}:1: found the columns ID, UP:PRED, UP:ARGHEADS, "
            "UP:ARGSPANS, expected each once, and ID, FORM among them"
        )


class TestWriting:
    @pytest.mark.parametrize(
        "text",
        [
            TEXT + "\n",
            WITHOUT_WORDS,
            # Columns that are somebody else's.
            (TEXT + "\n")
            .replace("UP:ARGSPANS", "UP:ARGSPANS MY:COLUMN")
            .replace("\t_\n", "\t_\tx|y\n")
            .replace("4-4\n", "4-4\t_\n")
            .replace("9-9\n", "9-9\tz\n"),
        ],
    )
    def test_what_was_read(self, write, text):
        sentences = data.read_sentences(write(text))
        again = written(sentences)
        assert again == text
        assert read_sentences(write(again, "again")) == sentences

    def test_what_is_not_known(self):
        sentences = [
            SRLSentence(
                2,
                (
                    Proposition(1, "go", sense, (Span("V", 1, 2),)),
                    Proposition(0, "I", "-", (Span("A0", 0, 2),)),
                ),
                tokens=("I", "go"),
                document=document,
            )
            for sense, document in (("01", "a"), ("go.02", "a"), (None, "b"))
        ]
        lines = written(sentences).splitlines()
        assert lines == [
            "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS "
            "MISC UP:PRED UP:ARGHEADS UP:ARGSPANS",
            "# newdoc id = a",
            # The lemma of `go` is what reading takes without one.
            "1\tI\tI" + "\t_" * 7 + "\tI\t_\tA0:1-2",
            "2\tgo\t_" + "\t_" * 7 + "\tgo.01\t_\t_",
            "",
            lines[2],
            "2\tgo\t_" + "\t_" * 7 + "\tgo.02\t_\t_",
            "",
            "# newdoc id = b",
            lines[2],
            "2\tgo\t_" + "\t_" * 7 + "\tgo\t_\t_",
            "",
        ]

    def test_new_arguments_have_no_heads(self, write):
        """Those of the file are not written for others."""
        sentence, _ = read_sentences(write(TEXT))
        (come, say) = sentence.propositions
        changed = SRLSentence(
            9,
            (Proposition(4, come.lemma, come.roleset, come.arguments), say),
            sentence.tokens,
        )
        row = written([changed]).splitlines()[5]
        assert row.endswith("come.01\t_\tARG1:1-3|R-ARG1:4-4")

    def test_no_sentences(self):
        assert written([]) == ""

    def test_words_of_some(self):
        sentences = [SRLSentence(1, tokens=("a",)), SRLSentence(1)]
        assert message_of(written, sentences) == (
            "token 1: found no words, expected some, as other sentences have"
        )

    def test_a_predicate_twice(self):
        sentence = SRLSentence(1, (Proposition(0, "go"),) * 2)
        with pytest.raises(ValueError, match="found two propositions of this"):
            written([sentence])


@pytest.mark.slow
@pytest.mark.parametrize("part", ["dev", "test", "train"])
def test_a_real_treebank(shared_data, write, part):
    """With multiword tokens and empty nodes, and equal line by line."""
    path = shared_data / f"data/pos/ud-ewt/en_ewt-ud-{part}.conllu.gz"
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    # As Universal PropBank is released.
    made = []
    for line in lines:
        if line.startswith("#"):
            continue
        number = line.split("\t")[0]
        cells = "_", "_", "_"
        if number in ("3", "4"):
            last = int(number) - 1
            cells = f"be.0{last}", "A1:1", f"A1:1-{last}"
        made.append("\t".join([number, *cells]) if number else "")
    header = WITHOUT_WORDS.splitlines()[0]
    text = "\n".join([header, *made, ""])
    sentences = data.read_sentences(write(text), words_path=path)
    again = written(sentences).splitlines()[1:]
    assert [
        line if line.startswith("#") else "\t".join(line.split("\t")[:10])
        for line in again
    ] == lines
    assert [
        "\t".join([row[0], *row[10:]])
        for row in (line.split("\t") for line in again)
        if len(row) > 1
    ] == [line for line in made if line]
