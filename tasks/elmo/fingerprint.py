"""Tells whether two biLMs are the same."""

import hashlib
import pathlib

from elmo_tf import pretrained


def fingerprint(saved_model):
    """Summarises a biLM's files, its weights among them.

    Args:
        saved_model: As for `elmo_tf.Elmo`: the folder of a SavedModel, or the
            name of a pre-trained biLM of the package.

    Returns:
        A text of 64 hexadecimal digits, which differs if any file does.
    """
    folder = pathlib.Path(saved_model)
    if not folder.exists() and saved_model in pretrained.names():
        folder = pretrained.folder(saved_model)
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(folder)}\0".encode())
            with open(path, "rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
