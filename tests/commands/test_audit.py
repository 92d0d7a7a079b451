"""`brain runs` and `brain explain` as a person types them."""

from __future__ import annotations

from pathlib import Path

from tests.commands.support import run


def made(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "Boat.md").write_text("It turned out that the boat [depends_on:: [[Keel]]] since spring.\n")
    (root / "Keel.md").write_text("A keel.\n")
    assert run("index", vault=root).code == 0
    return root


def test_before_any_run_there_is_nothing_to_show(tmp_path: Path) -> None:
    shown = run("runs", vault=made(tmp_path))
    assert (shown.code, shown.out) == (0, "No run has written anything yet.\n")


def test_a_run_its_items_and_why_a_relation_stands(tmp_path: Path) -> None:
    root = made(tmp_path)
    assert run("link", vault=root).code == 0
    (entry,) = run("runs", "--json", vault=root).json
    assert entry["run"] in run("runs", vault=root).out and "1 written" in run("runs", vault=root).out
    item = entry["items"][0]["item"]
    assert item in run("runs", entry["run"], vault=root).out
    shown = run("explain", "Boat", "depends_on", "Keel", vault=root).out
    assert "from Boat.md:1" in shown and "judge:  rules/1" in shown and f"brain undo {item}" in shown
    told = run("explain", item, "--json", vault=root).json
    assert told["decisions"][0]["made"] == ["Boat.md|depends_on|Keel.md"]


def test_what_is_not_there_ends_in_one_and_says_what_to_type(tmp_path: Path) -> None:
    root = made(tmp_path)
    for words in (("explain", "nobody"), ("explain", "a-00000000"), ("runs", "r-none"), ("explain", "Boat", "part_of", "Keel")):
        ended = run(*words, vault=root)
        assert ended.code == 1 and "cure:" in ended.err and not ended.out
