"""What a language model failed on goes behind what was never tried: nothing that fails holds the front of a limit."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

from brain.core.asking import Failure, Reply, Request
from brain.stages import link, reconcile, walk
from brain.stages.context import Context
from brain.stages.failures import failed_before
from tests.models.judging import Played
from tests.stages.conftest import Make
from tests.stages.reader import atom, failing_on, reading, saying_of
from tests.stages.sorter import Sorter
from tests.stages.support import NOW, Vault
from tests.stages.teller import Shown, Teller, judged

HEAD = "---\ntype: episode\ncreated: 2026-03-04\n---\n"
TIMEOUT = Failure("timeout", "It took too long.", "wait longer")
JOINED = atom(text="Works at Initech.", quote="joined Initech", kind="person")


def inbox(*names: str) -> dict[str, str]:
    return {f"Inbox/{name}.md": f"{HEAD}Ada Lovelace of {name} joined Initech.\n" for name in names}


def shown(chat: Played) -> list[str]:
    """Which episodes a model was asked about, by the word of each."""
    return [word for request in chat.asked for word in ("alpha", "beta", "gamma") if f"of {word} joined" in request.data]


def later(ctx: Context, days: int) -> Context:
    return replace(ctx, now=NOW + timedelta(days=days))


def tried(vault: Vault, *failing: str, days: int = 0, limit: int = 1) -> list[str]:
    """Walks once with a model that fails on some episodes, and returns which it was asked about."""
    answering = saying_of([JOINED])
    for word in failing:
        answering = failing_on(f"of {word} joined", answering)
    chat = Played(answering)
    walk.run(later(reading(vault, chat), days), limit=limit)
    return shown(chat)


def test_an_episode_that_failed_goes_behind_those_never_tried_and_then_the_oldest_failure_comes_first(make: Make) -> None:
    vault = make(inbox("alpha", "beta", "gamma"))
    everything = ("alpha", "beta", "gamma")
    assert [tried(vault, *everything, days=day) for day in range(5)] == [["alpha"], ["beta"], ["gamma"], ["alpha"], ["beta"]]
    assert tried(vault, days=6, limit=0) == ["gamma", "alpha", "beta"]
    assert tried(vault, days=7, limit=0) == []


def test_an_episode_that_fails_is_tried_again_in_a_week_although_new_ones_come_every_night(make: Make) -> None:
    vault = make(inbox("alpha"))
    tried(vault, "alpha")
    seen: list[str] = []
    for day in range(1, 9):
        vault.write(f"Inbox/beta{day}.md", vault.text("Inbox/alpha.md").replace("alpha", "beta"))
        vault.index()
        seen += tried(vault, "alpha", days=day)
    assert seen.count("alpha") == 1 and seen.count("beta") == 7


def test_an_episode_that_changed_since_counts_as_never_tried(make: Make) -> None:
    vault = make(inbox("alpha", "beta"))
    tried(vault, "alpha", "beta", limit=0)
    vault.write("Inbox/beta.md", vault.text("Inbox/beta.md") + "More of it.\n")
    vault.index()
    assert tried(vault, days=1) == ["beta"]


def test_without_a_failure_the_order_is_that_of_paths(make: Make) -> None:
    assert tried(make(inbox("gamma", "alpha", "beta")), limit=0) == ["alpha", "beta", "gamma"]


def test_what_a_limit_kept_from_being_asked_is_no_failure(make: Make) -> None:
    vault = make(inbox("alpha", "beta"))
    walk.run(reading(vault, Played(saying_of([JOINED])), calls_per_run_max=1), limit=0)
    assert failed_before(vault.space.journal, "walk") == {}


def test_a_dry_run_keeps_no_failure(make: Make) -> None:
    vault = make(inbox("alpha"))
    walk.run(reading(vault, Played(lambda _: TIMEOUT)), dry_run=True)
    assert failed_before(vault.space.journal, "walk") == {}


def test_a_record_that_cannot_be_read_counts_for_nothing(make: Make) -> None:
    vault = make({})
    vault.space.journal.append([{"kind": "unanswered", "at": "2026-05-01T00:00:00+00:00", "stage": "walk", "keys": keys} for keys in (7, [None], ["n|1", 3])])
    assert failed_before(vault.space.journal, "walk") == {"n|1": "2026-05-01T00:00:00+00:00"}


class FailsOn(Sorter):
    """A sorter that is not reached when it is shown some words."""

    words: str = ""

    def ask(self, request: Request) -> Reply | Failure:
        if self.words and self.words in request.data:
            self.asked.append(request)
            return TIMEOUT
        return Sorter.ask(self, request)


def failing(words: str) -> FailsOn:
    chat = FailsOn()
    chat.words = words
    return chat


def test_a_group_of_notes_that_failed_is_asked_about_last(make: Make) -> None:
    notes = {f"{place}/{name}.md": f"The {name} of the yard.\n" for place in ("a", "b") for name in ("Blue Lantern", "Green Harbour")}
    vault = make(notes)
    first = failing("yard")
    reconcile.run(judged(vault, first, failures_per_run_max=1))
    order = Sorter()
    reconcile.run(judged(vault, order))
    assert len(first.asked) == 1 and len(order.groups) == 2
    failed = {name for name in ("Blue Lantern", "Green Harbour") if name in first.asked[0].data}
    assert len(failed) == 1 and set(order.groups[-1]) == failed


def test_claims_that_failed_are_asked_about_last(make: Make) -> None:
    def note(first: str, second: str) -> str:
        return f"## Atoms\n- (fact, inferred) Works at {first}. ^a-{first}\n- (fact, inferred) Works at {second}. ^a-{second}\n"

    vault = make({"Ada.md": note("Acme", "Initech"), "Bo.md": note("Globex", "Umbrella")})
    first = failing("Acme")
    reconcile.run(judged(vault, first, pairs_per_call_max=1), limit=1)
    order = Sorter()
    reconcile.run(judged(vault, order, pairs_per_call_max=1))
    assert "Acme" in first.asked[0].data and ["Globex" in left for left, _ in order.claims] == [True, False]


def test_a_note_whose_relations_failed_is_asked_about_last(make: Make) -> None:
    vault = make({"Boat.md": "She cannot sail before the Keel is laid.\n", "Cart.md": "It cannot roll before the Wheel is on.\n", "Keel.md": "k\n", "Wheel.md": "w\n"})
    link.run(judged(vault, Teller(failure=TIMEOUT), pairs_per_call_max=1), limit=1)
    asked: list[str] = []

    def keep(left: Shown, right: Shown) -> dict[str, Any] | None:
        asked.append(left.title)
        return {"relation": "none", "direction": "forward", "quote": None, "reason": None}

    link.run(judged(vault, Teller(keep), pairs_per_call_max=1), limit=1)
    assert set(asked) == {"Cart"}


def test_a_failure_is_written_with_its_run(make: Make) -> None:
    vault = make(inbox("alpha"))
    report = walk.run(reading(vault, Played(lambda _: TIMEOUT)))
    (record,) = vault.space.journal.records({"unanswered"})
    assert (record["run"], record["stage"], len(record["keys"])) == (report.run, "walk", 1) and json.dumps(record)
