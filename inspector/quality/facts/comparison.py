"""Compare a fact with a passage: the outcome that follows from what they share and how they differ.

`alignment.py` finds what they share, `differences.py` how they differ.
"""

from __future__ import annotations

from inspector.core.patterns import has
from inspector.core.text import safe_title
from inspector.quality.facts.alignment import MIN_MAYBE, MIN_SAME, MIN_SAME_VALUED, MIN_SUBJECT, NEARLY_ALL
from inspector.quality.facts.differences import Differences
from inspector.quality.facts.exchanges import sides_differ
from inspector.quality.facts.fact import Outcome
from inspector.quality.facts.meaning import BINDS, ORDERED, ORDERED_THERE
from inspector.quality.facts.probe import Probe

#: An outcome, and the changed text of a contradiction, else "". The outcome None: the passage has nothing of the fact.
Verdict = tuple[Outcome | None, str]


def foreign(probe: Probe, language: str) -> bool:
    """Return whether a fact is in another language."""
    return bool(probe.language and language) and probe.language != language


class Comparison(Differences):
    """Comparison of a fact with a passage: its outcome."""

    def outcome(self) -> Verdict:
        """Return the outcome, with the changed text of a contradiction, else "".

        The outcome is None if the passage has nothing of the fact.
        """
        probe = self.probe
        language = self.after.language_at(self.part_number)
        is_foreign = foreign(probe, language)
        without_lexicon = (probe.language or language) not in ("en", "zh", "")
        # In a summary without a lexicon, a denial may not be seen.
        is_readable = language in ("en", "zh")
        if (is_foreign or without_lexicon) and is_readable and self.has_exact_value():
            return "paraphrased", ""
        if is_foreign:
            return self._uncertain_if_shared()
        if without_lexicon:
            return self._without_lexicon() or self._uncertain_if_shared()
        concepts = self.passage.concepts
        if not probe.answer <= concepts:
            # The passage may answer another question.
            has_part = probe.answer & concepts and all(word in self.after.by_concept for word in probe.answer)
            return ("uncertain", "") if has_part else (None, "")
        if probe.answer and self.labels_answer():
            return "paraphrased", ""
        if probe.answer and self.overlap < MIN_SAME_VALUED:
            return "uncertain", ""
        if not probe.main.words:
            if not self.kept_values or self.lost_values:
                return ("value lost" if self.kept_values else None), ""
            # A value alone does not state a rule or a request.
            is_doubtful = probe.binds or probe.request or self.may_name_another_file()
            return ("uncertain" if is_doubtful else "paraphrased"), ""
        if not (self.has_enough or self.coverage >= MIN_SUBJECT):
            return self._unlike()
        return self._changed() or self._incomplete() or self._stated()

    def _changed(self) -> Verdict | None:
        """Return the outcome if the passage contradicts the fact or only reports one event."""
        if text := self.contradiction(self.missing_values):
            return "contradicted", text
        if self.exchanged and self.coverage >= MIN_SAME:
            return self._contradicted()
        if self.overlap >= MIN_SAME and (self.turns_limit() or self.turns_exception()):
            return self._contradicted()
        if self.reports_event():
            return self._contradicted() if self.reports_forbidden_act() else self._weakened()
        if self.denies_differently() or self.swaps_things() or self.may_cross_things():
            turned = (
                (self.denies_key_act() and not self.denies_other())
                or self.swaps_things()
                or self.only_crosses_things()
                or (self.coverage >= NEARLY_ALL and self.moves_denial())
            ) and not any(value.distinctive for value in self.missing_values)
            return self._contradicted() if self.coverage >= MIN_SAME and turned else ("uncertain", "")
        return None

    def _contradicted(self) -> Verdict:
        return "contradicted", safe_title(self.passage.text, 80)

    def _incomplete(self) -> Verdict | None:
        """Return the outcome if the passage lacks a value, a part or the force of the fact."""
        if self.missing_values:
            if self.scattered:
                is_stated = self.overlap >= MIN_SAME and self.kept_values
                return ("paraphrased" if is_stated else "uncertain"), ""
            has_subject = self.overlap >= MIN_SUBJECT and self.shared_words
            return ("value lost" if has_subject else "uncertain"), ""
        if self.leaves_out():
            return ("uncertain", "") if self.joined else self._weakened()
        if self.softens():
            # In a passage of several sentences, the soft sentence may be about something else.
            return ("uncertain" if self.joined else "weakened"), ""
        # `leaves_out` searches the whole line for listed things. Here they must be in the passage, and the match of a
        # denied thing must be in a clause that denies something.
        denying = {word.clause for word in self.passage.words if word.denied}
        listed_alike = {
            word.concept for word, match in self.pairs if not word.denied or match.clause in denying
        }
        if self.narrows() or self.lacks_item(listed_alike) or self.turns_condition():
            return "uncertain", ""
        if self.lacks_names():
            return "value lost", ""
        if self.in_done_section and self.probe.binds and not self.has_key_word():
            return self._unlike()
        order = ORDERED if self.joined else ORDERED_THERE
        lacks_order = has(self.probe.text, ORDERED) and not has(self.line.text, order)
        return ("uncertain", "") if lacks_order else None

    def _stated(self) -> Verdict:
        """Return the outcome of a passage without a known difference: paraphrased, or uncertain for a doubt."""
        if not self.has_enough:
            return self._unlike()
        probe = self.probe
        # A request is recognized if one line has the demanded act, or all values and half of the words.
        is_recognized = not self.two_lines and (self.has_all_values() or self.has_key_word())
        doubtful = (
            (probe.request and not is_recognized)
            or (probe.asked and self.shared_words < 3)
            or self.replaces_value()
            or self.exchanges_factors()
            or self.reports_act()
            or self.lacks_part()
            or self.shares_too_little()
            or self.lacks_denial()
            or self.substitutes_word()
            or self.names_other_ticket()
            or self.may_name_another_file()
            or self.lacks_number()
            or self.moves_on()
            or self.denies_detail()
            or self.exempts_more()
            or self.exempts_nothing()
            or self.is_split()
            or self.lacks_clause()
            or self.states_rejected()
            or self.has_half_condition()
            or self.gives_place_to_other()
            or sides_differ(probe.text, self.passage.text)
        )
        return ("uncertain" if doubtful else "paraphrased"), ""

    def _weakened(self) -> Verdict:
        """Return "weakened", unless the passage shares only one word and no value with the fact."""
        return ("weakened", "") if len(self.pairs) > 1 or self.kept_values else self._unlike()

    def _without_lexicon(self) -> Verdict | None:
        """Return the outcome in a language without a lexicon. Only a passage with nearly equal words keeps the fact."""
        if self.swaps_things():
            return self._contradicted()
        if self.may_cross_things():
            return "uncertain", ""
        # Without a lexicon an extra word may be a hedge.
        same = self.overlap >= 1.0 and not self.lost_values and len(self.passage.words) <= len(self.pairs)
        if same and self.probe.main.denies == self.passage.denies:
            return ("weakened" if self.leaves_out() else "paraphrased"), ""
        if self.coverage >= MIN_SUBJECT and self.lost_values:
            changed = self.contradiction(self.lost_values)
            if changed or not self.kept_values:
                return ("contradicted", changed) if changed else ("value lost", "")
        return None

    def _uncertain_if_shared(self) -> Verdict:
        """Return "uncertain" if the passage has a word or a value of the fact."""
        return ("uncertain", "") if self.shared_words or self.kept_values else (None, "")

    def _unlike(self) -> Verdict:
        """Return the outcome for a passage that has too little of the fact to state it."""
        probe = self.probe
        if self.has_rare_words():
            return "uncertain", ""
        binding = self.in_rule_section or has(self.passage.text, BINDS)
        if self.passage.words and probe.binds and not binding:
            # A passage that only reports on the subject does not state the rule.
            is_near = self.overlap >= (MIN_MAYBE if self.kept_values else MIN_SAME_VALUED)
            return ("uncertain", "") if is_near or self.has_all_measures() else (None, "")
        has_subject = any(self.is_rare(word) for word, _ in self.pairs)
        if binding and has_subject and not (self.joined or self.part.role == "fallback"):
            # A rule about the same thing, or with the same measure, may be the fact in other words.
            return "uncertain", ""
        if self.overlap >= MIN_MAYBE and len(self.pairs) > 1:
            return "uncertain", ""
        # Equal values identify a statement in other words.
        is_identified = (self.has_telling_value() or self.has_name()) and (
            self.pairs or not self.lost_values or self.has_all_measures()
        )
        return ("uncertain", "") if is_identified else (None, "")
