"""Work in threads: plain functions of values. Each job runs once, replaced jobs are dropped, failures become sentences.

    Jobs.run(name, values, function, then=...)

runs `function(*values, watch)` in a thread and hands the result to `then` on the app's thread. The function knows no
widget and no screen. Jobs with the same name and values run once; other values replace the running job, whose result
is dropped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.message import Message
from textual.worker import get_current_worker

from inspector.app.throttle import give_way
from inspector.core.errors import InspectorError
from inspector.core.watching import Cancelled
from widgets.base.later import later

if TYPE_CHECKING:
    from asyncio import TimerHandle

    from textual.screen import Screen
    from textual.worker import Worker

#: Minimum time before the first progress and between progress reports, in seconds.
TELL_SECONDS = 0.15
_NOTHING = object()


@dataclass(eq=False, slots=True)
class Job:
    """A job. `function` works on `values`.

    `then` gets the result, `some` partial results, `failed` a sentence, `progress` the progress ("" when it ended).
    """

    name: str
    key: tuple[Any, ...]
    values: tuple[Any, ...]
    function: Callable[..., Any]
    then: Callable[[Any], None] | None
    some: Callable[[Any], None] | None
    failed: Callable[[str], None]
    progress: Callable[[str], None]
    worker: Worker[None] | None = field(default=None, repr=False)
    value: Any = field(default=_NOTHING, repr=False)
    timer: TimerHandle | None = field(default=None, repr=False)
    over: bool = False


@dataclass
class JobMessage(Message):
    """A message from the thread of a job to a function. After the `last` message the job is over."""

    job: Job
    take: Callable[[Any], None] | None
    value: Any
    last: bool = False


class JobWatch:
    """The Watch of a job: posts progress to its screen."""

    def __init__(self, post: Callable[[Message], object], job: Job, cancelled: Callable[[], bool]) -> None:
        self._post = post
        self._job = job
        self._cancelled = cancelled
        self._last = time.monotonic()
        self._text = ""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report progress; pauses while the user is busy. Raises Cancelled."""
        self.check()
        now = time.monotonic()
        if now - self._last >= TELL_SECONDS:
            self._last, self._text = now, f"{what} {done:,} of {total:,}"
            self._post(JobMessage(self._job, self._job.progress, self._text))

    def check(self) -> None:
        """Wait while the user is busy. Raises Cancelled if the job was replaced or its screen closed."""
        give_way()
        if self._cancelled():
            raise Cancelled("cancelled")

    def counting(self, what: str, total: int) -> Callable[[int], None]:
        """Return a watch for a function that reports only a count."""
        return lambda done: self(what, done, total)

    def some(self, value: Any) -> None:
        """Hand over a part of the result. Raises Cancelled."""
        self.check()
        self._post(JobMessage(self._job, self._job.some, value))

    def end(self) -> None:
        """The work is over."""
        if self._text:
            self._post(JobMessage(self._job, self._job.progress, ""))


class Jobs:
    """Runs the jobs of a screen. `progress` gets the progress by name, `failed` sentences."""

    def __init__(
        self, screen: Screen[Any], progress: Callable[[str, str], None], failed: Callable[[str], None]
    ) -> None:
        self._screen = screen
        self._progress = progress
        self._failed = failed
        self._jobs: dict[str, Job] = {}

    def run(
        self,
        name: str,
        values: Sequence[Any],
        function: Callable[..., Any],
        then: Callable[[Any], None] | None = None,
        *,
        some: Callable[[Any], None] | None = None,
        failed: Callable[[str], None] | None = None,
        rest: float = 0.0,
        key: Sequence[Any] | None = None,
    ) -> bool:
        """Start `function(*values, watch)`. Return False if the same job runs already or is done. The job starts after
        `rest` seconds, so that a job that is replaced meanwhile never starts. `key` identifies the job, by default its
        values.
        """
        values = tuple(values)
        key = values if key is None else tuple(key)
        if self.wanted(name, function, key):
            return False
        self.cancel(name)
        progress = partial(self._progress, name)
        job = Job(name, key, values, function, then, some, failed or self._failed, progress)
        self._jobs[name] = job
        if rest:
            job.timer = later(self._screen, rest, lambda: self._start(job))
        else:
            self._start(job)
        return True

    def wanted(self, name: str, function: Callable[..., Any], key: Sequence[Any]) -> bool:
        """Whether the same job runs already or is done."""
        job = self._jobs.get(name)
        return job is not None and job.function is function and same(job.key, key)

    def cancel(self, name: str) -> None:
        """Cancel a job; it can be started again."""
        job = self._jobs.pop(name, None)
        if job is None:
            return
        if job.timer is not None:
            job.timer.cancel()
        if job.worker is not None and not job.over:
            job.worker.cancel()
            self._progress(name, "")
        job.over = True

    def forget(self, name: str) -> None:
        """Forget a job that is over, so that it can be started again."""
        job = self._jobs.get(name)
        if job is not None and job.over:
            del self._jobs[name]

    def take_early(self, name: str) -> None:
        """Hand over a finished result whose message is not handled yet."""
        job = self._jobs.get(name)
        if job is not None and job.value is not _NOTHING:
            self.handle(JobMessage(job, job.then, job.value, last=True))

    def busy(self) -> tuple[str, ...]:
        """Names of the jobs that have not ended, waiting ones included."""
        return tuple(name for name, job in self._jobs.items() if not job.over)

    def _start(self, job: Job) -> None:
        job.timer = None
        if self._jobs.get(job.name) is job:
            screen = self._screen
            job.worker = screen.run_worker(
                lambda: _work(screen.post_message, job),
                # Without this, Textual prints the arguments of the worker, which takes longer than a frame for long
                # lists.
                name=job.name,
                description=job.name,
                thread=True,
                exit_on_error=False,
            )

    def handle(self, event: JobMessage) -> None:
        """Handle a message of a job's thread; messages of replaced jobs are dropped."""
        job = event.job
        if self._jobs.get(job.name) is job and not job.over:
            job.over = event.last
            if event.take is not None:
                event.take(event.value)


def _work(post: Callable[[Message], object], job: Job) -> None:
    """In the thread: call the function and post the result. Every error becomes a sentence."""
    worker = get_current_worker()
    watch = JobWatch(post, job, lambda: worker.is_cancelled)
    try:
        value = job.function(*job.values, watch)
    except Cancelled:
        return
    except InspectorError as error:
        answer = JobMessage(job, job.failed, str(error), last=True)
    except Exception as error:  # noqa: BLE001 - a fault of ours or of another engine: reported, the app continues
        sentence = f"Something went wrong in {job.name}: {type(error).__name__}: {error}. Please report this."
        answer = JobMessage(job, job.failed, sentence, last=True)
    else:
        job.value = value
        answer = JobMessage(job, job.then, value, last=True)
    finally:
        watch.end()
    if not worker.is_cancelled:
        post(answer)


def same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether all values are identical objects, or equal values of small types."""
    return len(one) == len(other) and all(
        a is b or (type(a) is type(b) and a == b) for a, b in zip(one, other, strict=True)
    )
