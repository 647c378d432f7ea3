"""The page as a whole."""

import html.parser
import re

import pytest

from elmo_tf.errors import InputError
from tasks.reporting.report import make_report
from tests.tasks.reporting.html_tables import read_tables
from tests.tasks.reporting.run_folders import fine_tuning
from tests.tasks.reporting.run_folders import write_results
from tests.tasks.reporting.run_folders import write_run
from tests.tasks.reporting.run_folders import write_seeds

ATTACK = '<script>alert("x")<img src=x>'


class Page(html.parser.HTMLParser):
    """The ids, the links and the names of the elements of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.names = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            elif name == "href":
                self.links.append(value)
            assert not name.startswith("on"), name
            assert name not in ("src", "style"), name


@pytest.fixture
def runs(tmp_path):
    write_seeds(
        tmp_path / "ner/none",
        {1: 0.5, 2: 0.6},
        "task.elmo.location=none",
        curve=[(10, 0.5)],
    )
    write_seeds(
        tmp_path / "ner/elmo",
        {1: 0.6, 2: 0.6},
        elmo={"elmo_input": {"gamma": 1.0, "s": [0.2, 0.5, 0.3]}},
        command=f"python -m tasks.train --model_dir='{ATTACK}'",
        examples={"train": 77},
        curve=[(10, 0.5)],
    )
    write_run(
        tmp_path / ATTACK / "a",
        "squad/bidaf_self_attention_small",
        f"task.validation_data.input_path='{ATTACK}',"
        f"task.elmo.saved_model='{ATTACK}'",
    )
    write_results(
        tmp_path / "senses",
        {
            "task": "wsd",
            "command": f"python {ATTACK}",
            "seconds": 1,
            "saved_model": ATTACK,
            "test": {
                ATTACK: {
                    "systems": {
                        ATTACK: {"instances": 1, "attempted": 1, "correct": 1}
                    }
                }
            },
        },
    )
    write_results(tmp_path / "bad" / ATTACK, {"task": ATTACK})
    return tmp_path


def test_page(runs):
    page, summary = make_report(str(runs), f"python -m tasks.report {ATTACK}")
    assert summary == {
        "runs": 5,
        "configurations": 3,
        "probes": 1,
        "left_out": 1,
        "sections": [
            "ELMo table 1: what ELMo adds",
            "ELMo table 5: word senses",
            "ELMo tables 8 to 13: other systems",
            "ELMo figure 2: learnt weights",
            "Learning curves",
            "Sizes and times",
            "Not here",
            "Left out",
            "Runs",
        ],
    }
    found = Page(page)
    assert len(set(found.ids)) == len(found.ids)
    assert {"run-1", "run-2", "run-3", "run-4"} <= set(found.ids)
    # Nothing is loaded, no link leads astray, and no name becomes markup.
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert not found.names & {"script", "img", "link", "iframe"}
    assert "&lt;script&gt;alert" in page


def test_each_figure_leads_to_its_run(runs):
    page, _ = make_report(str(runs), "x")
    entry = re.search(r'<a href="(#run-\d)">60.00 ± 0.00</a>', page)[1]
    text = re.search(
        rf'<section id="{entry[1:]}" class="run">(.*?)</section>',
        page,
        re.DOTALL,
    )[1]
    assert "<h3>2. NER: ner/elmo</h3>" in text
    assert "<pre>python -m tasks.train --model_dir=&#x27;&lt;script" in text
    assert "<dd>data/train.txt: 77 examples, 100 tokens</dd>" in text
    assert "<dd>nearest to ner/conll2003_small</dd>" in text
    assert "2 LSTM layers of 512 units" in text
    (table,) = read_tables(text)
    date = "2026-01-02T03:04:05+00:00"
    # TensorBoard's files say that a single entry took no time.
    assert table[1:] == [
        ["1", "50.00", "60.00", "10 of 20", "8", date, "ner/elmo/seed_1"],
        ["2", "50.00", "60.00", "10 of 20", "8", date, "ner/elmo/seed_2"],
    ]


def test_the_command_of_an_older_run(runs):
    page, _ = make_report(str(runs), "x")
    command = (
        "python -m tasks.train --experiment=ner/conll2003_small "
        f"--config_file={runs}/ner/none/seed_1/params.yaml "
        "--model_dir=MODEL_DIR &#x27;--params_override=seeds=[1,2]&#x27;"
    )
    assert f"<pre>{command}</pre>" in page


def test_what_is_not_there_is_told(runs):
    page, _ = make_report(str(runs), "x")
    found = {
        row[0]: row[1] for table in read_tables(page) for row in table if row
    }
    assert found["ELMo, table 2"] == "no run for it in the folder"
    assert found["BiDAF, table 5"] == "no run for it in the folder"
    assert "ELMo, table 1" not in found
    assert (
        "results.json: expected the results of a run, found something else"
        in found[f"bad/{ATTACK}"]
    )


def test_probes_alone(tmp_path):
    write_results(
        tmp_path / "tuned", fine_tuning({"wnut": ("ner/conll2003", 9, 3)})
    )
    page, summary = make_report(str(tmp_path), "x")
    assert summary["sections"] == [
        "ELMo table 7: fine-tuning",
        "Not here",
        "Runs",
    ]
    assert "none trained" in page


def test_no_runs(tmp_path):
    with pytest.raises(InputError, match="no finished run in it"):
        make_report(str(tmp_path), "x")
