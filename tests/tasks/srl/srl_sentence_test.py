import dataclasses

import pytest

from tasks.srl.srl_sentence import SRLSentence


@pytest.mark.parametrize(
    "document, genre",
    [
        ("bn/cnn/01/cnn_0115", "bn"),
        ("google/ewt/weblog/00/a.xml", "weblog"),
        ("ontonotes/nw/wsj/00/wsj_0045", "nw"),
        ("google/ewt", None),
        ("wsj_0045", None),
        ("-", None),
        (None, None),
    ],
)
def test_genre(document, genre):
    assert SRLSentence(1, document=document).genre == genre


def test_place():
    sentence = SRLSentence(2, path="a.props", lines=(7, 9))
    assert [sentence.place(), sentence.place(1)] == ["a.props:7", "a.props:9"]
    assert SRLSentence(2).place(1) == "token 2"


def test_where_it_stands_makes_no_difference():
    sentence = SRLSentence(1, tokens=("a",), path="a", lines=(1,))
    moved = dataclasses.replace(sentence, path="b", lines=(2,))
    assert moved == sentence
    assert dataclasses.replace(sentence, tokens=("b",)) != sentence
    assert len(sentence) == 1
