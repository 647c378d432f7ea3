"""The CRF's features, and that it learns from them."""

from benchmarks.crf_tagger import CRFTagger
from benchmarks.crf_tagger import word_features

WORDS = ["In", "Oslo", "1999"]
PARTS_OF_SPEECH = ["IN", "NNP", "CD"]


def test_features_in_the_middle():
    assert word_features(WORDS, 1, PARTS_OF_SPEECH) == {
        "bias": 1.0,
        "word.lower()": "oslo",
        "word[-3:]": "slo",
        "word[-2:]": "lo",
        "word.isupper()": False,
        "word.istitle()": True,
        "word.isdigit()": False,
        "postag": "NNP",
        "postag[:2]": "NN",
        "-1:word.lower()": "in",
        "-1:word.istitle()": True,
        "-1:word.isupper()": False,
        "-1:postag": "IN",
        "-1:postag[:2]": "IN",
        "+1:word.lower()": "1999",
        "+1:word.istitle()": False,
        "+1:word.isupper()": False,
        "+1:postag": "CD",
        "+1:postag[:2]": "CD",
    }


def test_features_at_both_ends():
    assert word_features(["EU"], 0, None) == {
        "bias": 1.0,
        "word.lower()": "eu",
        "word[-3:]": "EU",
        "word[-2:]": "EU",
        "word.isupper()": True,
        "word.istitle()": False,
        "word.isdigit()": False,
        "BOS": True,
        "EOS": True,
    }
    first, last = (word_features(WORDS, place, None) for place in (0, 2))
    assert "BOS" in first and "EOS" not in first
    assert "EOS" in last and "BOS" not in last
    assert last["word.isdigit()"]
    assert first["+1:word.lower()"] == last["-1:word.lower()"] == "oslo"


def test_it_learns():
    sentences = [["in", "Oslo"], ["Oslo", "in", "x"], ["in", "x", "Rio"]]
    tags = [["O", "B-LOC"], ["B-LOC", "O", "O"], ["O", "O", "B-LOC"]]
    tagger = CRFTagger()
    tagger.fit(sentences, None, tags)
    assert tagger.predict(sentences, None) == tags
    # By its case alone.
    assert tagger.predict([["in", "Lima"]], None) == [["O", "B-LOC"]]


def test_it_learns_from_parts_of_speech():
    sentences = [["a"], ["a"]] * 3
    parts_of_speech = [["NN"], ["NNP"]] * 3
    tags = [["O"], ["B-X"]] * 3
    tagger = CRFTagger()
    tagger.fit(sentences, parts_of_speech, tags)
    assert tagger.predict(sentences, parts_of_speech) == tags
