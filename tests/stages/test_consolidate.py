"""A note with too many claims says each thing once: nothing is invented, nothing that only one claim says is lost, and no reference breaks."""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from brain.config import Limits
from brain.core.asking import Failure, Reply, Request, estimated_cost
from brain.errors import UsageError
from brain.stages import consolidate
from brain.stages.report import RunReport
from brain.stages.undo import undo
from brain.vault.parse import parse_note
from tests.models.judging import ticket_of
from tests.stages.conftest import Make
from tests.stages.support import Vault, make_vault
from tests.stages.teller import Teller, block, judged
from tests.stages.test_written_links import EXAMPLES

EPISODES = {f"Archive/{name}.md": "---\ntype: episode\n---\nsaid\n" for name in ("call", "mail", "talk")}
LEAKS = "- (fact, inferred) The boat leaks. [[call]] ^a-1"
LEAKS_TOO = "- (fact, inferred) The  boat leaks [[mail]] ^a-2"
OTHER = "- (fact, inferred) The keel is red. [[talk]] ^a-3"
Says = Callable[[str, str], dict[str, Any] | None]
OWN = {"verdict": "other", "keep": None, "reason": None}


def boat(*bullets: str, eol: str = "\n", **more: str) -> dict[str, str]:
    text = "---\ntype: entity\n---\nMine.\n\n## Atoms\n" + "\n".join(bullets) + "\n\n## Related\n- part_of:: [[Fleet]]\n"
    return {"Boat.md": text.replace("\n", eol), "Fleet.md": "ships\n", **EPISODES, **{f"{name}.md": body for name, body in more.items()}}


def same(keep: str = "A", reason: str = "Both say it.") -> dict[str, Any]:
    return {"verdict": "same", "keep": keep, "reason": reason}


@dataclass
class Matcher(Teller):
    """A chat that says which claims are the same; `claims` keeps what it was asked about."""

    says: Says = lambda left, right: OWN
    claims: list[tuple[str, str]] = field(default_factory=list)

    def ask(self, request: Request) -> Reply | Failure:
        self.calls += 1
        if self.failure is not None:
            return self.failure
        items = []
        for number, left, right in re.findall(r"^(\d+)\. about .*\n   A: (.*)\n   B: (.*)$", block(request.data, "pairs"), re.M):
            self.claims.append((left, right))
            said = self.says(left, right)
            items += [{"pair": int(number), **said}] if said is not None else []
        reply = json.dumps({"request": ticket_of(request), "pairs": items})
        return Reply(reply, estimated_cost(request, reply))


def fold(vault: Vault, *, ceiling: int = 1, dry_run: bool = False, limit: int | None = None, chat: Matcher | None = None, **more: Any) -> RunReport:
    ctx = vault.ctx if chat is None else judged(vault, chat, **more)
    return consolidate.run(ctx, ceiling=ceiling, limit=limit, dry_run=dry_run)


def atoms(vault: Vault) -> list[str]:
    return vault.text("Boat.md").replace("\r\n", "\n").split("## Atoms\n")[1].split("\n\n")[0].splitlines()


# Rules


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_equal_claims_become_one_with_the_sources_of_both(make: Make, eol: str) -> None:
    vault = make(boat(LEAKS, OTHER, LEAKS_TOO, eol=eol))
    (receipt,) = fold(vault).applied
    assert atoms(vault) == ["- (fact, inferred) The boat leaks. [[call]] [[mail]] ^a-1", OTHER]
    assert receipt.plan.because == "Boat.md: “The boat leaks.” (^a-1) stands for “The  boat leaks” (^a-2): it says the same in the same words"
    assert vault.text("Boat.md").count(eol) == vault.text("Boat.md").count("\n")


def test_a_source_that_both_name_in_their_own_way_is_named_once(make: Make) -> None:
    vault = make(boat(LEAKS, "- (fact, inferred) The boat leaks. [[Archive/call|there]] ^a-2"))
    fold(vault)
    assert atoms(vault) == [LEAKS]


def test_a_note_that_does_not_have_more_claims_than_the_ceiling_is_left_alone(make: Make) -> None:
    vault = make(boat(LEAKS, LEAKS_TOO))
    before = vault.bytes()
    assert fold(vault, ceiling=2).is_empty and vault.bytes() == before


def test_claims_that_are_closed_do_not_count(make: Make) -> None:
    vault = make(boat(LEAKS, LEAKS_TOO, "- (fact, inferred, superseded 2026-01-01) It floats. ^a-9"))
    assert fold(vault, ceiling=2).is_empty and len(fold(vault, ceiling=1).applied) == 1


def test_the_earliest_day_stays(make: Make) -> None:
    vault = make(boat("- (fact, inferred) The boat leaks. (from 2026-03-01) [[call]] ^a-1", "- (fact, inferred) The boat leaks. (from 2026-01-01) [[mail]] ^a-2", LEAKS.replace("a-1", "a-4")))
    fold(vault)
    assert atoms(vault) == ["- (fact, inferred) The boat leaks. (from 2026-01-01) [[mail]] [[call]] ^a-2"]


@pytest.mark.parametrize("other", [
    "- (fact, inferred) The boat leaks. (to 2026-01-01) ^a-2", "- (risk, inferred) The boat leaks. ^a-2", "- (fact, inferred) The boat leaks? ^a-2",
    "- (fact, inferred) The boat leaks not. [[call]] ^a-2", "- (fact, inferred) The boat leaks, but not much. [[call]] ^a-2",
    "- (fact, inferred) The boat leaks, says the mail. [[mail]] ^a-2", "- (fact, inferred) The boat leaks oil. [[call]] ^a-2",
])  # fmt: skip
def test_what_says_something_of_its_own_stays(make: Make, other: str) -> None:
    vault = make(boat(LEAKS, other))
    before = vault.bytes()
    report = fold(vault)
    assert report.is_empty and vault.bytes() == before
    assert report.notices == ("1 note still above 1 claim: Boat.md (2); a language model can tell more of them apart.",)


def test_the_surer_claim_stays(make: Make) -> None:
    vault = make(boat(LEAKS, "- (fact, verified) The boat leaks. [[mail]] ^a-2"))
    fold(vault)
    assert atoms(vault) == ["- (fact, verified) The boat leaks. [[mail]] [[call]] ^a-2"]


def test_words_that_differ_in_articles_and_marks_stay_as_a_closed_claim(make: Make) -> None:
    vault = make(boat(LEAKS, "- (fact, inferred) Boat leaks! [[mail]] ^a-2"))
    fold(vault)
    assert atoms(vault) == [
        "- (fact, inferred) The boat leaks. [[call]] [[mail]] ^a-1", "- (fact, inferred, superseded 2026-05-01 by ^a-1) Boat leaks! [[mail]] ^a-2",
    ]
    with vault.ctx.graph.session() as graph:
        rows = graph.execute("MATCH (b:Atom)-[:REPLACES]->(a:Atom) RETURN b.id AS later, a.id AS earlier, a.valid_to AS ended")
    assert rows == [{"later": "a-1", "earlier": "a-2", "ended": None}]  # it has not ended: it is said elsewhere


def test_a_claim_that_a_longer_one_from_the_same_source_begins_with_is_closed_for_it(make: Make) -> None:
    longer = "- (fact, inferred) The boat leaks, at the stern. [[call]] [[mail]]"
    vault = make(boat(LEAKS, longer))
    fold(vault)
    closed, kept = atoms(vault)
    name = kept.rpartition("^")[2]
    assert kept == f"{longer} ^{name}" and closed == f"- (fact, inferred, superseded 2026-05-01 by ^{name}) The boat leaks. [[call]] ^a-1"


@pytest.mark.parametrize("reference", ["[[Boat#^a-2]]", "![[Boat#^a-2|it]]", "[it](Boat.md#^a-2)", "[[boat#^A-2]]"])
def test_a_claim_that_a_link_names_keeps_its_id_and_its_place(make: Make, reference: str) -> None:
    vault = make(boat(LEAKS, LEAKS_TOO, OTHER, Log=f"See {reference}\n"))
    fold(vault)
    assert [line for line in atoms(vault) if line.endswith("^a-2")] and reference in vault.text("Log.md")
    assert parse_note("Boat.md", vault.text("Boat.md"), Limits()).block_ids.keys() >= {"a-2"}


def test_of_two_equal_claims_that_links_name_both_stay(make: Make) -> None:
    vault = make(boat(LEAKS, LEAKS_TOO, Log="[[Boat#^a-1]] and [[Boat#^a-2]]\n"))
    fold(vault)
    assert atoms(vault) == [
        "- (fact, inferred) The boat leaks. [[call]] [[mail]] ^a-1", "- (fact, inferred, superseded 2026-05-01 by ^a-1) The  boat leaks [[mail]] ^a-2",
    ]


def test_a_claim_that_replaced_another_keeps_its_id(make: Make) -> None:
    vault = make(boat(LEAKS, LEAKS_TOO, "- (fact, inferred, superseded 2026-01-01 by ^a-2) The boat is tight. ^a-9"))
    fold(vault)
    assert atoms(vault)[0].endswith("[[mail]] [[call]] ^a-2") and "by ^a-2) The boat is tight. ^a-9" in atoms(vault)[1] and len(atoms(vault)) == 2


def test_a_block_id_that_two_equal_claims_have_stays_once(make: Make) -> None:
    vault = make(boat(LEAKS, LEAKS_TOO.replace("a-2", "a-1"), LEAKS, f"{LEAKS}\n1. of it", Log="[[Boat#^a-1]]\n"))
    before = vault.bytes()
    fold(vault)
    assert atoms(vault) == ["- (fact, inferred) The boat leaks. [[call]] [[mail]] ^a-1", LEAKS, "1. of it"]
    assert not undo(vault.ctx).left and vault.bytes() == before


@pytest.mark.parametrize("below", ["  - and this", "  more of it", "more of it"])
def test_a_bullet_with_lines_of_its_own_is_not_taken_out(make: Make, below: str) -> None:
    vault = make(boat(LEAKS, f"{LEAKS_TOO}\n{below}"))
    fold(vault)
    assert atoms(vault)[1:] == ["- (fact, inferred, superseded 2026-05-01 by ^a-1) The  boat leaks [[mail]] ^a-2", below]


def test_a_persons_bullet_in_other_words_stays(make: Make) -> None:
    vault = make(boat("- Boat leaks!", "- The boat leaks"))
    before = vault.bytes()
    assert fold(vault).is_empty and vault.bytes() == before


def test_episodes_archived_notes_and_broken_ones_are_left_alone(make: Make) -> None:
    body = f"## Atoms\n{LEAKS}\n{LEAKS_TOO}\n"
    vault = make({
        "Archive/Old.md": body, "E.md": f"---\ntype: episode\n---\n{body}", "Gone.md": f"---\nstatus: superseded\n---\n{body}", "Bad.md": f"---\na: b: c\n---\n{body}",
    })  # fmt: skip
    before = vault.bytes()
    assert fold(vault).is_empty and vault.bytes() == before


def test_the_second_run_writes_nothing(make: Make) -> None:
    vault = make(boat(LEAKS, LEAKS_TOO, OTHER, "- (fact, inferred) Boat leaks! ^a-5", "- The boat leaks", "- (fact, inferred) The keel is red, and long. [[talk]]"))
    assert len(fold(vault).applied) == 2
    before = vault.bytes()
    assert fold(vault).is_empty and vault.bytes() == before


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_an_undo_gives_every_byte_back_and_lasts(make: Make, eol: str) -> None:
    vault = make(boat(LEAKS, LEAKS_TOO, OTHER, "- (fact, inferred) The keel is red; it was blue. [[talk]]", eol=eol))
    before = vault.bytes()
    assert len(fold(vault).applied) == 2 and vault.bytes() != before
    assert not undo(vault.ctx).left and vault.bytes() == before
    report = fold(vault)
    assert report.is_empty and report.declined == 2 and vault.bytes() == before


def test_of_three_equal_claims_a_no_about_two_leaves_the_third_free(make: Make) -> None:
    vault = make(boat(LEAKS, LEAKS_TOO))
    fold(vault)
    undo(vault.ctx)
    vault.write("Boat.md", vault.text("Boat.md").replace(OTHER, "").replace(LEAKS_TOO, f"{LEAKS_TOO}\n- (fact, inferred) The boat leaks. [[talk]] ^a-3"))
    vault.index()
    fold(vault)
    assert atoms(vault) == ["- (fact, inferred) The boat leaks. [[call]] [[talk]] ^a-1", LEAKS_TOO]


def test_a_dry_run_shows_what_a_run_does_and_writes_nothing(make: Make) -> None:
    vault = make(boat(LEAKS, LEAKS_TOO, OTHER, "- (fact, inferred) The keel is red. (from 2026-01-01)", "- (fact, inferred) The keel is red, and long. [[talk]]", "- (fact, inferred) Boat leaks! ^a-5"))
    before = vault.bytes()
    shown = fold(vault, dry_run=True)
    assert vault.bytes() == before
    done = fold(vault)
    assert [r.plan.because for r in shown.applied] == [r.plan.because for r in done.applied] and shown.applied
    assert shown.applied[-1].patches[-1].after == done.applied[-1].patches[-1].after


def test_the_limit_is_kept_and_what_it_leaves_is_counted(make: Make) -> None:
    vault = make(boat(LEAKS, LEAKS_TOO, OTHER, OTHER.replace("a-3", "a-4")))
    counts = [(len(report.applied), report.left_out) for report in (fold(vault, limit=1), fold(vault, limit=1), fold(vault, limit=1))]
    assert counts == [(1, 1), (1, 0), (0, 0)]


def test_a_ceiling_below_one_is_refused(make: Make) -> None:
    with pytest.raises(UsageError):
        fold(make({}), ceiling=0)


# A model

EMPLOYED = "- (fact, inferred) Ada steers the boat. [[call]] ^a-1"
WORKS = "- (fact, inferred) The boat has Ada at the helm. [[mail]] ^a-2"


def test_a_claim_in_other_words_is_closed_for_the_one_that_says_all(make: Make) -> None:
    vault, chat = make(boat(EMPLOYED, WORKS)), Matcher(says=lambda left, right: same("B"))
    (receipt,) = fold(vault, chat=chat).applied
    assert atoms(vault) == [
        "- (fact, inferred, superseded 2026-05-01 by ^a-2) Ada steers the boat. [[call]] ^a-1", "- (fact, inferred) The boat has Ada at the helm. [[mail]] [[call]] ^a-2",
    ]
    assert [(source.item, source.judge, source.quote) for source in receipt.plan.provenance] == [("a-1|restates|a-2", "played@restate/1", EMPLOYED)]


def test_a_model_is_asked_only_while_there_are_too_many_claims(make: Make) -> None:
    helm = [f"- (fact, inferred) {words} ^a-{n}" for n, words in enumerate(("Ada steers the boat.", "The boat is steered by Ada.", "Ada has the boat's helm.", "The boat follows Ada."))]
    vault, chat = make(boat(*helm)), Matcher(says=lambda left, right: same())
    fold(vault, ceiling=3, chat=chat, pairs_per_call_max=1)
    assert len(chat.claims) == 1 and sum("superseded" in line for line in atoms(vault)) == 1


@pytest.mark.parametrize("other", [
    "- (fact, inferred) The boat has 2 Adas at the helm. ^a-2", "- (fact, inferred) The boat never has Ada at the helm. ^a-2", "- (fact, verified) The [[Fleet]] boat has Ada. (to 2026-01-01) ^a-2",
    "- (risk, inferred) The boat has Ada at the helm. ^a-2",
])  # fmt: skip
def test_what_a_rule_forbids_is_not_done_whatever_a_model_says(make: Make, other: str) -> None:
    vault = make(boat(EMPLOYED.replace("Ada steers", "In 1999 Ada steers"), other))
    before = vault.bytes()
    assert fold(vault, chat=Matcher(says=lambda left, right: same("B"))).is_empty and vault.bytes() == before


def test_a_persons_bullet_goes_for_no_word_of_a_model(make: Make) -> None:
    vault = make(boat("- Ada steers the boat.", WORKS))
    before = vault.bytes()
    fold(vault, chat=Matcher(says=lambda left, right: same("B")))
    assert vault.bytes() == before


@pytest.mark.parametrize("said", [
    None, OWN, {**OWN, "verdict": "unsure"}, {**same(), "keep": None}, {**same(), "keep": "C"}, same(reason=""), same(reason="see [[x]]"), {**same(), "verdict": "eats"},
])  # fmt: skip
def test_another_or_a_bad_answer_writes_nothing(make: Make, said: Any) -> None:
    vault = make(boat(EMPLOYED, WORKS))
    before = vault.bytes()
    assert fold(vault, chat=Matcher(says=lambda left, right: said)).is_empty and vault.bytes() == before


@pytest.mark.parametrize("said", [OWN, {**OWN, "verdict": "unsure"}, same(), same("B")])
def test_the_second_run_asks_nothing_and_writes_nothing(make: Make, said: Any) -> None:
    vault = make(boat(EMPLOYED, WORKS, "- The boat is steered by Ada"))
    fold(vault, chat=Matcher(says=lambda left, right: said))
    before, again = vault.bytes(), Matcher(says=lambda left, right: said)
    assert fold(vault, chat=again).is_empty and again.calls == 0 and vault.bytes() == before


def test_a_source_that_comes_by_a_model_may_let_a_rule_tell_more_in_the_same_run(make: Make) -> None:
    water = "- (fact, inferred) The boat lets water in at the stern. [[talk]] ^a-3"

    def says(left: str, right: str) -> dict[str, Any]:
        return same("A") if "at the stern" in left and "water" in right else OWN

    vault = make(boat(LEAKS.replace("call", "talk"), "- (fact, inferred) The boat leaks, at the stern. [[call]] ^a-2", water))
    assert len(fold(vault, chat=Matcher(says=says)).applied) == 2
    before, again = vault.bytes(), Matcher(says=says)
    assert [line.rpartition(" ")[2] for line in atoms(vault) if "superseded" in line] == ["^a-1", "^a-3"]
    assert fold(vault, chat=again).is_empty and again.calls == 0 and vault.bytes() == before


def test_no_answer_is_said_and_asked_again(make: Make) -> None:
    vault = make(boat(EMPLOYED, WORKS))
    report = fold(vault, chat=Matcher(failure=Failure("timeout", "It took too long.", "wait longer")))
    assert report.is_empty and report.waiting == 1 and any("got no answer" in notice for notice in report.notices)
    assert len(fold(vault, chat=Matcher(says=lambda left, right: same())).applied) == 1


def test_what_the_limit_leaves_out_is_asked_by_later_runs(make: Make) -> None:
    vault = make(boat(*(f"- (fact, inferred) The boat has {word}. ^a-{word}" for word in ("oars", "sails", "ropes", "lamps"))))
    asked, left = [], []
    for _ in range(4):
        chat = Matcher()
        left.append(fold(vault, chat=chat, limit=4, pairs_per_call_max=3).left_out)
        asked.append(len(chat.claims))
    assert (asked, left) == ([4, 2, 0, 0], [2, 0, 0, 0])


def test_what_a_person_took_back_is_not_asked_again(make: Make) -> None:
    vault = make(boat(EMPLOYED, WORKS))
    before = vault.bytes()
    fold(vault, chat=Matcher(says=lambda left, right: same()))
    undo(vault.ctx)
    again = Matcher(says=lambda left, right: same(), model="another")
    report = fold(vault, chat=again)
    assert vault.bytes() == before and report.is_empty and again.claims == [] and report.declined == 1


# Whatever a note says

BULLETS = st.sampled_from([
    LEAKS, LEAKS_TOO, OTHER, "- The boat leaks", "- Boat leaks!", "* The boat leaks", "- (fact, verified) The boat leaks. [[talk]]", "- (fact, inferred) The boat leaks, at the stern. [[call]] ^a-6",
    "- (fact, inferred) The boat leaks. (from 2026-01-01) [[mail]]", "- (fact, inferred) The boat leaks (from 2025-01-01) ^a-7", "- (fact, inferred, superseded 2026-01-01 by ^a-1) The boat is tight. ^a-8",
    "- (fact, inferred) the boat leaks [C](Archive/call.md)", "  - under it", "lazy line", "", "- [ ] The boat leaks", "- (fact, inferred) Has the boat [[Fleet|leaks]]? ^a-9", "- (fact, inferred) `The boat` leaks %% x",
    "```", "### More", "- (fact, inferred) Boat, it leaks. ^A-1", "1. The boat leaks", "> The boat leaks",
])  # fmt: skip
TEXTS = st.builds(lambda bullets, eol, end: (f"x\n## Atoms\n{chr(10).join(bullets)}{end}").replace("\n", eol), st.lists(BULLETS, min_size=2, max_size=8), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n", "\n## Related\n"]))
REFERRED = st.sets(st.sampled_from(["a-1", "a-2", "a-3", "a-6", "a-7"]))


@example(text="x\n## Atoms\n" + f"{LEAKS}\n" * 4 + "1. The boat leaks", referred=set(), seed=0, has_model=True)
@given(text=TEXTS, referred=REFERRED, seed=st.integers(0, 99), has_model=st.booleans())
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), deadline=None)
def test_no_word_source_or_reference_is_lost_and_undo_gives_every_byte_back(engine: str, text: str, referred: set[str], seed: int, has_model: bool) -> None:
    def says(left: str, right: str) -> dict[str, Any]:
        return random.Random(f"{seed}{left}{right}").choice([OWN, same("A"), same("B"), {**OWN, "verdict": "unsure"}])

    with tempfile.TemporaryDirectory() as folder:
        vault = make_vault(Path(folder) / "v", EPISODES, engine=engine)
        vault.write("Boat.md", text)
        vault.write("Log.md", " ".join(f"[[Boat#^{name}]]" for name in sorted(referred)) + "\n")
        vault.index()
        before, was = vault.bytes(), parse_note("Boat.md", text, Limits())
        report = fold(vault, chat=Matcher(says=says) if has_model else None)
        now = parse_note("Boat.md", vault.text("Boat.md"), Limits())
        assert {" ".join(atom.text.split()).rstrip(". ") for atom in was.atoms} == {" ".join(atom.text.split()).rstrip(". ") for atom in now.atoms}
        assert {source for atom in was.atoms for source in atom.sources if source != "Archive/call.md"} <= {source for atom in now.atoms for source in atom.sources}
        assert referred & was.block_ids.keys() <= now.block_ids.keys()
        assert {atom.superseded_by for atom in now.atoms if atom.superseded_by} & was.block_ids.keys() <= now.block_ids.keys()
        assert not report.failed and all(path == "Boat.md" or data == before[path] for path, data in vault.bytes().items())
        after, again = vault.bytes(), Matcher(says=says)
        assert fold(vault, chat=again if has_model else None).is_empty and again.calls == 0 and vault.bytes() == after
        if report.applied:
            assert not undo(vault.ctx).left
        assert vault.bytes() == before
