"""Makes vaults of any size from a seed: the same seed and size give the same bytes.

    python -m bench.corpus DIR --notes 10000 --seed 7

Words follow Zipf's law over a made-up vocabulary behind a few real function words. Notes have a median
of about 120 words with a long tail, frontmatter, headings, links in every form (some broken, some
ambiguous), entity notes with atoms and relations, dated episodes, and a few oddities that real vaults
have: CRLF, a byte-order mark, CJK, code fences. Only `random.Random` is used, whose streams do not
change between Python versions for the calls made here.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random

SEED = 20_260
VOCABULARY_WORDS = 60_000
ZIPF_EXPONENT = 1.05
WORDS_MEDIAN, WORDS_SIGMA, WORDS_MAX = 95, 1.0, 8_000  # of the body; links and frontmatter come on top
FUNCTION_WORDS = ["the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "was", "on", "with", "as", "be", "by", "at", "this", "from", "or", "are", "an", "not", "have", "we", "but", "which", "has", "they", "will", "one", "all", "can", "when", "more", "if", "no", "so", "out", "up", "into", "them", "then", "about", "some", "other", "what"]
ONSETS = ["b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "k", "l", "m", "n", "p", "pl", "pr", "qu", "r", "s", "sh", "st", "t", "tr", "v", "w", "z"]
VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "io", "ou"]
CODAS = ("", "", "n", "r", "s", "l", "m", "nd", "rk", "st", "ck", "x")
KINDS = (("person", "People"), ("organization", "Organizations"), ("project", "Projects"), ("concept", "Concepts"),
         ("decision", "Decisions"))  # fmt: skip
RELATIONS = ("part_of", "depends_on", "relates_to", "builds_on", "works_at", "created_by", "about", "used_in")
SHARED_STEMS = ("Index", "Notes", "Plan", "Ideas", "Readme", "Todo")
CJK = ("知识图谱的笔记保存在本地", "データベースの設計について", "회의 기록과 결정 사항")
MARKS = ("Decided", "Risk", "Fact")


@dataclass(frozen=True, slots=True)
class Name:
    """Where a note lies, what it is called, and what else it answers to."""

    path: str
    stem: str
    alias: str | None
    kind: str


def vocabulary(seed: int = SEED) -> list[str]:
    """Returns the words by rank, most frequent first; the first few dozen are function words."""
    random = Random(f"words:{seed}")
    words = list(FUNCTION_WORDS)
    known = set(words)
    while len(words) < VOCABULARY_WORDS:
        rank = len(words)  # as in real languages, frequent words are short
        syllables = 1 + (random.random() < min(0.95, rank / 1_500)) + (random.random() < min(0.6, rank / 30_000))
        word = "".join(
            ONSETS[int(random.random() * len(ONSETS))] + VOWELS[int(random.random() * len(VOWELS))] for _ in range(syllables)
        ) + CODAS[int(random.random() * len(CODAS))]  # fmt: skip
        if random.random() < 0.01:
            word = word.replace("e", "é").replace("u", "ü")
        if len(word) > 2 and word not in known:
            known.add(word)
            words.append(word)
    return words


def names(count: int, words: list[str], seed: int = SEED) -> list[Name]:
    """Returns the name of every note; about one in two hundred shares its stem with others."""
    random = Random(f"names:{seed}")
    taken: set[str] = set()
    found = []
    for number in range(count):
        kind, folder = _place(random, number, count)
        stem = _stem(random, words, kind)
        alias = _word(random, words).title() + " " + _word(random, words) if random.random() < 0.2 else None
        path = f"{folder}/{stem}.md"
        while path.casefold() in taken:
            stem = f"{stem} {1 + int(random.random() * 999)}"
            path = f"{folder}/{stem}.md"
        taken.add(path.casefold())
        found.append(Name(path, stem, alias, kind))
    return found


def notes(count: int, seed: int = SEED) -> Iterator[tuple[str, bytes]]:
    """Yields (path, bytes) of every note in a fixed order; memory grows with the names only."""
    words = vocabulary(seed)
    writer = Writer(words, names(count, words, seed))
    for number in range(count):
        yield writer.names[number].path, writer.note(number, Random(f"note:{seed}:{number}"))


class Writer:
    """Writes single notes; each depends on the seed, its number and the names of all."""

    def __init__(self, words: list[str], all_names: list[Name]) -> None:
        self.names = all_names
        self._words = words
        self._cumulative = list(accumulate(1.0 / (rank + 2.7) ** ZIPF_EXPONENT for rank in range(len(words))))

    def note(self, number: int, random: Random) -> bytes:
        """Returns the bytes of one note."""
        name = self.names[number]
        length = min(WORDS_MAX, max(8, int(WORDS_MEDIAN * math.exp(random.gauss(0.0, WORDS_SIGMA)))))
        parts = [self._frontmatter(name, random), f"# {name.stem}\n\n" if random.random() < 0.7 else ""]
        parts.append(self._body(length, random))
        if name.kind == "episode" and random.random() < 0.6:
            parts.append(f"{MARKS[int(random.random() * 3)]}: {self._link(random)} {self._sentence(9, random)}.\n")
        elif name.kind not in ("note", "episode"):
            parts.append(self._entity(number, random))
        text = "".join(parts)
        if random.random() < 0.01:
            text = text.replace("\n", "\r\n")
        data = text.encode("utf-8")
        return b"\xef\xbb\xbf" + data if random.random() < 0.002 else data

    def _frontmatter(self, name: Name, random: Random) -> str:
        if name.kind == "note" and random.random() < 0.45 and name.alias is None:
            return ""
        lines = ["---"]
        if name.kind == "episode":
            lines += ["type: episode"]
        elif name.kind != "note":
            lines += ["type: entity", f"kind: {name.kind}", f"importance: {random.random():.2f}"]
            if random.random() < 0.03:
                lines.append("status: superseded")
            lines.append(f'source: ["{self._link(random, plain=True)}"]')
        if name.alias:
            lines.append(f"aliases: [{name.alias}]")
        if random.random() < 0.7:
            lines.append(f"tags: [{', '.join(self._sentence(2, random).split())}]")
        lines.append(f"created: {2019 + int(random.random() * 7)}-{1 + int(random.random() * 12):02}-{1 + int(random.random() * 28):02}")
        return "\n".join([*lines, "---", ""])

    def _body(self, length: int, random: Random) -> str:
        parts = []
        while length > 0:
            if random.random() < 0.25:
                parts.append(f"## {self._sentence(2 + int(random.random() * 3), random).capitalize()}\n\n")
            size = min(length, 20 + int(random.random() * 60))
            parts.append(self._paragraph(size, random))
            length -= size
        if random.random() < 0.03:
            parts.append(f"```text\nrun --all [[{self._sentence(1, random)}]]\n```\n\n")
        if random.random() < 0.005:
            parts.append(CJK[int(random.random() * len(CJK))] + "。\n\n")
        return "".join(parts)

    def _paragraph(self, size: int, random: Random) -> str:
        words = random.choices(self._words, cum_weights=self._cumulative, k=size)
        for place in range(9, size, 14):
            words[place] += "."
            if place + 1 < size:
                words[place + 1] = words[place + 1].capitalize()
        for _ in range(int(size / 60 + random.random())):
            words[int(random.random() * size)] = self._link(random)
        return ("- " if random.random() < 0.2 else "") + " ".join(words) + ".\n\n"

    def _entity(self, number: int, random: Random) -> str:
        lines = ["## Atoms"]
        for ordinal in range(1 + int(random.random() * 4)):
            episode = self._target(random).stem
            lines.append(f"- (fact, verified) {self._sentence(8, random).capitalize()}. [[{episode}]] ^a-{number:x}-{ordinal}")
        lines += ["", "## Related"]
        lines += [
            f"- {RELATIONS[int(random.random() * len(RELATIONS))]}:: [[{self._target(random).stem}]] - {self._sentence(5, random)}"
            for _ in range(1 + int(random.random() * 3))
        ]
        return "\n".join([*lines, ""])

    def _link(self, random: Random, *, plain: bool = False) -> str:
        target, form = self._target(random), random.random()
        if plain or form < 0.55:
            return f"[[{target.stem}]]"
        if form < 0.70:
            return f"[[{target.stem}|{self._sentence(2, random)}]]"
        if form < 0.76:
            return f"[[{target.path.removesuffix('.md')}]]"
        if form < 0.82:
            return f"[[{target.stem}#{self._sentence(2, random).capitalize()}]]"
        if form < 0.88:
            return f"[[{target.alias or target.stem}]]"
        if form < 0.91:
            return f"![[{target.stem}]]"
        if form < 0.94:
            return f"[{self._sentence(2, random)}]({target.path.replace(' ', '%20')})"
        if form < 0.95:
            return f"[[{SHARED_STEMS[int(random.random() * len(SHARED_STEMS))]}]]"
        return f"[[{self._sentence(2, random).title()} unwritten]]"

    def _target(self, random: Random) -> Name:
        """Some notes are linked much more often than others."""
        return self.names[int(len(self.names) * random.random() ** 3)]

    def _sentence(self, size: int, random: Random) -> str:
        return " ".join(random.choices(self._words, cum_weights=self._cumulative, k=size))


def _place(random: Random, number: int, count: int) -> tuple[str, str]:
    chance = random.random()
    if chance < 0.15:
        kind, folder = KINDS[int(random.random() * len(KINDS))]
        return kind, f"Memory/{folder}"
    if chance < 0.25:
        return "episode", "Inbox" if random.random() < 0.1 else f"Log/{2019 + number * 7 // max(count, 1)}"
    return "note", f"Notes/Area {int(random.random() * max(4, count // 400)):03}"


def _stem(random: Random, words: list[str], kind: str) -> str:
    if random.random() < 0.005:
        return SHARED_STEMS[int(random.random() * len(SHARED_STEMS))]
    if kind == "episode":
        date = f"{2019 + int(random.random() * 7)}-{1 + int(random.random() * 12):02}-{1 + int(random.random() * 28):02}"
        return f"{date} {_word(random, words)} {_word(random, words)}"
    return f"{_word(random, words).title()} {_word(random, words)}"


def _word(random: Random, words: list[str]) -> str:
    """Returns a content word; low ranks are more likely, but not as much as in running text."""
    first = len(FUNCTION_WORDS)
    return words[first + int((len(words) - first) * random.random() ** 2)]


def write_vault(folder: Path, count: int, seed: int = SEED) -> int:
    """Writes a vault into a folder that is empty or missing; returns the bytes written.

    Raises: FileExistsError when something is there already.
    """
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty")
    made: set[Path] = set()
    total = 0
    for path, data in notes(count, seed):
        place = folder / path
        if place.parent not in made:
            place.parent.mkdir(parents=True, exist_ok=True)
            made.add(place.parent)
        place.write_bytes(data)
        total += len(data)
    return total


def ready_vault(folder: Path, count: int, seed: int = SEED) -> Path:
    """Returns the vault of that size and seed under `folder`, making it when it is not there whole."""
    vault = folder / f"vault-{count}-{seed}"
    mark = folder / f"vault-{count}-{seed}.complete"
    if not mark.exists():
        write_vault(vault, count, seed)
        mark.touch()
    return vault


def main() -> None:
    """Writes one vault."""
    parser = argparse.ArgumentParser(description="Make a vault from a seed.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    total = write_vault(given.folder, given.notes, given.seed)
    print(f"{given.notes} notes, {total / 1e6:.1f} MB, seed {given.seed}, in {given.folder}")


if __name__ == "__main__":
    main()
