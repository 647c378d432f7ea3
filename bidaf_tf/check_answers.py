"""Counts the answers of a SQuAD file that a model can give in its words.

    python -m bidaf_tf.check_answers DATA.json

prints one JSON line: how many questions have an answer, how many of them have
one that its tokens give back to the letter, and how many have none; how many
answers there are; and how many of them have which outcome, those of
`answer_alignment`, where `exact` is to the letter. With --list_others each
other answer is a line on standard error: the question's id, the outcome and a
pair, as JSON, of the answer and the original text of its tokens.
"""

import collections
import json
import sys

from absl import flags

from bidaf_tf import answer_alignment
from bidaf_tf import squad
from bidaf_tf import word_tokenizer
from elmo_tf import command_line


def main(argv):
    data = squad.read_data(argv[1])
    counts = collections.Counter()
    recovered_ids = set()
    for question, answer, alignment, text in align_answers(data.questions):
        counts[alignment.outcome] += 1
        if text == answer.text:
            recovered_ids.add(question.id)
        elif flags.FLAGS.list_others:
            pair = json.dumps([answer.text, text], ensure_ascii=False)
            print(question.id, alignment.outcome, pair, file=sys.stderr)
    command_line.print_json(
        {
            "questions": len(data.questions),
            "recovered_questions": len(recovered_ids),
            "unanswerable": data.n_unanswerable,
            "answers": counts.total(),
            **{name: counts[name] for name in answer_alignment.OUTCOMES},
        }
    )


def align_answers(questions):
    """Finds the tokens of all answers to some questions.

    Args:
        questions: A sequence of `SquadQuestion`.

    Yields:
        A tuple for each answer: its question; the answer; its
        `AnswerAlignment`; and the original text of the tokens, None if there
        are none.
    """
    contexts = list(dict.fromkeys(question.context for question in questions))
    all_tokens = word_tokenizer.tokenize_to_lists(contexts)
    tokens_of = dict(zip(contexts, all_tokens, strict=True))
    for question in questions:
        _, starts, ends = tokens_of[question.context]
        for answer in question.answers:
            alignment = answer_alignment.align_answer(
                question.context, starts, ends, answer
            )
            text = None
            if alignment.first is not None:
                text = answer_alignment.span_text(
                    question.context,
                    starts,
                    ends,
                    alignment.first,
                    alignment.last,
                )
            yield question, answer, alignment, text


if __name__ == "__main__":
    # Not above: whoever imports this module has flags of their own.
    flags.DEFINE_bool(
        "list_others",
        False,
        "Whether to list the answers that are not recovered to the letter.",
    )
    command_line.run(main, arguments=["DATA.json"])
