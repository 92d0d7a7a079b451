"""How much a nightly run may do: all (green), half (amber) or nothing (red).

A fixed tier goes first, then what a service answers, then how much of the day's budget is used. A service that
cannot be asked never stops the work: the run goes on as green and says so.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from typing import Literal, cast

from brain.config import Governor

Tier = Literal["green", "amber", "red"]
TIERS: tuple[Tier, ...] = ("green", "amber", "red")
ANSWER_BYTES_MAX = 10_000
ANSWER_KEYS = ("effectiveTier", "tier")


@dataclass(frozen=True, slots=True)
class Pace:
    """A tier, and the sentence that says why when a person should know."""

    tier: Tier
    why: str | None = None

    def capped(self, limit: int) -> int | None:
        """Returns the limit that is left of one (0: none), or None when nothing may be done."""
        match self.tier:
            case "green":
                return limit
            case "amber":
                return max(1, limit // 2) if limit else 0
            case "red":
                return None


def pace_of(governor: Governor, used_share: float | None, *, ask: Callable[[str, float], str] | None = None) -> Pace:
    """Returns the pace of a run. `used_share` is how much of the day's budget is gone, None without a budget.

    `ask` gets an address and seconds, and returns the answer's text; it may raise OSError or ValueError.
    """
    if governor.tier:
        return Pace(cast(Tier, governor.tier), _unless_green(governor.tier, "`governor.tier` says so"))
    if governor.url:
        return _asked(governor, ask or answer_of)
    return _by_budget(governor, used_share)


def answer_of(address: str, timeout_s: float) -> str:
    """Fetches a service's answer; redirects are not followed. Raises: OSError, ValueError."""
    request = urllib.request.Request(address, headers={"Accept": "application/json"})
    if not address.startswith(("http://", "https://")):
        raise ValueError("it is no http address")
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=timeout_s) as answer:
            data: bytes = answer.read(ANSWER_BYTES_MAX + 1)
    except HTTPException as error:
        raise ValueError(f"its answer is broken ({type(error).__name__})") from error
    if len(data) > ANSWER_BYTES_MAX:
        raise ValueError("its answer is too long")
    return data.decode("utf-8")


def _asked(governor: Governor, ask: Callable[[str, float], str]) -> Pace:
    try:
        tier = _tier_in(ask(governor.url, governor.timeout_s))
    except (OSError, ValueError) as error:
        return Pace("green", f"The governor at {_shown(governor.url)} could not be asked ({_reason(error)}); the run goes on.")
    return Pace(tier, _unless_green(tier, f"the governor at {_shown(governor.url)} says so"))


def _tier_in(text: str) -> Tier:
    try:
        answer = json.loads(text)
    except RecursionError:
        raise ValueError("its answer is nested too deep") from None
    found = next((answer[key] for key in ANSWER_KEYS if key in answer), None) if isinstance(answer, dict) else None
    word = found.strip().casefold() if isinstance(found, str) else None
    if word not in TIERS:
        raise ValueError("its answer names no tier")
    return word


def _by_budget(governor: Governor, used_share: float | None) -> Pace:
    if used_share is None or used_share < governor.amber_share:
        return Pace("green")
    tier: Tier = "red" if used_share >= 1 else "amber"
    return Pace(tier, _unless_green(tier, f"{used_share:.0%} of the day's budget for a model is used"))


def _unless_green(tier: str, why: str) -> str | None:
    did = {"amber": "Every limit is halved", "red": "Nothing is done"}.get(tier)
    return None if did is None else f"{did}: {why} (tier {tier})."


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"it answered {error.code}"
    if isinstance(error, urllib.error.URLError):
        return str(error.reason)
    return str(error) if isinstance(error, ValueError) and not isinstance(error, UnicodeDecodeError | json.JSONDecodeError) else "no answer that can be read"


def _shown(address: str) -> str:
    """Returns an address without what may be secret in it."""
    return address.partition("?")[0].rpartition("@")[2] if "@" in address else address.partition("?")[0]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Follows nothing: who was asked is who answers."""
