"""The verbs of forgetting on a real vault: what fades when, a touch by hand, settings, and ten years of a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from brain.config import Config, Decay, Embed, load_config
from brain.core.decay import is_faded
from brain.core.recall import Query
from brain.errors import NotFound, UsageError
from brain.facade import Brain
from brain.graph.reader import GraphReader
from brain.recall.filters import weights_of
from brain.sync.space import open_space
from tests.laws.support import FixedClock

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
OLD = "---\ncreated: 2020-01-01\nimportance: 0\n{}---\nwords of old\n"


@dataclass
class Vault:
    root: Path
    engine: str
    decay: Decay = field(default_factory=Decay)
    clock: FixedClock = field(default_factory=lambda: FixedClock(NOW))

    @property
    def brain(self) -> Brain:
        config = Config(engine=self.engine, embed=Embed(model="none"), decay=self.decay)
        return Brain(open_space(self.root, config, self.clock, environ={"BRAIN_MACHINE": "m-test"}))

    def weight(self, path: str, now: datetime = NOW) -> float:
        with self.brain.space.catalog() as conn:
            found = weights_of(conn, [nid for (nid,) in conn.execute("SELECT nid FROM note WHERE path=?", (path,))], now)
        (weight,) = found.values()
        return weight


Make = Callable[..., Vault]


@pytest.fixture
def make(tmp_path: Path, engine: str) -> Make:
    def made(notes: Mapping[str, str], decay: Decay | None = None) -> Vault:
        for path, text in notes.items():
            place = tmp_path / "vault" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
        vault = Vault(tmp_path / "vault", engine, decay or Decay())
        vault.brain.index(embed=False)
        return vault

    return made


def test_the_forecast_says_what_has_faded_by_a_day_and_what_fades_next(make: Make) -> None:
    vault = make({
        "Old.md": OLD.format(""), "Pinned.md": OLD.format("pinned: true\n"), "Gone.md": OLD.format("status: archived\n"),
        "New.md": "---\ncreated: 2026-06-01\nimportance: 0\n---\nfresh\n",
        "Vital.md": "---\ncreated: 2020-01-01\nimportance: 0.7\n---\n",
    })  # fmt: skip
    found = vault.brain.decay(dry_run=True)
    assert (found.live, found.faded, found.fading, found.lasting, found.archived) == (4, 1, 0, 2, 1)
    assert [(one.path, round(one.days)) for one in found.next] == [("New.md", 199)]
    later = vault.brain.decay(at=NOW + timedelta(days=200), dry_run=True)
    assert (later.faded, later.fading) == (2, 1)


def test_a_run_puts_the_weights_of_its_day_into_the_graph_and_a_rehearsal_does_not(make: Make) -> None:
    vault = make({"New.md": "---\ncreated: 2026-06-01\nimportance: 0\n---\n- about:: [[New]]\n"})
    vault.brain.decay(at=datetime(2026, 7, 31, tzinfo=UTC), dry_run=True)
    assert stored(vault) == pytest.approx(0.994, abs=0.001)
    vault.brain.decay(at=datetime(2026, 7, 31, tzinfo=UTC))
    assert stored(vault) == 0.5
    assert vault.brain.status().index == "current"
    vault.brain.decay()
    vault.brain.decay()
    assert stored(vault) == pytest.approx(vault.weight("New.md"), abs=1e-9)


def stored(vault: Vault) -> float:
    with GraphReader(vault.brain.space).session() as graph:
        return float(graph.execute("MATCH (n:Note {path: 'New.md'}) RETURN n.weight AS w")[0]["w"])


def test_a_touch_by_hand_makes_a_note_fresh_and_names_how_many_stand_above(make: Make) -> None:
    vault = make({"Old.md": OLD.format("part_of: '[[Up]]'\n"), "Up.md": OLD.format("")})
    found = vault.brain.reinforce("Old")
    assert (found.path, found.after, found.above) == ("Old.md", 1.0, 1)
    assert is_faded(found.before)
    assert vault.weight("Up.md") == pytest.approx(0.6)
    with pytest.raises(NotFound):
        vault.brain.reinforce("Nobody")


def test_a_faded_note_is_still_found(make: Make) -> None:
    vault = make({"Old.md": OLD.format("")})
    assert is_faded(vault.weight("Old.md"))
    assert [(hit.path, hit.faded) for hit in vault.brain.search(Query("words of old")).hits] == [("Old.md", True)]
    vault.brain.index(embed=False)
    assert [(hit.path, hit.faded) for hit in vault.brain.search(Query("words of old")).hits] == [("Old.md", False)]


def test_an_event_does_not_fade_before_its_day_is_over(make: Make) -> None:
    head = "---\ntype: event\ncreated: 2026-01-02\nimportance: 0\n"
    vault = make({
        "Stated.md": f"{head}due: 2026-09-01\n---\n", "Told.md": f"{head}---\nWe meet on 3-5 June, if it rains.\n",
        "Past.md": f"{head}---\nWe met on 3 March.\n", "Plain.md": "---\ncreated: 2026-01-02\nimportance: 0\n---\nDue on 2026-09-01.\n",
        "Claims.md": "---\ncreated: 2026-01-02\nimportance: 0\n---\n## Atoms\n- (event) Launch on September 1. ^a-1\n- (event) Began on May 1. ^a-2\n",
    })  # fmt: skip
    assert [vault.weight(f"{name}.md") for name in ("Stated", "Told")] == [1.0, 1.0]
    assert vault.weight("Told.md", datetime(2026, 6, 13, tzinfo=UTC)) == 0.5
    assert vault.weight("Past.md") < 0.001
    assert vault.weight("Plain.md") < 0.5
    with GraphReader(vault.brain.space).session() as graph:
        atoms = {row["id"]: row["w"] for row in graph.execute("MATCH (a:Atom) RETURN a.id AS id, a.weight AS w")}
    assert atoms["a-1"] == 1.0
    assert atoms["a-2"] < 0.1


def test_a_folder_has_a_half_life_of_its_own_and_a_note_before_it(make: Make) -> None:
    text = "---\ncreated: 2026-05-22T12:00:00\nimportance: 0\n{}---\n"
    notes = {"Log/A.md": text.format(""), "Log/Deep/B.md": text.format(""), "Log/C.md": text.format("half_life_days: 1\n"), "Logs/D.md": text.format("")}
    vault = make(notes, decay=Decay({"Log": 10.5, "Log/Deep": 5.25}))
    assert [vault.weight(path) for path in ("Log/A.md", "Log/Deep/B.md")] == [0.5, 0.25]
    assert vault.weight("Log/C.md") < 0.001
    assert vault.weight("Logs/D.md") > 0.8
    vault.decay = Decay({"Log": 21.0})
    vault.brain.index(embed=False)
    assert vault.weight("Log/A.md") == pytest.approx(0.5**0.5)
    (vault.root / "Log/A.md").rename(vault.root / "Logs/A.md")
    vault.brain.index(embed=False)
    assert vault.weight("Logs/A.md") > 0.8


def test_half_lives_of_folders_are_read_from_the_settings(tmp_path: Path) -> None:
    (tmp_path / "brain.toml").write_text('[decay.folders]\n"Log" = 14\n', "utf-8")
    assert load_config(tmp_path, environ={}).decay == Decay({"Log": 14.0})
    for wrong in ('"Log" = 0', '"Log" = "soon"', '"Log" = -3'):
        (tmp_path / "brain.toml").write_text(f"[decay.folders]\n{wrong}\n", "utf-8")
        with pytest.raises(UsageError, match=r"decay\.folders\.Log"):
            load_config(tmp_path, environ={})
    (tmp_path / "brain.toml").write_text("decay.folders = 3\n", "utf-8")
    with pytest.raises(UsageError, match="must be a table"):
        load_config(tmp_path, environ={})


def test_ten_years_of_nights_leave_every_branch_of_the_tree(make: Make) -> None:
    names = [f"N{number}" for number in range(12)]
    parents = {name: names[(at - 1) // 2] for at, name in enumerate(names) if at}
    vault = make({f"{name}.md": OLD.format(f"part_of: '[[{parents[name]}]]'\n" if name in parents else "") for name in names})
    before = vault.brain.tree()
    for month in range(1, 121):
        vault.brain.decay(at=NOW + timedelta(days=30.4375 * month))
    assert vault.brain.tree() == before
    with GraphReader(vault.brain.space).session() as graph:
        found = graph.execute("MATCH (:Note)-[e:EDGE]->(:Note) WHERE e.type='part_of' RETURN e.weight AS w")
    assert [row["w"] for row in found] == [0.05] * 11


def test_status_names_what_fades_soonest_and_what_was_touched_lately(make: Make) -> None:
    notes = {f"N{n}.md": f"---\ncreated: 2026-05-{20 + n}\nimportance: 0\n---\n" for n in range(7)}
    vault = make(notes | {"Old.md": OLD.format(""), "Gone.md": OLD.format("status: archived\n"), "Pinned.md": OLD.format("pinned: true\n")})
    vault.brain.get("N6")
    vault.brain.index(embed=False)
    memory = vault.brain.status().memory
    assert memory is not None
    assert [one.path for one in memory.soon] == ["N0.md", "N1.md", "N2.md", "N3.md", "N4.md"]
    assert (memory.faded, memory.archived, memory.touched) == (1, 1, ("N6.md",))
    vault.clock.moment = NOW + timedelta(days=8)
    later = vault.brain.status().memory
    assert later is not None
    assert later.touched == ()
