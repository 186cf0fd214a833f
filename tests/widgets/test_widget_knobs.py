"""The tune pane and its knobs: keys, acceleration, typing, wheel, drag, reasons."""

from __future__ import annotations

import pytest
from textual import events

from inspector.engines.base import Budgets, Settings
from inspector.engines.registry import names
from inspector.engines.settings import SETTINGS
from tests.counting import calls_of
from tests.widgets.values import DEFAULTS, PROFILES
from tests.widgets.widget_host import HOSTILE, Host, hosting, lines
from widgets.intents import UseSettings
from widgets.panes.knob_values import KNOBS, TuneState
from widgets.panes.knobs import Knobs


def knobs(settings: Settings = DEFAULTS) -> Knobs:
    widget = Knobs()
    widget.set_state(TuneState(settings, DEFAULTS, None, PROFILES, {"context_length": "model"}))
    return widget


def changes(host: Host, before: Settings = DEFAULTS) -> list[tuple[str, object]]:
    """Return the changed settings, turn by turn."""
    found: list[tuple[str, object]] = []
    for message in host.messages_of(UseSettings):
        now = message.tuning[0]
        found += [
            (name, getattr(now, name)) for name in SETTINGS if getattr(now, name) != getattr(before, name)
        ]
        before = now
    return found


async def test_knobs_show_values_defaults_and_origins() -> None:
    widget = knobs(Settings(threshold=0.65))
    async with hosting(widget, size=(90, 12)):
        drawn = lines(widget)
        assert drawn[0].startswith("› threshold                65%  ━")
        assert "●" in drawn[0]
        assert drawn[0].rstrip().endswith("default 50%")
        assert drawn[4].split()[:2] == ["context_length", "200,000"]
        assert drawn[4].rstrip().endswith("model")
        assert drawn[5].split()[:2] == ["max_tokens", "none"]
        assert "○─" in drawn[5]
        assert "◂ 1 of 3 ▸" in drawn[6]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["right"], [("threshold", 0.51)]),
        (["left"], [("threshold", 0.49)]),
        (["shift+right"], [("threshold", 0.55)]),
        (["H"], [("threshold", 0.45)]),
        (["down", "l"], [("target_ratio", 0.21)]),
        (["j", "j", "left"], [("protect_first_n", 2)]),
        (["j", "j", "j", "L"], [("protect_last_n", 30)]),
        (["j", "j", "j", "j", "right"], [("context_length", 201_000)]),
        (["j", "j", "j", "j", "j", "left"], []),
        (
            ["j", "j", "j", "j", "j", "right", "right", "left", "left"],
            [("max_tokens", v) for v in (0, 1_000, 0, None)],
        ),
        ([*"jjjjjj", "right"], [("profile", "hermes-0.13")]),
        ([*"jjjjjj", "left"], [("profile", "hermes-0.19")]),
    ],
)
async def test_arrows_turn_the_knob(keys: list[str], expected: list[tuple[str, object]]) -> None:
    widget = knobs()
    ticks = iter(range(1_000))
    widget.clock = lambda: float(next(ticks))
    async with hosting(widget, size=(90, 12)) as host:
        await host.press(*keys)
        assert changes(host) == expected


async def test_a_held_key_turns_faster_and_a_pause_slows_it_down() -> None:
    widget = knobs()
    now = [0.0]
    widget.clock = lambda: now[0]
    async with hosting(widget, size=(90, 12)) as host:
        await host.press(*"jjjj")
        steps = []
        for _ in range(45):
            before = widget.settings.context_length
            now[0] += 0.03
            widget.action_turn(1)
            steps.append(widget.settings.context_length - before)
        assert steps[0] == steps[3] == 1_000
        assert steps == sorted(steps)
        assert steps[-1] == 20_000
        now[0] += 1.0
        before = widget.settings.context_length
        widget.action_turn(1)
        assert widget.settings.context_length - before == 1_000


async def test_values_stop_at_their_range() -> None:
    widget = knobs(Settings(threshold=0.99))
    async with hosting(widget, size=(90, 12)) as host:
        await host.press("shift+right", "shift+right")
        assert changes(host) == [("threshold", 1.0)]


@pytest.mark.parametrize(
    ("moves", "typed", "expected"),
    [
        (0, "65", [("threshold", 0.65)]),
        (0, ".42", [("threshold", 0.42)]),
        (0, "35%", [("threshold", 0.35)]),
        (3, "12", [("protect_last_n", 12)]),
        (4, "128k", [("context_length", 128_000)]),
        (4, "1.5m", [("context_length", 1_500_000)]),
        (4, "50", []),
        (4, "1.2.3", []),
    ],
)
async def test_a_value_can_be_typed(moves: int, typed: str, expected: list[tuple[str, object]]) -> None:
    widget = knobs()
    names = {".": "full_stop", "%": "percent_sign"}
    async with hosting(widget, size=(90, 12)) as host:
        await host.press(*["down"] * moves, "enter", *(names.get(c, c) for c in typed))
        assert widget.editing
        await host.press("enter")
        assert not widget.editing
        assert changes(host) == expected
        if not expected:
            assert lines(widget)[len(KNOBS)].strip().startswith("! ")


async def test_typing_can_be_mended_and_left() -> None:
    widget = knobs()
    async with hosting(widget, size=(90, 12)) as host:
        await host.press("enter", "7", "9", "backspace", "0", "escape")
        assert not widget.editing
        await host.press("enter", "7", "9", "backspace", "0", "enter")
        assert changes(host) == [("threshold", 0.7)]
        await host.press("enter", "4", "4", "enter")
        assert changes(host)[-1] == ("threshold", 0.44)
        await host.press("enter", "5", "down")
        assert not widget.editing
        assert widget.knob == "target_ratio"


@pytest.mark.parametrize("leave", ["tab", "shift+tab", "down", "up"])
async def test_a_typed_value_is_used_on_leaving_its_row(leave: str) -> None:
    widget = knobs()
    async with hosting(widget, size=(90, 12)) as host:
        await host.press("enter", "6", "5", leave)
        assert not widget.editing
        assert changes(host) == [("threshold", 0.65)]


async def test_a_typed_value_is_used_on_a_click_and_dropped_if_it_is_not_a_number() -> None:
    widget = knobs()
    async with hosting(widget, size=(90, 14)) as host:
        await host.press("enter", "6", "5")
        await host.click(widget, 4, 3)
        assert (widget.knob, changes(host)) == ("protect_last_n", [("threshold", 0.65)])
        await host.press("enter", "full_stop", "full_stop", "down")
        assert changes(host) == [("threshold", 0.65)]
        assert lines(widget)[len(KNOBS)].strip() == "! protect_last_n: .. is not a number"
        await host.press("enter", "down")
        assert not widget.editing
        assert "number" not in lines(widget)[len(KNOBS)]


async def test_another_window_keeps_what_is_being_typed() -> None:
    widget = knobs()
    async with hosting(widget, size=(90, 14)) as host:
        await host.press("enter", "6")
        for event in (events.AppBlur(), events.AppFocus()):
            host.post_message(event)
            await host.settle()
        assert widget.editing
        await host.press("5", "enter")
        assert changes(host) == [("threshold", 0.65)]


async def test_while_a_value_is_typed_only_its_keys_are_offered() -> None:
    widget = knobs()
    async with hosting(widget, size=(90, 14)) as host:

        def offered() -> dict[str, str]:
            active = host.screen.active_bindings.items()
            mine = {key: found.binding for key, found in active if found.node is widget}
            return {key: binding.description for key, binding in mine.items() if binding.show}

        assert "escape" not in offered()
        assert (offered()["enter"], offered()["right"]) == ("Type a value", "More")
        await host.press("enter", "5")
        assert offered() == {"enter": "Confirm the value", "escape": "Cancel"}
        assert not {"a", "q", "slash", "right"} & set(host.screen.active_bindings)
        assert "escape" in lines(widget)[len(KNOBS)]
        await host.press("escape")
        assert offered()["enter"] == "Type a value"
        await host.press(*["down"] * 6)
        assert "enter" not in offered()


ORIGIN = "genai-prices on anthropic/claude-sonnet-4.5-with-a-long-name"


@pytest.mark.parametrize("width", [44, 80])
async def test_where_a_value_came_from_stands_in_full_below(width: int) -> None:
    widget = Knobs()
    widget.set_state(TuneState(DEFAULTS, DEFAULTS, None, PROFILES, {"context_length": ORIGIN}))
    async with hosting(widget, size=(width, 20)) as host:
        height = widget.size.height
        await host.press(*["down"] * 4)
        text = "".join("".join(lines(widget)[len(KNOBS) :]).split())
        assert f"Inforce:200,000,{ORIGIN.replace(' ', '')}." in text
        assert widget.size.height == height
        await host.pilot.hover(widget, offset=(3, 4))
        assert ORIGIN in str(widget.tooltip)


async def test_the_rows_below_the_knobs_have_no_tooltip() -> None:
    widget = knobs()
    async with hosting(widget, size=(90, 20)) as host:
        await host.pilot.hover(widget, offset=(3, 0))
        assert "threshold" in str(widget.tooltip)
        await host.pilot.hover(widget, offset=(3, len(KNOBS)))
        assert widget.tooltip is None


async def test_reset_one_and_all() -> None:
    turned = Settings(threshold=0.7, target_ratio=0.5)
    widget = knobs(turned)
    async with hosting(widget, size=(90, 12)) as host:
        await host.press("r", "r")
        assert changes(host, turned) == [("threshold", 0.5)]
        await host.press("R")
        assert [message.tuning for message in host.messages_of(UseSettings)][1:] == [(DEFAULTS, None)]


async def test_a_reset_is_offered_only_where_it_changes_something() -> None:
    widget = knobs()

    def offered() -> set[str]:
        return {action for action in ("reset", "reset_all") if widget.check_action(action, ())}

    async with hosting(widget, size=(90, 12)) as host:
        assert offered() == set()
        await host.press("right")
        assert offered() == {"reset", "reset_all"}
        await host.press("down")
        assert offered() == {"reset_all"}
        await host.press("up", "r")
        assert offered() == set()
        widget.set_state(TuneState(Settings(threshold=0.7), DEFAULTS))
        assert offered() == {"reset", "reset_all"}


async def test_mouse_sets_drags_and_wheels() -> None:
    widget = knobs()
    async with hosting(widget, size=(90, 12)) as host:
        slider = lines(widget)[0].index("━")
        await host.click(widget, slider, 1)
        assert changes(host) == [("target_ratio", 0.0)]
        await host.pilot.mouse_down(widget, offset=(slider + 5, 0))
        await host.pilot.hover(widget, offset=(slider + 20, 0))
        await host.pilot.hover(widget, offset=(slider + 50, 0))
        await host.pilot.mouse_up(widget, offset=(slider + 39, 0))
        dragged = [value for name, value in changes(host) if name == "threshold"]
        assert len(dragged) >= 2
        assert dragged == sorted(dragged)
        host.posted.clear()
        before = widget.settings
        for kind in (events.MouseScrollUp, events.MouseScrollDown, events.MouseScrollDown):
            widget.post_message(kind(widget, slider, 3, 0, 0, 0, False, False, False, slider, 3))
        await host.settle()
        assert changes(host, before) == [
            ("protect_last_n", 21),
            ("protect_last_n", 20),
            ("protect_last_n", 19),
        ]


@pytest.mark.parametrize("width", [20, 40, 60, 80, 130])
async def test_knobs_fit_every_width(width: int) -> None:
    widget = Knobs()
    widget.set_state(TuneState(Settings(profile="x"), DEFAULTS, None, ("x",), {"threshold": HOSTILE}))
    async with hosting(widget, size=(width, 14)):
        assert {len(line) for line in lines(widget)} == {width}


async def test_digits_are_left_to_the_screen_until_enter_begins_a_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    widget = knobs()
    async with hosting(widget, size=(90, 14)) as host:
        reached: list[str] = []
        monkeypatch.setattr(host, "action_bell", lambda: reached.append("digit"))
        host.bind(",".join("0123456789"), "bell")
        await host.press(*"0123456789", "full_stop")
        assert not widget.editing
        assert len(reached) == 10
        await host.press("enter", "4", "2", "enter")
        assert changes(host) == [("threshold", 0.42)]
        assert len(reached) == 10
        await host.press("7")
        assert len(reached) == 11


async def test_knobs_that_only_some_profiles_heed_are_there_where_they_bind() -> None:
    widget = Knobs()
    budgets = Budgets(
        0,
        0,
        0,
        0,
        {},
        also_used=("threshold_cap", "tail_mode"),
        unused_reasons={"target_ratio": "a lean tail is a share of the window"},
    )
    widget.set_state(TuneState(DEFAULTS, DEFAULTS, budgets, PROFILES, {"target_ratio": "config.yaml"}))
    async with hosting(widget, size=(100, 18)) as host:
        drawn = lines(widget)
        shown = len(KNOBS) - 1
        assert [line.split()[0] for line in drawn[shown : shown + 2]] == ["threshold_cap", "tail_mode"]
        assert drawn[shown + 2].strip() == "unused by this profile: target_ratio"
        await host.pilot.hover(widget, offset=(3, shown + 2))
        assert widget.tooltip == "target_ratio: a lean tail is a share of the window"
        await host.press("down", *["down"] * shown, "right")
        assert changes(host)[-1] == ("tail_mode", "legacy")
        await host.press("up", "right")
        assert changes(host)[-1] == ("threshold_cap", 8_000)
        widget.set_state(TuneState(DEFAULTS, DEFAULTS, None, PROFILES))
        await host.pilot.pause()
        assert not [line for line in lines(widget) if "tail_mode" in line]
        assert widget.knob == KNOBS[-1].name


async def test_the_key_to_type_a_value_is_offered_where_a_value_can_be_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    widget = knobs()
    async with hosting(widget, size=(90, 12)) as host:
        refreshes = calls_of(monkeypatch, Knobs, "refresh_bindings")
        while widget.knob != "profile":
            assert not refreshes
            await host.press("down")
        assert len(refreshes) == 1
        assert not widget.check_action("type", ())
        await host.press("down")
        assert len(refreshes) == 2
        assert widget.check_action("type", ())


@pytest.mark.parametrize(("width", "words"), [(90, "◂ 1 of 3 ▸"), (56, "  1/3 "), (54, "  1/3 ")])
async def test_the_place_of_a_choice_is_shown_in_full_or_shorter(width: int, words: str) -> None:
    async with hosting(widget := knobs(), size=(width, 12)):
        assert words in lines(widget)[6]
        assert "…" not in lines(widget)[6]


@pytest.mark.parametrize("width", [42, 64, 120])
async def test_the_longest_profile_is_shown_in_full(width: int) -> None:
    longest = max(names(), key=len)
    widget = Knobs()
    widget.set_state(TuneState(Settings(profile=longest), DEFAULTS, None, names()))
    async with hosting(widget, size=(width, 20)):
        row = lines(widget)[[knob.name for knob in KNOBS].index("profile")]
        assert longest in row
