"""Requests for prediction, as bytes and texts that are made once."""

import base64
import dataclasses
import json

import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2


@dataclasses.dataclass(frozen=True)
class ServingRequest:
    """A request for a prediction.

    Attributes:
        model: The model's name.
        signature: The signature's name.
        inputs: A dictionary from names to lists or arrays.
        outputs: Over gRPC, the names of the outputs wanted; empty: all.
    """

    model: str
    signature: str
    inputs: dict
    outputs: tuple = ()

    def rest(self):
        """Returns it for REST: its path and its body, one line."""
        return f"/v1/models/{self.model}:predict", json.dumps(
            {"signature_name": self.signature, "inputs": self.inputs}
        )

    def grpc(self):
        """Returns it for gRPC: a `PredictRequest`."""
        request = predict_pb2.PredictRequest()
        request.model_spec.name = self.model
        request.model_spec.signature_name = self.signature
        for name, value in self.inputs.items():
            array = np.array(value)
            if array.dtype.kind == "i":
                array = array.astype(np.int32)
            request.inputs[name].CopyFrom(tf.make_tensor_proto(array))
        request.output_filter.extend(self.outputs)
        return request

    def grpc_text(self):
        """Returns it for `benchmarks.grpc_load`, a text."""
        return base64.b64encode(self.grpc().SerializeToString()).decode()


def raw_sentence(model, words):
    """Makes a request for the vectors of one sentence, as raw text."""
    inputs = {"strings": [" ".join(words)]}
    return ServingRequest(model, "default", inputs)


def token_sentences(model, sentences):
    """Makes a request for the vectors of some sentences, as tokens."""
    lengths = list(map(len, sentences))
    return ServingRequest(
        model,
        "tokens",
        {
            "tokens": [
                [*sentence, *[""] * (max(lengths) - len(sentence))]
                for sentence in sentences
            ],
            "sequence_len": lengths,
        },
    )


def question(model, question_words, context_words):
    """Makes a request to a question answering export."""
    inputs = {
        "question": [" ".join(question_words)],
        "context": [" ".join(context_words)],
    }
    return ServingRequest(model, "default", inputs)
