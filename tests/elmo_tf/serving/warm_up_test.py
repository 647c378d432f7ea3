import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

from elmo_tf.serving import warm_up
from elmo_tf.text.characters import character_ids


class TwoInputs(tf.Module):
    @tf.function(
        input_signature=[
            tf.TensorSpec([None], tf.string, name="strings"),
            tf.TensorSpec([None, None], tf.int64, name="numbers"),
        ]
    )
    def both(self, strings, numbers):
        return {"strings": strings, "numbers": numbers}

    @tf.function(
        input_signature=[tf.TensorSpec([None], tf.string, name="strings")]
    )
    def one(self, strings):
        return {"strings": strings}


@pytest.fixture
def folder(tmp_path):
    module = TwoInputs()
    tf.saved_model.save(
        module,
        tmp_path / "model",
        signatures={"one": module.one, "both": module.both},
    )
    return tmp_path / "model"


def read_requests(folder):
    path = folder / "assets.extra" / "tf_serving_warmup_requests"
    return [
        prediction_log_pb2.PredictionLog.FromString(
            record.numpy()
        ).predict_log.request
        for record in tf.data.TFRecordDataset(str(path))
    ]


def test_requests_of_every_signature(folder):
    assert list(warm_up.read_signatures(folder)) == ["both", "one"]
    warm_up.write_warm_up_requests(
        folder,
        [
            {"strings": ["é"], "numbers": [[1, 2]], "other": [1]},
            {"strings": ["b", "c"], "numbers": [[1], [2]]},
        ],
    )
    found = [
        (
            request.model_spec.signature_name,
            {
                name: tf.make_ndarray(value)
                for name, value in request.inputs.items()
            },
        )
        for request in read_requests(folder)
    ]
    assert [name for name, _ in found] == ["both", "one", "both", "one"]
    assert [sorted(inputs) for _, inputs in found] == [
        ["numbers", "strings"],
        ["strings"],
    ] * 2
    assert found[0][1]["numbers"].dtype == np.int64
    assert found[0][1]["numbers"].tolist() == [[1, 2]]
    assert found[0][1]["strings"].tolist() == ["é".encode()]
    assert found[3][1]["strings"].tolist() == [b"b", b"c"]


def test_an_input_is_missing(folder):
    with pytest.raises(KeyError, match="numbers"):
        warm_up.write_warm_up_requests(folder, [{"strings": ["a"]}])


def test_text_inputs():
    texts = [("a", "b"), ("c",)]
    assert warm_up.text_inputs(texts, "left_", "left") == {
        "left_tokens": [["a", "b"], ["c", ""]],
        "left_sequence_len": [2, 1],
        "left": ["a b", "c"],
    }


def test_bilm_batches():
    one, several = warm_up.bilm_batches(7)
    assert one["sequence_len"] == several["sequence_len"][:1]
    n = several["sequence_len"]
    assert n[1] < n[0] == len(several["tokens"][1])
    ids = character_ids(several["tokens"], 7).numpy()
    np.testing.assert_array_equal(
        several["character_ids"][1, : n[1]], ids[1, : n[1]]
    )
    assert not several["character_ids"][1, n[1] :].any()
    assert all(len(value) == 2 for value in several.values())
    assert "character_ids" not in warm_up.bilm_batches(None)[0]
