"""The parts of the report of `bidaf_tf.visualize`."""
