"""One version of a model, loaded."""

import os

import grpc
import numpy as np
import tensorflow as tf
from google.protobuf import message
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow_serving.apis import prediction_log_pb2

from elmo_tf import pretrained
from elmo_tf.errors import InputError
from elmo_tf.saved_model import open_saved_model
from elmo_tf.serving.serving_error import ServingError
from elmo_tf.serving.signature import Signature
from elmo_tf.serving.warm_up import EXTRA_FOLDER
from elmo_tf.serving.warm_up import REQUESTS_FILE_NAME

_METHOD_NAME = "tensorflow/serving/predict"
# What TensorFlow says of an input is the client's to mend.
_CODES = {
    tf.errors.InvalidArgumentError: grpc.StatusCode.INVALID_ARGUMENT,
    tf.errors.OutOfRangeError: grpc.StatusCode.INVALID_ARGUMENT,
    tf.errors.ResourceExhaustedError: grpc.StatusCode.RESOURCE_EXHAUSTED,
}
_LONGEST_MESSAGE = 500


class ServedModel:
    """One version of a model, loaded.

    Args:
        path: The folder of a SavedModel of any kind or, where nothing of that
            name exists, the name of a pre-trained biLM.
        version: The version's number.

    Attributes:
        version: The version's number.
        signatures: A dictionary from names to `Signature`.
        signature_defs: A dictionary from names to the `SignatureDef`, as
            TensorFlow Serving gives it.

    Raises:
        InputError: There is no SavedModel, it is damaged, or has no signature.
    """

    def __init__(self, path, version):
        self.version = version
        path = os.fspath(path)
        if not os.path.exists(path) and path in pretrained.names():
            loaded = pretrained.load_pretrained(path)
        else:
            loaded = open_saved_model(path)
        # Here, as some are traced when they are first asked for.
        functions = {
            name: loaded.signatures[name] for name in loaded.signatures
        }
        if not functions:
            raise InputError(f"{path}: the SavedModel has no signatures")
        # Its variables live as long as it does.
        self._loaded = loaded
        self._functions = functions
        self.signature_defs = _read_signature_defs(path)
        if self.signature_defs is None:
            self.signature_defs = {
                name: _make_signature_def(function)
                for name, function in functions.items()
            }
        self.signatures = {
            name: Signature.of_signature_def(self.signature_defs[name])
            for name in functions
        }

    def warm_up(self, path):
        """Runs the requests that the SavedModel holds for that, if any.

        Args:
            path: The SavedModel's folder.

        Raises:
            InputError: One of them fails.
        """
        file_name = os.path.join(path, EXTRA_FOLDER, REQUESTS_FILE_NAME)
        if not os.path.exists(file_name):
            return
        try:
            for record in tf.data.TFRecordDataset(file_name):
                log = prediction_log_pb2.PredictionLog()
                log.ParseFromString(record.numpy())
                request = log.predict_log.request
                self.predict(
                    request.model_spec.signature_name,
                    {
                        name: tf.make_ndarray(tensor)
                        for name, tensor in request.inputs.items()
                    },
                )
        except (
            message.DecodeError,
            tf.errors.OpError,
            ServingError,
            ValueError,
        ) as error:
            raise InputError(
                f"{file_name}: a request to warm up with fails: {error}"
            ) from None

    def signature(self, name):
        """Returns a `Signature`.

        Args:
            name: Its name.

        Raises:
            ServingError: There is none of that name.
        """
        if name not in self.signatures:
            raise ServingError.invalid(
                f'Serving signature name: "{name}" not found in signature def. '
                f"There are: {', '.join(sorted(self.signatures))}"
            )
        return self.signatures[name]

    def predict(self, signature_name, inputs):
        """Runs a signature.

        Args:
            signature_name: The signature's name.
            inputs: A dictionary from the names of all its inputs to arrays of
                their dtypes; strings are bytes in arrays of objects.

        Returns:
            A dictionary from the outputs' names to arrays.

        Raises:
            ServingError: The inputs are not those of the signature, or the
                model cannot take them.
        """
        signature = self.signature(signature_name)
        signature.check(inputs)
        try:
            outputs = self._functions[signature_name](
                **{
                    name: tf.constant(inputs[name], spec.dtype)
                    for name, spec in signature.inputs.items()
                }
            )
        except tf.errors.OpError as error:
            code = _CODES.get(type(error), grpc.StatusCode.INTERNAL)
            raise ServingError(code, _message(error)) from None
        return {
            name: np.asarray(outputs[name].numpy(), _numpy_dtype(spec.dtype))
            for name, spec in signature.outputs.items()
        }


def _message(error):
    """What TensorFlow says of an error, without where in the graph it is."""
    text = error.message.partition("\n\t [[")[0].strip()
    return text.splitlines()[-1][:_LONGEST_MESSAGE] if text else "no message"


def _numpy_dtype(dtype):
    # A string scalar's numpy() is bytes.
    return object if dtype == tf.string else dtype.as_numpy_dtype


def _read_signature_defs(path):
    """Reads what TensorFlow itself keeps of signatures, None without a file."""
    file_name = os.path.join(path, "saved_model.pb")
    if not os.path.exists(file_name):
        return None
    saved_model = saved_model_pb2.SavedModel()
    with open(file_name, "rb") as file:
        saved_model.ParseFromString(file.read())
    return dict(saved_model.meta_graphs[0].signature_def)


def _make_signature_def(function):
    """Describes a function as a SavedModel's signature."""
    arguments, named = function.structured_input_signature
    specs = {spec.name: spec for spec in arguments} | named
    signature_def = meta_graph_pb2.SignatureDef(method_name=_METHOD_NAME)
    for infos, tensors in (
        (signature_def.inputs, specs),
        (signature_def.outputs, function.structured_outputs),
    ):
        for name, tensor in tensors.items():
            infos[name].name = name
            infos[name].dtype = tensor.dtype.as_datatype_enum
            infos[name].tensor_shape.CopyFrom(tensor.shape.as_proto())
    return signature_def
