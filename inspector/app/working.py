"""A screen whose threads may fail: whatever they raise reaches the user as a sentence, and the app goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from inspector.app.work import Failed
from inspector.core.errors import InspectorError

if TYPE_CHECKING:
    from inspector.app.host import Host


class WorkingScreen(Screen[None]):
    """A screen that does its long work in threads.

    Every `@work` here says its description: left alone, Textual prints all the arguments into one, which for
    a list of 100,000 messages takes longer than the frame that waits for it.
    """

    app: Host

    @property
    def left(self) -> bool:
        """Whether the screen is being taken down, its widgets one by one."""
        app = self.app
        return not app.is_running or app.return_code is not None or self not in app.screen_stack

    async def _on_message(self, message: Message) -> None:
        # What threads still bring then is for nobody: its handlers would look for widgets that are gone.
        if not (type(message).__module__.startswith("inspector.") and self.left):
            await super()._on_message(message)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Tell of a thread that failed; one that was cancelled is nobody's business."""
        error = event.worker.error
        if event.state is not WorkerState.ERROR or error is None:
            return
        if isinstance(error, InspectorError):
            self.post_message(Failed(str(error)))
        else:
            what = event.worker.name or "a thread"
            self.post_message(
                Failed(
                    f"Something went wrong in {what}: {type(error).__name__}: {error}. Please report this."
                )
            )
