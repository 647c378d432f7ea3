"""A tiny training of a tagger of parts of speech: its data, its options."""

import numpy as np

# Few: the tiny biLM's token vectors have four dimensions.
WORDS = {
    "DET": ("the", "a"),
    "NOUN": ("fish", "bird"),
    "VERB": ("sees", "hears"),
}
PATTERN = ("DET", "NOUN", "VERB", "DET", "NOUN")


def write_data(folder):
    """Writes data.conllu: each word has one tag, which its form tells."""
    generator = np.random.default_rng(0)
    with open(folder / "data.conllu", "w", encoding="utf-8") as file:
        for number in range(40):
            file.write(f"# sent_id = {number}\n")
            for place, tag in enumerate(PATTERN, start=1):
                word = generator.choice(WORDS[tag])
                row = [str(place), word, "_", tag, tag.lower(), "_", "0"]
                file.write("\t".join([*row, "root", "_", "_"]) + "\n")
            file.write("3.1\tso\t_\tADV\t_\t_\t_\t_\t_\t_\n\n")


def options(folder, saved_model):
    """The overrides of pos/linear for the data in a folder and a biLM."""
    return {
        "task.column": "upos",
        "task.elmo.saved_model": str(saved_model),
        "task.elmo.cache_dir": f"{folder}/cache",
        "task.optimizer.learning_rate": 0.1,
        "task.train_data": {
            "input_path": f"{folder}/data.conllu",
            "batch_size": 8,
        },
        "task.validation_data.input_path": f"{folder}/data.conllu",
        "trainer.train_epochs": 40,
        "trainer.validation_interval": 100,
    }
