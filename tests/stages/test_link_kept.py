"""Looking over the whole vault for unlinked mentions is done once for each state of the index."""

from __future__ import annotations

from dataclasses import replace

from brain.config import Limits
from brain.facade import Brain
from brain.stages.linking.candidates import survey
from brain.stages.linking.kept import FILE_NAME, kept_mentions
from brain.stages.linking.mentions import Mentions, Unlinked
from brain.sync.run import sync
from tests.stages.conftest import Make
from tests.stages.support import NOW, Vault

FOUND = Mentions((Unlinked(1, 2, 3, "boat", 4), Unlinked(2, 1, 1, "häfen “x”", 2)), 7)


def looks(vault: Vault, ctx: object = None) -> int:
    """Asks for the mentions and returns how often the vault was looked over for that."""
    calls: list[int] = []

    def look() -> Mentions:
        calls.append(1)
        return FOUND

    assert kept_mentions(ctx or vault.ctx, look) == FOUND  # type: ignore[arg-type]
    return len(calls)


def test_it_is_looked_for_once_and_again_when_a_note_changes(make: Make) -> None:
    vault = make({"Boat.md": "a\n", "Port.md": "b\n"} | {f"{n}.md": "c\n" for n in range(9)})
    assert [looks(vault), looks(vault)] == [1, 0]
    vault.write("Boat.md", "another\n")
    vault.index()
    assert [looks(vault), looks(vault)] == [1, 0]


def test_a_rebuild_from_other_files_is_another_state(make: Make) -> None:
    vault = make({"Boat.md": "a\n"})
    looks(vault)
    for text in ("bc\n", "a longer text\n"):
        vault.write("Boat.md", text)
        sync(vault.space, full=True, embed=False, now=NOW)
        assert [looks(vault), looks(vault)] == [1, 0]


def test_other_settings_are_another_question(make: Make) -> None:
    vault = make({"Boat.md": "a\n"})
    looks(vault)
    ctx = replace(vault.ctx, config=replace(vault.ctx.config, limits=Limits(link_chars_max=9)))
    assert looks(vault, ctx) == 1


def test_what_cannot_be_read_counts_as_not_there(make: Make) -> None:
    vault = make({"Boat.md": "a\n"})
    for broken in (b"", b"{}", b'{"key": 1, "found": 3}', b"\xff"):
        (vault.root / ".brain" / "index" / FILE_NAME).write_bytes(broken)
        assert looks(vault) == 1


def test_a_rebuild_that_numbers_notes_anew_is_another_state(make: Make) -> None:
    vault = make({"Boat.md": "a\n", "Zed.md": "We saw the Boat and Keel.\n"})
    vault.write("Keel.md", "heavy\n")
    vault.index()
    before = named(vault)
    sync(vault.space, full=True, embed=False, now=NOW)
    Brain(vault.space).reinforce("Boat")  # the same generation as before, of the same files
    assert named(vault) == before == [("Zed.md", "Boat.md"), ("Zed.md", "Keel.md")]


def named(vault: Vault) -> list[tuple[str, str]]:
    found = survey(vault.ctx)
    return [(found.live[mention.source].path, found.live[mention.target].path) for mention in found.mentions.found]
