"""Judged questions, for tests."""

from bidaf_tf.report.judged_question import JudgedQuestion
from bidaf_tf.squad_answer import SquadAnswer
from bidaf_tf.squad_question import SquadQuestion

CONTEXT = "Ann met Bob in Oslo."


def judge(
    text, other_text=None, answers=("Ann",), question="Who?", question_id="1"
):
    """Makes the `JudgedQuestion` of an answer, which stands in `CONTEXT`."""
    start = CONTEXT.find(text)
    return JudgedQuestion(
        SquadQuestion(
            question_id,
            "T",
            CONTEXT,
            question,
            tuple(
                SquadAnswer(answer, CONTEXT.find(answer)) for answer in answers
            ),
        ),
        text,
        start,
        start + len(text),
        other_text,
    )
