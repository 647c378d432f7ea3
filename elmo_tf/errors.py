"""The error that stands for a mistake in what the user gave."""


class InputError(ValueError):
    """A file, option or argument given by the user cannot be used.

    The message is one clear line that names the file and line, option or
    argument, what was found there and what was expected. Library code raises
    it; the binaries print it without a traceback and exit with code 2 (see
    `elmo_tf.command_line`).
    """
