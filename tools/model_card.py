"""Fills a model card with figures that were measured."""

import string

from tasks.markdown_table import markdown_table


def render_model_card(template, config, metadata):
    """Fills in a template.

    Args:
        template: The card's text, with `$name` where a figure or table goes.
        config: The biLM's `BiLMConfig`.
        metadata: What metadata.json holds.

    Returns:
        The card's text.

    Raises:
        KeyError: The template asks for something that there is not.
    """
    senses = metadata["senses"]
    perplexity = metadata["perplexity"]
    return string.Template(template).substitute(
        n_layers=config.lstm.n_layers,
        n_outputs=config.lstm.n_layers + 1,
        dim=config.lstm.dim,
        projection_dim=config.lstm.projection_dim,
        output_dim=config.output_dim,
        n_filters=config.char_cnn.n_filters,
        n_highway=config.char_cnn.n_highway,
        parameters=f"{metadata['parameters']:,}",
        vocabulary=f"{config.n_tokens_vocab:,}",
        tokenizer=metadata["tokenizer"],
        steps=f"{metadata['steps']:,}",
        steps_number=metadata["steps"],
        tokens_a_step=f"{metadata['tokens_a_step']:,}",
        tokens_seen=f"{metadata['tokens_seen']:,}",
        passes=f"{metadata['passes']:.2f}",
        hours=f"{metadata['hours']:.1f}",
        precision=metadata["precision"].removeprefix("mixed_"),
        corpus_tokens=f"{metadata['corpus']['tokens']:,}",
        corpus_sentences=f"{metadata['corpus']['sentences']:,}",
        heldout_sentences=f"{perplexity['heldout']['sentences']:,}",
        validation_sentences=f"{metadata['validation']['sentences']:,}",
        perplexities=_perplexities(perplexity),
        curve=_curve(metadata["validation"]["curve"]),
        senses=_senses(senses),
        n_words=len(senses["examples"]["words"]),
        words_above_token_layer=senses["examples"]["words_above_token_layer"],
    )


def _perplexities(figures):
    names = {
        "heldout": "held-out books",
        "heldout_by_sentence": "held-out books, sentence by sentence",
        "heldout_by_sentence_from_zero": "the same, from the zero state",
        "wikitext2_valid": "WikiText-2 valid",
    }
    return markdown_table(
        ["", "forward", "backward", "average", "tokens", "`<UNK>`"],
        [
            [
                name,
                *(
                    f"{row[f'{direction}_perplexity']:,.1f}"
                    for direction in ("forward", "backward", "average")
                ),
                f"{row['tokens']:,}",
                f"{row['unknown_tokens'] / row['tokens']:.1%}",
            ]
            for row, name in ((figures[key], names[key]) for key in names)
        ],
    )


def _curve(points, n_rows=8):
    """A table of some of the points, the last one among them."""
    every = max(1, -(-len(points) // n_rows))
    return markdown_table(
        ["hours", "step", "forward", "backward", "average"],
        [
            [
                f"{point['hours']:.2f}",
                f"{point['steps']:,}",
                *(
                    f"{point[name]:,.1f}"
                    for name in ("forward", "backward", "average")
                ),
            ]
            for point in points[::-1][::every][::-1]
        ],
    )


def _senses(figures):
    n_layers = len(figures["examples"]["layers"])
    rows = [
        (word, row, figures["untrained"]["examples"]["words"][word])
        for word, row in figures["examples"]["words"].items()
    ]
    for key, name in (("examples", "mean of the words"), ("semcor", "SemCor")):
        rows.append((name, figures[key], figures["untrained"][key]))
    return markdown_table(
        [
            "",
            "token layer",
            *(f"LSTM {layer}" for layer in range(1, n_layers)),
            "most frequent sense",
            "top layer, untrained",
        ],
        [
            [
                name,
                *(f"{share:.1%}" for share in row["layers"]),
                f"{row['most_frequent_sense']:.1%}",
                f"{untrained['layers'][-1]:.1%}",
            ]
            for name, row, untrained in rows
        ],
    )
