import io
import re

from elmo_tf.bulk.bulk_progress import BulkProgress
from elmo_tf.bulk.output_shard import OutputShard


def shard(sentences):
    return OutputShard("name", "path", 0, sentences, 0, 1, "")


def test_the_last_line():
    file = io.StringIO()
    shards = [shard(5), shard(2), shard(3)]
    progress = BulkProgress(shards, shards[1:], file)
    progress.advance(1, 4)
    progress.advance(2, 6)
    progress.finish({"sentences": 2, "tokens": 10})
    assert file.getvalue() == ""
    progress.advance(1, 7)
    progress.advance(2, 7)
    progress.advance(3, 7)
    progress.finish({"sentences": 3, "tokens": 21})
    assert re.fullmatch(
        r"sentence 10/10 \| [\d,]+ tokens/s \| sentences/s [\d.e+]+ \| "
        r"shards 3 \| 0:00:00 left\n",
        file.getvalue(),
    )


def test_tokens_are_counted_once(monkeypatch):
    counted = []
    progress = BulkProgress([shard(2), shard(2)], [shard(2), shard(2)])
    monkeypatch.setattr(
        progress, "_print", lambda _, tokens: counted.append(tokens)
    )
    progress.advance(1, 4)
    progress.advance(2, 6)
    progress.finish({"sentences": 2, "tokens": 10})
    # Of a worker elsewhere there is nothing to be heard before.
    progress.finish({"sentences": 2, "tokens": 5})
    assert counted == [4, 6, 0, 5]
