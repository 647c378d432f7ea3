"""Files of text, of corpora and of configurations, and archives."""

import functools
import gzip
import hashlib
import io
import os
import tarfile
import zipfile

from bidaf_tf import cloze_data
from bidaf_tf import squad
from elmo_tf import experiments
from elmo_tf.bulk.corpus_plan import CorpusPlan
from elmo_tf.checksums import check_checksums
from elmo_tf.errors import InputError
from elmo_tf.saved_model import open_saved_model
from elmo_tf.text import shards
from elmo_tf.training.overrides import override
from elmo_tf.training.overrides import read_overrides
from tasks.coref import data as coref_data
from tasks.downloads.archives import extract
from tasks.ner import data as ner_data
from tasks.pos import data as pos_data
from tasks.snli import data as snli_data
from tasks.srl import data as srl_data
from tasks.srl.file_layout import LAYOUTS
from tasks.sst import data as sst_data
from tasks.task_shape import TaskShape
from tasks.text import column_file
from tasks.wsd.evaluation_framework import read_framework_file
from tasks.wsd.semcor import read_semcor
from tests.elmo_tf.serving import toy_model
from tests.fuzz import samples
from tests.fuzz.fuzz_target import FuzzTarget
from tests.fuzz.fuzz_target import check_message
from tests.fuzz.fuzz_target import file_target
from tests.fuzz.fuzz_target import scratch_folder

_COLUMN_TOKENS = (
    *(b"\t", b"-DOCSTART-", b"#begin document (a); part 000", b"# newdoc"),
    *(b"B-PER", b"I-LOC", b"L-X", b"U-", b"O", b"_", b"*", b"(A0*", b"*)"),
    *(b"1-2", b"5.1", b"# global.columns = ID FORM UP:PRED UP:ARGSPANS"),
    *(b"(0|(1", b"0)", b"#end document", b"A0:1-2|A1:3-3"),
)
_TREE_TOKENS = (b"(", b")", b"(3 ", b"(NNP ", b"-NONE-", b"-LRB-", b"/NN", b"]")
_XML_TOKENS = (
    *(b"<sentence>", b"</sentence>", b"<wf>", b"</wf>", b"</instance>"),
    *(b'<instance id="a" lemma="b" pos="NOUN">', b"<!DOCTYPE a [", b"]>"),
    *(b'<!ENTITY a "aaaa">', b"&a;", b"&#0;", b"<![CDATA[", b"]]>"),
    *(b'encoding="utf-7"', b'encoding="euc-jp"', b'encoding="utf-16"'),
)


def targets():
    """Returns a list of `FuzzTarget`."""
    return [
        file_target(
            "column_file", _read_columns, samples.columns, _COLUMN_TOKENS
        ),
        file_target("ner", _read_ner, lambda: [samples.NER], _COLUMN_TOKENS),
        file_target(
            "pos", _read_pos, samples.pos, _COLUMN_TOKENS + _TREE_TOKENS
        ),
        file_target("sst", _read_sst, lambda: [samples.SST], _TREE_TOKENS),
        file_target(
            "snli",
            _read_snli,
            samples.snli,
            (b"\t", b"gold_label", b"sentence1", b"-", b"entailment"),
            is_json=True,
        ),
        file_target(
            "squad", _read_squad, lambda: [samples.SQUAD], is_json=True
        ),
        file_target(
            "squad_answers",
            _read_answers,
            lambda: [samples.PREDICTIONS, samples.N_BEST],
            is_json=True,
        ),
        file_target(
            "coref_conll",
            _read_coref,
            lambda: [samples.CONLL_2012],
            _COLUMN_TOKENS,
            "file.conll",
        ),
        file_target(
            "coref_json",
            _read_coref,
            lambda: [samples.COREF_JSON],
            file_name="file.jsonlines",
            is_json=True,
        ),
        file_target("srl", _read_srl, samples.srl, _COLUMN_TOKENS),
        file_target(
            "cloze",
            _read_cloze,
            lambda: [samples.CLOZE],
            (b"@entity1", b"@placeholder", b":", b"\n\n"),
            "file.question",
        ),
        file_target(
            "cloze_archive", _read_cloze, _cloze_archives, file_name="file.tgz"
        ),
        file_target("wsd_xml", _read_xml, lambda: [samples.XML], _XML_TOKENS),
        file_target("wsd_keys", _read_keys, lambda: [samples.KEYS]),
        file_target(
            "semcor",
            _read_tagfile,
            lambda: [samples.SEMCOR],
            (b"<s snum=1>", b"</s>", b"<wf ", b"</wf>", b"&lt;", b"wnsn=1;2"),
        ),
        file_target(
            "semcor_archive",
            read_semcor,
            _semcor_archives,
            file_name="a.tar.gz",
        ),
        file_target(
            "corpus", _read_corpus, lambda: [b"a b\n\nc\n", gzip.compress(b"a")]
        ),
        FuzzTarget(
            "overrides",
            _read_overrides,
            samples.overrides,
            (
                b"&a ",
                b"*a",
                b"!!int ",
                b"!!binary ",
                b"? ",
                b"<<: ",
                b"2001-1-1",
            ),
        ),
        file_target(
            "task_shape",
            _read_shape,
            lambda: [samples.TASK_SHAPE],
            file_name="task.json",
            is_json=True,
        ),
        file_target("archive", _read_archive, _archives),
        file_target(
            "checksums",
            _read_checksums,
            lambda: [_checksums()],
            (b"../", b"/dev/zero", b"  ", b"0" * 64),
            file_name="SHA256SUMS",
        ),
        file_target(
            "corpus_plan",
            _read_plan,
            lambda: [samples.PLAN],
            file_name="plan.json",
            is_json=True,
        ),
        FuzzTarget("saved_model", _read_saved_model, _saved_models),
    ]


def _try(path, read, *arguments, **options):
    """Calls a reader; None if it refuses the file."""
    try:
        return read(*arguments, **options)
    except InputError as error:
        check_message(error, path)
    return None


def _read_columns(path):
    for options in (
        {},
        {"comments": True, "columns_vary": True, "document_start": None},
        {"delimiter": "\t"},
    ):
        _try(
            path, lambda o=options: list(column_file.read_sentences(path, **o))
        )


def _read_ner(path):
    read = functools.partial(ner_data.read_examples, path)
    examples = _try(path, read, "BIOUL")
    if examples:
        classes = ner_data.classes_of(examples)
        ner_data.check_classes(examples, classes)
        ner_data.write_examples(
            examples, [example.tags for example in examples], io.StringIO()
        )
    _try(path, ner_data.read_sentences_to_tag, path)


def _read_pos(path):
    for column in ("upos", "xpos"):
        examples = _try(path, pos_data.read_examples, path, column)
        if examples:
            tags = [example.tags for example in examples]
            pos_data.write_examples(examples, tags, column, io.StringIO())
    _try(path, pos_data.read_sentences_to_tag, path)


def _read_sst(path):
    _try(path, sst_data.read_examples, path, "fine", 1)
    _try(path, sst_data.read_examples, path, "binary")
    _try(path, sst_data.read_sentences_to_label, path)


def _read_snli(path):
    _try(path, snli_data.read_examples, path)
    _try(path, snli_data.read_pairs_to_label, path)


def _read_squad(path):
    data = _try(path, squad.read_data, path, keep_unanswerable=True)
    if data is not None:
        # What was read can be written.
        squad.write_data(f"{path}.copy", data.questions)
    _try(path, squad.read_questions, path)


def _read_answers(path):
    predictions = _try(path, squad.read_predictions, path)
    if predictions is not None:
        squad.write_predictions(f"{path}.copy", predictions)
    answers = _try(path, squad.read_n_best, path)
    if answers is not None:
        squad.write_n_best(f"{path}.copy", answers)


def _read_coref(path):
    documents = coref_data.read_documents(path)
    for ending in ("conll", "jsonlines"):
        copy = f"{path}.copy.{ending}"
        write = coref_data.find_writer(copy)
        try:
            write(copy, documents)
        except InputError as error:
            # Mentions that cross, which brackets cannot show.
            check_message(error, path)
            continue
        read = coref_data.read_documents(copy)
        assert [document.sentences for document in read] == [
            document.sentences for document in documents
        ]


def _read_srl(path):
    for layout in (None, *LAYOUTS):
        sentences = _try(path, srl_data.read_sentences, path, layout)
        if sentences and layout is None:
            for sentence in sentences:
                assert sentence.place(0).startswith(path)
    _try(path, srl_data.read_sentences, path, None, path)


def _read_cloze(path):
    _try(path, cloze_data.read_questions, path)
    _try(path, cloze_data.read_questions, path, with_answers=False)
    _try(path, cloze_data.read_questions, f"{path}/cnn")


def _write(name, content):
    path = os.path.join(scratch_folder(), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
    return path


def _read_xml(path):
    _write("set.gold.key.txt", samples.KEYS)
    data_path = os.path.join(scratch_folder(), "set.data.xml")
    os.replace(path, data_path)
    read_framework_file(data_path)


def _read_keys(path):
    data_path = _write("other.data.xml", samples.XML)
    os.replace(path, os.path.join(scratch_folder(), "other.gold.key.txt"))
    read_framework_file(data_path)


def _read_tagfile(path):
    folder = os.path.join(scratch_folder(), "semcor")
    tagfile = os.path.join(folder, "brown1", "tagfiles", "br-a01")
    os.makedirs(os.path.dirname(tagfile), exist_ok=True)
    os.replace(path, tagfile)
    read_semcor(folder)


def _read_corpus(path):
    lines = _try(path, lambda: list(shards.read_lines(path)))
    if lines is not None:
        sentences = _try(path, lambda: list(shards.read_sentences(path)))
        assert sentences is None or len(sentences) <= len(lines)


def _read_overrides(data):
    text = data.decode("utf-8", "replace")
    path = _write("overrides.yaml", data)
    for given, named in ((text, "--params_override"), (path, path)):
        try:
            changes = read_overrides(given, "--params_override")
            config = experiments.mini()
            override(config, changes, f"--params_override: {named}")
        except InputError as error:
            check_message(error, "--params_override")


def _read_shape(path):
    TaskShape.load(os.path.dirname(path))


def _archive(files, mode):
    buffer = io.BytesIO()
    if mode == "zip":
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return buffer.getvalue()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def _cloze_archives():
    files = {"cnn/a.question": samples.CLOZE, "cnn/b.question": samples.CLOZE}
    return [_archive(files, mode) for mode in ("w:", "w:gz", "w:xz", "w:bz2")]


def _semcor_archives():
    files = {"semcor3.0/brown1/tagfiles/br-a01": samples.SEMCOR}
    return [_archive(files, mode) for mode in ("w:gz", "w:")]


def _archives():
    files = {"./a/b.txt": b"text\n", "../c": b"outside"}
    return [_archive(files, mode) for mode in ("w:gz", "zip")]


def _read_archive(path):
    output = os.path.join(scratch_folder(), "extracted")
    os.makedirs(output, exist_ok=True)
    try:
        extract(path, {"b.txt": "a/b.txt"}, output, path)
    except OSError as error:
        # Said as it is by the binaries.
        assert "\n" not in str(error)


def _checksums():
    _write("sums/a.txt", b"text\n")
    digest = hashlib.sha256(b"text\n").hexdigest()
    return f"{digest}  a.txt\n".encode()


def _read_checksums(path):
    _checksums()
    folder = os.path.join(scratch_folder(), "sums")
    os.replace(path, os.path.join(folder, "SHA256SUMS"))
    check_checksums(folder)


def _read_plan(path):
    CorpusPlan.load(os.path.dirname(path))


def _toy_folder():
    folder = os.path.join(scratch_folder(), "saved_model")
    if not os.path.exists(folder):
        toy_model.save(folder)
    return folder


@functools.cache
def _saved_models():
    with open(os.path.join(_toy_folder(), "saved_model.pb"), "rb") as file:
        return [file.read()]


def _read_saved_model(data):
    _saved_models()
    folder = _toy_folder()
    with open(os.path.join(folder, "saved_model.pb"), "wb") as file:
        file.write(data)
    try:
        open_saved_model(folder)
    except InputError as error:
        check_message(error, folder)
