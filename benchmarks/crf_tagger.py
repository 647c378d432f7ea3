"""A linear-chain CRF over features made by hand."""

import sklearn_crfsuite


class CRFTagger:
    """The tagger of sklearn-crfsuite's tutorial on CoNLL-2002.

    Its features are those of the tutorial (version 0.5.0): of a word its
    lower-case form, its last three and last two characters, whether it is in
    upper case, in title case or a number, and its part of speech; of the words
    before and after it the form, the cases and the part of speech. So are the
    training's settings: L-BFGS, 100 iterations, c1 = c2 = 0.1, transitions of
    all pairs of tags. Training gives the same weights each time.
    """

    def __init__(self):
        self._crf = sklearn_crfsuite.CRF(
            algorithm="lbfgs",
            c1=0.1,
            c2=0.1,
            max_iterations=100,
            all_possible_transitions=True,
        )

    def fit(self, sentences, parts_of_speech, tags):
        """Trains on tagged sentences.

        Args:
            sentences: A list of lists of words.
            parts_of_speech: Each one's parts of speech; None: without.
            tags: Each one's tags.
        """
        self._crf.fit(_features(sentences, parts_of_speech), tags)

    def predict(self, sentences, parts_of_speech):
        """Tags sentences.

        Args:
            sentences: A list of lists of words.
            parts_of_speech: Likewise, if it was trained with them; else None.

        Returns:
            A list of lists of tags.
        """
        predicted = self._crf.predict(_features(sentences, parts_of_speech))
        # It makes an array of sentences of one length.
        return [[str(tag) for tag in tags] for tags in predicted]


def word_features(words, position, parts_of_speech):
    """Lists the features of a word in its sentence.

    Args:
        words: The sentence's words.
        position: The word's place, from 0 up.
        parts_of_speech: Each word's part of speech; None: without.

    Returns:
        A dictionary of the features.
    """
    word = words[position]
    features = {
        "bias": 1.0,
        "word[-3:]": word[-3:],
        "word[-2:]": word[-2:],
        "word.isdigit()": word.isdigit(),
        **_shared_features("", words, position, parts_of_speech),
    }
    if position > 0:
        features |= _shared_features(
            "-1:", words, position - 1, parts_of_speech
        )
    else:
        features["BOS"] = True
    if position < len(words) - 1:
        features |= _shared_features(
            "+1:", words, position + 1, parts_of_speech
        )
    else:
        features["EOS"] = True
    return features


def _shared_features(prefix, words, position, parts_of_speech):
    """What a word's neighbours see of it too."""
    word = words[position]
    name = f"{prefix}word."
    features = {
        f"{name}lower()": word.lower(),
        f"{name}isupper()": word.isupper(),
        f"{name}istitle()": word.istitle(),
    }
    if parts_of_speech is not None:
        tag = parts_of_speech[position]
        features[f"{prefix}postag"] = tag
        features[f"{prefix}postag[:2]"] = tag[:2]
    return features


def _features(sentences, parts_of_speech):
    if parts_of_speech is None:
        parts_of_speech = [None] * len(sentences)
    return [
        [word_features(words, position, tags) for position in range(len(words))]
        for words, tags in zip(sentences, parts_of_speech, strict=True)
    ]
