"""Days that a text names: which ones, and that nothing else is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.core.happening import last_day_named


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Launch on 2031-06-05.", "2031-06-05"),
        ("5 June 2031", "2031-06-05"), ("the 5th of June, 2031", "2031-06-05"), ("5 Jun. 2031", "2031-06-05"),
        ("June 5, 2031", "2031-06-05"), ("june 5th 2031", "2031-06-05"), ("Sept 3, 2031", "2031-09-03"),
        ("June 5", "2026-06-05"), ("on the 1st of March", "2026-03-01"),
        ("June 5-7", "2026-06-07"), ("5–7 June 2031", "2031-06-07"), ("June 5 to 7, 2031", "2031-06-07"),
        ("June 30 to July 2, 2031", "2031-07-02"), ("30 June – 2 July 2031", "2031-07-02"),
        ("2031-06-05/2031-06-07", "2031-06-07"), ("June 2031", "2031-06-30"), ("February 2028", "2028-02-29"),
        ("first 2024-01-01, then 3 May 2025", "2025-05-03"), ("May 5", "2026-05-05"), ("12 MARCH", "2026-03-12"), ("5 mar", "2026-03-05"),
        ("v2031-06-05", "2031-06-05"), ("trip-2031-06-05.", "2031-06-05"), ("at 2031-06-05T18:00", "2031-06-05"), ("2126-01-01", "2126-01-01"),
    ],
)  # fmt: skip
def test_the_last_day_that_is_named_is_found(text: str, day: str) -> None:
    assert last_day_named(text, 2026) == day


@pytest.mark.parametrize(
    "text",
    [
        "", "It may fail 5 times", "2031-13-45", "June", "31 June 2031", "marching 5 days", "v5.June", "12031-06-05", "decade 20 years",
        "It may 10 years later fail", "12 may be enough", "we march 5 km", "It may 2031 times", "5 may do, 3-4 march on",
        "Call 49-5550-12-31", "part 2031-06-05-77", "release 1.2031-06-05", "2031-06-05.3", "version 1.5 June",
        "RFC 3339-12-10", "open until 9999-12-31", "June 5, 1500",
    ],
)  # fmt: skip
def test_what_is_no_day_is_none(text: str) -> None:
    assert last_day_named(text, 2026) is None


@given(st.text(alphabet="5Jun y2031-–,.th of\nMay", max_size=80))
def test_any_text_is_read(text: str) -> None:
    found = last_day_named(text, 2026)
    assert found is None or len(found) == 10
