"""The secret that requests must have."""

import hmac
import re

from elmo_tf.errors import InputError


class BearerToken:
    """The secret that requests must have.

    Args:
        secret: The secret, a str.
    """

    def __init__(self, secret):
        self._expected = f"Bearer {secret}".encode()

    @classmethod
    def from_file(cls, path):
        """Reads the secret from a file, of which it is the only line.

        Args:
            path: The file.

        Raises:
            InputError: The file holds something else.
        """
        with open(path, encoding="ascii", errors="replace") as file:
            secret = file.read().strip()
        if not re.fullmatch(r"[!-~]+", secret):
            raise InputError(
                f"--token_file={path}: expected one line of printable ASCII "
                "without spaces"
            )
        return cls(secret)

    def matches(self, authorization):
        """Compares in a time that does not tell how much is right.

        Args:
            authorization: The value of the header of that name, a str.
        """
        given = authorization.encode("utf-8", "surrogateescape")
        return hmac.compare_digest(given, self._expected)
