"""AllenNLP's worker: see `benchmarks.peers.worker`."""

import torch
from allennlp import version
from allennlp.modules import elmo
from allennlp.nn.util import remove_sentence_boundaries

from benchmarks.peers import worker


class AllenNlpWorker(worker.EmbeddingWorker):
    """AllenNLP's biLM, used as its former `ElmoEmbedder` did for all layers."""

    def __init__(self, options_file, weights_file, max_batch_size):
        # Nothing public gives the layers before they are mixed.
        self._bilm = elmo._ElmoBiLm(options_file, weights_file).eval()

    def embed(self, sentences, batch_size):
        results = []
        for batch in worker.batches(sentences, batch_size):
            with torch.no_grad():
                outputs = self._bilm(elmo.batch_to_ids(batch))
                layers = [
                    remove_sentence_boundaries(layer, outputs["mask"])[0]
                    for layer in outputs["activations"]
                ]
                # [batch, layers, time, dim]
                results.append(torch.stack(layers, dim=1).numpy())
        return results

    def arrays(self, result, sentences):
        rows = [row for layers in result for row in layers]
        return [
            row[:, : len(sentence)] for row, sentence in zip(rows, sentences)
        ]


if __name__ == "__main__":
    worker.serve(
        AllenNlpWorker,
        {"allennlp": version.VERSION, "torch": torch.__version__},
    )
