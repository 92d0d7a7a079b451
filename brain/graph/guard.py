"""What a person's Cypher may say: one statement that reads. Pure text; opens no graph.

The text is cut into tokens and put together again without its comments, so that the engine reads what
was checked: its own comment rule differs (kuzu 0.11.3 and ladybug 0.22.0 run a comment that ends in
`**/` on to the next `*/`), and such a difference would let a word hide.

The engine's read-only mode is no substitute: it lets COPY TO and EXPORT write files, LOAD read any
file and INSTALL reach the network (both engines, measured 2026-11).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from brain.errors import UsageError

TEXT_CHARS_MAX = 100_000

FIRST_WORDS = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "EXPLAIN", "CALL"})
REFUSED_WORDS = frozenset({
    "ALTER", "ANALYZE", "ATTACH", "BEGIN", "CHECKPOINT", "COMMENT", "COMMIT", "COPY", "CREATE", "DELETE", "DETACH",
    "DROP", "EXPORT", "FORCE", "FOREACH", "IMPORT", "INSERT", "INSTALL", "LOAD", "MERGE", "NEXTVAL", "PROFILE",
    "REMOVE", "ROLLBACK", "SET", "TRUNCATE", "UNINSTALL", "UPDATE", "USE",
})  # fmt: skip
CALLABLE = frozenset({"CURRENT_SETTING", "DB_VERSION", "SHOW_CONNECTION", "SHOW_TABLES", "TABLE_INFO"})

SEE_SCHEMA = "brain cypher --schema shows what can be asked"

Kind = Literal["word", "number", "string", "name", "param", "sign"]

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    | (?P<name>`[^`]+`)
    | (?P<param>\$(?:[^\W\d]\w*|\d+))
    | (?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<word>[^\W\d]\w*)
    | (?P<sign>/(?!\*)|[-+*%^=<>!|&~,.:;()\[\]{}])""",
    re.VERBOSE | re.DOTALL,
)
_UNSENDABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_ASCII_RUN = re.compile(r"[A-Za-z0-9_]+")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text that counts; `start` is its offset, `depth` how many brackets are open."""

    kind: Kind
    text: str
    start: int
    depth: int

    def is_word(self, *words: str) -> bool:
        """Tells whether it is one of the words (given in upper case) and not a quoted name."""
        return self.kind == "word" and self.text.upper() in words


@dataclass(frozen=True, slots=True)
class Statement:
    """A text that was found to read only. `text` is as long as the original, with blanks for comments."""

    text: str
    tokens: tuple[Token, ...]

    @property
    def params(self) -> tuple[str, ...]:
        """Names of the `$params` in it, sorted."""
        return tuple(sorted({token.text[1:] for token in self.tokens if token.kind == "param"}))


def check(text: str) -> Statement:
    """Returns the statement when it can only read.

    Raises: UsageError naming the word that was refused and its line.
    """
    if len(text) > TEXT_CHARS_MAX:
        raise UsageError(f"The query has {len(text)} characters; the limit is {TEXT_CHARS_MAX}.", "pass values as --param name=value")
    clean, tokens = _scanned(text)
    if tokens and tokens[-1].text == ";":
        clean, tokens = _blanked(clean, tokens[-1].start), tokens[:-1]
    if not tokens:
        raise UsageError("There is no query in the text.", 'brain cypher "MATCH (n:Note) RETURN n.title LIMIT 10"')
    _check_one_statement(text, tokens)
    _check_first_word(tokens)
    for place, token in enumerate(tokens):
        _check_word(text, tokens, place, token)
    return Statement(clean, tuple(tokens))


def capped(statement: Statement, rows_max: int) -> str:
    """Returns the text with a LIMIT of at most `rows_max` on its last RETURN, where that is plain to see.

    Left alone: EXPLAIN, UNION, a computed LIMIT. The reader of the rows stops at its own count anyway.
    """
    top = [place for place, token in enumerate(statement.tokens) if token.depth == 0 and token.kind == "word"]
    words = {place: statement.tokens[place].text.upper() for place in top if not _follows_dot(statement.tokens, place)}
    returns = [place for place, word in words.items() if word == "RETURN"]
    if not returns or "UNION" in words.values() or statement.tokens[0].is_word("EXPLAIN"):
        return statement.text
    limits = [place for place, word in words.items() if word == "LIMIT" and place > returns[-1]]
    if not limits:
        return f"{statement.text}\nLIMIT {rows_max}"
    count = statement.tokens[limits[-1] + 1 :]
    if len(count) == 1 and count[0].text.isdecimal() and int(count[0].text) > rows_max:
        return f"{statement.text[: count[0].start]}{rows_max}"
    return statement.text


def _scanned(text: str) -> tuple[str, list[Token]]:
    """Cuts the text into tokens; also returns it with comments and odd white space as plain blanks."""
    tokens: list[Token] = []
    clean: list[str] = []
    at, depth = 0, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _unreadable(text, at)
        kind, piece = str(match.lastgroup), match[0]
        if kind in ("space", "comment"):
            clean.append("".join("\n" if char == "\n" else " " for char in piece))
        else:
            _check_piece(text, at, kind, match)
            depth -= piece in _CLOSING
            tokens.append(Token(kind, piece, at, depth))  # type: ignore[arg-type]
            depth += piece in _OPENING
            clean.append(piece)
        at = match.end()
    return "".join(clean), tokens


def _check_piece(text: str, at: int, kind: str, match: re.Match[str]) -> None:
    """Refuses what the engine might cut differently: `1e5LOAD` is a number and a word to it."""
    following = text[match.end() : match.end() + 1]
    is_run_on = kind == "number" or (kind == "param" and match[0][1].isdecimal())
    if is_run_on and (following.isalnum() or following == "_"):
        raise UsageError(f"{_at(text, at)}: {match[0]}{following}… runs a number into a word.", "put a blank after the number")
    if _UNSENDABLE.search(match[0]):
        raise UsageError(f"{_at(text, at)} there is a control character.", "take it out; `\\n` and `\\t` can be written in strings")


def _check_one_statement(text: str, tokens: list[Token]) -> None:
    for token in tokens:
        if token.text == ";":
            raise UsageError(
                f"{_at(text, token.start)} a second statement begins; one is run at a time.",
                "run the statements one by one",
            )


def _check_first_word(tokens: list[Token]) -> None:
    first = tokens[0]
    if first.kind == "word" and first.text.upper() in FIRST_WORDS:
        return
    if first.is_word(*REFUSED_WORDS):
        return  # named as refused, with its line, by the next check
    raise UsageError(
        f"A query cannot begin with {first.text[:40]!r}.",
        f"begin with one of {', '.join(sorted(FIRST_WORDS))}; {SEE_SCHEMA}",
    )


def _check_word(text: str, tokens: list[Token], place: int, token: Token) -> None:
    if token.kind != "word" or _follows_dot(tokens, place):
        return
    refused = next((run for run in _ASCII_RUN.findall(token.text) if run.upper() in REFUSED_WORDS), None)
    if refused is not None:
        raise UsageError(
            f"{_at(text, token.start)}: {refused.upper()} is refused, because `brain cypher` only reads.",
            f"write a name that reads so in backticks: `{refused}`; notes change by brain add and by editing them; {SEE_SCHEMA}",
        )
    if token.is_word("CALL"):
        _check_call(text, tokens, place)


def _check_call(text: str, tokens: list[Token], place: int) -> None:
    called = tokens[place + 1 : place + 3]
    if len(called) == 2 and called[0].is_word(*CALLABLE) and called[1].text == "(":
        return
    name = called[0].text if called else "nothing"
    raise UsageError(
        f"{_at(text, tokens[place].start)}: CALL {name[:40]} is refused.",
        f"CALL one of {', '.join(sorted(name.lower() for name in CALLABLE))}; {SEE_SCHEMA}",
    )


def _follows_dot(tokens: list[Token] | tuple[Token, ...], place: int) -> bool:
    """Tells whether a word is a property (`n.set`): after one dot, itself after a name, `)`, `]` or `}`."""
    if place < 2 or tokens[place - 1].text != ".":
        return False
    owner = tokens[place - 2]
    return owner.kind in ("word", "name", "param") or owner.text in _CLOSING


def _unreadable(text: str, at: int) -> UsageError:
    char = text[at]
    names = {"'": "string", '"': "string", "`": "name", "/": "comment"}
    if char in names:
        return UsageError(f"{_at(text, at)} a {names[char]} begins and does not end.", f"close it with {'*/' if char == '/' else char}")
    return UsageError(f"{_at(text, at)} {char!r} has no meaning in Cypher.", "put text into quotes, or pass it as --param name=value")


def _at(text: str, offset: int) -> str:
    before = text[:offset]
    return f"In line {before.count(chr(10)) + 1}, column {offset - (before.rfind(chr(10)) + 1) + 1}"


def _blanked(text: str, offset: int) -> str:
    return f"{text[:offset]} {text[offset + 1 :]}"
