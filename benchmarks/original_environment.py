"""The environment as it was before TensorFlow changed it."""

import os

# Processes of peers would inherit the changes, and fail.
ENVIRONMENT = dict(os.environ)
