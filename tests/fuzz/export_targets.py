"""Requests to exports of each kind, by the embedded server."""

import functools
import json
import os
import pathlib
import tempfile

import numpy as np

from elmo_tf.serving import warm_up
from tests.fuzz import request_targets
from tests.fuzz.fuzz_target import FuzzTarget
from tests.fuzz.fuzz_target import scratch_folder

_BILM = "bilm"
_KINDS = (
    *(_BILM, "cloze", "coref", "ner", "pos"),
    *("snli", "squad", "srl", "sst"),
)
_TOKENS = (
    *(b'"inputs": ', b'"instances": ', b'"signature_name": ', b'"tokens"'),
    *(b'""', b'" "', b'"\\u0000"', b"[[]]", b"[]", b"[1]", b"[-1]", b"[9]"),
    *(b'"@entity1"', b'"@placeholder"', b'{"b64": "/w=="}', b"2147483647"),
)


def targets():
    """Returns a list of `FuzzTarget`."""
    return [
        FuzzTarget(
            f"export_{kind}",
            functools.partial(_run, kind),
            functools.partial(_seeds, kind),
            _TOKENS,
            is_json=True,
        )
        for kind in _KINDS
    ]


def _run(kind, body):
    running, _ = _served(kind)
    request_targets.ask(running, kind, body)


def _seeds(kind):
    _, seeds = _served(kind)
    return seeds


@functools.cache
def _served(kind):
    """A server of a tiny export, and the JSON of requests to it."""
    # The tasks take long to import; no other target needs them.
    from tasks.exporting import export
    from tests.tasks import tiny_exports
    from tests.tasks import tiny_requests

    folder = os.path.join(scratch_folder(), kind)
    bilm = os.path.join(folder, _BILM, "1")
    tiny_exports.export_bilm(bilm)
    if kind == _BILM:
        options = os.path.join(bilm, "assets.extra", "options.json")
        with open(options, encoding="utf-8") as file:
            width = json.load(file)["char_cnn"]["max_characters_per_token"]
        rows = tiny_requests.bilm_rows(width)
    else:
        with tempfile.TemporaryDirectory() as source:
            made = tiny_exports.make_task_model(
                kind, bilm, pathlib.Path(source)
            )
            export(lambda: made, os.path.join(folder, kind), version=1)
        rows = tiny_requests.task_rows(kind, made.task)
    path = os.path.join(folder, kind)
    signatures = warm_up.read_signatures(os.path.join(path, "1"))
    return request_targets.serve(kind, path), [
        json.dumps(
            {
                "signature_name": name,
                "inputs": {
                    key: np.asarray(row[key]).tolist()
                    for key in signature.inputs
                },
            }
        ).encode()
        for name, signature in signatures.items()
        for row in rows
    ]
