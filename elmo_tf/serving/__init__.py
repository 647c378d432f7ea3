"""What TensorFlow Serving takes: versions of models, how they are served."""
