"""Tuning: change settings, undo, compare with A, recommend."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.answers.answers import Answers, paths_of
from inspector.app.conversation.keys import key_of
from inspector.app.conversation.reading import summary_model
from inspector.app.conversation.resources import COSTING, FACTS, RECORDED_FIGURES, RECORDING, RUNS
from inspector.app.overwriting import Overwriting
from inspector.config.agent_folders import expanded
from inspector.core.errors import InspectorError
from inspector.core.text import safe_title
from inspector.core.watching import Watch
from inspector.engines.base import Settings
from inspector.engines.registry import budgets_of, with_changes
from inspector.engines.settings import SETTINGS, difference
from inspector.export.config import settings_written
from widgets.intents import CopyText

if TYPE_CHECKING:
    from inspector.answers.costing import Costing
    from inspector.answers.recommending import Recommendation
    from inspector.app.conversation.host import Host
    from inspector.app.conversation.reading import FactsRead
    from inspector.app.conversation.state import Tuning
    from inspector.app.sweep.screen import SweepScreen


def recommended(answers: Answers, name: str, watch: Watch) -> Recommendation:
    """Recommend settings for a conversation. Raises StoreErrors, EngineErrors."""
    from inspector.answers.recommending import recommend

    return recommend(answers, [name])


class Tuner:
    """Changes the settings of the state, and compares runs under them."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._overwriting = Overwriting()
        self._sweep: SweepScreen | None = None

    def change(self, **changes: Any) -> None:
        """Change settings; ctrl+z goes back."""
        self.use((with_changes(self._host.state.settings, **changes), self._host.state.summary_size))

    def use(self, tuning: Tuning, **changes: Any) -> None:
        """Take other settings and another size of summaries; ctrl+z goes back."""
        state = self._host.state
        if tuning == state.tuning and not changes:
            return
        try:
            budgets_of(tuning[0])
        except InspectorError as error:
            # The engine of another package fails: name it, and keep the settings.
            self._host.answer(str(error))
            return
        undo = state.undo if tuning == state.tuning else (*state.undo, state.tuning)
        self._host.change(settings=tuning[0], summary_size=tuning[1], undo=undo, **changes)

    def undo(self) -> None:
        """Undo the last change of settings or of the size of summaries."""
        state = self._host.state
        if not state.undo:
            self._host.app.notify("No setting was changed.", timeout=2)
            return
        settings, size = state.undo[-1]
        self._host.change(settings=settings, summary_size=size, undo=state.undo[:-1])

    def choose_profile(self) -> None:
        """Ask for an engine from a list, and plan with it."""
        from inspector.app.conversation.profiles import ProfilePrompt

        host, opened = self._host, self._host.loaded.opened
        if opened is None:
            return

        def chosen(profile: str | None) -> None:
            if profile is not None:
                self.use((with_changes(host.state.settings, profile=profile), host.state.summary_size))

        resolved = opened.resolved
        why = resolved.sources.get("profile", "in force")
        host.app.push_screen(
            ProfilePrompt(host.state.settings.profile, resolved.settings.profile, why), chosen
        )

    # A and B.

    def keep(self) -> None:
        """Keep the settings on screen as A to compare with; drop A if they are the same."""
        state = self._host.state
        kept = None if state.kept == state.tuning else state.tuning
        words = "Kept as A; the settings on screen are B." if kept else "A is dropped."
        if state.pane != "what-if":
            self._host.app.notify(words, timeout=2)
        self._host.change(kept=kept)

    def swap(self) -> None:
        """Swap the settings of A and the settings on screen."""
        state = self._host.state
        if state.kept is None:
            self._host.app.notify("No settings are kept as A. Press = to keep those on screen.", timeout=2)
        else:
            self.use(state.kept, kept=state.tuning)

    # Sweeping.

    def sweep(self) -> None:
        """Open the sweep over two settings."""
        self._host.when(COSTING, self._push_sweep)

    def recommend(self) -> None:
        """Compute recommended settings, and use them if they are certain enough."""
        host, opened = self._host, self._host.loaded.opened
        if opened is None:
            return
        answers = Answers(host.store, host.flags, host.config)
        host.app.notify("Working out which settings to recommend …", timeout=2)
        values = (answers, opened.inspection.conversation.row.id)
        host.jobs.run("recommend", values, recommended, self._recommended)

    def _recommended(self, advice: Recommendation) -> None:
        from inspector.answers.recommending import confidence

        why = " ".join(advice.why)
        if not advice.changes:
            self._host.app.notify(f"Keep the settings in force. {why}", timeout=12, markup=False)
            return
        settings = self._host.state.settings.with_(
            threshold=advice.settings.threshold, target_ratio=advice.settings.target_ratio
        )
        self.use((settings, self._host.state.summary_size))
        changed = difference(advice.settings, advice.force)
        words = ", ".join(f"{name} {SETTINGS[name].words(value)}" for name, value in changed.items())
        file, text = settings_written(advice.settings, advice.force)
        keep = f"{key_of('copy.settings')} copies the lines for {file}" if file else text.strip("#. \n")
        self._host.app.notify(
            f"Recommended: {words}. {why} Confidence {confidence(advice)}. {keep}. ctrl+z goes back.",
            timeout=15,
            markup=False,
        )

    def _push_sweep(self, costing: Costing) -> None:
        from inspector.app.sweep.screen import SweepScreen
        from inspector.app.sweep.subject import Subject

        host, state, opened = self._host, self._host.state, self._host.loaded.opened
        recording = host.loaded.current(RECORDING, state)
        if opened is None or recording is None:
            return
        row = opened.inspection.conversation.row
        every = tuple(listed.id for listed in host.store.conversations())
        shown = tuple(name for name in host.app.shown_conversations() if name in every)
        model = summary_model(recording, state.summary_size)
        facts = host.loaded.current(FACTS, state)
        recording = recording.with_costs(costing.basis)
        subject = Subject(
            title=safe_title(row.title or row.id),
            recording=recording,
            settings=state.settings,
            inspection=opened.inspection,
            resolved=opened.resolved,
            model=model,
            answers=Answers(host.store, host.flags, host.config),
            changed=difference(state.settings, opened.resolved.settings),
            filtered=shown or every,
            every=every,
            size=None if state.summary_size is None else model,
            facts=None if facts is None else facts.steps,
        )
        host.change(playing=False)
        self._sweep = SweepScreen(subject, self._use_settings)
        host.app.push_screen(self._sweep)
        if facts is None:
            host.when(FACTS, self._facts_came)

    def _use_settings(self, settings: Settings) -> None:
        self.use((settings, self._host.state.summary_size))

    def _facts_came(self, facts: FactsRead) -> None:
        from inspector.quality.facts.risk import FactSteps

        screen = self._sweep
        if screen is not None and screen.is_running:
            # Data that was read meanwhile may include messages after the start of the sweep.
            screen.take_facts(FactSteps(facts.reading.facts.facts, len(screen.subject.recording.transcript)))

    # Carrying off.

    def with_comparison(self, then: Any) -> None:
        """Do something with the comparison as text, once the runs of it are there."""
        host = self._host
        host.when(RECORDED_FIGURES, lambda _: host.when(RUNS, lambda _: then(self._comparison())))

    def _comparison(self) -> str:
        from inspector.export.comparison import comparison_text

        state, loaded = self._host.state, self._host.loaded
        recording, runs = loaded.current(RECORDING, state), loaded.current(RUNS, state)
        figures, opened = loaded.latest(RECORDED_FIGURES), loaded.opened
        if recording is None or runs is None or figures is None or opened is None:
            return ""
        compared = [("what-if", runs.run)] if runs.kept is None else [("A", runs.kept), ("B", runs.run)]
        row = opened.inspection.conversation.row
        model = summary_model(recording, state.summary_size)
        return comparison_text(row.title or row.id, recording, figures.metrics, compared, model)

    def copy_comparison(self) -> None:
        """Copy the comparison as text."""
        self.with_comparison(lambda text: self._host.post_message(CopyText(text, "comparison")))

    def ask_file(self) -> None:
        """Ask for a file, and write the settings (.yaml) or the comparison to it."""
        hint = "a new file: .yaml for the settings, anything else for the comparison"
        self._host.question.ask(hint, self._write_to)

    def _write_to(self, name: str) -> bool:
        path = expanded(name)
        if path.suffix.lower() in (".yaml", ".yml"):
            self._write(path, settings_written(self._host.state.settings).text, "settings")
        else:
            self.with_comparison(lambda text: self._write(path, text, "comparison"))
        return True

    def _write(self, path: Path, text: str, what: str) -> None:
        try:
            self._overwriting.write(path, text, paths_of(self._host.store))
        except InspectorError as error:
            # The prompt stays, so that the name can be mended.
            self._host.app.notify(str(error), severity="error", markup=False, timeout=8)
            return
        self._host.question.close()
        self._host.app.notify(f"Wrote the {what} to {path}.", timeout=3, markup=False)
