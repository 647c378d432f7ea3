"""Questions with their contexts as tokens, in windows where they are long."""

import collections
import dataclasses
import sys

from bidaf_tf import squad
from bidaf_tf.answer_alignment import align_answer
from bidaf_tf.answer_alignment import span_text
from bidaf_tf.squad_question import SquadQuestion
from bidaf_tf.word_tokenizer import tokenize_to_lists
from elmo_tf.errors import InputError

# Stands where there is no token: models take one at least.
_NOTHING = ""


@dataclasses.dataclass(frozen=True)
class SquadExample:
    """A question with a window of its context.

    Attributes:
        question: The `SquadQuestion`.
        context_tokens: A tuple of the window's tokens, at least one; a blank
            context has an empty one.
        question_tokens: A tuple of the question's, likewise.
        starts: A tuple of where each token of the window begins in the
            context, in characters.
        ends: A tuple of the offsets after each one's last character.
        answer: A tuple of the answer's first and last token in the window;
            None if it is not known or not in it.
    """

    question: SquadQuestion
    context_tokens: tuple
    question_tokens: tuple
    starts: tuple
    ends: tuple
    answer: tuple | None = None

    def text(self, first, last):
        """The original text from one of the window's tokens to another."""
        return span_text(
            self.question.context, self.starts, self.ends, first, last
        )


def read_examples(path, max_context_length, window_stride):
    """Reads questions to measure on.

    Args:
        path: A file in SQuAD's format, plain or gzip.
        max_context_length: Number of tokens from which on a context becomes
            several examples.
        window_stride: Tokens between the beginnings of two of its windows.

    Returns:
        A list of `SquadExample`, those of a question next to each other. How
        many questions without an answer were left out stands on standard error.

    Raises:
        InputError: As `bidaf_tf.squad.read_data`.
    """
    data = squad.read_data(path)
    if data.n_unanswerable:
        _say(f"{path}: left out {data.n_unanswerable} questions without answer")
    return _in_windows(data.questions, max_context_length, window_stride)


def read_examples_to_predict(path, max_context_length, window_stride):
    """Reads questions to answer.

    Args:
        path: As for `read_examples`; answers are not looked at.
        max_context_length: As for `read_examples`.
        window_stride: Likewise.

    Returns:
        Likewise, of all questions. How many of them the file says to have no
        answer stands on standard error: they are answered like the others.

    Raises:
        InputError: As `bidaf_tf.squad.read_questions`.
    """
    data = squad.read_questions(path)
    if data.n_unanswerable:
        _say(
            f"{path}: answering {data.n_unanswerable} questions without answer "
            f"too, of {len(data.questions)} in all"
        )
    return _in_windows(data.questions, max_context_length, window_stride)


def read_training_examples(path, max_context_length, max_question_length):
    """Reads questions to learn from.

    Of several answers to a question the one that most people gave counts, of
    equals the first.

    Args:
        path: As for `read_examples`.
        max_context_length: Contexts are cut off after so many tokens, and
            questions whose answer ends later are left out.
        max_question_length: Longer questions are left out.

    Returns:
        A list of `SquadExample` with their answers. What was left out stands on
        standard error.

    Raises:
        InputError: As `bidaf_tf.squad.read_data`, or nothing is left.
    """
    data = squad.read_data(path)
    left_out = collections.Counter()
    if data.n_unanswerable:
        left_out["without answer"] = data.n_unanswerable
    examples = []
    for question, context, asked in _tokenized(data.questions):
        spans = collections.Counter()
        for answer in question.answers:
            found = align_answer(
                question.context, context.starts, context.ends, answer
            )
            if found.first is not None:
                spans[found.first, found.last] += 1
        if not spans:
            left_out["whose answer is not in its place"] += 1
            continue
        ((span, _),) = spans.most_common(1)
        if span[1] >= max_context_length:
            left_out[f"answered after token {max_context_length}"] += 1
        elif len(asked.texts) > max_question_length:
            left_out[f"longer than {max_question_length} tokens"] += 1
        else:
            examples.append(
                _example(question, context, asked, 0, max_context_length, span)
            )
    for reason, number in left_out.items():
        _say(f"{path}: left out {number} questions {reason}")
    if not examples:
        raise InputError(f"{path}: found no question that can be learnt from")
    return examples


def _in_windows(questions, length, stride):
    return [
        _example(question, context, asked, start, length)
        for question, context, asked in _tokenized(questions)
        for start in _window_starts(len(context.texts), length, stride)
    ]


def _window_starts(n_tokens, length, stride):
    """Where windows begin, the last of which reaches the end."""
    starts = [0]
    while starts[-1] + length < n_tokens:
        starts.append(min(starts[-1] + stride, n_tokens - length))
    return starts


def _tokenized(questions):
    """Yields each question, the tokens of its context and its own."""
    contexts = list(dict.fromkeys(q.context for q in questions))
    tokens = dict(zip(contexts, tokenize_to_lists(contexts), strict=True))
    asked = tokenize_to_lists([q.question for q in questions])
    for question, own in zip(questions, asked, strict=True):
        yield question, tokens[question.context], own


def _example(question, context, asked, start, length, answer=None):
    window = slice(start, start + length)
    return SquadExample(
        question,
        tuple(context.texts[window]) or (_NOTHING,),
        tuple(asked.texts) or (_NOTHING,),
        tuple(context.starts[window]) or (0,),
        tuple(context.ends[window]) or (0,),
        answer,
    )


def _say(text):
    print(text, file=sys.stderr, flush=True)
