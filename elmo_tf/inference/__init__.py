"""A frozen biLM, laid out for speed: what embeds text, here and in SavedModels.

The layers of `elmo_tf.layers` serve training; these modules hold the same
weights in another layout and do no work for padding.
"""
