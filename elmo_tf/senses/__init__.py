"""Do contextual vectors tell the senses of a word apart?

A labelled list of sentences with ambiguous words, and the probe that asks of
each occurrence whether the most similar other one has the same sense (Peters et
al. 2018, section 5.3, without training).
"""
