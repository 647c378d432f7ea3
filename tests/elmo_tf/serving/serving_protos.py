"""Reads the text files that TensorFlow Serving reads."""

from google.protobuf import descriptor_pb2
from google.protobuf import descriptor_pool
from google.protobuf import message_factory
from google.protobuf import text_format
from google.protobuf import wrappers_pb2
from tensorflow_serving.config import model_server_config_pb2

_FIELD = descriptor_pb2.FieldDescriptorProto
# Of tensorflow_serving/servables/tensorflow/session_bundle_config.proto, which
# tensorflow-serving-api does not have: name, number, type, whether repeated.
_BATCHING_FIELDS = (
    ("max_batch_size", 1, "Int64Value", False),
    ("batch_timeout_micros", 2, "Int64Value", False),
    ("max_enqueued_batches", 3, "Int64Value", False),
    ("num_batch_threads", 4, "Int64Value", False),
    ("thread_pool_name", 5, "StringValue", False),
    ("allowed_batch_sizes", 6, _FIELD.TYPE_INT64, True),
    ("pad_variable_length_inputs", 7, _FIELD.TYPE_BOOL, False),
)


def read_models_config(path):
    """Reads a models.config; fails unless it is one."""
    return text_format.Parse(
        path.read_text(encoding="utf-8"),
        model_server_config_pb2.ModelServerConfig(),
    )


def read_batching_parameters(path):
    """Reads a batching_parameters.txt; fails unless it is one."""
    return text_format.Parse(
        path.read_text(encoding="utf-8"), _batching_parameters()()
    )


def _batching_parameters():
    file = descriptor_pb2.FileDescriptorProto(
        name="batching_parameters.proto", package="test", syntax="proto3"
    )
    file.dependency.append(wrappers_pb2.DESCRIPTOR.name)
    message = file.message_type.add(name="BatchingParameters")
    for name, number, kind, is_repeated in _BATCHING_FIELDS:
        field = message.field.add(
            name=name,
            number=number,
            label=_FIELD.LABEL_REPEATED
            if is_repeated
            else _FIELD.LABEL_OPTIONAL,
        )
        if isinstance(kind, str):
            field.type = _FIELD.TYPE_MESSAGE
            field.type_name = f".google.protobuf.{kind}"
        else:
            field.type = kind
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(wrappers_pb2.DESCRIPTOR.serialized_pb)
    pool.Add(file)
    return message_factory.GetMessageClass(
        pool.FindMessageTypeByName("test.BatchingParameters")
    )
