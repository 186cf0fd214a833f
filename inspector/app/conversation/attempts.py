"""Make attempts from the screen, and delete them."""

from __future__ import annotations

from inspector.app.conversation.host import Host


class Attempts:
    """Makes and deletes attempts of the chosen compaction, or of a compaction planned at a step of a replay."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def ask(self) -> None:
        """Ask who is to write, and what may be sent."""
        from inspector.app.conversation.attempt_prompt import AttemptPrompt

        host, opened = self._host, self._host.loaded.opened
        now = host.state
        if opened is None or not (now.compaction or now.moment):
            host.app.notify("There is no compaction whose summary could be made again.", timeout=3)
            return
        # In a replay it is the compaction that the settings on screen plan there.
        step = None if now.moment is None else now.moment.step
        settings = opened.resolved.settings if step is None else now.settings
        prompt = AttemptPrompt(opened.inspection, settings, now.compaction, step, host.saved.attempt)
        host.app.push_screen(prompt, self._changed)

    def delete(self, attempt: int) -> None:
        """Delete an attempt with its prompt and its summary."""
        from inspector.core.errors import OutputProblem
        from inspector.models.kept import default_attempts

        try:
            default_attempts().delete([attempt])
        except OutputProblem as error:
            self._host.answer(str(error))
        self._changed(True)

    def _changed(self, made: bool | None) -> None:
        if made:
            self._host.change(attempts=self._host.state.attempts + 1)
