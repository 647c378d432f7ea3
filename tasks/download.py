"""Downloads a data set, into the files that the other binaries read.

    python -m tasks.download --dataset=snli --output=data/snli

prints what the data set is, where it comes from, its licence and what to cite;
downloads it, checks the checksum, and writes a new folder:

    conll2003  train.txt valid.txt test.txt            for tasks/ner
    glove      glove.6B.{50,100,200,300}d.txt          word vectors
    lm1b       train/news.en-* heldout/news.en.heldout-*   for elmo_tf.train
    snli       train.jsonl dev.jsonl test.jsonl        for tasks/snli
    squad      train-v1.1.json dev-v1.1.json           SQuAD's own format
    sst        train.txt dev.txt test.txt              for tasks/sst
    wnut17     train.txt dev.txt test.txt              for tasks/ner

The last line is one of JSON: the files with their numbers of examples. The
folder appears when it is complete. Proxies are those of the environment
variables http_proxy and https_proxy.
"""

import sys

from absl import flags

from elmo_tf import command_line
from tasks.downloads import catalogue
from tasks.downloads.downloading import download

FLAGS = flags.FLAGS

flags.DEFINE_enum("dataset", None, catalogue.NAMES, "Name of the data set.")
flags.DEFINE_string("output", None, "The folder to write; must not exist.")


def main(_):
    files = download(catalogue.find(FLAGS.dataset), FLAGS.output, _log)
    command_line.print_json({"dataset": FLAGS.dataset, "files": files})


def _log(text):
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    flags.mark_flags_as_required(["dataset", "output"])
    command_line.run(main)
