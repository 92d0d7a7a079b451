"""Laws of the stages on any episodes: fixpoint, provenance, no loss, undo. On the real engine, few examples each."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain.config import Limits
from brain.core.plan import Applied, Held
from brain.stages import reconcile, walk
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


@given(episodes=st.lists(EPISODES, min_size=1, max_size=3))
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
def test_walking_is_a_fixpoint_keeps_every_line_and_can_be_taken_back(engine: str, episodes: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = make_vault(Path(folder) / "v", {}, engine=engine)
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



DOIS = st.sampled_from(["doi: 10.1000/1\n", "doi: https://doi.org/10.1000/1\n", "isbn: 9783161484100\n", "doi: 10.1000/2\n", "email: a@b.org\n", ""])
MORE = st.sampled_from(["", "aliases: [Bark]\n", "alias: Bark\n", "tags: [x, y]\n", "tags:\n- z\n", "created: 2026-02-02\n", "type: entity\nkind: artifact\n", "importance: 0.5\n", 'of: "[[B]]"\n', "# mine\nrole: 'x'\n"])
BODIES = st.sampled_from([
    "", "words\n", "# A\n\nSee [[B]] and ![[C|sea]].\n", "[m](B.md#x) `[[B]]` [[B#h|t]]\n", "## Atoms\n- (fact, verified) same claim [[E]] ^a-11111\n",
    "## Atoms\n- (fact, verified) Same claim. [[F]] ^a-22222\n- (risk) other\n\n## Related\n- part_of:: [[A]] - why\n- part_of:: [[L]] - so\n", "no end [[A]]",
])  # fmt: skip
NOTES = st.builds(lambda a, b, c, body, eol: (f"---\n{a}{b}{c}---\n{body}" if a + b + c else body).replace("\n", eol), DOIS, MORE, st.sampled_from(["", "z: 1\n"]), BODIES, st.sampled_from(["\n", "\r\n"]))


def unresolved(vault: Vault) -> set[tuple[str, str]]:
    with vault.space.catalog() as conn:
        return set(conn.execute("SELECT target, status FROM link WHERE status IN ('broken','ambiguous')"))


def pair_of(receipt: Applied | Held) -> frozenset[str]:
    """The ids of the two notes that a merge is about."""
    return frozenset(receipt.plan.key.split("|")[:2])


@given(notes=st.lists(NOTES, min_size=2, max_size=4))
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
def test_merging_is_a_fixpoint_breaks_no_link_loses_no_words_and_can_be_taken_back(engine: str, notes: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = make_vault(Path(folder) / "v", {}, engine=engine)
        for name, text in [*zip("ABCD", notes, strict=False), ("L", "[[A]] [[B|b]] [c](C.md) ![[D]] [[Bark]]\n")]:
            vault.write(f"{name}.md", text)
        vault.index()
        before, broken = vault.bytes(), unresolved(vault)
        report = reconcile.run(vault.ctx)
        assert not report.failed, report.failed
        everything = b"\n".join(vault.bytes().values())
        for word in (b"words", b"no end", b"other", b"role", b"z: 1", b"part_of:: [[L]] - so", b"[[E]]", b"[[F]]"):
            assert (word in b"\n".join(before.values())) <= (word in everything), word
        assert unresolved(vault) <= broken
        assert reconcile.run(vault.ctx).is_empty
        if report.applied:
            assert not undo(vault.ctx).left
        assert vault.bytes() == before
        vault.index()
        again = reconcile.run(vault.ctx)  # with both notes back there may be a question about either and a third one
        assert not again.applied and not again.failed and vault.bytes() == before
        assert {pair_of(held) for held in again.held}.isdisjoint({pair_of(done) for done in report.applied})
