"""What a report is to be about."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class ReportOptions:
    """The files that a report looks at, and what it shows of them.

    Attributes:
        saved_model: The SavedModel of a question answering model.
        input_path: A file of questions with answers, in SQuAD's format.
        predictions: A file of the model's answers; None: it is run.
        other_predictions: A file of other answers to compare with, or None.
        questions: The ids of the questions whose attention is shown; None:
            they are drawn.
        n_questions: How many to draw.
        attention_threshold: The least share of a top attention point.
        words: Words of questions whose nearest words are shown; None: they
            are chosen.
        context_words: The largest number of words of contexts to look at.
        n_errors: How many wrong answers to draw.
        batch_size: Number of questions of a batch.
        seed: Determines what is drawn.
    """

    saved_model: str
    input_path: str
    predictions: str | None = None
    other_predictions: str | None = None
    questions: list | None = None
    n_questions: int = 4
    attention_threshold: float = 0.3
    words: list | None = None
    context_words: int = 50_000
    n_errors: int = 50
    batch_size: int = 32
    seed: int = 0
