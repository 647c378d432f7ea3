"""Errors that a binary ends with in one line, without a traceback."""

_LONGEST_MESSAGE = 1000


class InputError(ValueError):
    """A file, option or argument given by the user cannot be used.

    The message is one clear line that names the file and line, option or
    argument, what was found there and what was expected. Library code raises
    it; the binaries print it without a traceback and exit with code 2 (see
    `elmo_tf.command_line`).

    Args:
        message: The line. Of one that is longer than anybody reads, as what was
            found there may be, the middle is left out.
    """

    def __init__(self, message=""):
        super().__init__(shorten(message, _LONGEST_MESSAGE))


class RunError(RuntimeError):
    """A run cannot go on, through no mistake that could be seen beforehand.

    The message is one clear line that says where it stopped and what may help;
    the binaries print it and exit with the class' code.
    """

    exit_code = 1


class LostWorkerError(RunError):
    """Another machine of a training is gone; all can be started again.

    The exit code is the one that Kubernetes' TFJob keeps for errors after which
    a program wants to be started again.
    """

    exit_code = 138


def shorten(text, length):
    """Leaves out the middle of a text that is too long for a message.

    Args:
        text: The text.
        length: How many characters it may have.

    Returns:
        The text, or its beginning and end with `…` between them.
    """
    text = str(text)
    if len(text) <= length:
        return text
    half = (length - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def one_line(error):
    """Puts an exception's message into one line.

    Args:
        error: The exception.

    Returns:
        The line; the exception's class if it says nothing.
    """
    return " ".join(str(error).split()) or type(error).__name__


def describe_validation_error(error):
    """Puts pydantic's first complaint into one line.

    Args:
        error: A `pydantic.ValidationError`.

    Returns:
        A line such as "lstm.dim: input should be greater than 0, found -1".
    """
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] != "value_error":
        message = message[0].lower() + message[1:]
    if first["type"] not in ("missing", "value_error"):
        message += f", found {first['input']!r}"
    return f"{where}: {message}" if where else message
