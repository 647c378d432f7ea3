"""SemCor's files, packed and unpacked."""

import io
import tarfile

import pytest

from benchmarks.semcor import read_semcor
from elmo_tf.errors import InputError
from elmo_tf.senses.occurrence import Occurrence

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
<wf cmd=done pos=RB lemma=far wnsn=2 lexsn=4:02:00::>further</wf>
</s>
</p>
</context>
</contextfile>
"""  # noqa: E501

SENTENCE = (
    *("The", "Grand", "Jury", "said", "``", "took", "place", "recent"),
    *("came", "R&D"),
)
EXPECTED = {
    "br-a01": [
        Occurrence("say%v", "2:32:00::", SENTENCE, 3),
        Occurrence("recent%a", "5:00:00:past:00", SENTENCE, 7),
        Occurrence("far%r", "4:02:00::", ("further",), 0),
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


def test_unpacked(tmp_path):
    folder = tmp_path / "semcor3.0" / "brown1" / "tagfiles"
    folder.mkdir(parents=True)
    (folder / "br-a01").write_text(TEXT, encoding="latin-1")
    assert read_semcor(tmp_path) == EXPECTED


def test_mistakes(tmp_path):
    with pytest.raises(InputError) as info:
        read_semcor(tmp_path / "none")
    assert str(info.value) == f"{tmp_path}/none: no such folder"
    with pytest.raises(InputError) as info:
        read_semcor(tmp_path)
    assert str(info.value) == (
        f"{tmp_path}: found no brown1/tagfiles, neither in the folder nor in a "
        "*.tar.gz in it"
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


def test_the_real_one(shared_data):
    folder = shared_data / "data" / "wsd" / "semcor3.0"
    if not folder.is_dir():
        pytest.skip(f"no SemCor at {folder}")
    files = read_semcor(folder)
    assert len(files) == 103
    assert next(iter(files)) == "br-a01"
    assert files["br-a01"][0].word == "say%v"
    assert sum(map(len, files.values())) > 90_000
