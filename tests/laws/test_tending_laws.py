"""Laws 3 to 6: whatever a person writes and a judge says, in any order, stages settle, lose nothing, say where all is from, and name what a limit left out.

Fixpoint: a stage repeated until its limits left nothing out plans nothing more and asks nothing. No loss: a person's
words stay, and every applied plan can be taken back. Provenance: claim, relation and verdict say line, quote, judge.
"""

from __future__ import annotations

import os
import signal
from itertools import islice
from types import ModuleType

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from brain.core.plan import VIEWS
from brain.stages import link, reconcile, review, walk
from brain.stages.governor import Pace
from brain.stages.night import night
from brain.stages.report import RunReport
from brain.stages.reviewing.item import Choice
from tests.laws.alphabet import CLAIMS, LINES, PLACES, TEXTS, filled
from tests.laws.tending import REVIEW, Judging, Tended
from tests.stages.dying import kill

STAGES = (walk, reconcile, link)
RUNS_MAX = 40
JUDGES = st.none() | st.tuples(st.integers(0, 99), st.booleans())
SOUND = st.none() | st.tuples(st.integers(0, 99), st.just(True))


class TendingMachine(Tended):
    """What a person, the stages and whoever judges may do to a vault, in any order."""

    @initialize(first=st.dictionaries(st.sampled_from(PLACES), TEXTS, min_size=4, max_size=8), said=filled(LINES[:6], 5, least=2))
    def some_notes(self, first: dict[str, str], said: list[str]) -> None:
        for path, text in {"Inbox/E1.md": "\n".join(said), "Boat.md": "words of mine\n", **first}.items():
            self.write(path, text)

    @rule(path=st.sampled_from(PLACES), text=TEXTS)
    def write(self, path: str, text: str) -> None:
        self.written_texts += 1
        text = text.replace("words of mine", f"words of mine, the {self.written_texts}th")  # so that no other note can stand in for a lost line
        self.vault.write(path, text)
        self.own[path] = set(text.splitlines())
        self.by_hand(path)

    @rule(data=st.data(), line=filled(LINES + CLAIMS, 1), at=st.integers(0, 20))
    def write_into(self, data: st.DataObject, line: list[str], at: int) -> None:
        if notes := sorted(self.notes()):
            self.type_into(data.draw(st.sampled_from(notes)), line, at)

    @rule(data=st.data(), to=st.none() | st.sampled_from(PLACES))
    def rename_or_delete(self, data: st.DataObject, to: str | None) -> None:
        if not (notes := sorted(self.notes())):
            return
        path = data.draw(st.sampled_from(notes))
        own = self.own.pop(path, set())
        if to is None:
            (self.vault.root / path).unlink()
        else:
            (self.vault.root / to).parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.vault.root / path, self.vault.root / to)
            self.own[to] = own
            self.by_hand(to)
        self.by_hand(path)

    @rule(stage=st.sampled_from(STAGES), judge=JUDGES)
    def run(self, stage: ModuleType, judge: Judging) -> None:
        self.machine(lambda: [stage.run(self.judged(judge))])

    @rule(judge=JUDGES)
    def maintain(self, judge: Judging) -> None:
        def one(stage: ModuleType, limit: int | None) -> RunReport:
            self.vault.index()
            ctx = self.judged(judge)
            return review.reviewed(ctx, lambda: stage.run(ctx, limit=limit), dry_run=False)

        stages = [(stage.__name__.rpartition(".")[2], lambda limit, stage=stage: one(stage, limit)) for stage in STAGES]
        self.machine(lambda: night(self.vault.ctx, stages, Pace("green"), limit=None, dry_run=False), is_one=False)

    @rule(stage=st.sampled_from(STAGES), judge=SOUND, limit=st.sampled_from([None, 1, 3]))
    def repeat_until_done(self, stage: ModuleType, judge: Judging, limit: int | None) -> None:
        """Laws 3 and 6: what a limit left out is counted until nothing is, and then the stage has nothing to do."""
        reports: list[RunReport] = []
        for _ in range(RUNS_MAX):
            reports += self.machine(lambda: [stage.run(self.judged(judge, insights_per_run_max=0), limit=limit)])
            if not reports[-1].left_out:
                break
        assert not reports[-1].left_out, [report.left_out for report in reports]
        before, chat = self.vault.bytes(), self.liar(judge)
        again = stage.run(self.judged(judge, chat, insights_per_run_max=0))
        assert self.vault.bytes() == before
        assert len(again.receipts) == len(again.failed), again.receipts
        if not again.failed and not any("no answer" in notice for notice in reports[-1].notices):
            assert chat.asked == [], [request.data for request in chat.asked]

    @rule(stage=st.sampled_from(STAGES), seed=st.integers(0, 99), calls=st.integers(1, 2))
    def run_with_few_questions(self, stage: ModuleType, seed: int, calls: int) -> None:
        """Law 6: a limit of questions holds, and what was not asked for it is counted and said."""
        chat, then = self.liar((seed, True)), self.liar((seed, True))
        (report,) = self.machine(lambda: [stage.run(self.judged((seed, True), chat, insights_per_run_max=0, calls_per_run_max=calls))])
        assert len(chat.asked) <= calls
        self.machine(lambda: [stage.run(self.judged((seed, True), then, insights_per_run_max=0))])
        if then.asked and not report.applied:
            assert (report.waiting or report.left_out) and report.notices, report

    @rule(stage=st.sampled_from(STAGES), seed=st.integers(0, 99), data=st.data(), line=filled(LINES, 1))
    def type_while_a_judge_thinks(self, stage: ModuleType, seed: int, data: st.DataObject, line: list[str]) -> None:
        """Law 4: a note that changed since it was read is not written over."""
        if not (notes := sorted(self.notes())):
            return
        path, typed = data.draw(st.sampled_from(notes)), ["typed meanwhile", *line]
        chat = self.liar((seed, True))
        chat.meanwhile = lambda: self.type_into(path, typed, 20) if len(chat.asked) == 1 else None
        self.machine(lambda: [stage.run(self.judged((seed, True), chat))], is_one=False)
        assert not chat.asked or b"typed meanwhile" in self.notes()[path]

    @rule(stage=st.sampled_from(STAGES), judge=JUDGES, line=st.integers(0, 250))
    def die_and_run(self, stage: ModuleType, judge: Judging, line: int) -> None:
        """A run is killed before a line of the write path, or at its end; the next one puts right what it left."""
        def dying() -> None:
            stage.run(ctx)
            os.kill(os.getpid(), signal.SIGKILL)

        self.vault.index()
        ctx = self.judged(judge)
        before = self.notes()
        kill(dying, line)
        list(islice(self.vault.numbers, 500))  # those that the child had
        self.machine(lambda: [stage.run(self.judged(None))], before=before, is_one=False)
        assert not self.ledger().open_intents("m-test")

    @rule(data=st.data(), verb=st.sampled_from(["accept", "accept", "reject"]), is_ticked=st.booleans())
    def decide(self, data: st.DataObject, verb: review.Verb, is_ticked: bool) -> None:
        self.vault.index()
        if not (waiting := review.queue(self.vault.ctx).open):
            return
        item = data.draw(st.sampled_from(waiting)).id
        place = self.vault.root / REVIEW
        box = f"- [ ] {verb} `{item}`".encode()
        if is_ticked and place.exists() and box in place.read_bytes():
            place.write_bytes(place.read_bytes().replace(box, box.replace(b"[ ]", b"[x]")))
            self.machine(lambda: [review.apply_ticks(self.vault.ctx)])
            return
        told = review.look(self.vault.ctx, item).choices[:1]
        self.machine(lambda: [review.decide(self.vault.ctx, verb, Choice((item,)), told=told)])

    @rule(is_done_again=st.booleans())
    def undo_the_last_run(self, is_done_again: bool) -> None:
        """Law 4: what nobody touched since gets its bytes back, and has those of the run again when the undo is taken back."""
        last, before = self.last, self.notes()
        report = self.taken_back(None)
        if report is None or report.left:
            return
        if last and last[2] == before and all(item.startswith(last[0]) for item in report.undone):
            assert self.notes() == last[1]
        if is_done_again and (again := self.taken_back(report.run)) and not again.left:
            assert self.notes() == before

    @rule(data=st.data())
    def undo_or_do_again(self, data: st.DataObject) -> None:
        """Takes back any one item; one that is an undo is done again."""
        self.vault.index()
        standing = [record["item"] for record in self.ledger().standing() if record["stage"] not in VIEWS]
        if standing:
            self.taken_back(data.draw(st.sampled_from(standing)))


TestTendingLaws = TendingMachine.TestCase
TestTendingLaws.settings = settings(
    max_examples=int(os.environ.get("BRAIN_LAW_EXAMPLES", "8")), stateful_step_count=12, deadline=None, report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.reuse, Phase.generate),
)  # fmt: skip
