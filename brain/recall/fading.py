"""What fades when, as numbers and as names. Pure, over the notes that `graph.clocks` weighs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from heapq import nsmallest

from brain.core.dates import iso_utc
from brain.core.decay import age_days, is_faded
from brain.graph.clocks import ARCHIVED, Weighed

SHOWN_MAX = 10
SOON_MAX = 5
TOUCHED_DAYS = 7


@dataclass(frozen=True, slots=True)
class Fades:
    """A note that fades: its weight, how many civil days ago its last sign of life was, and in how many days it has faded."""

    path: str
    title: str
    kind: str
    weight: float
    age_days: int
    days: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """What the vault has forgotten `at` an instant.

    Of the live notes: how many are `faded` then, how many of those not yet now (`fading`), how many never will be
    (`lasting`); `archived` are no live ones. `next` are those that fade soonest from now.
    """

    at: str
    live: int
    faded: int
    fading: int
    lasting: int
    archived: int
    next: tuple[Fades, ...]
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """The state of forgetting for `brain status`: who fades soonest, and paths touched in the last week, the latest first."""

    soon: tuple[Fades, ...]
    faded: int
    archived: int
    touched: tuple[str, ...]


def forecast_of(notes: Sequence[Weighed], *, now: datetime, at: datetime, zone: tzinfo, dry_run: bool) -> Forecast:
    """Returns what will have faded at an instant, and what fades next."""
    live = [note for note in notes if note.is_live]
    faded = [note for note in live if is_faded(note.fading.weight(at))]
    return Forecast(
        iso_utc(at), len(live), len(faded), sum(not is_faded(note.fading.weight(now)) for note in faded),
        sum(note.fading.lasts for note in live), _archived(notes), fading_next(live, now, zone, SHOWN_MAX), dry_run,
    )  # fmt: skip


def memory_of(notes: Sequence[Weighed], now: datetime, zone: tzinfo) -> Memory:
    """Returns the state of forgetting at `now`."""
    since = now - timedelta(days=TOUCHED_DAYS)
    recent = sorted(((note.last, note.path) for note in notes if note.last and since <= note.last <= now), reverse=True)
    live = [note for note in notes if note.is_live]
    faded = sum(is_faded(note.fading.weight(now)) for note in live)
    return Memory(fading_next(live, now, zone, SOON_MAX), faded, _archived(notes), tuple(path for _, path in recent))


def fading_next(notes: Iterable[Weighed], now: datetime, zone: tzinfo, count_max: int) -> tuple[Fades, ...]:
    """Returns the notes that are not faded and will be soonest; what is pinned or held up by its importance never is."""
    waiting = []
    for note in notes:
        days = note.fading.days_until_faded(now)
        if days is not None and days >= 0 and not is_faded(weight := note.fading.weight(now)):
            waiting.append((days, note.path, note, weight))
    return tuple(
        Fades(path, note.title, note.kind, weight, age_days(note.fading.touched, now, zone), days)
        for days, path, note, weight in nsmallest(count_max, waiting, key=lambda one: one[:2])
    )


def _archived(notes: Iterable[Weighed]) -> int:
    return sum(note.status == ARCHIVED for note in notes)
