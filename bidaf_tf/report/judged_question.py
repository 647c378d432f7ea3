"""A question with a model's answer, judged."""

import dataclasses

from bidaf_tf import squad_metrics
from bidaf_tf.squad_question import SquadQuestion


@dataclasses.dataclass(frozen=True)
class JudgedQuestion:
    """A question and what was answered to it.

    Attributes:
        question: The `SquadQuestion`, with one answer at least.
        text: The model's answer; None: the predictions have none.
        start: Where it begins in the context, in characters.
        end: The offset after its last character; `start`, if its place is not
            known.
        other_text: What the other predictions answer; None: nothing, or there
            are no such predictions.
    """

    question: SquadQuestion
    text: str | None
    start: int
    end: int
    other_text: str | None = None

    @property
    def is_right(self):
        """Whether the model's answer is exactly one of those given (EM)."""
        return self._is_right(self.text)

    @property
    def other_is_right(self):
        """Likewise, whether the other answer is."""
        return self._is_right(self.other_text)

    @property
    def gold_spans(self):
        """The places of the answers given, distinct pairs of offsets."""
        return sorted(
            {
                (answer.start, answer.end)
                for answer in self.question.answers
                if answer.text and answer.stands_in(self.question.context)
            }
        )

    @property
    def predicted_spans(self):
        """The place of the model's answer, as `gold_spans`."""
        return [(self.start, self.end)] if self.start < self.end else []

    def _is_right(self, text):
        return text is not None and any(
            squad_metrics.is_exact_match(text, answer.text)
            for answer in self.question.answers
        )
