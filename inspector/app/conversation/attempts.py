"""Questions to models from the screen: attempts, and facts that the rules leave uncertain."""

from __future__ import annotations

from inspector.app.conversation.host import Host


class Attempts:
    """Makes and deletes attempts of the chosen compaction, or of a compaction planned at a step of a replay, and lets a
    model judge a compaction."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def ask(self) -> None:
        """Ask who is to write, and what may be sent."""
        from inspector.app.conversation.attempt_making import another_summary
        from inspector.app.conversation.model_prompt import ModelPrompt

        host, opened = self._host, self._host.loaded.opened
        now = host.state
        if opened is None or not (now.compaction or now.moment):
            host.app.notify("There is no compaction whose summary could be made again.", timeout=3)
            return
        # In a replay it is the compaction that the settings on screen plan there.
        step = None if now.moment is None else now.moment.step
        settings = opened.resolved.settings if step is None else now.settings
        question = another_summary(opened.inspection, settings, now.compaction, step)
        host.app.push_screen(ModelPrompt(question, host.saved.attempt), self._changed)

    def decide(self) -> None:
        """Ask which model decides the uncertain facts of the chosen compaction, and finds what the user said again."""
        from inspector.app.conversation.deciding import uncertain_facts
        from inspector.app.conversation.model_prompt import ModelPrompt

        host, opened = self._host, self._host.loaded.opened
        if opened is None or not host.state.compaction:
            host.app.notify("There is no compaction that a model could judge.", timeout=3)
            return
        question = uncertain_facts(opened.inspection, host.state.compaction)
        host.app.push_screen(ModelPrompt(question, host.saved.attempt), self._decided)

    def delete(self, attempt: int) -> None:
        """Delete an attempt with its prompt and its summary."""
        from inspector.core.errors import OutputProblem
        from inspector.models.kept import default_attempts

        try:
            default_attempts().delete([attempt])
        except OutputProblem as error:
            self._host.answer(str(error))
        self._changed(True)

    def _decided(self, sent: bool | None) -> None:
        if sent:
            self._host.change(decided=self._host.state.decided + 1)

    def _changed(self, made: bool | None) -> None:
        if made:
            self._host.change(attempts=self._host.state.attempts + 1)
