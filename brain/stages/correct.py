"""Correct: a fact that a person states is carried into the notes that restate it wrongly. History and authority are left alone.

What is true is given, never found out: a note with authority has to say it already. Without one nothing is edited, and
the places are shown. No lock is held while a model answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from brain.core.correction import Correction, Place, occurrences
from brain.core.ids import short_hash
from brain.core.judgement import Unsure
from brain.core.note import Note
from brain.errors import UsageError
from brain.models.judge.values import Agrees, Claim, ClaimPair, Corrected, Misstates, Unanswered
from brain.stages.context import Context
from brain.stages.correcting.places import Line, Wrong, literal_places, near_lines, role_of, words_in_line
from brain.stages.correcting.plans import Authority, plan_of
from brain.stages.moving import ReadNote
from brain.stages.report import RunReport, counted
from brain.stages.run import Run
from brain.stages.spelling import without_links
from brain.stages.target import Names
from brain.stages.unanswered import NoAnswers
from brain.vault.parse import parse_note

Find = Callable[[str], Sequence[str]]
"""Words → paths of notes, the best first."""


@dataclass(frozen=True, slots=True)
class Correcting:
    """What a correction found, place by place, and what was written of it."""

    places: tuple[Place, ...]
    report: RunReport


@dataclass(slots=True)
class _Found:
    places: list[Place] = field(default_factory=list)
    wrongs: dict[str, list[Wrong]] = field(default_factory=dict)
    near: list[tuple[ReadNote, Line]] = field(default_factory=list)
    read: dict[str, ReadNote] = field(default_factory=dict)

    def add(self, found: Place | Wrong) -> None:
        """Takes a place, and what is wrong there."""
        place = found.place if isinstance(found, Wrong) else found
        self.places.append(place)
        if isinstance(found, Wrong):
            self.wrongs.setdefault(place.path, []).append(found)


def run(
    ctx: Context, correction: Correction, *, authorities: Sequence[str], literal: Find, near: Find, limit: int, dry_run: bool = False
) -> Correcting:
    """Finds the places of a fact and writes anew those that restate it wrongly; a dry run shows them.

    `authorities` are paths of the notes that know; `literal` and `near` find notes by an old wording and by meaning; at
    most `limit` notes are looked at, 0 for all.
    Raises: UsageError when a note of authority is history itself or does not say what is to be written.
    """
    run = Run(ctx, "correct", dry_run=dry_run)
    known = [_authority(ctx, run, path, correction) for path in authorities]
    paths = [path for path in dict.fromkeys([*(literal(correction.was) if correction.was else ()), *near(correction.fact)]) if path not in authorities]
    kept = paths[: limit or None]
    found = _Found(places=[Place(a.read.note.path, a.line, a.quote, "authority", "it was named") for a in known])
    for path in kept:
        _look(ctx, run, found, path, correction)
    _judge(ctx, run, found, correction, known)
    if known:
        _carry_out(ctx, run, found, known[0])
    elif found.wrongs:
        run.say(f"{counted(sum(map(len, found.wrongs.values())), 'place')} would be put right, but no note says what is so: --authority NOTE.")
    waiting = sum(place.role == "unsure" for place in found.places)
    return Correcting(tuple(sorted(found.places)), run.report(found=len(found.places), waiting=waiting, left_out=len(paths) - len(kept)))


def _authority(ctx: Context, run: Run, path: str, correction: Correction) -> Authority:
    read = _read(ctx, run, path)
    if read is None:
        raise UsageError(f"{path} cannot be read.", "brain index")
    role, why = role_of(ctx, read.note)
    if role == "history":
        raise UsageError(f"{path} has no authority over the present: {why}.", "name the note that says what is so now")
    wanted, limits = correction.becomes, ctx.config.limits
    lines = read.source.text.split("\n")
    first = read.source.text.count("\n", 0, read.note.body_start)
    atoms = {atom.line - 1: atom.text for atom in read.note.atoms}  # the name of a source says nothing
    said = ((n, without_links(atoms.get(n, lines[n]), limits)) for n in range(first, len(lines)))
    says = [n for n, line in said if wanted and any(occurrences(line, wanted))]
    if wanted and not says:
        raise UsageError(f"{path} does not say “{wanted}” itself.", f'brain edit "{path}" first: nothing else in the vault can decide what is so')
    still = [place for place in literal_places(read, correction) if isinstance(place, Wrong)]
    if still:
        line = still[0].place.line
        raise UsageError(f"{path} itself says “{correction.was}” still, on line {line}.", f'brain edit "{path}" first')
    at = says[0] if says else first
    return Authority(read, at + 1, lines[at].strip() if at < len(lines) else read.note.title)


def _look(ctx: Context, run: Run, found: _Found, path: str, correction: Correction) -> None:
    read = _read(ctx, run, path)
    if read is None:
        return
    found.read[path] = read
    role, why = role_of(ctx, read.note)
    literal = list(literal_places(read, correction))
    if role == "history":
        places = [place.place if isinstance(place, Wrong) else place for place in literal]
        near = [Place(path, line.number, line.text.strip(), role, why) for line in near_lines(read, correction)[:1]]
        found.places += [replace(place, role=role, why=why) for place in places or near]
        return
    for one in literal:
        found.add(one)
    if not literal:
        lines = (line for line in near_lines(read, correction) if not _says_so(line.text, correction))
        found.near += [(read, line) for line in lines]


def _says_so(line: str, correction: Correction) -> bool:
    said = correction.becomes or correction.fact.rstrip(". ")
    return any(occurrences(line, said))


def _judge(ctx: Context, run: Run, found: _Found, correction: Correction, known: Sequence[Authority]) -> None:
    """Puts lines that are near in meaning before the model; without one a person looks at them."""
    asked = found.near
    answers: Sequence[Corrected] = ()
    if ctx.model is not None and asked:
        fact = Claim(short_hash("fact", correction.fact), correction.fact)
        answers = ctx.model.correct([ClaimPair(fact, _claim(read, line), read.note.title) for read, line in asked])
    silent: NoAnswers[tuple[str, int]] = NoAnswers()
    for place, (read, line) in enumerate(asked):
        answer = answers[place] if answers else None
        shown = Place(read.note.path, line.number, line.text.strip(), "unsure", "it is near in meaning; nobody judged it")
        match answer:
            case Agrees():
                continue
            case Misstates():
                for one in _wrongs(ctx, read, line, answer, known, shown):
                    found.add(one)
            case Unanswered():
                silent.add(answer, (read.note.path, line.number))
                found.add(shown)
            case Unsure():
                found.add(replace(shown, why=answer.reason))
            case None:
                found.add(shown)
    for sentence in silent.sentences(lambda count: f"{counted(count, 'line')} got no answer"):
        run.say(sentence)


def _wrongs(ctx: Context, read: ReadNote, line: Line, verdict: Misstates, known: Sequence[Authority], shown: Place) -> list[Place | Wrong]:
    """Returns what a model found wrong in a line; words that no note of authority says are not written."""
    limits = ctx.config.limits
    texts = [without_links(authority.read.source.text, limits) for authority in known]
    says = not known or any(next(occurrences(text, verdict.new), None) for text in texts)
    if not says:
        return [replace(shown, why=f"the model would write “{verdict.new}”, which no note with authority says")]
    place = replace(shown, role="restates", why=verdict.reason)
    spans = list(words_in_line(read, line, verdict.old, verdict.new))
    return [Wrong(place, span, verdict.new, verdict.judge, verdict.reason) for span in spans] or [replace(shown, why="the wrong words stand in a link or in code")]


def _carry_out(ctx: Context, run: Run, found: _Found, authority: Authority) -> None:
    names = Names(ctx)
    plans = []
    for path, wrongs in sorted(found.wrongs.items()):
        with names.session():
            plan = plan_of(ctx, names, found.read[path], wrongs, authority)
        if isinstance(plan, str):
            run.say(f"{path} was left as it is: {plan}.")
        else:
            plans.append(plan)
    run.commit_many(plans)


def _claim(read: ReadNote, line: Line) -> Claim:
    return Claim(short_hash("line", read.note.path, line.text), line.text.strip(), "line")


def _read(ctx: Context, run: Run, path: str) -> ReadNote | None:
    source = run.reading.read(path)
    note: Note | None = parse_note(path, source.text, ctx.config.limits) if source else None
    return ReadNote(source, note) if source and note and not note.malformed else None
