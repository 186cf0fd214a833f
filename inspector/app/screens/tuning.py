"""Tuning with the whole conversation: how large summaries are taken to be, settings kept to compare with, and what is
carried off."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.widgets import Input

from inspector.answers.answers import Answers, paths_of
from inspector.app.overwriting import Overwriting
from inspector.app.panes import Panes
from inspector.app.screens.recalling import Recalled
from inspector.app.screens.stepping import SteppingActions
from inspector.app.screens.taking import TakingActions
from inspector.core.errors import InspectorError
from inspector.core.text import safe_title
from inspector.engines.base import Settings
from inspector.export.comparison import comparison_text
from inspector.export.config import compression_yaml
from inspector.quality.facts.risk import FactSteps
from inspector.replay.recording import Recording, recorded_metrics
from inspector.replay.whatif import SummaryModel, WhatIf
from widgets.base import human
from widgets.panes.knob_values import LARGEST_SHARE

if TYPE_CHECKING:
    from inspector.app.screens.sweeping import SweepScreen


class TuningActions(SteppingActions, TakingActions):
    """Runs of the conversation that are compared."""

    #: See `knob_values.SUMMARY_SIZE`.
    summary_size: float | None = None
    #: The settings that were kept as A, with their summaries' size.
    kept: tuple[Settings, float | None] | None = None
    #: The last runs: those of the settings on screen, and those of A.
    run_now: WhatIf | None = None
    run_kept: WhatIf | None = None
    _sweep_screen: SweepScreen | None = None
    _overwriting: Overwriting | None = None

    def model(self, recording: Recording, size: float | None) -> SummaryModel:
        """How large a what-if takes summaries to be."""
        if size is None:
            return recording.model
        if size <= LARGEST_SHARE:
            return SummaryModel(size)
        return SummaryModel(tokens=round(size))

    def use_summary_size(self, size: float | None) -> None:
        """Take summaries to be of another size; undo goes back."""
        if size != self.summary_size:
            self.undone.append(self.summary_size if self.summary_size is not None else "recorded")
            self.summary_size = size
            self.fill("tune", "replay")

    def action_undo(self) -> None:
        """Take the last change of settings, or of the summaries' size, back."""
        if not self.undone:
            return
        last = self.undone.pop()
        if isinstance(last, Settings):
            self.take(last)
        else:
            self.summary_size = None if isinstance(last, str) else last
            self.fill("tune", "replay")

    def take(self, settings: Settings) -> None:
        """Take settings without a way back; the screen does it."""
        raise NotImplementedError

    def use(self, settings: Settings) -> None:
        """Take other settings; the screen does it."""
        raise NotImplementedError

    # A and B.

    def action_keep(self) -> None:
        """Keep the settings on screen as A to compare with; where they are A already, drop it."""
        now = (self.settings, self.summary_size)
        self.kept = None if self.kept == now else now
        said = "Kept as A; what is on screen is B from now on." if self.kept else "A is dropped."
        if self.query_one(Panes).current not in ("tune", "replay"):
            self.app.notify(said, timeout=2)
        self.fill("tune", "replay")

    def action_swap(self) -> None:
        """Take A's settings, and keep those on screen as A."""
        if self.kept is None:
            self.app.notify("Nothing is kept to compare with; = keeps the settings on screen.", timeout=2)
            return
        settings, size = self.kept
        self.kept = (self.settings, self.summary_size)
        self.use_summary_size(size)
        self.use(settings)
        self.fill("tune", "replay")

    def run_lines(self) -> tuple[str, ...]:
        """What the whole conversation would have been, in a few lines for the knobs."""
        run, recording = self.run_now, self.recording()
        if recording is None or run is None or run.settings.profile != self.settings.profile:
            return ()
        # Until the next run is there, some ms after a knob was turned, the one before stays: the pane keeps its shape.
        lines = []
        for name, found in (("", run), ("A: ", self.run_kept)):
            if found is not None and (not name or self.kept is not None):
                figures = found.metrics
                lines.append(
                    f"{name}The whole conversation: {human.plural(figures.compactions, 'compaction')}, peak "
                    f"{human.tokens(figures.peak_tokens)}, input {human.tokens(figures.input_tokens)}, "
                    f"{human.percent(figures.summarized_share)} summarized, "
                    f"{human.percent(figures.resummarized_share)} more than once"
                    + (
                        f", {figures.facts_at_risk:,} of {figures.facts:,} facts at risk."
                        if figures.facts
                        else "."
                    )
                )
        return tuple(lines)

    # Sweeping.

    def action_sweep(self) -> None:
        """Sweep over two settings, on a screen of its own."""
        self.with_recording(self._sweep)

    def _sweep(self) -> None:
        from inspector.app.screens.cells import Subject
        from inspector.app.screens.sweeping import SweepScreen

        recording, inspection, resolved = self.recording(), self.inspection, self.resolved
        if recording is None or inspection is None or resolved is None:
            return
        row = inspection.conversation.row
        every = tuple(known.id for known in self.store.conversations())
        shown = tuple(name for name in self.app.shown_conversations() if name in every)
        model = self.model(recording, self.summary_size)
        subject = Subject(
            title=safe_title(row.title or row.id),
            name=row.id,
            recording=recording,
            settings=self.settings,
            force=resolved.settings,
            model=model,
            answers=Answers(self.store, self.flags, self.config),
            changed=self.changed_settings(),
            filtered=shown or every,
            every=every,
            size=None if self.summary_size is None else model,
            facts=self.fact_steps(),
        )
        self.stop()
        self.find_facts()
        self._sweep_screen = SweepScreen(subject, self.use)
        self.app.push_screen(self._sweep_screen)

    @on(Recalled)
    def _facts_to_sweep(self, event: Recalled) -> None:
        screen = self._sweep_screen
        if screen is not None and screen.is_running:
            # What was read meanwhile may know of messages that came after the sweep began.
            said = event.reading.facts.facts
            screen.take_facts(FactSteps(said, len(screen.subject.recording.transcript)))

    # Carrying off.

    def comparison(self) -> str:
        """The comparison as text; empty while nothing was run."""
        recording, inspection = self.recording(), self.inspection
        if recording is None or inspection is None:
            return ""
        model = self.model(recording, self.summary_size)
        facts = self.fact_steps()
        runs = [("what-if", recording.course.with_facts(facts).run(self.settings, model))]
        if self.kept is not None and self.run_kept is not None:
            runs = [("A", self.run_kept), ("B", runs[0][1])]
        recorded = recorded_metrics(recording, inspection.compactions(), facts)
        row = inspection.conversation.row
        return comparison_text(row.title or row.id, recording, recorded, runs, model)

    def action_copy_comparison(self) -> None:
        """Copy the comparison as text."""

        def copy() -> None:
            text = self.comparison()
            if text:
                self.copy_text(text, "comparison")
            else:
                self.app.notify("The conversation has not been read yet.", severity="warning")

        self.with_recording(copy)

    def action_write(self) -> None:
        """Type a file to write to: the settings for config.yaml, the comparison for any other ending."""
        box = self.query_one("#write", Input)
        box.display = True
        box.focus()

    @on(Input.Submitted, "#write")
    def _file_typed(self, event: Input.Submitted) -> None:
        event.stop()
        name = event.value.strip()
        if name:
            self.with_recording(lambda: self._write(Path(name).expanduser()))
        else:
            self.close_write()

    def _write(self, path: Path) -> None:
        settings = path.suffix.lower() in (".yaml", ".yml")
        text = compression_yaml(self.settings) if settings else self.comparison()
        if not text:
            self.close_write()
            self.app.notify("The conversation has not been read yet.", severity="warning")
            return
        if self._overwriting is None:
            self._overwriting = Overwriting()
        try:
            self._overwriting.write(path, text, paths_of(self.store))
        except InspectorError as error:
            # The prompt stays, so that the name can be mended.
            self.app.notify(str(error), severity="error", markup=False, timeout=8)
            return
        self.close_write()
        what = "settings" if settings else "comparison"
        self.app.notify(f"Wrote the {what} to {path}.", timeout=3, markup=False)

    def close_write(self) -> None:
        """Put the prompt away."""
        box = self.query_one("#write", Input)
        box.value = ""
        box.display = False
        self.query_one("#messages").focus()
