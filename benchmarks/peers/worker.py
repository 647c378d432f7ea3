"""A worker's side of a benchmark: does what it is told, one thing at a time.

A worker is started with one argument, a JSON object. It answers on standard
output, one line of JSON to each line of JSON on standard input, and ends with
its input.
"""

import abc
import json
import os
import resource
import sys
import time

import numpy as np


class EmbeddingWorker(abc.ABC):
    """What the benchmark asks of every implementation of ELMo.

    A subclass loads a biLM from the `options_file` and `weights_file` of its
    arguments; there are never more sentences in a batch than `max_batch_size`.
    """

    @abc.abstractmethod
    def embed(self, sentences, batch_size):
        """Embeds sentences as the implementation's users do.

        Args:
            sentences: A list of lists of tokens.
            batch_size: Number of sentences in a batch; None: as it comes.

        Returns:
            All layers, in whatever form the implementation gives them.
        """

    @abc.abstractmethod
    def arrays(self, result, sentences):
        """Brings what `embed` returned into one form.

        Args:
            result: What `embed` returned.
            sentences: The sentences that it was given.

        Returns:
            A list of an array `[layers, tokens, dim]` for each sentence.
        """

    def answer_time(self, sentences, batch_size):
        """Answers with the seconds that embedding takes."""
        begin = time.perf_counter()
        self.embed(sentences, batch_size)
        return {"seconds": time.perf_counter() - begin}

    def answer_latency(self, sentences):
        """Answers with the seconds that each sentence takes by itself."""
        return {
            "seconds": [
                self.answer_time([sentence], 1)["seconds"]
                for sentence in sentences
            ]
        }

    def answer_outputs(self, sentences, batch_size, file):
        """Writes the vectors `[layers, all tokens, dim]`.

        Some implementations carry their state from batch to batch: they give
        what a stateless one gives only if this is the first request, and the
        sentences are one batch.
        """
        arrays = self.arrays(self.embed(sentences, batch_size), sentences)
        np.save(file, np.concatenate(arrays, axis=1).astype(np.float32))
        return {}

    def answer_memory(self):
        """Answers with the largest memory that the process has ever had."""
        return {"peak_bytes": peak_bytes()}


def peak_bytes():
    """The process's largest resident memory so far."""
    try:
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    # Elsewhere. (On Linux this would begin with the parent's.)
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def batches(sentences, batch_size):
    """Cuts a list into batches, in the order given."""
    return [
        sentences[begin : begin + batch_size]
        for begin in range(0, len(sentences), batch_size)
    ]


def serve(worker_class, versions):
    """Makes a worker of the arguments and answers requests until they end.

    Args:
        worker_class: Called with the worker's arguments, by keyword. A request
            `{"command": "time", …}` calls its `answer_time` with the rest.
        versions: A dictionary of what runs, to report.
    """
    # What libraries print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(values):
        answers.write(json.dumps(values) + "\n")
        answers.flush()

    arguments = json.loads(sys.argv[1])
    imported = time.time()
    import_seconds = imported - arguments.pop("started")
    worker = worker_class(**arguments)
    answer(
        {
            "versions": versions,
            "import_seconds": import_seconds,
            "load_seconds": time.time() - imported,
        }
    )
    for line in sys.stdin:
        request = json.loads(line)
        method = getattr(worker, "answer_" + request.pop("command"))
        answer(method(**request))
