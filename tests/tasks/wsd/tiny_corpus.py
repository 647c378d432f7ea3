"""Files of the evaluation framework with a few sentences, for tests."""

_POS = {"n": "NOUN", "v": "VERB", "a": "ADJ", "r": "ADV"}


def write(folder, name, sentences):
    """Writes `NAME.data.xml` and `NAME.gold.key.txt`.

    Args:
        folder: A `pathlib.Path`.
        name: The data set's name.
        sentences: A list of lists of elements: a text for a word, or a tuple of
            text, lemma, part of speech and keys with spaces between them.

    Returns:
        The path of the XML.
    """
    lines = [
        '<?xml version="1.0" encoding="UTF-8" ?>',
        f'<corpus source="{name}">',
    ]
    keys = []
    for number, sentence in enumerate(sentences):
        lines.append(f'<sentence id="s{number}">')
        for place, element in enumerate(sentence):
            if isinstance(element, str):
                lines.append(f'<wf lemma="x" pos="X">{element}</wf>')
                continue
            text, lemma, pos, senses = element
            instance = f"{name}.s{number}.t{place}"
            lines.append(
                f'<instance id="{instance}" lemma="{lemma}" '
                f'pos="{_POS[pos]}">{text}</instance>'
            )
            keys.append(f"{instance} {senses}")
        lines.append("</sentence>")
    lines.append("</corpus>")
    path = folder / f"{name}.data.xml"
    path.write_text("\n".join(lines), encoding="utf-8")
    (folder / f"{name}.gold.key.txt").write_text("\n".join(keys) + "\n")
    return path
