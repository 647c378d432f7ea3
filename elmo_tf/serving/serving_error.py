"""What a server answers in place of a result."""

import grpc

from elmo_tf.errors import shorten

# gRPC takes some thousand bytes, percent-encoded; what was found may be longer.
_LONGEST_MESSAGE = 600


class ServingError(Exception):
    """A request that is not answered, for a reason the client may know.

    Args:
        code: The `grpc.StatusCode`; REST has a status for each, see
            `RestApi`.
        message: What to tell the client, one line; of a long one the middle is
            left out.
    """

    def __init__(self, code, message):
        super().__init__(shorten(message, _LONGEST_MESSAGE))
        self.code = code

    @classmethod
    def invalid(cls, message):
        """The error of a request that is wrong in itself."""
        return cls(grpc.StatusCode.INVALID_ARGUMENT, message)
