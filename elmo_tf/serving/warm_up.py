"""Requests that TensorFlow Serving warms a model up with.

Before it serves a version of a model, TensorFlow Serving sends it the requests
in `assets.extra/tf_serving_warmup_requests`: so the first user does not wait
for what TensorFlow does at the first run of a graph. If one of them fails, the
version is not served.
"""

import os

import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow_serving.apis import prediction_log_pb2

from elmo_tf.text.characters import character_ids

# A SavedModel's folder for what is not part of its graph.
EXTRA_FOLDER = "assets.extra"
REQUESTS_FILE_NAME = "tf_serving_warmup_requests"

SENTENCES = (
    tuple("The quick brown fox jumps over the lazy dog .".split()),
    ("It", "works", "."),
)


def write_warm_up_requests(folder, batches):
    """Writes requests for every signature of a SavedModel.

    Args:
        folder: The SavedModel's folder.
        batches: A list of dictionaries from inputs' names to their values,
            `[batch, …]`. In each are the inputs of all signatures, each of
            which gets a request of those that it takes.

    Raises:
        KeyError: A signature has an input that a batch does not have.
    """
    extra = os.path.join(folder, EXTRA_FOLDER)
    os.makedirs(extra, exist_ok=True)
    path = os.path.join(extra, REQUESTS_FILE_NAME)
    signatures = read_signatures(folder)
    with tf.io.TFRecordWriter(path) as writer:
        for batch in batches:
            for name, signature in signatures.items():
                log = prediction_log_pb2.PredictionLog()
                request = log.predict_log.request
                request.model_spec.signature_name = name
                for key, info in signature.inputs.items():
                    request.inputs[key].CopyFrom(
                        tf.make_tensor_proto(batch[key], info.dtype)
                    )
                writer.write(log.SerializeToString(deterministic=True))


def read_signatures(folder):
    """Reads a SavedModel's signatures, without loading it.

    Args:
        folder: The SavedModel's folder.

    Returns:
        A dictionary from names, sorted, to `SignatureDef`.
    """
    saved_model = saved_model_pb2.SavedModel()
    with open(os.path.join(folder, "saved_model.pb"), "rb") as file:
        saved_model.ParseFromString(file.read())
    (meta_graph,) = saved_model.meta_graphs
    return {
        name: signature
        for name, signature in sorted(meta_graph.signature_def.items())
        # TensorFlow's own.
        if not name.startswith("__")
    }


def text_inputs(texts, prefix="", strings="strings"):
    """Makes the inputs that signatures take of texts.

    Args:
        texts: A list of the texts' tokens, at least one, none of them empty.
        prefix: What stands before `tokens` and `sequence_len`.
        strings: The name of the raw strings.

    Returns:
        A dictionary from the three names to values `[batch, …]`.
    """
    lengths = [len(text) for text in texts]
    longest = max(lengths)
    return {
        f"{prefix}tokens": [
            [*text, *[""] * (longest - len(text))] for text in texts
        ],
        f"{prefix}sequence_len": lengths,
        strings: [" ".join(text) for text in texts],
    }


def bilm_batches(max_characters):
    """Makes batches for `write_warm_up_requests` of a biLM's SavedModel.

    Args:
        max_characters: Ids per token; None: it does not read characters.

    Returns:
        A list of two dictionaries: one sentence, and several.
    """
    batches = []
    for sentences in (SENTENCES[:1], SENTENCES):
        inputs = text_inputs(sentences)
        if max_characters is not None:
            mask = tf.sequence_mask(inputs["sequence_len"], dtype=tf.int32)
            ids = character_ids(inputs["tokens"], max_characters)
            inputs["character_ids"] = (ids * mask[:, :, tf.newaxis]).numpy()
        inputs["position"] = [0] * len(sentences)
        inputs["n"] = [3] * len(sentences)
        batches.append(inputs)
    return batches
