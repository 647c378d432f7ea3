"""Embeds a corpus in shards, by one process or by many, and restarts.

    python -m elmo_tf.embed_corpus --saved_model=mini --input='corpus/*.txt' \\
        --output_dir=embeddings --workers=8

Started again it does what is missing. docs/bulk_embedding.md tells more.
"""

import re
import sys

from absl import flags

from elmo_tf import command_line
from elmo_tf import embedding_flags
from elmo_tf.bulk.bulk_embedding import BulkEmbedding
from elmo_tf.bulk.ray_workers import RayWorkers
from elmo_tf.bulk.shard_embedder import use_threads
from elmo_tf.errors import InputError
from elmo_tf.reading_progress import ReadingProgress

FLAGS = flags.FLAGS

flags.DEFINE_string(
    "input",
    None,
    "Text, one sentence a line, plain or gzip; paths and globs, with commas "
    "between them.",
)
flags.DEFINE_string("output_dir", None, "Folder to write, or to complete.")
flags.DEFINE_integer(
    "shard_sentences", 10_000, "Most sentences of an output file.", 1
)
flags.DEFINE_integer(
    "workers", None, "Processes of Ray; by default this process alone.", 1
)
flags.DEFINE_string(
    "ray_address",
    None,
    'Address of a Ray cluster, or "auto"; by default --workers start on this '
    "machine.",
)
flags.DEFINE_integer(
    "threads_per_worker", 1, "Threads that each process computes with.", 1
)
flags.DEFINE_float(
    "gpus_per_worker",
    0.0,
    "GPUs of each process of Ray; 0.5: two share one.",
    0.0,
)
flags.DEFINE_string(
    "only_shards",
    None,
    "I/N: in this process every Nth shard from the Ith on, from 0; for "
    "schedulers that start processes themselves.",
)
flags.DEFINE_bool("plan_only", False, "Make the plan and embed nothing.")


def main(_):
    source = embedding_flags.embedder_source()
    share = _share()
    use_threads(FLAGS.threads_per_worker)
    workers = _ray_workers()
    bulk = BulkEmbedding(
        source,
        FLAGS.input,
        FLAGS.output_dir,
        {
            "layers": FLAGS.layers,
            "batch_size": FLAGS.batch_size,
            "tokenize": FLAGS.tokenize,
            "forget_sentences": FLAGS.forget_sentences,
        },
        shard_sentences=FLAGS.shard_sentences,
        threads=FLAGS.threads_per_worker,
        progress=ReadingProgress(),
    )
    manifest = None
    if not FLAGS.plan_only:
        manifest = bulk.run(workers, share, sys.stderr)
    command_line.print_json(
        {
            "output_dir": FLAGS.output_dir,
            "shards": len(bulk.plan.shards),
            "sentences": bulk.plan.sentences,
            "tokens": manifest and manifest["tokens"],
            "complete": manifest is not None,
        }
    )


def _share():
    value = FLAGS.only_shards
    if value is None:
        return 0, 1
    match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", value)
    if match is None or not int(match[1]) < int(match[2]):
        raise InputError(f"--only_shards={value}: expected I/N, as 0/8 to 7/8")
    return int(match[1]), int(match[2])


def _ray_workers():
    """The `RayWorkers`; None: this process does it."""
    if FLAGS.workers is None:
        for name in ("ray_address", "gpus_per_worker"):
            if FLAGS[name].present:
                raise InputError(f"--{name}: needs --workers")
        return None
    for name in ("only_shards", "plan_only"):
        if FLAGS[name].present:
            raise InputError(f"--{name}: is for one process, without --workers")
    return RayWorkers(
        *(FLAGS.workers, FLAGS.ray_address),
        *(FLAGS.threads_per_worker, FLAGS.gpus_per_worker),
    )


if __name__ == "__main__":
    flags.mark_flags_as_required(["input", "output_dir"])
    command_line.run(main)
