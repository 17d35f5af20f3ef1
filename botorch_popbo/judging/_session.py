"""What judges see, and what they say."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from threading import Lock

import torch
from torch import Tensor

from botorch_popbo._errors import UsageError
from botorch_popbo._plain import Value
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.judging._drawer import Drawer, Drawn
from botorch_popbo.judging._log import NUM_RANKED, Log, describe, num_left, shown_chance, shuffled
from botorch_popbo.search.answers import Interview

#: What a browser or a program gets.
Content = dict[str, Value]


@dataclass
class _Desk:
    """Where a judge sits.

    Attributes:
        question: The points that are shown, an ``m x d`` tensor; none before the judge comes, and
            at the end.
        ahead: Challengers of the next question, which are drawn.
        learned: The answers by which they were found.
        lock: Held while an answer is taken.
    """

    question: Tensor | None = None
    ahead: "Future[Tensor] | None" = None
    learned: Interview = field(init=False)
    lock: Lock = field(default_factory=Lock)


class Session:
    """Asks judges, each a question of their own, and keeps what they say.

    A question is the champion by all answers, and challengers that were found and drawn while the
    question before was looked at, so that a click waits for no drawing.

    Args:
        log: The answers.
        drawer: What draws, unless parameters are shown as they are.
        judges: Who is asked; ``""`` if one who has no name.
    """

    def __init__(self, log: Log, drawer: Drawer | None, judges: Iterable[str]) -> None:
        self._log, self._drawer, self._space = log, drawer, log.search.space
        self._desks = {judge: _Desk() for judge in judges}
        self._undrawable = self._space.bounds[:0]
        self._log_lock = Lock()
        self._worker = ThreadPoolExecutor(1)

    def close(self) -> None:
        """Draw no more."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    def state(self, judge: str) -> Content:
        """The question of a judge and how far the search is.

        Raises:
            UsageError: If nothing can be drawn.
        """
        with self._at_desk(judge) as desk:
            return self._content(judge, desk)

    def answer(self, judge: str, question: str, said: str) -> Content:
        """Keep an answer to a question, if it is one, and ask the next one.

        An answer to another question is one that was given twice, and not kept.

        Raises:
            OSError: If it cannot be kept.
            UsageError: If it cannot be kept, or nothing can be drawn.
        """
        with self._at_desk(judge) as desk:
            if desk.question is not None and question == self._id(judge, desk.question):
                with self._log_lock:
                    is_kept = self._log.tell(desk.question, said, judge)
                if is_kept:
                    desk.question = None
                    self._ask(judge, desk)
            return self._content(judge, desk)

    def undo(self, judge: str, question: str) -> Content:
        """Take back the last answer of a judge who sees a question, and ask it again.

        Raises:
            OSError: If that cannot be kept.
            UsageError: If it cannot be kept.
        """
        with self._at_desk(judge) as desk:
            if question == self._id(judge, desk.question):
                with self._log_lock:
                    answer = self._log.undo(judge)
                if answer is not None:
                    desk.question = answer.items
                    desk.ahead = self._look_ahead(judge, desk, self._log.search.interview)
            return self._content(judge, desk)

    def best(self, judge: str) -> Content:
        """The best things so far, and how far the judges agree; the same for each of them."""
        ranking, search = self._log.ranking(), self._log.search
        agreed = search.interview.agreement if ranking and len(self._desks) > 1 else {}
        items = [one.x for one in ranking[:NUM_RANKED]]
        best = [{**self._shown(item), "words": describe(self._space, item)} for item in items]
        agreement = [[name, *numbers] for name, numbers in sorted(agreed.items())]
        return {"best": best, "agreement": agreement, "chance": shown_chance(search)}

    @contextmanager
    def _at_desk(self, judge: str) -> Iterator[_Desk]:
        """One at a time; with a question, if there is one."""
        desk = self._desks[judge]
        with desk.lock:
            if desk.question is None:
                self._ask(judge, desk)
            yield desk

    def _ask(self, judge: str, desk: _Desk) -> None:
        """Put the next question on a desk, and look for challengers of the one after it."""
        search = self._log.search
        if desk.ahead is None:  # as it was when the last question was shown
            before = copy(search)
            if before.num_answers:
                before.undo()
            last = [answer.items for answer in search.answers[-1:]]
            desk.ahead = self._look_ahead(judge, desk, before.interview, last)
        ahead, desk.ahead = desk.ahead, None  # if it fails, it is tried again
        challengers = ahead.result()
        is_slow = search.num_answers > search.settings.search.judge_fits
        interview = desk.learned if is_slow else search.interview
        champion = search.space.bounds[:0]
        if interview.num_compared:
            champion = interview.champion.unsqueeze(0)
            challengers = challengers[~is_row_of(challengers, interview.met(judge))]
            if not len(challengers):  # they have met, or others are being asked about them
                challengers = self._challengers(judge, interview, [])
        question = torch.cat([champion, challengers])[: search.num_items]
        if len(question) > 1:  # the champion is not always the first
            desk.question = shuffled(question, search)
        desk.ahead = self._look_ahead(judge, desk, search.interview)

    def _look_ahead(
        self, judge: str, desk: _Desk, interview: Interview, shown: Sequence[Tensor] = ()
    ) -> "Future[Tensor]":
        desk.learned, asked = interview, [other.question for other in self._desks.values()]
        waiting = [*shown, *(question for question in asked if question is not None)]
        return self._worker.submit(self._challengers, judge, interview, waiting)

    def _challengers(self, judge: str, interview: Interview, waiting: Sequence[Tensor]) -> Tensor:
        """Points to be shown to a judge beside the champion, each drawn; none if all have met it.

        Raises:
            UsageError: If several, one after another, cannot be drawn.
        """
        turn = len(interview.answers) + len(waiting)
        for _ in range(5):
            known = torch.cat([interview.met(judge), *waiting, self._undrawable])
            items = interview.question(self._log.search.num_items, known, turn)
            start = int(interview.num_compared > 0)  # the champion is drawn, too
            failed = [not self._drawn(item).kind for item in items][start:]
            if not any(failed):
                return items[start:]
            self._undrawable = torch.cat([self._undrawable, items[start:][failed]])
        raise UsageError("5 things one after another could not be drawn")

    def _content(self, judge: str, desk: _Desk) -> Content:
        search = self._log.search
        return {
            "judge": judge,
            "question": self._id(judge, desk.question),
            "items": [] if desk.question is None else [*map(self._shown, desk.question)],
            "number": sum(answer.judge == judge for answer in search.answers),
            "left": num_left(search),
        }

    def _id(self, judge: str, question: Tensor | None) -> str:
        """Known for a question and what was said before, also after another start."""
        number = sum(answer.judge == judge for answer in self._log.search.answers)
        items = None if question is None else question.tolist()
        return hashlib.sha256(json.dumps([number, items]).encode()).hexdigest()[:16]

    def _shown(self, item: Tensor) -> Content:
        drawn, content = self._drawn(item), {"parameters": self._space.decode(item)}
        if drawn.file is None:
            return content | {"kind": "text", "text": drawn.text}
        return content | {"kind": drawn.kind, "file": f"{drawn.file.parent.name}/{drawn.file.name}"}

    def _drawn(self, item: Tensor) -> Drawn:
        if self._drawer is None:
            return Drawn("text", "\n".join(describe(self._space, item)))
        return self._drawer.draw(self._space.decode(item))
