"""A stand-in for a language model: prints what a reader once answered to the very prompt on stdin. Any filter program would do.

    LLM_COMMAND="python bench/replay.py bench/replies.jsonl" brain maintain

A prompt that nobody answered ends with exit code 3; with `--asked DIR` it is written there as `001.txt`, for a
reader to write `001.reply.txt` beside it. `--take DIR --who NAME` adds those replies to the file.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

EXIT_UNKNOWN = 3


def main(args: list[str]) -> int:
    """Answers one prompt, or takes replies; returns the exit code."""
    file, rest = Path(args[0]), args[1:]
    if rest[:1] == ["--take"]:
        return take(file, Path(rest[1]), rest[3])
    prompt = sys.stdin.buffer.read()
    reply = replies_in(file).get(key_of(prompt))
    if reply is not None:
        sys.stdout.write(reply)
        return 0
    if rest[:1] == ["--asked"]:
        ask(Path(rest[1]), prompt)
    sys.stderr.write("nobody has answered this prompt yet\n")
    return EXIT_UNKNOWN


def key_of(prompt: bytes) -> str:
    """Returns what a prompt is known by."""
    return hashlib.sha256(prompt).hexdigest()


def replies_in(file: Path) -> dict[str, str]:
    """Returns the replies of a file by the keys of their prompts; none when there is no file."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return {record["prompt"]: record["reply"] for record in map(json.loads, lines)}


def ask(folder: Path, prompt: bytes) -> None:
    """Writes a prompt that is to be answered, once."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = sorted(folder.glob("???.txt"))
    if all(path.read_bytes() != prompt for path in asked):
        (folder / f"{len(asked) + 1:03}.txt").write_bytes(prompt)


def take(file: Path, folder: Path, who: str) -> int:
    """Adds the replies beside the prompts of a folder to the file, with who answered."""
    known = replies_in(file)
    with file.open("a", encoding="utf-8") as out:
        for path in sorted(folder.glob("???.txt")):
            reply, key = path.with_name(f"{path.stem}.reply.txt"), key_of(path.read_bytes())
            if reply.exists() and key not in known:
                out.write(json.dumps({"prompt": key, "who": who, "reply": reply.read_text("utf-8")}, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
