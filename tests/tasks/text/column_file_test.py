"""Reading column files, and what is said about bad ones."""

import gzip

import pytest

from elmo_tf.errors import InputError
from tasks.text import column_file


@pytest.fixture
def write(tmp_path):
    """A function that writes text or bytes to a file and returns its path."""

    def write_file(content, name="a.conll"):
        path = tmp_path / name
        if isinstance(content, str):
            content = content.encode()
        path.write_bytes(content)
        return str(path)

    return write_file


def read(path, **options):
    return list(column_file.read_sentences(path, **options))


def rows(path, **options):
    return [list(sentence.rows) for sentence in read(path, **options)]


def message_of(path, **options):
    """The message of the InputError that a reading ends in, one line."""
    with pytest.raises(InputError) as info:
        read(path, **options)
    message = str(info.value)
    assert "\n" not in message
    return message


CONLL_2003 = """\
-DOCSTART- -X- -X- O

EU NNP B-NP B-ORG
rejects VBZ B-VP O

. . O O

-DOCSTART- -X- -X- O

Peter NNP B-NP B-PER
"""


class TestSentences:
    def test_conll_2003(self, write):
        path = write(CONLL_2003)
        first, second, third = read(path)
        assert first.rows == (
            ("EU", "NNP", "B-NP", "B-ORG"),
            ("rejects", "VBZ", "B-VP", "O"),
        )
        assert second.rows == ((".", ".", "O", "O"),)
        assert third.rows == (("Peter", "NNP", "B-NP", "B-PER"),)
        assert [first.lines, second.lines, third.lines] == [(3, 4), (6,), (10,)]
        assert [first.document, second.document, third.document] == [0, 0, 1]
        assert third.place(0) == f"{path}:10"

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    @pytest.mark.parametrize("compress", [bytes, gzip.compress])
    def test_line_ends_and_gzip_make_no_difference(self, write, end, compress):
        plain = write(CONLL_2003)
        content = compress(CONLL_2003.replace("\n", end).encode())
        other = write(content, "other")
        assert rows(other) == rows(plain)
        assert [s.lines for s in read(other)] == [s.lines for s in read(plain)]

    def test_the_last_line_may_lack_its_end(self, write):
        assert rows(write("a X\nb Y")) == [[("a", "X"), ("b", "Y")]]

    def test_byte_order_mark(self, write):
        assert rows(write("\ufeffa X\n")) == [[("a", "X")]]

    def test_many_blank_lines(self, write):
        path = write("\n\na X\n\n \t \n\nb Y\n\n\n")
        assert rows(path) == [[("a", "X")], [("b", "Y")]]
        assert [s.lines for s in read(path)] == [(3,), (7,)]

    def test_a_number_sign_is_a_token(self, write):
        assert rows(write("# O\n#1 O\n")) == [[("#", "O"), ("#1", "O")]]

    def test_path_object(self, write, tmp_path):
        write("a X\n")
        (sentence,) = read(tmp_path / "a.conll")
        assert sentence.place(0) == f"{tmp_path}/a.conll:1"


class TestDelimiters:
    def test_runs_of_spaces_and_tabs(self, write):
        path = write("  a   b c \nd\te  \t f\n")
        assert rows(path) == [[("a", "b", "c"), ("d", "e", "f")]]

    def test_a_tab_in_the_first_row_separates_in_all(self, write):
        path = write("-DOCSTART-\n\na b\tX\nc\tY Z\n")
        assert rows(path) == [[("a b", "X"), ("c", "Y Z")]]

    def test_blank_lines_with_tabs(self, write):
        path = write("\t\na\tX\n\t\n  \nb\tY\n")
        assert rows(path) == [[("a", "X")], [("b", "Y")]]

    def test_a_blank_line_with_a_tab_does_not_decide(self, write):
        assert rows(write("\t\na X\n")) == [[("a", "X")]]

    def test_columns_between_tabs_may_be_empty(self, write):
        path = write("a\t\tX\n\t\tY\nb\tc\t\n")
        assert rows(path) == [[("a", "", "X"), ("", "", "Y"), ("b", "c", "")]]

    @pytest.mark.parametrize(
        "token", ["\u00a0", "a\u00a0b", "\u3000", "\x0b", "\u2028", "\ufe0f"]
    )
    @pytest.mark.parametrize("delimiter", [" ", "\t"])
    def test_odd_characters_are_part_of_a_token(self, write, token, delimiter):
        path = write(f"{token}{delimiter}X\n")
        assert rows(path) == [[(token, "X")]]

    def test_a_given_delimiter(self, write):
        path = write("a b|X\n|\n\tc|Y\n")
        assert rows(path, delimiter="|") == [[("a b", "X")], [("\tc", "Y")]]
        path = write("a  X\n")
        assert rows(path, delimiter=" ") == [[("a", "", "X")]]
        path = write("a b\tX\n")
        assert rows(path, delimiter=" ") == [[("a", "b\tX")]]


class TestDocuments:
    def test_a_document_ends_a_sentence(self, write):
        path = write("a X\n-DOCSTART- X\nb Y\n-DOCSTART-\nc Z\n")
        assert rows(path) == [[("a", "X")], [("b", "Y")], [("c", "Z")]]
        sentences = read(path)
        assert [s.document for s in sentences] == [0, 1, 2]
        assert [s.document_line for s in sentences] == [
            None,
            "-DOCSTART- X",
            "-DOCSTART-",
        ]

    def test_empty_documents_do_not_count(self, write):
        mark = "-DOCSTART- X\n\n"
        path = write(f"{mark}{mark}a X\n\n{mark}{mark}b Y\n\n{mark}")
        assert [s.document for s in read(path)] == [0, 1]

    def test_another_mark(self, write):
        path = write("a X\n-X- O\n-DOCSTART- Y\n")
        assert rows(path, document_start="-X-") == [
            [("a", "X")],
            [("-DOCSTART-", "Y")],
        ]

    def test_marks_of_conll_2012(self, write):
        path = write(
            "#begin document (a); part 000\n"
            "a 0 #b\n"
            "#end document\n"
            "#begin document (a); part 001\n"
            "a 1 c\n"
            "\n"
            "a 1 d\n"
            "#end document\n"
        )
        sentences = read(path, comments=True)
        assert [list(s.rows) for s in sentences] == [
            [("a", "0", "#b")],
            [("a", "1", "c")],
            [("a", "1", "d")],
        ]
        assert [s.document for s in sentences] == [0, 1, 1]
        assert [s.document_line for s in sentences] == [
            "#begin document (a); part 000",
            "#begin document (a); part 001",
            "#begin document (a); part 001",
        ]
        assert [s.lines for s in sentences] == [(2,), (5,), (7,)]

    def test_comments_of_conll_u(self, write):
        path = write(
            "# newdoc id = x\n# sent_id = 1\n1\ta\n\n"
            "# sent_id = 2\n# text = b #\n1\tb\n2\t#\n\n"
            "# newdocument\n1\tc\n\n# newdoc\n1\td\n"
        )
        sentences = read(path, comments=True)
        assert [s.column(1) for s in sentences] == [
            ["a"],
            ["b", "#"],
            ["c"],
            ["d"],
        ]
        assert [s.document for s in sentences] == [0, 0, 0, 1]
        assert [s.comments for s in sentences] == [
            ("# newdoc id = x", "# sent_id = 1"),
            ("# sent_id = 2", "# text = b #"),
            ("# newdocument",),
            ("# newdoc",),
        ]

    def test_a_comment_does_not_end_a_sentence(self, write):
        path = write("# 1\na X\n#\nb Y\n\n# 2\n\nc Z\n")
        first, second = read(path, comments=True)
        assert first.rows == (("a", "X"), ("b", "Y"))
        assert first.comments == ("# 1", "#")
        assert second.comments == ("# 2",)

    def test_where_there_are_none(self, write):
        first, second = read(write("# O\n\n-DOCSTART-\n\nb O\n"))
        assert first.comments == second.comments == ()


class TestVaryingColumns:
    def test_from_sentence_to_sentence(self, write):
        path = write("a b\nc d\n\ne\n\nf g h\n")
        assert rows(path, columns_vary=True) == [
            [("a", "b"), ("c", "d")],
            [("e",)],
            [("f", "g", "h")],
        ]

    def test_not_within_one(self, write):
        path = write("a b\n\nc d e\nf g\n")
        assert message_of(path, columns_vary=True) == (
            f"{path}:4: found 2 columns, expected 3 as in line 3, with spaces "
            "or tabs between them"
        )

    @pytest.mark.parametrize(
        "mark, options",
        [("-DOCSTART- X", {}), ("#begin document", {"comments": True})],
    )
    def test_a_document_ends_a_sentence(self, write, mark, options):
        path = write(f"a b\n{mark}\nc\n")
        assert rows(path, columns_vary=True, **options) == [
            [("a", "b")],
            [("c",)],
        ]


class TestMistakes:
    @pytest.mark.parametrize(
        "content, options, message",
        [
            (
                "\n\na X\n\nb\n",
                {},
                "5: found 1 column, expected 2 as in line 3, with spaces or "
                "tabs between them",
            ),
            (
                "a X\nb Y Z\n",
                {},
                "2: found 3 columns, expected 2 as in line 1, with spaces or "
                "tabs between them",
            ),
            (
                "a\tX\nb Y\n",
                {},
                "2: found 1 column, expected 2 as in line 1, with a tab "
                "between them",
            ),
            (
                "a\tX\nb\tY\t\n",
                {},
                "2: found 3 columns, expected 2 as in line 1, with a tab "
                "between them",
            ),
            (
                "a|X\nb Y\n",
                {"delimiter": "|"},
                "2: found 1 column, expected 2 as in line 1, with '|' between "
                "them",
            ),
            (
                "a X\r\nb\r\n",
                {},
                "2: found 1 column, expected 2 as in line 1, with spaces or "
                "tabs between them",
            ),
        ],
    )
    def test_another_number_of_columns(self, write, content, options, message):
        path = write(content)
        assert message_of(path, **options) == f"{path}:{message}"

    def test_the_sentences_before_are_read(self, write):
        sentences = column_file.read_sentences(write("a X\n\nb Y\n\nc\n"))
        assert next(sentences).rows == (("a", "X"),)
        assert next(sentences).rows == (("b", "Y"),)
        with pytest.raises(InputError):
            next(sentences)

    @pytest.mark.parametrize(
        "content, options",
        [
            ("\n \n\t\n", {}),
            ("-DOCSTART- -X- O\n\n", {}),
            ("# a\n", {"comments": True}),
        ],
    )
    def test_no_token(self, write, content, options):
        path = write(content)
        assert message_of(path, **options) == (
            f"{path}: found no token, expected one token a line and blank "
            "lines between sentences"
        )

    def test_an_empty_file(self, write):
        path = write("")
        assert message_of(path) == (
            f"{path}: empty file, expected one token a line and blank lines "
            "between sentences"
        )

    def test_no_file(self, tmp_path):
        path = tmp_path / "none"
        assert message_of(path) == (
            f"{path}: cannot be read: No such file or directory"
        )
        assert message_of(tmp_path) == (
            f"{tmp_path}: is a folder, expected a file with one token a line "
            "and blank lines between sentences"
        )

    def test_not_utf_8(self, write):
        path = write(b"a X\n\xe9 Y\n")
        assert message_of(path).startswith(
            f"{path}:2: byte 0xe9 at position 1 of the line is not UTF-8"
        )

    def test_damaged_gzip(self, write):
        path = write(gzip.compress(b"a X\n" * 100)[:-9])
        assert f"{path}:" in message_of(path)
        assert "damaged gzip file" in message_of(path)

    def test_no_delimiter(self, write):
        assert message_of(write("a X\n"), delimiter="") == (
            "delimiter: found nothing, expected what stands between two columns"
        )


SRL = {"columns_vary": True}
CONLL_2012 = {"comments": True, "columns_vary": True}
CONLL_U = {"comments": True}


@pytest.mark.parametrize(
    "name, options, n_sentences, n_tokens, n_documents",
    [
        ("ner/wnut17/wnut17train.conll", {}, 3394, 62730, 1),
        ("ner/wnut17/emerging.dev.conll", {}, 1009, 15733, 1),
        ("ner/wnut17/emerging.test.annotated", {}, 1287, 23394, 1),
        ("ner/wikigold/wikigold.conll.txt", {}, 1696, 39007, 145),
        ("srl/propbank-ewt/ewt-srl.test.gold_conll.gz", SRL, 2058, 24944, 1),
        ("srl/srl-eval/gold.props.gz", SRL, 2058, 24944, 1),
        ("pos/ud-ewt/en_ewt-ud-test.conllu.gz", CONLL_U, 2077, 25450, 316),
        ("coref/conll2012-sample/coref.gold_conll", CONLL_2012, 9, 173, 4),
    ],
)
def test_real_files(
    shared_data, name, options, n_sentences, n_tokens, n_documents
):
    path = shared_data / "data" / name
    sentences = read(path, **options)
    assert len(sentences) == n_sentences
    assert sum(map(len, sentences)) == n_tokens
    assert sentences[-1].document + 1 == n_documents
    for sentence in sentences:
        assert all(sentence.column(0))
