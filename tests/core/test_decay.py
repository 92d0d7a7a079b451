"""Forgetting: half-lives, the floor that importance sets, what never fades, and who weighs most after touches."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.core import decay
from brain.core.dates import start_of
from brain.core.decay import (
    Fading,
    age_days,
    edge_weight,
    half_life_days,
    is_faded,
    lasting_until,
    strongest,
    weight_at,
)
from brain.show_forgetting import half_life_table

T = datetime(2026, 1, 1, tzinfo=UTC)
DAYS = st.floats(-4_000, 4_000)
SHARES = st.floats(0, 1)


def fading(kind: str, importance: float) -> Fading:
    return Fading(T, half_life_days(kind, importance), importance)


def test_half_is_left_after_one_half_life_without_importance() -> None:
    for kind, days in decay.HALF_LIFE_DAYS.items():
        if not math.isinf(days):
            assert weight_at(T + timedelta(days=days), T, half_life=days, importance=0.0) == 0.5, kind


@pytest.mark.parametrize(
    ("kind", "importance", "days"), [("fact", 0.0, 69.8), ("fact", 0.3, 153), ("concept", 0.5, 598), ("person", 0.3, 438)]
)
def test_a_thing_counts_as_faded_after_so_many_days(kind: str, importance: float, days: float) -> None:
    note = fading(kind, importance)
    until = note.days_until_faded(T)
    assert until is not None
    assert until == pytest.approx(days, abs=0.5)
    assert is_faded(note.weight(T + timedelta(days=until + 0.001)))
    assert not is_faded(note.weight(T + timedelta(days=until - 0.001)))


def test_people_and_organisations_keep_from_an_importance_of_four_tenths_on_and_categories_always() -> None:
    assert [fading(kind, 0.4).lasts for kind in ("person", "organization", "category")] == [True, True, True]
    assert [fading(kind, 0.39).lasts for kind in ("person", "organization", "category")] == [False, False, True]


def test_an_importance_of_two_thirds_never_fades_away() -> None:
    note = fading("fact", 2 / 3)
    assert note.days_until_faded(T) is None
    assert not is_faded(note.weight(T + timedelta(days=100_000)))
    assert fading("fact", 0.66).days_until_faded(T) is not None


def test_what_is_pinned_stays_as_it_was() -> None:
    note = Fading(T, 7.0, 0.0, pinned=True)
    assert note.weight(T + timedelta(days=10_000)) == 1.0
    assert note.days_until_faded(T) is None


def test_a_touch_in_the_future_counts_as_age_zero() -> None:
    assert fading("event", 0.0).weight(T - timedelta(days=9)) == 1.0


def test_ages_are_civil_days_of_the_zone_across_the_hour_that_is_lost() -> None:
    oslo, now = ZoneInfo("Europe/Oslo"), datetime(2031, 3, 30, 22, 30, tzinfo=UTC)
    assert [age_days(start_of(day), now, oslo) for day in ("2031-03-29", "2031-03-30", "2031-04-02")] == [2, 1, 0]
    assert age_days(start_of("2031-03-30"), now, ZoneInfo("America/New_York")) == 0
    assert age_days(datetime(2031, 3, 29, 23, 30, tzinfo=UTC), now, oslo) == 1


def test_an_instant_at_the_end_of_the_calendar_is_to_come_in_every_zone() -> None:
    end = datetime(9999, 12, 31, 23, 30, tzinfo=UTC)
    assert [age_days(end, T, ZoneInfo(zone)) for zone in ("Asia/Tokyo", "America/New_York")] == [0, 0]


def test_an_event_fades_when_its_day_is_over() -> None:
    event = Fading(lasting_until("2026-03-10"), 7.0, 0.0)
    assert event.weight(datetime(2026, 3, 10, 23, 59, tzinfo=UTC)) == 1.0
    assert event.weight(datetime(2026, 3, 18, tzinfo=UTC)) == 0.5
    assert lasting_until("9999-12-31").year == 9999


@given(st.floats(0, 5_000), st.floats(0, 5_000), st.floats(1, 400), SHARES)
def test_weights_only_fall_and_stay_between_the_floor_and_one(first: float, more: float, half_life: float, importance: float) -> None:
    early, late = (weight_at(T + timedelta(days=d), T, half_life=half_life, importance=importance) for d in (first, first + more))
    assert decay.FLOOR_PER_IMPORTANCE * importance <= late <= early <= 1.0


@given(st.lists(st.none() | DAYS, min_size=3, max_size=3), st.floats(0, 4_000), st.floats(1, 400), SHARES)
def test_the_strongest_of_several_touches_is_the_largest_of_what_each_has_left_at_any_time(
    above: list[float | None], later: float, half_life: float, importance: float
) -> None:
    now = T + timedelta(days=4_000 + later)
    moments = [None if days is None else T + timedelta(days=days) for days in above]
    touched, base = strongest(T, moments, half_life, importance)

    def left(moment: datetime, share: float) -> float:
        return weight_at(now, moment, base=share, half_life=half_life, importance=importance)

    each = [left(moment, 0.6**level) for level, moment in enumerate(moments, start=1) if moment]
    assert left(touched, base) == pytest.approx(max([left(T, 1.0), *each]), abs=1e-12)


def test_what_a_touch_leaves_of_a_share_is_what_was_owed_or_the_share_whichever_is_more() -> None:
    """Settling first and touching then is the same as the strongest of both."""
    at = T + timedelta(days=3)
    owed = weight_at(at, T, half_life=7.0, importance=0.0)
    touched, base = strongest(T, [at, None, None], 7.0, 0.0)
    assert weight_at(at, touched, half_life=7.0, importance=0.0, base=base) == max(owed, 0.6) == owed
    late = T + timedelta(days=30)
    touched, base = strongest(T, [late, None, None], 7.0, 0.0)
    assert (touched, base) == (late, 0.6)


@pytest.mark.parametrize(("count", "days"), [(1, 62), (5, 161), (20, 274)])
def test_a_relation_lasts_the_longer_the_more_often_it_is_stated(count: int, days: int) -> None:
    assert edge_weight(T + timedelta(days=days), T.date(), count=count, relation="about") == pytest.approx(0.5, abs=0.005)


def test_part_of_never_breaks() -> None:
    assert edge_weight(T, date(1990, 1, 1), count=1, relation="part_of") == decay.EDGE_FADED_WEIGHT
    assert edge_weight(T, date(1990, 1, 1), count=1, relation="about") < decay.EDGE_FADED_WEIGHT


def test_the_readme_has_the_half_lives_of_the_code() -> None:
    assert half_life_table() in (Path(__file__).parents[2] / "README.md").read_text("utf-8")
