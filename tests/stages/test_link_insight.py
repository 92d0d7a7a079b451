"""Insights: what the notes around a hub teach together gets a note of its own, with its evidence; the usual answer is none."""

from __future__ import annotations

from typing import Any

import pytest

from brain.config import Limits
from brain.core.asking import Failure
from brain.stages import link
from brain.stages.linking.quoting import quoted
from brain.stages.undo import undo
from brain.vault.parse import parse_note
from tests.stages.conftest import Make
from tests.stages.support import Vault
from tests.stages.teller import Shown, Teller, judged
from tests.stages.test_written_links import ends_of

OUTAGES = {
    "March.md": "The upgrade on Friday broke the mail.\n", "April.md": "We changed it on Friday, nobody looked until Monday.\n",
    "May.md": "It was updated on Friday at five.\n", "June.md": "Another Friday, another outage.\n",
}  # fmt: skip
HUB = {**{path: f"{text}\n## Related\n- about:: [[Server]] - so\n" for path, text in OUTAGES.items()}, "Server.md": "The home server.\n"}
TITLE = "Changes before a weekend cost the weekend"
INSIGHT = f"Memory/Insights/{TITLE}.md"
TEXT = "Outages follow changes made on a Friday."


def lesson(notes: list[Shown], *, title: str = TITLE, text: str = TEXT, without: tuple[str, ...] = ("Server",), **more: Any) -> dict[str, Any]:
    """What the notes teach, each with its first line as evidence."""
    evidence = [{"note": n, "quote": note.text.strip().splitlines()[0]} for n, note in enumerate(notes) if note.title not in without and note.text.strip()]
    return {"title": title, "text": text, "reason": "Every outage began that way.", "evidence": evidence, **more}


def teaching(**more: Any) -> Teller:
    return Teller(on_hub=lambda notes, insight: lesson(notes, **more))


def insights(vault: Vault) -> list[str]:
    return [path for path in vault.bytes() if path.startswith("Memory/Insights/")]


def test_a_lesson_becomes_an_insight_note_with_its_evidence(make: Make) -> None:
    vault = make(HUB)
    report = link.run(judged(vault, teaching()))
    assert len(report.applied) == 1 and insights(vault) == [INSIGHT]
    note = parse_note(INSIGHT, vault.text(INSIGHT), vault.space.config.limits)
    assert (note.type, note.kind, note.status, note.properties["confidence"]) == ("entity", "insight", "active", "inferred")
    text = vault.text(INSIGHT)
    assert f"\n{TEXT}\n" in text and "- about:: [[Server]] - Every outage began that way.\n" in text
    assert "- follows_from:: [[May]] - “It was updated on Friday at five.”\n" in text
    assert ends_of(vault, INSIGHT) == ["Server.md", "April.md", "June.md", "March.md", "May.md"]


def test_every_edge_of_an_insight_has_its_words_and_their_line(make: Make) -> None:
    vault = make(HUB)
    link.run(judged(vault, teaching()))
    records = {record["item"]: record for record in vault.space.journal.records({"provenance"})}
    assert sorted(records) == [f"{INSIGHT}|about|Server.md", *(f"{INSIGHT}|follows_from|{name}.md" for name in ("April", "June", "March", "May"))]
    for record in records.values():
        assert record["quote"] in vault.text(record["episode"]).split("\n")[record["line"] - 1] and record["judge"] == "played@insight/1"


def test_the_usual_answer_is_none_and_it_is_not_asked_again(make: Make) -> None:
    vault, first, second = make(HUB), Teller(), Teller()
    assert link.run(judged(vault, first)).is_empty and first.hubs == ["Server"] and insights(vault) == []
    assert link.run(judged(vault, second)).is_empty and second.hubs == []


def test_a_hub_is_asked_about_again_when_a_note_around_it_says_something_else(make: Make) -> None:
    vault, again = make(HUB), Teller()
    link.run(judged(vault, Teller()))
    vault.write("May.md", vault.text("May.md").replace("at five", "at six"))
    vault.index()
    link.run(judged(vault, again))
    assert again.hubs == ["Server"]


def test_three_connections_are_too_few(make: Make) -> None:
    vault, chat = make({path: text for path, text in HUB.items() if path != "June.md"}), teaching()
    assert link.run(judged(vault, chat)).is_empty and chat.hubs == []


def test_plain_links_make_no_hub(make: Make) -> None:
    vault, chat = make({**{path: f"{text}\n[[Server]]\n" for path, text in OUTAGES.items()}, "Server.md": "s\n"}), teaching()
    link.run(judged(vault, chat))
    assert chat.hubs == []


def test_the_second_run_makes_no_second_insight(make: Make) -> None:
    vault = make(HUB)
    link.run(judged(vault, teaching()))
    before, again = vault.bytes(), teaching(title="Something else entirely")
    assert link.run(judged(vault, again)).is_empty and again.hubs == [] and vault.bytes() == before


def test_more_evidence_deepens_the_insight_that_is_there(make: Make) -> None:
    vault = make(HUB)
    link.run(judged(vault, teaching()))
    before = vault.text(INSIGHT)
    vault.write("July.md", "On Friday we broke the backups.\n\n## Related\n- about:: [[Server]] - so\n")
    vault.index()
    chat = teaching(text="Outages follow changes made on a Friday, backups too.")
    report = link.run(judged(vault, chat))
    assert len(report.applied) == 1 and insights(vault) == [INSIGHT]
    added = vault.text(INSIGHT)
    assert "- follows_from:: [[July]] - “On Friday we broke the backups.”\n" in added
    assert "## Deepened\n- 2026-05-01: Outages follow changes made on a Friday, backups too.\n" in added
    assert all(line in added.splitlines() for line in before.splitlines())
    assert not undo(vault.ctx).left and vault.text(INSIGHT) == before


def test_an_insight_is_not_deepened_by_what_it_has_already(make: Make) -> None:
    vault = make(HUB)
    link.run(judged(vault, teaching()))
    before = vault.text(INSIGHT)
    vault.write("May.md", vault.text("May.md").replace("at five", "at six"))
    vault.index()
    again = teaching(text="Said in other words.")
    assert link.run(judged(vault, again)).is_empty and again.hubs == ["Server"] and vault.text(INSIGHT) == before


def test_undo_takes_the_note_away_and_it_does_not_come_back(make: Make) -> None:
    vault = make(HUB)
    before = vault.bytes()
    link.run(judged(vault, teaching()))
    assert not undo(vault.ctx).left and vault.bytes() == before
    vault.write("May.md", vault.text("May.md").replace("at five", "at six"))
    vault.index()
    report = link.run(judged(vault, teaching()))
    assert report.is_empty and insights(vault) == [] and report.declined == 1


def test_a_dry_run_shows_the_insight_and_writes_nothing(make: Make) -> None:
    vault = make(HUB)
    before = vault.bytes()
    report = link.run(judged(vault, teaching(), keeps=False), dry_run=True)
    assert len(report.applied) == 1 and vault.bytes() == before and vault.space.journal.records() == []


@pytest.mark.parametrize("path", ["Changes before a weekend cost the weekend.md", "x/changes-before-a-weekend cost the weekend.md"])
def test_a_title_that_a_note_has_or_nearly_has_is_left_to_a_person(make: Make, path: str) -> None:
    vault = make({**HUB, path: "A person's own.\n"})
    report = link.run(judged(vault, teaching()))
    assert report.is_empty and insights(vault) == [] and report.waiting == 1 and "a note has that name or nearly" in " ".join(report.notices)


def test_too_little_evidence_writes_nothing_and_is_said(make: Make) -> None:
    vault = make(HUB)
    report = link.run(judged(vault, teaching(without=("Server", "March", "April"))))
    assert report.is_empty and insights(vault) == [] and report.waiting == 1
    assert "will be asked about again" in " ".join(report.notices)


def test_the_limit_of_questions_ends_it_and_the_next_run_goes_on(make: Make) -> None:
    other = {path.replace(".md", " two.md"): text.replace("Server", "Router") for path, text in HUB.items() if path != "Server.md"}
    vault, first, second = make({**HUB, **other, "Router.md": "r\n"}), Teller(), Teller()
    report = link.run(judged(vault, first, insights_per_run_max=1))
    assert len(first.hubs) == 1 and report.waiting == 1 and "judge.insights_per_run_max is 1" in " ".join(report.notices)
    link.run(judged(vault, second))
    assert sorted(first.hubs + second.hubs) == ["Router", "Server"]


def test_a_model_that_fails_writes_nothing(make: Make) -> None:
    vault = make(HUB)
    report = link.run(judged(vault, Teller(failure=Failure("exit", "It ended with code 1.", "look at it"))))
    assert report.is_empty and insights(vault) == [] and "It ended with code 1." in " ".join(report.notices)


@pytest.mark.parametrize(
    "words",
    ["see [[Nowhere]] and [part_of:: [[Boat]]] on Friday", "status:: done on Friday #tag ^id", "`code` and %% hidden %% on Friday", "- [ ] on Friday <b>do</b> it", "on Friday (from 2020-01-01)", "https://example.org on Friday"],
)  # fmt: skip
def test_words_of_a_note_stay_words_in_an_insight(make: Make, words: str) -> None:
    vault = make({**HUB, "May.md": f"{words}\n\n## Related\n- about:: [[Server]] - so\n"})
    link.run(judged(vault, teaching()))
    note = parse_note(INSIGHT, vault.text(INSIGHT), vault.space.config.limits)
    assert [link.relation for link in note.links] == ["about", *["follows_from"] * 4] and not note.tags and not note.block_ids
    assert len(note.fields) == 5 and all(link.valid_from is None for link in note.links)
    assert ends_of(vault, INSIGHT) == ["Server.md", "April.md", "June.md", "March.md", "May.md"]


def test_evidence_in_a_note_of_an_odd_name_is_linked_where_it_is(make: Make) -> None:
    vault = make({path: text for path, text in HUB.items() if path != "May.md"})
    vault.write("a/C# [x].md", HUB["May.md"])
    vault.index()
    link.run(judged(vault, teaching()))
    assert set(ends_of(vault, INSIGHT)) == {"Server.md", "April.md", "June.md", "March.md", "a/C# [x].md"}


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("It broke on Friday.", "“It broke on Friday.”"), ("see [[Boat|the boat]] and ![[x]] now", "“see the boat and x now”"), ("status:: done #tag ^id", "“status done tag id”"),
        ("- it `ran` %% so %%", "“it ran so”"), ("it holds (from 2020-01-01)", "“it holds from 2020-01-01”"), ("^^^", ""), ("two\nlines", "“two lines”"),
    ],
)  # fmt: skip
def test_a_quote_keeps_its_words_and_loses_what_means_something(words: str, shown: str) -> None:
    assert quoted(words, Limits()) == shown
