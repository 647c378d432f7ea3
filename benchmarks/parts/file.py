"""Files of more and more sentences: tokens a second and peak memory."""

import os
import tempfile

from benchmarks import report
from benchmarks.text import RandomText
from benchmarks.text import n_tokens
from tasks.markdown_table import markdown_table


def run(setting, file_sentences, layers):
    """Embeds files with this project's systems, each in a process of its own.

    Args:
        setting: A `Setting`.
        file_sentences: Numbers of sentences of a file.
        layers: Which layers to write.

    Returns:
        A list of dictionaries for the JSON, one for each file and system.
    """
    results = []
    for n_sentences in file_sentences:
        sentences = RandomText(setting.seed).sentences(n_sentences)
        with tempfile.TemporaryDirectory() as folder:
            input_file = os.path.join(folder, "sentences.txt")
            with open(input_file, "w", encoding="utf-8") as file:
                file.writelines(" ".join(words) + "\n" for words in sentences)
            for system in setting.ours:
                output_file = os.path.join(folder, "vectors.hdf5")
                with setting.start(system) as worker:
                    setting.say(f"embedding {n_sentences} sentences")
                    # TensorFlow's tracing is start-up, measured elsewhere.
                    worker.request("latency", sentences=sentences[:1])
                    before = worker.request("memory")["peak_bytes"]
                    seconds = worker.request(
                        "file",
                        input_file=input_file,
                        output_file=output_file,
                        layers=layers,
                    )["seconds"]
                    peak = worker.request("memory")["peak_bytes"]
                results.append(
                    {
                        "system": system.name,
                        "sentences": n_sentences,
                        "tokens": n_tokens(sentences),
                        "tokens_per_second": n_tokens(sentences) / seconds,
                        "first_peak_bytes": before,
                        "peak_bytes": peak,
                        "file_bytes": os.path.getsize(output_file),
                    }
                )
                os.remove(output_file)
    return results


def table(setting, result):
    """Makes the table of what `run` returned.

    Args:
        setting: The `Setting`.
        result: The list.

    Returns:
        The text.
    """
    return markdown_table(
        [
            f"{setting.size}, embed_file",
            "sentences",
            "tokens",
            "tokens/s",
            "peak memory",
            "after one sentence",
            "file",
        ],
        [
            [
                found["system"],
                report.number(found["sentences"]),
                report.number(found["tokens"]),
                report.number(found["tokens_per_second"]),
                report.megabytes(found["peak_bytes"]),
                report.megabytes(found["first_peak_bytes"]),
                report.megabytes(found["file_bytes"]),
            ]
            for found in result
        ],
    )
