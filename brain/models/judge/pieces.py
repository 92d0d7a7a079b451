"""An episode cut into the pieces that one request each can show. Pure; every character of the body is in one piece."""

from __future__ import annotations

from collections.abc import Iterator

from brain.config import Limits
from brain.core.judgement import Episode
from brain.models.judge.values import Piece
from brain.vault.frontmatter import read_frontmatter


def pieces_of(episode: Episode, limits: Limits, *, chars_max: int, title: str = "", day: str | None = None) -> tuple[Piece, ...]:
    """Cuts the body of an episode into pieces of at most `chars_max`: between paragraphs, else lines, else anywhere."""
    start = read_frontmatter(episode.text, limits).end
    spans = [(a, b) for a, b in _cuts(episode.text, start, max(1, chars_max)) if episode.text[a:b].strip()]
    return tuple(
        Piece(episode.id, episode.text[a:b], episode.text.count("\n", 0, a) + 1, number, len(spans), title, day)
        for number, (a, b) in enumerate(spans, start=1)
    )


def _cuts(text: str, start: int, chars_max: int) -> Iterator[tuple[int, int]]:
    """Yields the places of the pieces: cut after the last blank line that fits, else the last line, else the last word."""
    while start < len(text):
        end = min(len(text), start + chars_max)
        if end < len(text):
            ends = (text.rfind(sign, start + 1, end) + len(sign) for sign in ("\n\n", "\n", " ") if text.find(sign, start + 1, end) >= 0)
            end = next(ends, end)
        yield start, end
        start = end
