"""A folder of WordNet's database with a few words, for tests."""

import collections
import dataclasses

_SUFFIXES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_DIGITS = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}
_LICENCE = "  1 WordNet 3.0 Copyright: none, these few words are made up.  \n"


@dataclasses.dataclass(frozen=True)
class _Synset:
    kind: str
    file: int
    # Pairs of a word and its number in the file.
    words: tuple
    # Of a satellite: the place in SYNSETS of what it stands beside.
    head: int | None = None

    @property
    def pos(self):
        return "a" if self.kind == "s" else self.kind


# A word's senses are in this order.
SYNSETS = (
    _Synset("n", 17, (("bank", 1), ("shore", 0))),
    _Synset("n", 14, (("bank", 0), ("Bank", 0))),
    _Synset("n", 6, (("bank", 0), ("savings_bank", 2))),
    _Synset("v", 40, (("bank", 0),)),
    _Synset("a", 0, (("big(p)", 1),)),
    _Synset("s", 0, (("grand", 0), ("big", 2)), head=4),
    _Synset("r", 2, (("well", 0),)),
    _Synset("n", 4, (("man", 0),)),
)
KEYS = {
    ("bank", "n"): ("bank%1:17:01::", "bank%1:14:00::", "bank%1:06:00::"),
    ("shore", "n"): ("shore%1:17:00::",),
    ("savings_bank", "n"): ("savings_bank%1:06:02::",),
    ("bank", "v"): ("bank%2:40:00::",),
    ("big", "a"): ("big%3:00:01::", "big%5:00:02:big:01"),
    ("grand", "a"): ("grand%5:00:00:big:01",),
    ("well", "r"): ("well%4:02:00::",),
    ("man", "n"): ("man%1:04:00::",),
}


def write(folder):
    """Writes the folder as Debian has it, without `lexnames`.

    Args:
        folder: A `pathlib.Path`; made.

    Returns:
        The folder.
    """
    folder.mkdir()
    offsets = _offsets()
    for pos, suffix in _SUFFIXES.items():
        lines = [_data_line(s, offsets) for s in SYNSETS if s.pos == pos]
        (folder / f"data.{suffix}").write_text(_LICENCE + "".join(lines))
        (folder / f"{suffix}.exc").write_text("men man\n" * (pos == "n"))
        places = collections.defaultdict(dict)
        for place, synset in enumerate(SYNSETS):
            for word, _ in synset.words:
                if synset.pos == pos:
                    places[_lemma(word)][place] = None
        text = "".join(
            f"{lemma} {pos} {len(found)} 0 {len(found)} 0 "
            f"{' '.join(f'{offsets[place]:08d}' for place in found)}  \n"
            for lemma, found in sorted(places.items())
        )
        (folder / f"index.{suffix}").write_text(_LICENCE + text)
    numbered = [
        (key, number)
        for keys in KEYS.values()
        for number, key in enumerate(keys, start=1)
    ]
    (folder / "index.sense").write_text(
        "".join(
            f"{key} {offsets[_place(key)]:08d} {number} 0\n"
            for key, number in sorted(numbered)
        )
    )
    return folder


def _lemma(word):
    return word.partition("(")[0].lower()


def _offsets():
    """The offset of each synset in its file."""
    nowhere = [0] * len(SYNSETS)
    ends = dict.fromkeys(_SUFFIXES, len(_LICENCE))
    offsets = []
    for synset in SYNSETS:
        offsets.append(ends[synset.pos])
        ends[synset.pos] += len(_data_line(synset, nowhere, offset=0))
    return offsets


def _data_line(synset, offsets, offset=None):
    if offset is None:
        offset = offsets[SYNSETS.index(synset)]
    words = " ".join(f"{word} {number:x}" for word, number in synset.words)
    pointers = "000"
    if synset.head is not None:
        pointers = f"001 & {offsets[synset.head]:08d} a 0000"
    frames = " 01 + 02 00" if synset.kind == "v" else ""
    return (
        f"{offset:08d} {synset.file:02d} {synset.kind} "
        f"{len(synset.words):02x} {words} {pointers}{frames} | a gloss  \n"
    )


def _place(key):
    """The place of a sense key's synset, told from file and number."""
    lemma, _, rest = key.partition("%")
    digit, file, number = map(int, rest.split(":")[:3])
    return next(
        place
        for place, synset in enumerate(SYNSETS)
        if (_DIGITS[synset.kind], synset.file) == (digit, file)
        and (lemma, number) in [(_lemma(w), n) for w, n in synset.words]
    )
