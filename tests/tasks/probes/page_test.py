import pytest

from tasks.probes.page import write_page


@pytest.mark.parametrize(
    "note, end", [(None, "| a |\n"), ("As is.", "| a |\n\nAs is.\n")]
)
def test_a_page(tmp_path, monkeypatch, note, end):
    monkeypatch.setattr("sys.argv", ["x.py", "--output=a b"])
    path = tmp_path / "table.md"
    write_page(path, "Title", "tasks.probes.x", "| a |", note)
    assert path.read_text() == (
        "# Title\n\nMade by\n\n```sh\n"
        f"python -m tasks.probes.x '--output=a b'\n```\n\n{end}"
    )
