"""What fuzzing has found, by target; and bombs, small files that grow."""

import functools
import gzip
import io
import json
import tarfile

import h5py
import numpy as np
from tensorflow.core.framework import types_pb2
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow_serving.apis import predict_pb2

from tests.fuzz import samples
from tests.fuzz.targets import find_target
from tests.fuzz.weights_targets import OPTIONS
from tests.fuzz.weights_targets import weights_file

_DIGITS = b"9" * 5000
_DEEP = b"[" * 100_000 + b"]" * 100_000
_LAUGHS = b"".join(
    b'<!ENTITY a%d "%s">' % (number, b"&a%d;" % (number - 1) * 10)
    for number in range(1, 9)
)


@functools.cache
def regressions():
    """Returns a dictionary from targets' names to those of name and bytes."""
    return {
        "predict_json": {
            "base64_rows_of_several_inputs": b'{"instances": [{"b64": ""}]}',
            "list_in_list_beyond_numpy": (
                b'{"inputs": ' + b"[" * 80 + b"1" + b"]" * 80 + b"}"
            ),
            "deep_list": b'{"inputs": %s}' % _DEEP,
            "not_as_deep": b"[" * 960 + b"]" * 960,
            "digits": b'{"inputs": [%s]}' % _DIGITS,
            "half_of_a_pair": b'{"inputs": ["\\ud800"]}',
        },
        "rest": {
            "damaged_gzip_body": _post(
                gzip.compress(b'{"instances": [1.0]}')[:-9] + b"\xffabcdefgh",
                b"Content-Encoding: gzip\r\n",
            ),
            "damaged_deflate_body": _post(
                b"x\x9c\xabV\xca\xcc+\xff\xff", b"Content-Encoding: deflate\r\n"
            ),
            "bomb": _post(
                gzip.compress(b"[" * 10**7), b"Content-Encoding: gzip\r\n"
            ),
        },
        "grpc": {
            "no_message": b"\0\xff\xff\xff",
            "no_status_message": b"\2\x0a\xff",
            "an_output_often": _predict(
                [2], [1.0, 2.0], output_filter=["y"] * 20_000
            ),
            "long_name": _predict([1], [1.0], name="x" * 20_000),
            "giant_shape": _predict([2**62], [1.0]),
            "overflowing_shape": _predict([2**32, 2**32, 2**32], [1.0]),
            "negative_shape": _predict([-1], [1.0]),
            "empty_but_giant": _predict([0, 2**62], []),
            "content_too_short": _predict([3], [], tensor_content=b"abc"),
            "values_too_many": _predict([1], [1.0] * 1000),
        },
        "squad_answers": {
            "great_probability": (
                b'{"1": [{"text": "", "probability": 1%s, "start": 0, "end": '
                b"0}]}" % (b"0" * 400)
            )
        },
        "squad": {"deep": b'{"data": %s}' % (b"[" * 970 + b"]" * 970)},
        "snli": {"deep": _with_deep(b'{"gold_label": "-", "sentence1": %s}')},
        "coref_json": {
            "deep": _DEEP,
            "not_as_deep": _with_deep(b'{"doc_key": "a", "others": %s}'),
            "digits": b'{"doc_key": %s}' % _DIGITS,
            "taken_for_utf_16": b"\0[\0]",
            "long_part": b'{"doc_key": "a_%s", "sentences": [["a"]]}' % _DIGITS,
        },
        "coref_conll": {
            "long_part": samples.CONLL_2012.replace(
                b"part 000", b"part " + _DIGITS
            )
        },
        "srl": {
            "long_number": samples.UNIVERSAL_PROPBANK.replace(
                b"A1:1-1", b"A1:1-" + _DIGITS
            )
        },
        "word_vectors": {
            "long_size": _DIGITS + b" 3\na 1 2 3\n",
            "great_width": b"0 99999999999999999999\n",
        },
        "wsd_xml": {
            "sentence_in_sentence": _xml(b"<sentence></sentence>"),
            "word_in_word": _xml(b"<wf><wf>a</wf></wf>"),
            "unknown_encoding": samples.XML.replace(b"UTF-8", b"euc-jp"),
            "no_encoding": samples.XML.replace(b"UTF-8", b"none"),
            "laughs": samples.XML.replace(
                b"<corpus", b"<!DOCTYPE a [" + _LAUGHS + b"]><corpus"
            ).replace(b"The", b"&a8;"),
        },
        "overrides": {
            "no_date": b"a: 2001-99-99",
            "no_number": b"!!int ''",
            "no_truth": b"a: !!bool x",
            "digits": b"a: " + _DIGITS,
            "deep": _DEEP[:600],
            "alias": b"a: &a [1]\nb: *a",
            "itself": b"a: &a [*a]",
            "laughs": b"task:\n  vocab_file:\n  - &a0 [x]\n"
            + b"".join(
                b"  - &a%d [%s]\n" % (n, b", ".join([b"*a%d" % (n - 1)] * 10))
                for n in range(1, 9)
            ),
            "line_in_a_key": b'"task.a\\nb": 1',
        },
        "task_shape": {"deep": _DEEP},
        "options": {
            "deep": _DEEP,
            "digits": b'{"lstm": {"dim": %s}}' % _DIGITS,
            "giant_biLM": _options(dim=10**12),
            "giant_projection": _options(dim=10**9, projection_dim=10**9),
            "layers": _options(n_layers=10**9),
            "long_words": _options(max_characters_per_token=10**12),
            "wide_filter": _options(filters=[[1, 2], [2, 10**12]]),
            "highways": _options(n_highway=10**9),
            "endless": _options(cell_clip=float("inf")),
        },
        "hdf5": _hdf5_regressions(),
        "hdf5_embeddings": {
            "declares_terabytes": _hdf5(
                lambda file: file.create_dataset(
                    "embedding", (2**38, 2), np.float32, chunks=(1024, 2)
                )
            ),
            "scalar": _hdf5(
                lambda file: file.create_dataset("embedding", data=1)
            ),
            "nothing": _hdf5(
                lambda file: file.create_dataset(
                    "embedding", data=h5py.Empty(np.float32)
                )
            ),
            "group": _hdf5(lambda file: file.create_group("embedding")),
            "strings": _hdf5(
                lambda file: file.create_dataset("embedding", data=["a", "b"])
            ),
        },
        "semcor": {
            "sentences_that_do_not_end": b"<s a>" * 300_000,
            "tags_that_do_not_end": b"<s " * 300_000,
            "words_that_do_not_end": b"<s a>" + b"<wf>" * 200_000 + b"</s>",
        },
        "semcor_archive": {
            "damaged": _damaged(_tar("brown1/tagfiles/br-a01", samples.SEMCOR)),
            "giant_member": _tar("brown1/tagfiles/br-a01", b"", size=2**40),
        },
        "cloze_archive": {
            "damaged": _damaged(_tar("a.question", samples.CLOZE)),
            "giant_member": _tar("a.question", b"", size=2**40),
        },
        "archive": {
            "cut_off_in_the_header": bytes.fromhex("1f8b0826756b02ff09"),
        },
        "corpus": {
            "bomb": _gzip_bomb(),
            "bomb_of_a_line": gzip.compress(b"a" * 100_000_000, 1),
        },
        "saved_model": _saved_model_regressions(),
        "checksums": {
            "above": b"0" * 64 + b"  ../words.txt\n",
            "device": b"0" * 64 + b"  /dev/zero\n",
            "folder": b"0" * 64 + b"  .\n",
        },
        "corpus_plan": {"deep": _DEEP, "list": b"[]"},
    }


def _with_deep(text):
    return text % (b"[" * 970 + b"]" * 970)


def _post(body, headers):
    return (
        b"POST /v1/models/toy:predict HTTP/1.1\r\nHost: localhost\r\n%b"
        b"Content-Length: %d\r\n\r\n%b" % (headers, len(body), body)
    )


def _predict(shape, values, output_filter=(), name="x", tensor_content=b""):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "toy"
    request.output_filter.extend(output_filter)
    tensor = request.inputs[name]
    tensor.dtype = types_pb2.DT_FLOAT
    tensor.float_val.extend(values)
    tensor.tensor_content = tensor_content
    for size in shape:
        tensor.tensor_shape.dim.add(size=size)
    return b"\0" + request.SerializeToString()


def _xml(inner):
    return samples.XML.replace(b"<wf lemma", inner + b"<wf lemma", 1)


def _options(**changes):
    options = json.loads(OPTIONS)
    for name, value in changes.items():
        part = options["lstm" if name in options["lstm"] else "char_cnn"]
        part[name] = value
    return json.dumps(options).encode()


def _hdf5(fill):
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        fill(file)
    return buffer.getvalue()


def _hdf5_regressions():
    def changed(name, make):
        buffer = io.BytesIO(weights_file())
        with h5py.File(buffer, "r+") as file:
            shape = file[name].shape
            del file[name]
            make(file, name, shape)
        return buffer.getvalue()

    def external(file, name, shape):
        size = 4 * int(np.prod(shape))
        file.create_dataset(
            name, shape, np.float32, external=[("/etc/passwd", 0, size)]
        )

    def virtual(file, name, shape):
        layout = h5py.VirtualLayout(shape, np.float32)
        layout[...] = h5py.VirtualSource("/etc/passwd", "a", shape)
        file.create_virtual_dataset(name, layout)

    def link(file, name, shape):
        file[name] = h5py.ExternalLink("/dev/zero", "a")

    def soft_link(file, name, shape):
        file[name] = h5py.SoftLink("/CNN_proj/b_proj")

    def strings(file, name, shape):
        file.create_dataset(name, shape, h5py.string_dtype())

    def giant(file, name, shape):
        file.create_dataset(name, (2**40,), np.float32, chunks=(1024,))

    return {
        make.__name__: changed("CNN/b_cnn_0", make)
        for make in (external, virtual, link, soft_link, strings, giant)
    }


def _tar(name, content, size=None):
    member = tarfile.TarInfo(name)
    member.size = len(content) if size is None else size
    header = member.tobuf(tarfile.GNU_FORMAT)
    padding = b"\0" * (-len(content) % 512)
    return gzip.compress(header + content + padding + b"\0" * 1024)


def _damaged(content):
    middle = len(content) // 2
    return content[:middle] + b"\xff" * 8 + content[middle + 8 :]


@functools.cache
def _gzip_bomb():
    # The same block again and again: gzip members may follow each other.
    return gzip.compress((b"word " * 200_000 + b"\n") * 16, 9) * 8


def _saved_model_regressions():
    saved_model = saved_model_pb2.SavedModel()
    saved_model.ParseFromString(find_target("saved_model").seeds()[0])
    found = {}
    for name, path in (("above", "../../passwd"), ("absolute", "/etc/passwd")):
        changed = saved_model_pb2.SavedModel()
        changed.CopyFrom(saved_model)
        changed.meta_graphs[0].asset_file_def.add(filename=path)
        found[f"asset_{name}"] = changed.SerializeToString()
    return found
