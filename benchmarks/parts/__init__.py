"""The parts of the inference benchmark."""
