"""The body of a request over HTTP."""

import grpc
from aiohttp import web

from elmo_tf.errors import one_line
from elmo_tf.serving.serving_error import ServingError


async def read_body(request):
    """Reads a request's body.

    Args:
        request: The `aiohttp.web.Request`, of an application that knows the
            longest body.

    Returns:
        Bytes.

    Raises:
        ServingError: It is too long, or is not in the encoding that it says.
    """
    try:
        return await request.read()
    except web.HTTPRequestEntityTooLarge:
        raise ServingError(
            grpc.StatusCode.OUT_OF_RANGE,
            f"the request is longer than {request.client_max_size} bytes",
        ) from None
    except web.RequestPayloadError as error:
        raise ServingError.invalid(
            f"the body is damaged: {one_line(error)}"
        ) from None
