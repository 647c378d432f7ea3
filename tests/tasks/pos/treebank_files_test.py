import pytest

from elmo_tf.errors import InputError
from tasks.pos.treebank_files import read_tagged_file
from tasks.pos.treebank_files import read_tree_file


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "wsj_0001"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def words(sentences):
    return [" ".join(sentence.tokens) for sentence in sentences]


class TestTrees:
    def test_a_word_beside_phrases_needs_its_own_tag(self, write):
        path = write("( (S (NP (NNP Anna) Lee)\n  (VP (VBZ sings))))\n")
        with pytest.raises(InputError) as error:
            read_tree_file(path)
        assert str(error.value) == (
            f"{path}:1: found no tag of 'Lee', expected one, as in "
            "( (S (NNP Anna) (VBZ sings) (. .)))"
        )

    def test_the_innermost_label_is_the_tag(self, write):
        (sentence,) = read_tree_file(write("( (S (VP (VB Go))))"))
        assert sentence.tags == ("VB",)

    @pytest.mark.parametrize(
        "text, message",
        [
            (
                "( (S (NN a))\n\n",
                ":1: found the end of the file, expected ')'",
            ),
            (
                "( (S (NN a)))\n\nb",
                ":3: found 'b', expected a tree, as ( (S (NNP Anna)",
            ),
            (
                "( (S (-NONE- *)))",
                ": found no word, expected trees of the Penn Treebank, as ( (S",
            ),
            (
                "\n \n",
                ": found no tree, expected trees of the Penn Treebank, as ( (S",
            ),
            ("( (a))", ":1: found no word in '(a)', expected one or more"),
        ],
    )
    def test_errors(self, write, text, message):
        path = write(text)
        with pytest.raises(InputError) as error:
            read_tree_file(path)
        assert str(error.value).startswith(f"{path}{message}")


class TestTaggedText:
    def test_where_sentences_end(self, write):
        sentences = read_tagged_file(
            write(
                "[ A/DT ] b/NN ./. ''/'' )/-RRB-\n"
                "[ ''/'' c/NN ?/. d/NN ]\n"
                "e/NN ;/:\n\n!/.\n"
                "=====\n"
                "f/NN\n"
                "=====\n\n=====\n"
                "''/'' g/NN ./.\n"
            )
        )
        assert words(sentences) == [
            "A b . '' )",
            "'' c ? d e ; !",
            "f",
            "'' g .",
        ]

    def test_slashes_and_other_escapes(self, write):
        (sentence,) = read_tagged_file(
            write("1\\/2\\/3/CD =/SYM -LCB-/-LCB- \\*/SYM VCR/NN|NNP|JJ\n")
        )
        assert sentence.tokens == ("1/2/3", "=", "{", "*", "VCR")
        assert sentence.tags == ("CD", "SYM", "-LCB-", "SYM", "NN")

    @pytest.mark.parametrize("part", ["word", "/NN", "word/", "[word/NN]x"])
    def test_errors(self, write, part):
        path = write(f"a/DT\n[ {part} b/NN ]\n")
        if part.startswith("["):
            # No space: a word and its tag, whatever they look like.
            assert read_tagged_file(path)[0].tokens[1] == "[word"
            return
        with pytest.raises(InputError) as error:
            read_tagged_file(path)
        assert str(error.value) == (
            f"{path}:2: found '{part}', expected words with tags, as "
            "Anna/NNP sings/VBZ"
        )

    def test_no_word(self, write):
        path = write("=====\n\n=====\n")
        with pytest.raises(InputError) as error:
            read_tagged_file(path)
        assert str(error.value) == (
            f"{path}: found no word, expected words with tags, as Anna/NNP "
            "sings/VBZ"
        )
