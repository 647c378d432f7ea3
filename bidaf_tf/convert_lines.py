r"""Makes a SQuAD file from questions that are tokenised and stand one a line.

    python -m bidaf_tf.convert_lines --context=train.context \
        --question=train.question --span=train.span --answer=train.answer \
        --output=train.json --heldout_output=heldout.json --heldout_share=0.1

Line n of each input file, plain or gzip, belongs to question n: its context and
the question itself, tokens with one space between them; the numbers, from 0 up,
of the first and the last token of the answer; and, if --answer is given, the
answer's text, which may be less than these tokens (`19th` of `19th-century`).
The question's id is the number of its line. Its context becomes a paragraph as
it stands, with a space between all tokens, and so does its answer.

A share of the paragraphs, evenly spaced, can go to another file, with all their
questions. Prints one JSON line: how many questions and paragraphs each has.
"""

import os

from absl import flags

from bidaf_tf import squad
from bidaf_tf.squad_answer import SquadAnswer
from bidaf_tf.squad_question import SquadQuestion
from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.errors import InputError
from elmo_tf.text import shards


def main(_):
    options = flags.FLAGS
    inputs = [options.context, options.question, options.span, options.answer]
    others = [path for path in inputs if path is not None]
    if (options.heldout_output is None) != (options.heldout_share is None):
        raise InputError(
            "--heldout_output, --heldout_share: found one of them, expected "
            "both or neither"
        )
    check_output_file(options.output, others, "--output=")
    if options.heldout_output is not None:
        check_output_file(options.heldout_output, others, "--heldout_output=")
        if os.path.realpath(options.heldout_output) == os.path.realpath(
            options.output
        ):
            raise InputError(
                f"--heldout_output={options.heldout_output}: found the file "
                "of --output, expected another one"
            )
    questions = read_lines(*inputs)
    if options.heldout_output is None:
        counts = _write(options.output, questions)
    else:
        training, heldout = split_by_context(questions, options.heldout_share)
        counts = _write(options.output, training)
        counts |= _write(options.heldout_output, heldout, "heldout_")
    command_line.print_json(counts)


def read_lines(context_path, question_path, span_path, answer_path=None):
    """Reads questions that stand one a line.

    Args:
        context_path: The file of the contexts, as above.
        question_path: That of the questions.
        span_path: That of the answers' first and last tokens. If the first
            comes after the last one and the answer's text, which must be given
            then, stands once in the context, that is the answer.
        answer_path: That of the answers' texts; None: they are the tokens.

    Returns:
        A list of `SquadQuestion` with one answer each, those about the same
        context next to each other.

    Raises:
        InputError: A file cannot be read or has another number of lines than
            the contexts; a context is blank; a line of the spans is not two
            numbers of tokens; or an answer's text is not among its tokens.
    """
    paths = [context_path, question_path, span_path, answer_path]
    paths = [os.fspath(path) for path in paths if path is not None]
    columns = [_read_column(path) for path in paths]
    for path, column in zip(paths, columns, strict=True):
        if len(column) != len(columns[0]):
            raise InputError(
                f"{path}: found {len(column)} lines, expected "
                f"{len(columns[0])} as in {paths[0]}"
            )
    by_context = {}
    for number, fields in enumerate(zip(*columns, strict=True), start=1):
        context, question, span, *text = fields
        if not context.strip():
            raise InputError(
                f"{paths[0]}:{number}: found a blank line, expected a context"
            )
        answer = _answer(
            context, span, text[0] if text else None, paths[2:], number
        )
        by_context.setdefault(context, []).append(
            SquadQuestion(str(number), "", context, question, (answer,))
        )
    return [question for group in by_context.values() for question in group]


def split_by_context(questions, share):
    """Divides questions in two, so that no context is on both sides.

    Args:
        questions: A list of `SquadQuestion`.
        share: The share of the contexts that goes to the second part, between 0
            and 1.

    Returns:
        A tuple of two lists of `SquadQuestion`, the second one with the
        questions of evenly spaced contexts.

    Raises:
        InputError: A part would be empty.
    """
    contexts = _contexts(questions)
    heldout = {
        context
        for i, context in enumerate(contexts)
        if int((i + 1) * share) > int(i * share)
    }
    if not 0 < len(heldout) < len(contexts):
        raise InputError(
            f"heldout_share: found {share} with {len(contexts)} contexts, "
            "expected a share that leaves some on either side"
        )
    return (
        [question for question in questions if question.context not in heldout],
        [question for question in questions if question.context in heldout],
    )


def _write(path, questions, prefix=""):
    """Writes a part; returns what there is to say of it, by names."""
    squad.write_data(path, questions)
    return {
        f"{prefix}questions": len(questions),
        f"{prefix}paragraphs": len(_contexts(questions)),
    }


def _contexts(questions):
    return list(dict.fromkeys(question.context for question in questions))


def _read_column(path):
    shards.check_file(path, "one line a question")
    return [line.decode() for line in shards.read_lines(path)]


def _answer(context, span, text, paths, number):
    """The answer of a line's span and, if it is known, text; `paths` theirs."""
    span_place = f"{paths[0]}:{number}"
    tokens = context.split(" ")
    first, last = _parse_span(span, len(tokens), span_place)
    start = len(" ".join([*tokens[:first], ""]))
    covered = " ".join(tokens[first : last + 1])
    if first > last:
        if text is None or context.count(text) != 1:
            raise InputError(
                f"{span_place}: found {span!r}, expected the first token not "
                "after the last one, or an answer that stands once in the "
                "context"
            )
        start, covered = 0, context
    if text is None:
        return SquadAnswer(covered, start)
    if not text.strip() or text not in covered:
        raise InputError(
            f"{paths[1]}:{number}: found {text!r}, expected what stands in "
            f"{covered!r}, the tokens of {span_place}"
        )
    return SquadAnswer(text, start + covered.index(text))


def _parse_span(span, n_tokens, place):
    numbers = span.split()
    if len(numbers) != 2 or not all(
        number.isdecimal() and int(number) < n_tokens for number in numbers
    ):
        raise InputError(
            f"{place}: found {span!r}, expected two numbers from 0 to "
            f"{n_tokens - 1}, those of the answer's first and last token"
        )
    return tuple(map(int, numbers))


if __name__ == "__main__":
    # Not above: whoever imports this module has flags of their own.
    flags.DEFINE_string("context", None, "File of the contexts.")
    flags.DEFINE_string("question", None, "File of the questions.")
    flags.DEFINE_string(
        "span", None, "File of the answers' first and last tokens."
    )
    flags.DEFINE_string("answer", None, "File of the answers' texts.")
    flags.DEFINE_string("output", None, "SQuAD file to write.")
    flags.DEFINE_string(
        "heldout_output", None, "SQuAD file to write for held-out paragraphs."
    )
    flags.DEFINE_float(
        "heldout_share",
        None,
        "Share of the paragraphs that go to --heldout_output.",
    )
    flags.mark_flags_as_required(["context", "question", "span", "output"])
    command_line.run(main)
