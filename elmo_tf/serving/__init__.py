"""What TensorFlow Serving takes: versions of models, how they are served."""

from elmo_tf.serving.client import Client
