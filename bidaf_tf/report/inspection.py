"""How a model comes to an answer."""

import dataclasses

import numpy as np

from bidaf_tf.report.inspected_text import InspectedText


@dataclasses.dataclass(frozen=True)
class Inspection:
    """What the signature `inspect` gives for one question.

    Attributes:
        context: The `InspectedText` of the context.
        question: That of the question.
        attention: Float32 array `[context tokens, question tokens]`: how each
            context word divides its attention among the question's words.
        start_probabilities: Float32 array `[context tokens]`: of each token,
            that the answer begins with it.
        end_probabilities: Likewise, that it ends with it.
    """

    context: InspectedText
    question: InspectedText
    attention: np.ndarray
    start_probabilities: np.ndarray
    end_probabilities: np.ndarray
