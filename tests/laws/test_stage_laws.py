"""Laws of the stages on any episodes: fixpoint, provenance, no loss, undo. On the real engine, few examples each."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain.config import Limits
from brain.core.plan import Applied
from brain.stages import walk
from brain.stages.undo import undo
from brain.vault.parse import parse_note
from tests.stages.support import Vault, make_vault

NAMES = ["Boat", "boat", "Harbour Map", "Ada", "Old", "C++", "a/b", "E1", "2026-03-04", "日本", "What: now?", "x.png", "Boat|it", "Boat#Atoms", "Twin"]
SAID = ["{} leaks", "{} leaks.", "we met {} (from 2026-01-01)", "{}", "see {} and [[Boat]]", "{} is **big** `code` ^blk", "{} (fact, verified) ^a-12345", "über {} é", "{} %% no %% yes", "goes on with {}\nin a second line"]
MARKS = ["Decision: ", "- **Risk:** ", "* Fact: ", "Person: ", "Event: ", "> Fact: ", "- [ ] Fact: ", "Note: ", "", "1. Open question: "]
LINES = st.one_of(
    st.builds(lambda mark, said, name: mark + said.format(f"[[{name}]]"), st.sampled_from(MARKS), st.sampled_from(SAID), st.sampled_from(NAMES)),
    st.builds(lambda a, b: f"[[{a}]] depends_on:: [[{b}]] - since today", st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.sampled_from(["", "## Atoms", "```", "words", "%%", "---"]),
)
FRONTS = ["", "---\ntype: episode\n---\n", "---\ntype: episode\ncreated: 2026-03-04\n# mine\n---\n", "---\na: b: c\n---\n", "---\r\ntype: episode\r\n---\r\n"]
EPISODES = st.builds(lambda front, lines, eol: front + eol.join(lines), st.sampled_from(FRONTS), st.lists(LINES, max_size=7), st.sampled_from(["\n", "\r\n"]))
OTHERS = {
    "Boat.md": "---\nmine: 1 # kept\n---\nOld words.\n\n## Atoms\n- a person's own claim\n", "People/Ada.md": "---\r\ntype: entity\r\nkind: person\r\n---\r\nHi.\r\n",
    "Old.md": '---\nstatus: superseded\nsuperseded_by: "[[Boat]]"\n---\n', "a/Twin.md": "1\n", "b/Twin.md": "2\n",
}  # fmt: skip


def check_provenance(vault: Vault) -> None:
    atoms = {a.id: a for path, data in vault.bytes().items() for a in parse_note(path, data.decode("utf-8", "surrogateescape"), Limits()).atoms}
    for record in vault.space.journal.records({"provenance"}):
        episode = vault.text(record["episode"])
        lines = [line.rstrip("\r") for line in episode.split("\n")]
        quote = [line.rstrip("\r") for line in record["quote"].split("\n")]
        assert lines[record["line"] - 1 :][: len(quote)] == quote
        if record["item"].startswith("a-"):
            assert record["episode"].rsplit("/", 1)[-1][:-3] in [s.rsplit("/", 1)[-1] for s in atoms[record["item"]].sources]


@given(st.lists(EPISODES, min_size=1, max_size=3))
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
def test_walking_is_a_fixpoint_keeps_every_line_and_can_be_taken_back(episodes: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = make_vault(Path(folder) / "v", {})
        for path, text in [*OTHERS.items(), *((f"Inbox/E{n}.md", text) for n, text in enumerate(episodes, 1))]:
            vault.write(path, text)
        vault.index()
        before = vault.bytes()
        report = walk.run(vault.ctx)
        assert not report.failed, report.failed
        check_provenance(vault)
        for path, data in before.items():
            kept = [line for line in data.split(b"\n") if line.strip() and not line.startswith((b"last_confirmed", b"source"))]
            now = vault.bytes()[path].split(b"\n")
            for line in kept:
                assert any(other == line or other.startswith(line.rstrip(b"\r")) for other in now), (path, line)
        vault.index()
        assert walk.run(vault.ctx).is_empty
        if any(isinstance(receipt, Applied) and receipt.patches for receipt in report.receipts):
            assert not undo(vault.ctx).left
        assert vault.bytes() == before
        vault.index()
        assert walk.run(vault.ctx).is_empty

