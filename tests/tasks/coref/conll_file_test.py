"""Files of CoNLL-2012: columns, documents, what is wrong with them."""

import dataclasses
import gzip
import tarfile

import pytest

from elmo_tf.errors import InputError
from tasks.coref.conll_file import read_conll
from tasks.coref.conll_file import write_conll
from tasks.coref.data import count_documents
from tests.tasks.coref import small_documents

TWO_PARTS = """\
#begin document (bc/x/00/x_0001); part 000
bc/x/00/x_0001  0  0  Ann   NNP  (TOP(S(NP*)  -  -  -  A#1  *  *   (12)
bc/x/00/x_0001  0  1  sees  VBP  (VP*       see  1  1  A#1  *  (V*)  -
bc/x/00/x_0001  0  2  her\u00a0own  NN  *)))  -  -  -  A#1  *  *  (12|(3

bc/x/00/x_0001  0  0   cat   NN          *   -   -   -  -    *  12)|3)

#end document
#begin document (bc/x/00/x_0001); part 001
bc/x/00/x_0001  1  0   It   PRP          *   -   -   -  _    *      -
#end document
"""

LITBANK = """\
#begin document (105_persuasion_brat); part 0
105_persuasion_brat\t0\t0\tSir\t_\t_\t_\t_\t_\t_\t_\t_\t(0
105_persuasion_brat\t0\t1\tWalter\t_\t_\t_\t_\t_\t_\t_\t_\t0)
105_persuasion_brat\t0\t2\t,\t_\t_\t_\t_\t_\t_\t_\t_\t
105_persuasion_brat\t0\t3\this own\t_\t_\t_\t_\t_\t_\t_\t_\t(0)|(1)

#end document
"""


@pytest.fixture
def write(tmp_path):
    """A function that writes text to a file and returns its path."""

    def write_file(text):
        path = tmp_path / "a.conll"
        path.write_bytes(text.encode())
        return str(path)

    return write_file


def read_error(path):
    with pytest.raises(InputError) as error:
        read_conll(path)
    message = str(error.value)
    assert "\n" not in message
    return message


class TestRead:
    def test_columns_between_spaces(self, write):
        path = write(TWO_PARTS)
        first, second = read_conll(path)
        assert (first.key, first.part) == ("bc/x/00/x_0001", 0)
        assert first.sentences == (("Ann", "sees", "her\u00a0own"), ("cat",))
        assert first.speakers == (("A#1",) * 3, ("-",))
        assert first.clusters == (((0, 0), (2, 3)), ((2, 3),))
        assert first.place == f"{path}:1"
        assert (second.key, second.part) == ("bc/x/00/x_0001", 1)
        assert second.sentences == (("It",),)
        assert second.speakers == (("-",),)
        assert second.clusters == ()
        assert second.place == f"{path}:9"

    def test_columns_between_tabs(self, write):
        """As in LitBank, whose last column is empty for most tokens."""
        (document,) = read_conll(write(LITBANK))
        assert (document.key, document.part) == ("105_persuasion_brat", 0)
        assert document.sentences == (("Sir", "Walter", ",", "his own"),)
        assert document.speakers == (("-",) * 4,)
        assert document.clusters == (((0, 1), (3, 3)), ((3, 3),))

    @pytest.mark.parametrize(
        "columns, word",
        [
            ("a 0 0 Ann (0)", "Ann"),
            ("a\t0\t0\tAnn\t(0)\t", "Ann"),
            # As in the reference scorer's test cases.
            ("a (0)", "-"),
        ],
    )
    def test_few_columns(self, write, columns, word):
        text = f"#begin document (a); \n{columns}\n#end document\n"
        (document,) = read_conll(write(text))
        assert document == small_documents.make(word, [[(0, 0)]], key="a")

    @pytest.mark.parametrize(
        "name, key, part",
        [
            ("(a/b); part 000", "a/b", 0),
            ("(a/b); part 12", "a/b", 12),
            ("(a/b);", "a/b", None),
            ("(a (b); c)", "a (b); c", None),
        ],
    )
    def test_names(self, write, name, key, part):
        text = f"#begin document {name}\na 0 0 b -\n#end document\n"
        (document,) = read_conll(write(text))
        assert (document.key, document.part) == (key, part)

    def test_mentions_across_sentences(self, write):
        text = "#begin document (a)\na (0\n\n\n \na 0)\n\n#end document"
        (document,) = read_conll(write(text))
        assert document == small_documents.make("- / -", [[(0, 1)]], key="a")

    def test_documents_without_tokens_and_lines_between_documents(self, write):
        text = "\n#begin document (a)\n#end document\n \n"
        (document,) = read_conll(write(text))
        assert (document.sentences, document.clusters) == ((), ())

    def test_gzip_and_line_ends_of_windows(self, write, tmp_path):
        packed = tmp_path / "a.gz"
        text = TWO_PARTS.replace("\n", "\r\n")
        packed.write_bytes(gzip.compress(text.encode()))
        assert read_conll(packed) == read_conll(write(TWO_PARTS))

    @pytest.mark.parametrize(
        "text, message",
        [
            ("\n", ": found no document, expected #begin document (NAME); part "
             "000"),
            ("a 0 0 Ann -\n", ":1: found 'a 0 0 Ann -', expected #begin "
             "document (NAME); part 000"),
            ("#begin document (a)\n", ":1: found no #end document after it, "
             "expected one"),
            ("#begin document (a)\na -\n#begin document (b)\n", ":3: found "
             "'#begin document (b)', expected a token, a blank line or #end "
             "document of {path}:1"),
            ("#begin document\n", ":1: found '' after #begin document, "
             "expected (NAME); part 000"),
            ("#begin document (a); part x\n", ":1: found '(a); part x' after "
             "#begin document, expected (NAME); part 000"),
            ("#begin document (a)\n# a\n", ":2: found '# a', expected a "
             "token, a blank line or #end document of {path}:1"),
            ("#begin document (a)\na\n", ":2: found 'a', expected columns, "
             "the first with the document's name and the last with clusters"),
            ("#begin document (a)\na\t0\t0\t\t-\n", ":2: found nothing in "
             "column 4, expected a word"),
            ("#begin document (a)\n\na (0\na (1)\n#end document", ":3: found "
             "(0, expected 0) after it in the document"),
            ("#begin document (a)\na (0)\na 1)\n#end document", ":3: found 1), "
             "expected (1 before it in the document"),
            ("#begin document (a)\na x\n#end document", ":2: found 'x' in the "
             "last column, expected brackets with numbers of clusters, as "
             "(3|(5), or -"),
        ],
    )  # fmt: skip
    def test_mistakes(self, write, text, message):
        path = write(text)
        assert read_error(path) == path + message.format(path=path)

    def test_a_file_that_is_not_there(self, tmp_path):
        message = read_error(tmp_path / "none")
        assert message == (
            f"{tmp_path / 'none'}: cannot be read: No such file or directory"
        )


class TestWrite:
    def test_text(self, tmp_path):
        path = tmp_path / "a.conll"
        documents = [
            small_documents.make(
                "Ann came / She left",
                [[(0, 0), (2, 2)], [(2, 3)]],
                key="x/a",
                part=3,
                speaker="B C",
            ),
            small_documents.make("It", key="b"),
        ]
        write_conll(path, documents)
        expected = """\
#begin document (x/a); part 003
x/a 3 0 Ann - * - - - B_C * (0)
x/a 3 1 came - * - - - B_C * -

x/a 3 0 She - * - - - B_C * (1|(0)
x/a 3 1 left - * - - - B_C * 1)

#end document
#begin document (b);
b 0 0 It - * - - - - * -

#end document
"""
        lines = path.read_text().splitlines()
        assert [
            line.replace(" ", "_").replace("\t", " ") if "\t" in line else line
            for line in lines
        ] == expected.splitlines()
        assert read_conll(path) == documents

    @pytest.mark.parametrize("text", [TWO_PARTS, LITBANK])
    def test_what_is_read_again(self, write, tmp_path, text):
        documents = read_conll(write(text))
        path = tmp_path / "again.conll"
        write_conll(path, documents)
        again = read_conll(path)
        assert small_documents.without_order(
            again
        ) == small_documents.without_order(documents)

    @pytest.mark.parametrize(
        "change, message",
        [
            ({"key": "a\tb"}, "the name 'a\\tb'"),
            ({"sentences": (("a\n",),)}, "the token 'a\\n'"),
            ({"sentences": (("",),)}, "the token ''"),
            ({"speakers": (("",),)}, "the speaker ''"),
        ],
    )
    def test_what_cannot_stand_in_a_column(self, tmp_path, change, message):
        document = small_documents.make("a", key="b", place="f:7")
        path = tmp_path / "a.conll"
        with pytest.raises(InputError) as error:
            write_conll(path, [dataclasses.replace(document, **change)])
        assert str(error.value) == (
            f"f:7: found {message}, expected one that can stand in a column: "
            "not empty, without a tab or the end of a line"
        )
        assert not path.exists()

    def test_mentions_that_cross(self, tmp_path):
        document = small_documents.make("a b c", [[(0, 1), (1, 2)]], key="d")
        with pytest.raises(InputError, match=r"^d: found the mentions \[0, 1"):
            write_conll(tmp_path / "a.conll", [document])


# Documents, sentences, tokens, clusters and mentions.
FILES = {
    "litbank/conll_plain/*": (4, 315, 8531, 319, 1206),
    "litbank/scorer_example/key.conll.gz": (4, 315, 8531, 319, 1206),
    "litbank/scorer_example/response.conll.gz": (4, 315, 8531, 435, 1206),
    "conll2012-sample/coref.gold_conll": (4, 9, 173, 7, 13),
    "DataFiles/TC-*.*": (50, 78, 1348, 140, 329),
}


@pytest.fixture(scope="module")
def litbank(shared_data, tmp_path_factory):
    """The folder of LitBank's hundred files."""
    folder = tmp_path_factory.mktemp("litbank")
    path = shared_data / "data/coref/litbank/litbank-coref-conll.tar.gz"
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
    return folder / "coref" / "conll"


def check_files(paths, tmp_path, expected):
    """Reads, writes and reads files; checks what they hold."""
    documents = [document for path in paths for document in read_conll(path)]
    assert tuple(count_documents(documents).values()) == expected
    again = tmp_path / "again.conll"
    write_conll(again, documents)
    assert small_documents.without_order(
        read_conll(again)
    ) == small_documents.without_order(documents)


@pytest.mark.parametrize("pattern", FILES)
def test_files_of_others(shared_data, tmp_path, pattern):
    paths = sorted((shared_data / "data" / "coref").glob(pattern))
    check_files(paths, tmp_path, FILES[pattern])


@pytest.mark.slow
def test_litbank(litbank, tmp_path):
    check_files(
        sorted(litbank.iterdir()), tmp_path, (100, 8562, 210532, 7927, 29103)
    )
