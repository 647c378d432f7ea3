"""SemCor's files, packed and unpacked."""

import collections
import io
import tarfile

import pytest

from elmo_tf.errors import InputError
from tasks.wsd.semcor import read_semcor
from tasks.wsd.sense_instance import SenseInstance
from tasks.wsd.sense_sentence import SenseSentence

TEXT = """\
<contextfile concordance=brown>
<context filename=br-a01 paras=yes>
<p pnum=1>
<s snum=1>
<wf cmd=ignore pos=DT>The</wf>
<wf cmd=done rdf=group pos=NNP lemma=group wnsn=1 lexsn=1:03:00:: pn=group>Grand_Jury</wf>
<wf cmd=done pos=VB lemma=say wnsn=1 lexsn=2:32:00::>said</wf>
<punc>``</punc>
<wf cmd=done pos=VB lemma=take_place wnsn=1 lexsn=2:30:00::>took_place</wf>
<wf cmd=done pos=JJ lemma=recent wnsn=2 lexsn=5:00:00:past:00>recent</wf>
<wf cmd=done pos=VB lemma=come wnsn=0;5 lexsn=2:30:04::;2:42:04::>came</wf>
<wf cmd=done pos=NN lemma=end wnsn=0 lexsn=1:28:00::>R&amp;D</wf>
</s>
<s snum=2>
<wf cmd=done pos=RB lemma=far wnsn=2;3 lexsn=4:02:00::;4:02:01::>further</wf>
<wf cmd=done pos=JJ lemma=previous wnsn=1 lexsn=5:00:00:preceding(a):00>previous</wf>
</s>
</p>
</context>
</contextfile>
"""  # noqa: E501

SENTENCE = (
    *("The", "Grand", "Jury", "said", "``", "took", "place", "recent"),
    *("came", "R&D"),
)
INSTANCES = [
    ("group", "n", 1, 3, ("group%1:03:00::",), True),
    ("say", "v", 3, 4, ("say%2:32:00::",)),
    ("take_place", "v", 5, 7, ("take_place%2:30:00::",)),
    ("recent", "a", 7, 8, ("recent%5:00:00:past:00",)),
    ("come", "v", 8, 9, ("come%2:42:04::",)),
]
EXPECTED = {
    "brown1/br-a01": [
        SenseSentence(
            SENTENCE,
            tuple(
                SenseInstance(f"brown1/br-a01.s000.t{number:03d}", *values)
                for number, values in enumerate(INSTANCES)
            ),
        ),
        SenseSentence(
            ("further", "previous"),
            (
                SenseInstance(
                    "brown1/br-a01.s001.t000",
                    *("far", "r", 0, 1, ("far%4:02:00::", "far%4:02:01::")),
                ),
                # Without what says where it may stand.
                SenseInstance(
                    "brown1/br-a01.s001.t001",
                    *("previous", "a", 1, 2),
                    ("previous%5:00:00:preceding:00",),
                ),
            ),
        ),
    ]
}


def write_archive(folder, text=TEXT):
    with tarfile.open(folder / "semcor3.0-brown1.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo("semcor3.0/brown1/tagfiles/br-a01")
        data = text.encode("latin-1")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))


def test_packed(tmp_path):
    write_archive(tmp_path)
    assert read_semcor(tmp_path) == EXPECTED
    archive = tmp_path / "semcor3.0-brown1.tar.gz"
    assert read_semcor(archive, ("brown1",)) == EXPECTED


def test_unpacked(tmp_path):
    folder = tmp_path / "semcor3.0" / "brown1" / "tagfiles"
    folder.mkdir(parents=True)
    (folder / "br-a01").write_text(TEXT, encoding="latin-1")
    assert read_semcor(tmp_path) == EXPECTED


def test_mistakes(tmp_path):
    with pytest.raises(InputError) as info:
        read_semcor(tmp_path / "none")
    assert str(info.value) == f"{tmp_path}/none: no such folder or archive"
    with pytest.raises(InputError) as info:
        read_semcor(tmp_path, ("brown1", "brownv"))
    assert str(info.value) == (
        f"{tmp_path}: found no brown1 or brownv/tagfiles, neither in the "
        "folder nor in a *.tar.gz in it"
    )
    write_archive(tmp_path, "<s snum=1></s>")
    with pytest.raises(InputError) as info:
        read_semcor(tmp_path)
    assert str(info.value) == (
        f"{tmp_path}: the tagfile brown1/tagfiles/br-a01 has no tagged word"
    )
    (tmp_path / "semcor3.0-brown1.tar.gz").write_bytes(b"no archive")
    with pytest.raises(InputError, match="brown1.tar.gz: not a whole tar.gz"):
        read_semcor(tmp_path)


@pytest.mark.slow
def test_the_real_one(shared_data):
    """The counts are those of the framework's own SemCor (Raganato et al.)."""
    folder = shared_data / "data" / "wsd" / "semcor3.0"
    if not folder.is_dir():
        pytest.skip(f"no SemCor at {folder}")
    files = read_semcor(folder)
    assert len(files) == 352
    assert next(iter(files)) == "brown1/br-a01"
    sentences = [sentence for file in files.values() for sentence in file]
    assert len(sentences) == 37_176
    counts = collections.Counter(
        instance.pos
        for sentence in sentences
        for instance in sentence.instances
    )
    assert counts == {"n": 87_002, "v": 88_334, "a": 31_753, "r": 18_947}
    senses = {
        key
        for sentence in sentences
        for instance in sentence.instances
        for key in instance.keys
    }
    assert len(senses) == 33_362
