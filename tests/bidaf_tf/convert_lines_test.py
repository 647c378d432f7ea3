"""Questions one a line become a SQuAD file with the same answers."""

import gzip
import json

import pytest

from bidaf_tf import check_answers
from bidaf_tf import convert_lines
from bidaf_tf import squad
from bidaf_tf.squad_answer import SquadAnswer
from bidaf_tf.squad_question import SquadQuestion
from elmo_tf.errors import InputError
from tests import binaries

CATS = "A 😀 cat 's 19th-century mat ."
DOGS = "No dog , no dog ."
LINES = {
    "context": [CATS, DOGS, CATS],
    "question": ["Who ?", "What ?", "When ?"],
    "span": ["0 2", "1 1", "4 4"],
    "answer": ["A 😀 cat", "dog", "19th"],
}
NAMES = tuple(LINES)


def write(folder, **changes):
    """Writes the four files; returns their paths, in the order of `NAMES`."""
    for name, lines in {**LINES, **changes}.items():
        text = "".join(f"{line}\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in NAMES]


def message_of(function, *args):
    """The message of the InputError that a call raises, one line."""
    with pytest.raises(InputError) as info:
        function(*args)
    message = str(info.value)
    assert "\n" not in message
    return message


class TestReadLines:
    def test_questions_about_a_context_are_together(self, tmp_path):
        questions = convert_lines.read_lines(*write(tmp_path))
        assert questions == [
            SquadQuestion(
                "1", "", CATS, "Who ?", (SquadAnswer("A 😀 cat", 0),)
            ),
            SquadQuestion("3", "", CATS, "When ?", (SquadAnswer("19th", 11),)),
            SquadQuestion("2", "", DOGS, "What ?", (SquadAnswer("dog", 3),)),
        ]
        for question in questions:
            assert question.answers[0].stands_in(question.context)

    def test_without_the_answers_texts(self, tmp_path):
        questions = convert_lines.read_lines(*write(tmp_path)[:3])
        assert [question.answers for question in questions] == [
            (SquadAnswer("A 😀 cat", 0),),
            (SquadAnswer("19th-century", 11),),
            (SquadAnswer("dog", 3),),
        ]

    def test_second_occurrence(self, tmp_path):
        paths = write(tmp_path, span=["0 2", "4 4", "4 4"])
        assert convert_lines.read_lines(*paths)[2].answers == (
            SquadAnswer("dog", 12),
        )

    def test_gzip(self, tmp_path):
        paths = write(tmp_path)
        expected = convert_lines.read_lines(*paths)
        for path in paths:
            path.write_bytes(gzip.compress(path.read_bytes()))
        assert convert_lines.read_lines(*paths) == expected

    def test_no_span(self, tmp_path):
        """The training piece has one such line."""
        paths = write(tmp_path, span=["2 1", "1 1", "4 4"])
        questions = convert_lines.read_lines(*paths)
        assert questions[0].answers == (SquadAnswer("A 😀 cat", 0),)

    @pytest.mark.parametrize(
        "name, lines, place, message",
        [
            (
                "span",
                ["0 2", "2 1", "4 4"],
                "span:2",
                "found '2 1', expected the first token not after the last one, "
                "or an answer that stands once in the context",
            ),
            (
                "span",
                ["0 2", "1", "4 4"],
                "span:2",
                "found '1', expected two numbers from 0 to 5, those of the "
                "answer's first and last token",
            ),
            (
                "span",
                ["0 2", "1 6", "4 4"],
                "span:2",
                "found '1 6', expected two numbers from 0 to 5, those of the "
                "answer's first and last token",
            ),
            (
                "span",
                ["0 2", "-1 1", "4 4"],
                "span:2",
                "found '-1 1', expected two numbers from 0 to 5, those of the "
                "answer's first and last token",
            ),
            (
                "answer",
                ["A 😀 cat", "cat", "19th"],
                "answer:2",
                "found 'cat', expected what stands in 'dog', the tokens of "
                "{folder}/span:2",
            ),
            (
                "answer",
                ["A 😀 cat", "", "19th"],
                "answer:2",
                "found '', expected what stands in 'dog', the tokens of "
                "{folder}/span:2",
            ),
            (
                "context",
                [CATS, " ", CATS],
                "context:2",
                "found a blank line, expected a context",
            ),
            (
                "question",
                ["Who ?"],
                "question",
                "found 1 lines, expected 3 as in {folder}/context",
            ),
            ("question", [], "question", "empty file, expected one line a "),
        ],
    )
    def test_mistakes(self, tmp_path, name, lines, place, message):
        paths = write(tmp_path, **{name: lines})
        found = message_of(convert_lines.read_lines, *paths)
        message = message.format(folder=tmp_path)
        assert found.startswith(f"{tmp_path}/{place}: {message}")

    def test_no_span_and_no_text(self, tmp_path):
        paths = write(tmp_path, span=["2 1", "1 1", "4 4"])
        assert message_of(convert_lines.read_lines, *paths[:3]) == (
            f"{tmp_path}/span:1: found '2 1', expected the first token not "
            "after the last one, or an answer that stands once in the context"
        )


class TestSplitByContext:
    def make(self, n_contexts):
        return [
            SquadQuestion(f"{i}-{j}", "", f"Context {i}", "?")
            for i in range(n_contexts)
            for j in range(1 + i % 3)
        ]

    @pytest.mark.parametrize(
        "share, expected",
        [
            (0.25, [3, 7, 11]),
            (0.1, [9]),
            (0.5, [1, 3, 5, 7, 9, 11]),
            (0.9, [1, 2, 3, 4, 5, 6, 7, 8, 9, 11]),
        ],
    )
    def test_evenly_spaced(self, share, expected):
        questions = self.make(12)
        first, second = convert_lines.split_by_context(questions, share)
        assert sorted(first + second, key=questions.index) == questions
        heldout = {question.context for question in second}
        assert heldout == {f"Context {i}" for i in expected}
        assert not heldout & {question.context for question in first}

    @pytest.mark.parametrize("share", [0, 0.2, 1, 1.5, -0.5])
    def test_empty_part(self, share):
        found = message_of(convert_lines.split_by_context, self.make(4), share)
        assert found == (
            f"heldout_share: found {share} with 4 contexts, expected a share "
            "that leaves some on either side"
        )


class TestBinary:
    def run(self, folder, *more, output="out.json"):
        inputs = [f"--{name}={folder / name}" for name in NAMES]
        return binaries.run(
            "bidaf_tf.convert_lines",
            *inputs,
            f"--output={folder / output}",
            *more,
        )

    def test_one_file(self, tmp_path):
        paths = write(tmp_path)
        result = self.run(tmp_path)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout == '{"questions": 3, "paragraphs": 2}\n'
        data = squad.read_data(tmp_path / "out.json")
        assert list(data.questions) == convert_lines.read_lines(*paths)

    def test_two_files(self, tmp_path):
        write(tmp_path)
        heldout = tmp_path / "heldout.json"
        result = self.run(
            tmp_path, f"--heldout_output={heldout}", "--heldout_share=0.5"
        )
        assert json.loads(result.stdout) == {
            "questions": 2,
            "paragraphs": 1,
            "heldout_questions": 1,
            "heldout_paragraphs": 1,
        }
        questions = squad.read_data(tmp_path / "out.json").questions
        assert [question.id for question in questions] == ["1", "3"]
        [question] = squad.read_data(heldout).questions
        assert question.context == DOGS

    @pytest.mark.parametrize(
        "output, more, message",
        [
            (
                "out.json",
                ["--heldout_share=0.5"],
                "--heldout_output, --heldout_share: found one of them, "
                "expected both or neither",
            ),
            (
                "out.json",
                ["--heldout_output=x"],
                "--heldout_output, --heldout_share: found one of them, "
                "expected both or neither",
            ),
            (
                "span",
                [],
                "--output={folder}/span: is one of the input files",
            ),
            (
                "out.json",
                ["--heldout_output=no/x", "--heldout_share=0.5"],
                "--heldout_output=no/x: expected a file in an existing folder",
            ),
            (
                "out.json",
                ["--heldout_output={folder}/out.json", "--heldout_share=0.5"],
                "--heldout_output={folder}/out.json: found the file of "
                "--output, expected another one",
            ),
        ],
    )
    def test_mistakes(self, tmp_path, output, more, message):
        write(tmp_path)
        more = [text.format(folder=tmp_path) for text in more]
        result = self.run(tmp_path, *more, output=output)
        message = message.format(folder=tmp_path)
        binaries.check_mistake(result, "convert_lines", message)


@pytest.mark.slow
def test_the_training_piece(shared_data):
    folder = shared_data / "data" / "squad" / "squad1.1-train-piece"
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}")
    questions = convert_lines.read_lines(
        *(folder / f"val.{name}.gz" for name in NAMES)
    )
    assert len(questions) == 4285
    assert len({question.context for question in questions}) == 875
    others = {
        question.id: (answer.text, text)
        for question, answer, _, text in check_answers.align_answers(questions)
        if answer.text != text
    }
    print(f"4285 questions, all recovered but {others}")
    assert others == {
        "950": ("enrich", "enriched"),
        "2408": ("28 July 180", "28 July 1800"),
        "3683": ("red", "redhead"),
        "4253": ("Indirect", "Indirectly"),
    }
