from tasks.markdown_table import markdown_table


def test_a_table_is_aligned_markdown():
    text = markdown_table(["name", "n"], [["a", "1,000"], ["longer", "—"]])
    assert text.splitlines() == [
        "| name   |     n |",
        "|--------|------:|",
        "| a      | 1,000 |",
        "| longer |     — |",
    ]
