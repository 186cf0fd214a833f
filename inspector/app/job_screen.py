"""A screen that runs slow work as jobs. Their errors become sentences, and the app continues."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from textual import events, on
from textual.screen import Screen

from inspector.app.events import Problem, StoreFailed
from inspector.app.jobs import JobMessage, Jobs
from inspector.config.folders import with_urls
from widgets.bars.notes_bar import NotesBar
from widgets.bars.title_bar import TitleBar

if TYPE_CHECKING:
    from inspector.app.base_app import BaseApp
    from widgets.base.prompt import AskPrompt, Prompt


class JobScreen(Screen[None]):
    """A screen with a runner of jobs. The title bar shows progress, the notes bar problems."""

    app: BaseApp

    def __init__(self) -> None:
        super().__init__()
        self.jobs = Jobs(self, self.show_progress, self.show_notes)
        self._progress: dict[str, str] = {}
        #: The sentence on screen about each read that failed, by its name.
        self._failed: dict[str, str] = {}
        self._styled = False

    @on(events.ScreenResume)
    def _keep_styles(self, event: events.ScreenResume) -> None:
        """Skip restyling right after mounting: Textual would match the styles of every widget again."""
        event.refresh_styles = event.refresh_styles and self._styled
        self._styled = True

    @property
    def left(self) -> bool:
        """Whether the screen is being taken down, its widgets one by one."""
        app = self.app
        return not app.is_running or app.return_code is not None or self not in app.screen_stack

    @on(JobMessage)
    def _job_message(self, event: JobMessage) -> None:
        # Results of threads are dropped when the widgets go.
        if not self.left:
            self.jobs.handle(event)

    def show_progress(self, name: str, text: str) -> None:
        """Show the progress of a job; "" when it ended."""
        self._progress.pop(name, None)
        if text:
            self._progress[name] = text
        self.query_one(TitleBar).state = "  ".join(f"{what} …" for what in self._progress.values())

    @property
    def question(self) -> AskPrompt:
        """The line to ask in, above notes and keys; made on first use, because its styles take long to read."""
        from widgets.base.prompt import AskPrompt

        for prompt in self.query(AskPrompt):
            return prompt
        prompt = AskPrompt(id="question")
        self.add_prompt(prompt)
        return prompt

    def add_prompt(self, prompt: Prompt) -> None:
        """Put a line to type into above notes and keys."""
        self.mount(prompt, before=self.query("NotesBar, KeyLine").first())

    def show_notes(self, *sentences: str) -> None:
        """Show more sentences, except dismissed ones."""
        if self.left:
            return
        bar = self.query_one(NotesBar)
        texts = (*bar.sentences, *map(with_urls, sentences))
        bar.show([text for text in texts if text not in self.app.dismissed_notes])

    def replace_notes(self, before: Iterable[str], now: Sequence[str]) -> None:
        """Show sentences instead of the sentences shown before.

        Sentences that no longer hold are shown when they hold again, also if the user has put them away.
        """
        if self.left:
            return
        bar, gone = self.query_one(NotesBar), set(map(with_urls, before)).difference(map(with_urls, now))
        bar.show([sentence for sentence in bar.sentences if sentence not in gone])
        self.app.dismissed_notes -= gone
        self.show_notes(*now)

    def show_failure(self, read: str, sentence: str = "") -> None:
        """Show why a repeated read failed, in place of its earlier sentence; "" when it works."""
        before = self._failed.pop(read, "")
        if sentence:
            self._failed[read] = sentence
        if before or sentence:
            self.replace_notes([before], [sentence] if sentence else [])

    def answer(self, sentence: str) -> None:
        """Show why an action of the user failed, also if the user put the sentence away before."""
        self.app.dismissed_notes.discard(with_urls(sentence))
        self.show_notes(sentence)

    @on(Problem)
    def _problem(self, event: Problem) -> None:
        self.answer(event.sentence)

    @on(StoreFailed)
    def _store_failed(self, event: StoreFailed) -> None:
        self.show_failure("store", event.sentence)

    @on(NotesBar.Dismissed)
    def _dismissed(self, event: NotesBar.Dismissed) -> None:
        self.app.dismissed_notes.update(event.sentences)
