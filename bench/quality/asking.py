"""Writes the prompts of the sets as files for a reader to answer, and takes the answers back as a recording.

    python -m bench.quality.asking --task relate --split all --out DIR
    python -m bench.quality.asking --task relate --split all --take DIR --recording FILE --who "who answered"

`001.txt` is one prompt, to the letter what the product would send; the reader writes `001.reply.txt` beside it.
The recording names who answered as its model, in every line, and `[judge] provider = "recorded"` replays it.
A prompt without an answer gets no line: whoever replays the recording meets a failure there, not an empty answer.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from bench.quality.command import in_words
from bench.quality.judges import judge_of
from bench.quality.questions import ASKING
from bench.quality.rows import SPLITS
from brain.core.asking import Failure, Reply, Request, estimated_cost
from brain.errors import UsageError
from brain.models.chat.recorded import Estimating, Recorded, Recording

EXIT_MISSING = 1
WHO_CHARS_MAX = 120


@dataclass(frozen=True, slots=True)
class Written:
    """What a reader wrote, as a chat. `numbers` are the places of the prompts by their text."""

    folder: Path
    model: str
    numbers: dict[str, int]

    def ask(self, request: Request) -> Reply | Failure:
        """Returns the reply that stands in the file beside the prompt; a missing or blank file is a failure."""
        number = self.numbers.get(request.prompt)
        if number is None:
            return Failure("not_recorded", f"No prompt in {self.folder} is this request.", "write the prompts again with --out, and have them answered")
        path = reply_path(self.folder, number)
        try:
            text = path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            text = ""
        except UnicodeDecodeError:
            return Failure("not_text", f"{path} is no UTF-8 text.", "save that reply as UTF-8")
        if not text.strip():
            return Failure("not_recorded", f"{path} holds no reply.", "answer that prompt, or leave it unanswered")
        return Reply(text, estimated_cost(request, text))


@dataclass(frozen=True, slots=True)
class Collected:
    """How many replies were recorded, and why the others were not."""

    recorded: int
    missing: tuple[Failure, ...]


def prompts(task: str, split: str) -> tuple[Request, ...]:
    """Returns the requests that the product would make for a set, without making them."""
    chat = Estimating("nobody")
    ASKING[task](judge_of(chat), split)
    return tuple(chat.requests)


def write(requests: tuple[Request, ...], folder: Path) -> None:
    """Writes the prompts. Raises: UsageError when the folder holds files already."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty.", "name a new folder: replies to other prompts must not stand beside these")
    for number, request in enumerate(requests, start=1):
        (folder / f"{number:03}.txt").write_bytes(request.prompt.encode("utf-8"))


def take(requests: tuple[Request, ...], folder: Path, recording: Path, who: str) -> Collected:
    """Appends the replies in a folder to a recording; what stands in it already is not written twice.

    Raises: UsageError when the recording is of somebody else.
    """
    if not who.strip() or len(who) > WHO_CHARS_MAX or not who.isprintable():
        raise UsageError("Nobody is named.", f"say in at most {WHO_CHARS_MAX} characters on one line who answered, with --who")
    known = Recorded(recording) if recording.exists() and recording.stat().st_size else None
    if known is not None and known.model != who:
        raise UsageError(f"{recording} holds replies of {known.model}.", "record each reader into a file of its own")
    written = Written(folder, who, numbers_in(folder))
    chat = Recording(written, recording)
    answers = {request.key: written.ask(request) for request in requests}
    for request in requests:
        if known is None or not _says_the_same(known.ask(request), answers[request.key]):
            chat.ask(request)
    missing = tuple(answer for answer in answers.values() if isinstance(answer, Failure))
    return Collected(len(answers) - len(missing), missing)


def numbers_in(folder: Path) -> dict[str, int]:
    """Returns the places of the prompts in a folder by their text."""
    return {path.read_bytes().decode("utf-8"): int(path.stem) for path in sorted(folder.glob("*.txt")) if path.stem.isdecimal()}


def reply_path(folder: Path, number: int) -> Path:
    """Returns where the reply to a prompt is looked for."""
    return folder / f"{number:03}.reply.txt"


def _says_the_same(before: Reply | Failure, now: Reply | Failure) -> bool:
    return isinstance(before, Reply) and isinstance(now, Reply) and before.text == now.text


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Write the prompts of a set for a reader, or take the replies back.")
    parser.add_argument("--task", choices=sorted(ASKING), required=True)
    parser.add_argument("--split", choices=[*SPLITS, "all"], default="tune")
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--out", type=Path, metavar="DIR")
    place.add_argument("--take", type=Path, metavar="DIR")
    parser.add_argument("--recording", type=Path, metavar="FILE")
    parser.add_argument("--who", default="", metavar="WORDS", help="who answered")
    return parser


def main() -> None:
    """Writes prompts or takes replies, and says how many."""
    parser = _options()
    given = parser.parse_args()
    if given.take and given.recording is None:
        parser.error("--take needs --recording")
    requests = prompts(given.task, given.split)
    if given.out:
        _write(requests, given.out)
    else:
        _take(requests, given.take, given.recording, given.who)


def _write(requests: tuple[Request, ...], folder: Path) -> None:
    write(requests, folder)
    sizes = [len(request.prompt) for request in requests]
    print(f"{len(requests)} prompts of {min(sizes):,} to {max(sizes):,} characters, {sum(sizes):,} in all, in {folder}")


def _take(requests: tuple[Request, ...], folder: Path, recording: Path, who: str) -> None:
    collected = take(requests, folder, recording, who)
    print(f"{collected.recorded} of {len(requests)} replies are in {recording}")
    for failure in collected.missing:
        print(f"missing: {failure.message} {failure.cure[:1].upper()}{failure.cure[1:]}.")
    if collected.missing:
        raise SystemExit(EXIT_MISSING)


if __name__ == "__main__":
    in_words(main)
