"""Small documents for the tests of coreference resolution."""

from tasks.coref.coref_document import CorefDocument


def make(text, clusters=(), key="doc", part=None, speaker="-", place=""):
    """Makes a document of a text, with `/` between sentences."""
    sentences = tuple(tuple(line.split()) for line in text.split("/"))
    return CorefDocument(
        key=key,
        part=part,
        sentences=sentences,
        speakers=tuple((speaker,) * len(tokens) for tokens in sentences),
        clusters=tuple(tuple(map(tuple, cluster)) for cluster in clusters),
        place=place,
    )


def without_order(documents):
    """All that bracket notation keeps of documents: clusters have no order."""
    return [
        (
            document.key,
            document.part,
            document.sentences,
            document.speakers,
            sorted(map(sorted, document.clusters)),
        )
        for document in documents
    ]
