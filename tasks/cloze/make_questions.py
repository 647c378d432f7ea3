"""Makes a cloze test of any text.

    python -m tasks.cloze.make_questions --input_path='articles/*.txt' \\
        --output_dir=questions

Each file is an article, UTF-8, plain or gzip, whose paragraphs have blank lines
between them. OUTPUT_DIR gets the folders `training`, `validation` and `test` of
`.question` files, as those of CNN and Daily Mail have them, no article in two
of them. This is a way to train and try the cloze test on a text of yours, and
no substitute for those data: the questions are sentences of the article
instead of a summary by a human being, and the entities are guessed from
capital letters (see `tasks.cloze.question_maker`). The last line is one of
JSON: the numbers of articles and of questions.
"""

import itertools
import os

import numpy as np
from absl import flags

from bidaf_tf.cloze_data import write_question
from elmo_tf import command_line
from elmo_tf.atomic_file import write_folder
from elmo_tf.errors import InputError
from elmo_tf.text import shards
from elmo_tf.text.sentences import break_sentences
from elmo_tf.text.sentences import read_paragraphs
from elmo_tf.text.tokenizer import tokenize
from tasks.cloze.question_maker import QuestionMaker

FLAGS = flags.FLAGS

flags.DEFINE_string(
    "input_path", None, "Text files, plain or gzip: paths or globs, by commas."
)
flags.DEFINE_string(
    "output_dir", None, "Folder of the questions to write; must not exist."
)
flags.DEFINE_integer(
    "passage_length",
    250,
    "Number of tokens after which a passage of an article, context and "
    "question together, ends with the sentence.",
    lower_bound=1,
)
flags.DEFINE_integer(
    "questions_per_passage",
    3,
    "At most so many questions are made of a passage.",
    lower_bound=1,
)
flags.DEFINE_float(
    "validation_fraction",
    0.1,
    "Which part of the articles is for validation.",
    lower_bound=0.0,
    upper_bound=1.0,
)
flags.DEFINE_float(
    "test_fraction",
    0.1,
    "Which part of the articles is to test on.",
    lower_bound=0.0,
    upper_bound=1.0,
)
flags.DEFINE_integer("seed", 1, "Determines what is drawn.", lower_bound=0)


def main(_):
    paths = shards.list_shards(FLAGS.input_path, "an article")
    generator = np.random.default_rng(FLAGS.seed)
    articles = list(map(_sentences, paths))
    maker = QuestionMaker(
        articles, FLAGS.passage_length, FLAGS.questions_per_passage
    )
    counts = {"articles": len(articles)}
    with write_folder(FLAGS.output_dir) as folder:
        for split, chosen in _splits(len(articles), generator).items():
            os.mkdir(os.path.join(folder, split))
            counts[split] = 0
            for index in chosen:
                for question in maker.questions(
                    articles[index], os.path.basename(paths[index]), generator
                ):
                    write_question(os.path.join(folder, split), question)
                    counts[split] += 1
            if len(chosen) and not counts[split]:
                raise InputError(
                    f"--input_path={FLAGS.input_path}: found nothing to ask "
                    f"about in the {len(chosen)} articles for {split}"
                )
    command_line.print_json(counts)


def _sentences(path):
    """The sentences of an article as lists of tokens."""
    sentences = list(
        itertools.chain.from_iterable(
            break_sentences(list(read_paragraphs(path)))
        )
    )
    return [
        [token.decode() for token in tokens]
        for tokens in tokenize(sentences, "penn_treebank").to_list()
    ]


def _splits(n_articles, generator):
    """Which articles each split has: integer arrays by the split's name."""
    order = generator.permutation(n_articles)
    n_validation, n_test = (
        round(fraction * n_articles)
        for fraction in (FLAGS.validation_fraction, FLAGS.test_fraction)
    )
    if n_validation + n_test >= n_articles:
        raise InputError(
            f"found {n_articles} articles, expected more than the "
            f"{n_validation} for validation and the {n_test} to test on"
        )
    held_out = n_validation + n_test
    return {
        "training": np.sort(order[held_out:]),
        "validation": np.sort(order[:n_validation]),
        "test": np.sort(order[n_validation:held_out]),
    }


if __name__ == "__main__":
    flags.mark_flags_as_required(["input_path", "output_dir"])
    command_line.run(main)
