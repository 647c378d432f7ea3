"""Measures this project's speed against other implementations'."""

import os

# As it was before TensorFlow changed it, which peers' processes would inherit.
ENVIRONMENT = dict(os.environ)
