"""The README and docs: their links, commands, options and code."""

import importlib
import pathlib
import re
import shlex

import pytest

from elmo_tf.experiments import PretrainingConfig
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import override
from elmo_tf.training.overrides import read_overrides
from elmo_tf.training.overrides import to_dict

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
# Where the checkout is not there as a whole (Bazel), what there is of it.
PAGES = [
    REPOSITORY / "README.md",
    *sorted((REPOSITORY / "docs").glob("*.md")),
]
PAGE_IDS = [page.name for page in PAGES]


def blocks(page, language):
    text = page.read_text(encoding="utf-8")
    pattern = rf"^```{language}\n(.*?)^```"
    return re.findall(pattern, text, re.MULTILINE | re.DOTALL)


def commands():
    """Every `python -m elmo_tf.NAME …` of the pages: name and arguments."""
    found = []
    for page in PAGES:
        for block in blocks(page, "sh"):
            block = block.replace("\\\n", " ")
            for line in block.splitlines():
                match = re.search(r"python -m elmo_tf\.(\w+)(.*)", line)
                if match:
                    arguments = shlex.split(match[2].removesuffix("&"))
                    found.append((match[1], arguments))
    return found


@pytest.mark.parametrize("page", PAGES, ids=PAGE_IDS)
def test_links(page):
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)]+)\)", text)
    for link in links:
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.is_relative_to(REPOSITORY / "docs") or PAGES[1:]:
            assert target.exists(), link
        if anchor and target.exists():
            assert anchor in anchors(target), link


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
        for heading in headings
    }


@pytest.mark.parametrize("page", PAGES, ids=PAGE_IDS)
def test_python_code_compiles_and_its_names_exist(page):
    package = importlib.import_module("elmo_tf")
    for block in blocks(page, "python"):
        compile(block, str(page), "exec")
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"\belmo_tf\.([A-Z]\w+|dump_\w+|load_\w+)", text):
        assert name in package.__all__, name


def test_there_are_commands():
    assert {name for name, _ in commands()} == {
        "build_vocab",
        "embed",
        "embed_corpus",
        "evaluate",
        "export",
        "serve",
        "tokenize_text",
        "train",
    }


@pytest.mark.parametrize("name", sorted({name for name, _ in commands()}))
def test_flags_exist(name):
    # Flags of several binaries cannot be in one process.
    source = (REPOSITORY / "elmo_tf" / f"{name}.py").read_text()
    if "embedding_flags" in source:
        shared = REPOSITORY / "elmo_tf" / "embedding_flags.py"
        source += shared.read_text()
    own = set(re.findall(r"flags\.DEFINE_\w+\(\s*\"(\w+)\"", source))
    for command, arguments in commands():
        if command == name:
            given = {re.match(r"--(\w+)", text)[1] for text in arguments}
            assert given <= own, arguments


def test_overrides_are_options():
    n_tested = 0
    for name, arguments in commands():
        if name == "train":
            values = dict(text[2:].split("=", 1) for text in arguments)
            changes = read_overrides(values["params_override"], "page")
            override(experiment_config(values["experiment"]), changes, "page")
            n_tested += 1
    assert n_tested >= 2


def test_the_table_of_options_is_complete():
    page = REPOSITORY / "docs" / "pretraining.md"
    if not page.exists():
        pytest.skip("no docs here")
    listed = set(
        re.findall(
            r"^\| `((?:task|trainer|runtime)\.[\w.*]+)` \|",
            page.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    )
    config = experiment_config("elmo/small")
    assert isinstance(config, PretrainingConfig)
    expected = {"task.model.*"}
    for part, values in to_dict(config).items():
        for name, value in values.items():
            if name in ("train_data", "validation_data"):
                expected |= {f"{part}.{name}.{key}" for key in value}
            elif name != "model":
                expected.add(f"{part}.{name}")
    assert listed == expected
