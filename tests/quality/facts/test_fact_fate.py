"""What became of a fact in a list, and over several lists."""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inspector.answers.lists_after import parts_of
from inspector.core.conversations import Compaction
from inspector.core.messages import Message
from inspector.quality.facts.fact import OUTCOMES
from inspector.quality.facts.fates.fate import fate, matches
from inspector.quality.facts.fates.judging import ORDER, Match
from inspector.quality.facts.fates.lives import lives_of
from inspector.quality.facts.fates.passage_index import PassageIndex
from inspector.quality.facts.fates.passages import ListText
from inspector.quality.facts.fates.probe import Probe, probe_of, wording_of
from inspector.quality.facts.fates.quotes import Quotes
from inspector.quality.facts.fates.word_for_word import place_of, plain
from inspector.quality.facts.gather import gather, values_said
from tests.quality.facts.made_facts import RULES, fact, facts, searchable, step, steps
from tests.quality.facts.test_fact_rules import EXAMPLES, SPEAKERS

RETRY = "Set the retry limit to 37 and never more."
KEYS = "We keep idempotency keys in Postgres, not in Redis, because Redis lost writes on 14 February."
CACHE = "接口缓存 300 秒就够了，不要更长，因为促销价每 5 分钟更新一次。"

#: What was said, what the summary says of it, what became of it.
FATES = [
    (RETRY, "- Set the retry limit to 37 and never more.", "verbatim"),
    (RETRY, "- set the  retry limit\n  to 37 and never more", "verbatim"),
    (RETRY, "- The retry limit is 37.", "paraphrased"),
    # Slips that are mended, and spaces beside marks, leave every word in its place.
    ("Keep the recepits of the harbour office", "- \"Keep the receipts of the harbour office\"", "verbatim"),
    ("Keep the receipts of the harbour office", "- Keep receipts of the harbour office", "paraphrased"),
    # A long sentence has half of anybody's words.
    (
        "Sailors near the harbour told us that boats at the quays leave slowly.",
        "- Sailors see boats at quays of the harbour",
        "paraphrased",
    ),
    (
        "Sailors near the harbour told us that boats at the quays leave slowly.",
        "- Sailors see boats at quays of the harbour, orange warehouses, market stalls, rusty cranes, paper bills, "
        "copper pipes, winter coats, lamp posts, stone bridges, empty barrels, heavy ropes, broken clocks, green doors "
        "and old maps",
        "uncertain",
    ),
    # The folders of a path that stands there are no words of the fact.
    (
        "cp: cannot open '/var/depot/bin/quays/*': No such file or directory",
        "- Confirmed that 8 quay files are on the server in /var/depot/bin/quays/",
        "uncertain",
    ),
    # Another number is no slip.
    ("Keep the list of boats in env/quay25.yaml", "- Keep the list of boats in env/quay60.yaml", "lost"),
    ("Count every boat , every net . Then lock up", "- Count every boat, every net. Then lock up", "verbatim"),
    ("Paint the quay first.Then paint the boats", "- Paint the quay first. Then paint the boats", "verbatim"),
    ("潮が引いている間に 作業を終えること", "- 潮が引いている間に作業を終えること", "verbatim"),
    (RETRY, "- Set the retry limit to a small number and never more.", "value lost"),
    (RETRY, "- 37 tests passed. 137 failed.", "lost"),
    (RETRY, "- Fixed the parser.", "lost"),
    (RETRY, "- Set the retry limit to 370.", "value lost"),
    (KEYS, "- Idempotency keys live in Postgres since Redis lost writes on 14 February.", "paraphrased"),
    (KEYS, "- Idempotency keys live in Postgres since Redis lost writes (2026-02-14).", "paraphrased"),
    (KEYS, "- Idempotency keys live in Postgres.", "value lost"),
    (KEYS, "- Postgres was upgraded on 14 March.", "lost"),
    ("The mapping lives in deploy/env/site60.yaml.", "## Relevant Files\n- deploy/env/site60.yaml", "uncertain"),
    ("The mapping lives in deploy/env/site60.yaml.", "- deploy/env/site601.yaml", "lost"),
    ("Hard rule: do not touch anything under vendor/pkg396/.", "- vendor/pkg3960/ was touched", "lost"),
    ("Keep stripe-node pinned to 14.21.0.", "- stripe-node is pinned.", "value lost"),
    ("Keep stripe-node pinned to 14.21.0.", "- stripe-node stays pinned to 14.21.0", "paraphrased"),
    ("Keep stripe-node pinned to 14.21.0.", "- stripe-node stays pinned to 14.21.0.3", "lost"),
    ("Retries: at most 3, with 200 ms, 400 ms and 800 ms.", "- At most 3 retries (200/400/800 ms).", "paraphrased"),
    ("pool_size 6 per pod", "- a small pool per pod", "value lost"),
    ("pool_size 6 per pod", "- 6 pods were restarted", "lost"),
    ("Batch size is 2,500 rows", "- the batch size: 2500 rows", "paraphrased"),
    ("The hooks: read docs/hooks.md", "- **hooks.md** (`/shop/docs/hooks.md`): links mended", "uncertain"),
    ("We move the search to OpenSearch 2.19.1.", "- Move the search to OpenSearch 2.19.1 by May", "verbatim"),
    ("It was done on 18 February.", "- Read the log of 18 February", "lost"),
    ("Run it in shadow for two nights first.", "- shadow run for 2 nights first", "paraphrased"),
    ("ask me before you post", "User asked: 'Yes, post it.'", "uncertain"),
    ("Please answer in short bullets.", "- Answers in short bullets, please.", "paraphrased"),
    ("Do not deploy the billing service on Fridays.", "- Deploy the billing service on Fridays.", "weakened"),
    ("Do not deploy the billing service on Fridays.", "- Never deploy billing service on Fridays.", "paraphrased"),
    ("Do not touch anything under vendor/pkg396/.", "- Touched everything under vendor/pkg396/.", "uncertain"),
    ("Do not touch anything under vendor/pkg396/.", "- vendor/pkg396/ is off limits, do not touch it", "paraphrased"),
    ("Never open more than 40 connections to orders-db.", "- At most 40 connections to orders-db.", "paraphrased"),
    ("Deploys happen on Tuesdays only.", "- Only on Tuesday are there deploys; it happens rarely.", "paraphrased"),
    (CACHE, "- 接口缓存 300 秒（促销价每 5 分钟更新）。", "paraphrased"),
    # A command is all of it.
    ("```bash\nmake boats && make quay\n```", "- Run `make boats && make quay` at the end", "verbatim"),
    ("```bash\nmake boats && make quay\n```", "- made boats and the quay", "uncertain"),
    ("```bash\nmake boats && make quay\n```", "- tests passed", "lost"),
    # One of several names stands in many a sentence.
    ("Show the lamp in `DockView` through `LampStore` of the quay", "- `DockView` shows all boats", "uncertain"),
    ("Show the lamp in `DockView` through `LampStore` of the quay", "- Lamp of the quay: `DockView`", "paraphrased"),
    # What was quoted without its reason.
    (
        "the night ferry is given up again, as the crews were mostly far too tired for the next morning",
        '- "the night ferry is given up again..."',
        "weakened",
    ),
    (
        "the night ferry is given up again, and the whole crew of the harbour office told me at lunch",
        '- "the night ferry is given up again..."',
        "paraphrased",
    ),
    # A rule is more than a name in it.
    ("Never add a second key to harbour.toml.", "- Read harbour.toml, then added the lamps", "uncertain"),
    ("Paint **only** the crane in `DockView` (not the whole quay).", "- `DockView` (crane of boats)", "uncertain"),
    ("Never add a second key to harbour.toml.", "- harbour.toml never gets a second key", "paraphrased"),
    ("图表只在“我的”页面用，放到 packageB。", "- 图表库放在 packageB，因为只有“我的”页面使用。", "paraphrased"),
    ("接口缓存 300 秒就够了，不要更长。", "- 接口缓存的时间已经定了", "value lost"),
    ("不要改动 pages/pay 目录。", "- 首页改版", "lost"),
    ("Release 0.7.4 when it is done.", "- Released v0.7.4", "paraphrased"),
    # A number has the unit behind it, or behind those that follow it; other units of the same measure are the same.
    ("Retries wait 200 ms and 400 ms.", "- retries wait 0.2, 0.4 s", "paraphrased"),
    ("The pool has 34 connections at its peak.", "- peak of the pool: 34 of 40 connections", "paraphrased"),
    ("All 330 rows of the sheet are there.", "- compared the sheet: 330 of 330, no difference", "paraphrased"),
    ("The run of the sheet takes 330 ms.", "- compared the sheet: 330 of 330, no difference", "lost"),
    ("Rejected orders are kept for 24 hours.", "- rejected orders: kept 1 day", "paraphrased"),
    ("The nightly import loads 300 rows.", "- nightly import of rows: 300 requests, loads 40", "value lost"),
    # What names are made of says nothing.
    ("Source files are read-only: never write into s3://orders-raw/.", "- Called read_file, write_file", "lost"),
    ("Retry the last batch first.", "- tests/jobs/test_retry_last_batch.py", "lost"),
    # Where hardly anything but its value was said, the value is the fact; a rule is not its number.
    ("25 % is live.", "- 25 % of traffic on orders-v2", "paraphrased"),
    ("Never more than 40 connections.", "- 40 connections were open", "lost"),
    # Several of its values stand there, its words do not.
    ("Roll it out: 5 %, then 25 %, with 24 hours between.", "- Go to 25 %, the 24 hours are over", "value lost"),
    # The only word of a fact is no subject where its number is gone.
    ("0 rows missing", "- nothing is missing since January", "lost"),
    ("Reply to https://git.acme.dev/pull/7.", "- Replied to all of them", "value lost"),
    # Some words of it are there: whether it is done, they do not tell.
    (
        "On the dashboard, don't let the user open the next exercise before the current one is done.",
        "- **Task 8** (dashboard lock): next exercise has a lock",
        "uncertain",
    ),
    # Code is known by the name that it calls or assigns, and lines of a file move.
    ("Remove `Fallback = none` from it (lines 40-44).", "- Removed `Fallback` (lines 51-55)", "paraphrased"),
    ("Let `flush(batch, force)` return an error (line 88).", "- `flush()` returns its error now", "paraphrased"),
    ("删除客户端的 `retry_count` 变量（第 40 行）。", "- 已删除变量 `retry_count`（第 51 行）", "paraphrased"),
    ("Run `shop replay --day friday` against the copy.", "- Added `--day` to the replay against the copy", "uncertain"),
    # A choice may be told without what was not chosen, a rule may not.
    ("Read the rows from `day_view` instead of `raw_rows`.", "- Rows are read from `day_view`", "paraphrased"),
    # A value beside the same word is that of the same thing.
    ("Delay: sleep ~10 s to let the queue settle down.", "- `main()` reads all, sleeps 10 s, sends it", "paraphrased"),
    ("Delay: sleep ~10 s to let the queue settle down.", "- `main()` reads all in 10 s, sends it", "lost"),
    # The file that heads a point says where.
    ("`store.go` — Let old `evict()` body delegate:", "- **`store.go`**\n  - `evict()` delegates now", "paraphrased"),
    # What people call by its number is told by it.
    ("Review https://git.acme.dev/shop/pull/175 for the naming.", "- Reviewed PR #175 for naming", "paraphrased"),
    # Names that stand elsewhere in the same text.
    (
        "The index of `worker_b` names an object that the cleanup removed.",
        "- `worker_b` was repaired.\n- An index named an object that was removed in the cleanup.",
        "paraphrased",
    ),
    ("`DayStart` replaces `RowCount` in `DayState`.", "- `DayState` has `DayStart`\n- Replaced it", "uncertain"),
    # Nor is what a neighbour of the same sentence is about.
    (
        "Keep `ORDER_PAGE` (used by the printing job).",
        "- Removed `ORDER_PAGE`\n- Removed `list_orders` (unused here; still used by the printing job)",
        "uncertain",
    ),
    # A single word that is left behind words that say nothing stands anywhere.
    ("Still loading?", "- Moved the loading of orders to a worker", "lost"),
    # What bounds a number goes with it, whatever is counted; two words may be written as one, a slip be mended.
    ("Collect up to 20 metrics a run.", "- gathers up to 20 most telling ones per run", "paraphrased"),
    ("Show 24 items on the page.", "- the page shows 24 newest orders", "paraphrased"),
    ("Make a sub net for it and by pass the proxy.", "- Added a subnet to bypass the proxy", "paraphrased"),
    ("Why are the shards in the registory?", '- User asked: "Why are the shards in the registry?"', "verbatim"),
    ("Look into the trail of the replica.", "- Started a trial of the other replica", "lost"),
    # A clause that forbids something is the rule; what stands in capitals binds in a request too.
    ("**Fast path**: No second lookup; the map is shared by all.", "- and no second lookup ever", "paraphrased"),
    (
        "Send the worker the plan and the file list, NOT the whole log of the run.",
        "- The worker gets the plan, the file list and the log of the run",
        "weakened",
    ),
    # The number of a test or section is a place, what a call is given no name of the fact.
    ("Test 7.1 should reject a stale basket with a message.", "- Ran test 7.1 and 7.2", "lost"),
    (
        "Add `build_basket(orders, pageSize)` for the totals of the invoice.",
        "- Added `build_basket()`: totals of an invoice",
        "paraphrased",
    ),
    # What was not chosen in brackets; a name told in words.
    ("Format of the plan: free text (not checked JSON).", "- Plans are free text", "paraphrased"),
    (
        "`rowWriter` keeps the pageSize of the last export and its order.",
        "- `rowWriter` was moved\n- the page size of the last export is kept in order",
        "paraphrased",
    ),
    # Several measures, each somewhere in the text.
    (
        "Grow the suite from 5 to 20 tests, 100% of the parser.",
        "- Parser covered\n- From 5 to 20 tests\n- Coverage is 100%",
        "paraphrased",
    ),
    # Another number beside some of its words is of something else.
    ("The proxy of the shop does not run on port 5173 for devs.", "- The mock (port 3001) was not running", "lost"),
    # Many words of it beside none of its names may be something else.
    ("The old `flush_all` call waits for the slow lock.", "- The slow lock waits, its call is old.", "uncertain"),
    # Half of its words are the fact, three of them at least; a name's are words too, and logging is to log.
    ("Exclude removed baskets from open totals.", "- `openTotals` counts baskets, removedAt is empty", "paraphrased"),
    ("Log the address if the mail server fails.", "- The server fails: logging of the address", "paraphrased"),
    # A quarter of them may be the fact, if it is of four words and more; fewer are of anything.
    ("Check the shop of every invited user in the letter.", "- Added: the shop of users", "uncertain"),
    ("Check the shop of every invited user in the letter.", "- Added: the list of the past year", "lost"),
    ("The default output of totals should be compact.", "- Reports are a compact list", "uncertain"),
    ("Open the basket.", "- Closed a basket", "lost"),
    # A rule that forbids is told by any word that says that something is not done.
    ("Do not hard delete orders.", "- Orders: removedAt instead of a hard delete", "paraphrased"),
    ("Don't show totals on the first page.", "- First page doesn’t show totals", "paraphrased"),
    ("Only admins may close the till.", "- Closing the till is admin-only", "paraphrased"),
    ("Only admins may close the till.", "- Admins close the till", "weakened"),
    # A short fact that stands there nearly word for word, with slips or a word left out; not where it is denied.
    (
        "always keep teh dispatchets busy with something thay can fix",
        "- always keep the dispatchers busy with something they can fix",
        "paraphrased",
    ),
    ("The paged version was with it.", "- paged was with it", "paraphrased"),
    ("The paged version was with it.", "- paged was not with it", "lost"),
    # A number is told with its unit near it, a share of a hundred as one of two, a plural as the number alone.
    ("Weights: 70% recent orders + 30% returns.", "- Weights: orders/returns 70/30", "paraphrased"),
    ("Weights: 70% recent orders + 30% returns.", "- Weights: orders/returns 70/20", "value lost"),
    ("Unpaid orders end as plain 500s, not as clean 402s.", "- unpaid orders end as 500 instead of 402", "paraphrased"),
    ("Wait 3 months before the archive of orders.", "- archive of orders: a 12-month window, 3 runs", "value lost"),
    # A user's measure beside two of its words; a range by its upper end.
    (
        "Never exceed 4500 tokens in a letter unless the editor saw a draft and the price of printing it first",
        "- Editor's draft: 900 tokens by default, 4500 hard limit",
        "paraphrased",
    ),
    (
        "Sync the price list every 5-10 minutes with the depot and the shops, unless the till is closed for the night",
        "- `sync.md`: depot and till (5-10 min)",
        "paraphrased",
    ),
    # A page is still named, what was said of it is gone.
    ("**`app/(shop)/voucher/page.tsx`** — Balance, 4 bundles", "- Pending: the voucher page", "value lost"),
    ("**`app/(shop)/voucher/page.tsx`** — Balance, 4 bundles", "- Pending: app/(shop)/cart/page.tsx", "lost"),
    ("**`shop/[id]/layout.tsx`** — Crumbs + 4 tabs + header", "- `ui/list-header.tsx`: crumbs, header, title", "lost"),
    # Its name is gone where the thing is spoken of; the folder of its own path is no other value.
    (
        "It runs inside the existing sandbox (`DepotBox7`), apart from others.",
        "- a tool inside the existing sandbox",
        "value lost",
    ),
    (
        "Write a complete depot report app in /srv/depot/frontend.",
        "- The first task was to write a complete depot report app in /srv/depot/",
        "value lost",
    ),
    # A wish that was left undone on purpose.
    (
        "Please make a new design of `empty.tsx` and `broken.tsx`.",
        "- read empty.tsx and broken.tsx, then decided not to make a new design",
        "weakened",
    ),
    # A database's address is the path of its file.
    (
        "`sqlite:///./data/depot.db` is opened from whatever folder it starts in.",
        "- Path `./data/depot.db` is opened from any folder",
        "paraphrased",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "summary", "outcome"), FATES)
def test_what_a_summary_made_of_a_fact(text: str, summary: str, outcome: str) -> None:
    found = fate(fact(text), searchable(f"## Goal\nDo it.\n\n{summary}\n"), 1)
    assert found.outcome == outcome
    assert found.where == (None if outcome == "lost" else "summary")
    assert (found.index is None) is (outcome == "lost")


FIELDS = "- `crane_count` is a field\n- `last_seen_at` is another\n"
#: What the agent said, what the summary says of it, what became of it.
AGENT_FATES = [
    # What gives a finding away is not what was found.
    ("The issue is that the writer keeps `flush_all` locked.", "- The issue list is long.", "lost"),
    (
        "The `writer` doesn't wait for the reader.",
        "- The writer wasn't waiting for its reader",
        "paraphrased",
    ),
    # Names stand in every list of files.
    (
        "The issue is that `flush_all` is created at import time with real pools.",
        "- Created new pools: `flush_all.py`",
        "uncertain",
    ),
    (
        "The issue is that `flush_all` passes `None` on.",
        "- RAN grep -n 'flush_all\\|None' jobs/",
        "uncertain",
    ),
    # The number of a point is no value, an address is the fact wherever its host is named.
    ("3. The cause is that the header was drawn twice.", "- Fixed: header drawn twice", "paraphrased"),
    (
        "Try it at **https://orders.acme.dev/**",
        "- set up orders.acme.dev with its own certificate",
        "paraphrased",
    ),
    ("Try it at **https://orders.acme.dev/**", "- set up new-orders.acme.dev and a certificate", "lost"),
    # What a name is made of counts beside the name; one of several names alone is none of its words.
    ("`maxRows` itself is never above `row_limit`.", "- `maxRows = row_limit` (line 45)", "paraphrased"),
    ("`maxRows` itself is never above `row_limit`.", "- `maxRows` was read", "uncertain"),
    # What is set apart in quotes is nothing exact where the number is gone.
    (
        'Skipped points: 4 "not now" replies with a reason',
        '- The point was skipped: "not now", for a reason',
        "uncertain",
    ),
    # A measure is somebody else's beside one word.
    (
        "Without the depot the team makes fewer mistakes within 90 days.",
        "- orders of the depot: last 90 days",
        "lost",
    ),
    # A line of a quote that ended with a stroke.
    ("The cause is a stale lock of the depot.", "- the cause is / a stale lock of the depot", "verbatim"),
    # The cause is what was found, not a reason to lose.
    (
        "The nightly export of invoices fails because the pool is locked.",
        "- The nightly export of invoices fails",
        "paraphrased",
    ),
    (
        "All four nodes run 2.19.1 since 22:31 UTC.",
        "- UPGRADE finished at 22:31 UTC: four nodes on 2.19.1",
        "paraphrased",
    ),
    # A passage that names others only is about them; one name may be written in several ways.
    (
        "Unlike `crane_count`, `last_seen_at` never got a migration of the old boats of the harbour.",
        f"{FIELDS}- A migration of the old boats of the harbour was tried with `dock_at`, unlike the others",
        "uncertain",
    ),
    (
        "Unlike `crane_count`, `last_seen_at` never got a migration of the old boats of the harbour.",
        f"{FIELDS}- A migration of the old boats of the harbour was never tried with `LastSeenAt`, unlike others",
        "paraphrased",
    ),
    (
        "Unlike `crane_count`, `last_seen_at` never got a migration of the old boats of the harbour.",
        f"{FIELDS}- The old boats of the harbour never got a migration, unlike others",
        "paraphrased",
    ),
]


@pytest.mark.parametrize(("text", "summary", "outcome"), AGENT_FATES)
def test_what_a_summary_made_of_what_the_agent_found(text: str, summary: str, outcome: str) -> None:
    assert fate(fact(text, "assistant"), searchable(summary), 1).outcome == outcome


def test_where_it_was_found_is_where_it_stands() -> None:
    summary = "## Constraints\n- The retry limit is 37.\n"
    found = fate(fact(RETRY), searchable(summary, head=["You are Hermes."]), 1)
    assert found.index == 1
    assert found.span is not None
    assert summary[slice(*found.span)] == "- The retry limit is 37."


def test_the_excerpt_of_a_long_sentence_has_what_decides() -> None:
    before = (
        "- The list of what was done on the first day, with many words of other things in it"
        + ", and others" * 12
    )
    found = fate(fact(RETRY), searchable(f"{before}, the retry limit is 37"), 1)
    assert found.outcome == "paraphrased"
    assert "retry limit is 37" in found.excerpt


def test_the_summary_comes_before_the_head_and_the_head_before_the_tail() -> None:
    for regions, where in (
        ((RETRY, RETRY, RETRY), "summary"),
        (("", RETRY, RETRY), "head"),
        (("", "x", RETRY), "tail"),
    ):
        summary, head, tail = regions
        assert fate(fact(RETRY), searchable(summary, [head], [tail]), 1).where == where


def test_another_value_of_somebody_else_is_not_this_fact() -> None:
    list_after = searchable("- Set the retry limit to 34 and never more.")
    said = values_said(facts(RETRY, "Set the retry limit to 34 and never more."))
    assert fate(fact(RETRY), list_after, 1, said).outcome == "lost"


def test_a_value_that_nobody_said_was_changed_by_the_summary() -> None:
    found = fate(
        fact(RETRY), searchable("- Set the retry limit to 38 and never more."), 1, values_said(facts(RETRY))
    )
    assert (found.outcome, found.changed) == ("value lost", "38")


def test_a_tool_result_that_has_the_number_does_not_say_the_fact() -> None:
    assert (
        fate(fact(RETRY), searchable(tail=["37 passed, 1 retry, 0.37 s"], role="tool"), 1).outcome == "lost"
    )


TEXTS = st.sampled_from(sorted({*EXAMPLES.values(), *(text for text, _, _ in FATES)}))
#: Sentences of words, names, values and signs as people write them.
WORDS = (
    "never keep the pool_size of `deploy/env` at 40 ms because *Redis* lost ids, port 8443; must not use v1.2.3 — "
    "“quoted” (see #175) on 14 February, likely main() 接口缓存 300 秒 left/right https://git.acme.dev/pull/7. I’d "
    "e.g. check ~/.bashrc [x] 5 %, 1. - > don't foo_bar_baz"
)
MADE = st.lists(st.sampled_from(WORDS.split(" ")), min_size=1, max_size=120).map(" ".join)
FILLER = st.lists(TEXTS | st.text(max_size=60), max_size=4)


@given(
    TEXTS | MADE,
    FILLER,
    FILLER,
    st.sampled_from(["summary", "head", "tail"]),
    st.sampled_from(["\n", "\n- "]),
)
def test_what_is_in_the_list_is_never_lost(
    text: str, before: list[str], behind: list[str], where: str, between: str
) -> None:
    whole = between.join([*before, text, *behind])
    regions = {"summary": "", "head": "", "tail": ""} | {where: whole}
    list_after = searchable(regions["summary"], [regions["head"]], [regions["tail"]])
    for one in facts(("user", text), ("assistant", text)):
        assert fate(one, list_after, 1).outcome == "verbatim"


@given(TEXTS, TEXTS)
def test_a_value_in_another_sentence_never_makes_a_fact_verbatim(text: str, other: str) -> None:
    for one in facts(text):
        values = " ".join(value.text for value in one.values)
        summary = f"- {other} {values}"
        # A sentence with a slip that was mended is the same one.
        if SequenceMatcher(None, plain(one.text), plain(other), autojunk=False).ratio() < 0.8:
            assert fate(one, searchable(summary), 1).outcome != "verbatim"


def pieces_of(text: str) -> st.SearchStrategy[str]:
    """Sentences made of a fact's own words, names and values and of some that are others'."""
    words = [
        *text.replace("。", " ").split(),
        "38 ms",
        "never",
        "because",
        "deploy/env/site61.yaml",
        "likely",
    ]
    return st.lists(st.sampled_from(words), min_size=1, max_size=8).map(lambda some: " ".join(some) + ".")


@given(TEXTS, st.data())
def test_taking_a_sentence_out_of_the_summary_never_improves_a_fate(text: str, data: st.DataObject) -> None:
    """However many sentences speak of it: of a sentence of its own, and of a line of several."""
    sentence = (pieces_of(text) | TEXTS | st.text(max_size=40)).map(
        lambda one: one + " ." * (one[-1:] not in ".。")
    )
    count = data.draw(st.sampled_from([3, 40]))
    told = data.draw(
        st.lists(st.tuples(st.sampled_from(["\n- ", " "]), sentence), min_size=1, max_size=count)
    )
    gone = data.draw(st.integers(0, len(told) - 1))
    # A line is read as one up to some length; this one keeps its length.
    told = [("\n- " if at % 4 == 0 else between, one) for at, (between, one) in enumerate(told)]
    left = [(between, "" if at == gone else one) for at, (between, one) in enumerate(told)]
    whole, shorter = ("".join(between + one for between, one in some) for some in (told, left))
    # In another language nothing exact is told in other words.
    assume(searchable(whole).tongue == searchable(shorter).tongue)
    for one in facts(text):
        before = fate(one, searchable(whole), 1).outcome
        after = fate(one, searchable(shorter), 1).outcome
        assert ORDER.index(after) >= ORDER.index(before), (one.text, whole, shorter)


@given(
    st.lists(TEXTS, min_size=1, max_size=5, unique=True),
    st.lists(TEXTS, max_size=4),
    st.randoms(use_true_random=False),
)
def test_fates_do_not_depend_on_the_order(told: list[str], kept: list[str], random: object) -> None:
    shuffled = list(told)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    lines = list(kept)
    random.shuffle(lines)  # type: ignore[attr-defined]
    one, other = searchable("\n".join(kept)), searchable("\n".join(lines))
    first = {f.key: fate(f, one, 1, values_said(facts(*told))).outcome for f in facts(*told)}
    second = {f.key: fate(f, other, 1, values_said(facts(*shuffled))).outcome for f in facts(*shuffled)}
    assert first == second
    assert set(first.values()) <= set(OUTCOMES)


def test_a_fact_said_again_is_one_fact_with_its_sayings() -> None:
    (one,) = facts("Never push to main.", ("assistant", "Understood."), "never push to  main!")
    assert [saying.step for saying in one.sayings] == [0, 2]
    assert one.uses == 1
    assert not one.once


def test_a_sentence_of_a_long_plan_comes_behind_what_was_said_alone() -> None:
    plan = "\n".join(f"- The step of {word} takes the second path." for word in "abcdefghijklmnopq")
    rule = "- Never drop the table."
    found = facts(f"{plan}\n{rule}", "The first path is closed.")
    assert [one.text for one in found[:2]] == ["Never drop the table.", "The first path is closed."]
    assert len(found) > 15


def test_the_user_outranks_the_agent_and_words_outrank_what_was_pasted() -> None:
    found = facts(("assistant", "Under load p99 was 322 ms."), "Port 8443 stays.", "Never push to main.")
    assert [one.role for one in found] == ["user", "user", "assistant"]
    shown = facts("Never push to main.", "> Never push to trunk.")
    assert [one.text for one in shown] == ["Never push to main.", "Never push to trunk."]


def test_a_name_that_is_merely_mentioned_is_no_fact() -> None:
    one = ("assistant", "The reader is jobs/io/reader.py.")
    assert facts("Find it.", one, "And now?", ("assistant", "I patch jobs/io/reader.py."), one) == ()
    read = [
        replace(step(n, "Reading.", "assistant", [("read_file", "jobs/io/reader.py")]), task=n)
        for n in range(4)
    ]
    assert gather(read) == ()


def test_what_was_only_pasted_gives_its_rules_alone() -> None:
    pasted = "<log>\nThe reader is at version 3.8.12 now.\nNames must be quoted.\n</log>"
    assert [(one.text, one.pasted) for one in facts(pasted)] == [("Names must be quoted.", True)]


def lives(told: list[str], compactions: list[int | None], lists: dict[int, str]) -> dict[str, object]:
    made = [
        replace(one, saying=replace(one.saying, compaction=c))
        for one, c in zip(steps(*told), compactions, strict=True)
    ]
    ends = [sum(c is not None and c <= k for c in compactions) for k in lists]
    lists_after = {number: searchable(text) for number, text in lists.items()}
    return {life.fact.text: life for life in lives_of(gather(made), made, ends, lists_after).lives}


def test_a_fact_dies_and_a_later_message_brings_it_back() -> None:
    life = lives(
        [RETRY, "Where were we?", "Remember, the retry limit is 37."],
        [1, None, None],
        {1: f"- {RETRY}", 2: "- a retry limit was set", 3: "- nothing"},
    )[RETRY]
    assert [one.outcome for one in life.fates] == ["verbatim", "value lost", "lost"]  # type: ignore[attr-defined]
    assert life.died == 2  # type: ignore[attr-defined]
    assert life.back.step == 2  # type: ignore[attr-defined]


def test_a_fact_is_told_in_words_that_had_been_said_by_then() -> None:
    asked, told = (
        "Did you write tests for it?",
        "Write tests for the importer, and write tests for the exporter too.",
    )
    made = [
        replace(one, saying=replace(one.saying, compaction=n, generation=n))
        for n, one in enumerate(steps(asked, told), 1)
    ]
    lists_after = {1: searchable(f"- {asked}"), 2: searchable("- nothing")}
    found = lives_of(gather(made), made, [1, 2], lists_after).lives
    (one, other) = [life for life in found if life.fact.rule == "en.wish.tests"]
    assert (one.fact.text, one.saying.step) == (asked, 0)
    assert [fate.outcome for fate in one.fates] == ["verbatim", "lost"]
    assert (other.fact.text, other.saying.step, other.fact.key) == (told, 1, one.fact.key)
    assert [fate.outcome for fate in other.fates] == ["lost"]


def test_a_value_is_told_by_whoever_had_named_it_by_then() -> None:
    said = ("assistant", "I see v2.19.1 there."), ("user", "The cause is v2.19.1 of it.")
    made = [step(n, text, role) for n, (role, text) in enumerate(said, 1)]
    made = [replace(one, saying=replace(one.saying, generation=n)) for n, one in enumerate(made, 1)]
    (one,) = gather(made)
    assert [(one.by(k).text, one.by(k).role) for k in (1, 2)] == [(text, role) for role, text in said]
    assert one.by(2) is one
    assert {saying.step for saying in one.by(1).sayings} == {1, 2}


def test_what_stays_never_dies() -> None:
    life = lives([RETRY], [1], {1: f"- {RETRY}", 2: f"- {RETRY}"})[RETRY]
    assert (life.died, life.back, life.contradicted) == (None, None, None)  # type: ignore[attr-defined]


def test_another_value_said_later_contradicts() -> None:
    life = lives([RETRY, "Set the retry limit to 34 and never more."], [1, None], {1: "- nothing"})[RETRY]
    assert life.contradicted.value == "34"  # type: ignore[attr-defined]
    assert life.contradicted.saying.step == 1  # type: ignore[attr-defined]


def test_an_agent_does_not_contradict_a_user() -> None:
    made = steps(RETRY, ("assistant", "The retry limit is 34 and never more."))
    (life,) = [
        one for one in lives_of(gather(made), made, [2], {1: searchable()}).lives if one.fact.text == RETRY
    ]
    assert life.contradicted is None


def test_every_compaction_that_took_a_saying_begins_a_life() -> None:
    made = [replace(s, saying=replace(s.saying, compaction=n + 1)) for n, s in enumerate(steps(RETRY, RETRY))]
    found = lives_of(gather(made), made, [1, 2], {1: searchable(), 2: searchable(RETRY)})
    assert [(life.compaction, life.fate.outcome) for life in found.lives] == [(1, "lost"), (2, "verbatim")]
    assert [life.compaction for life in found.of(2)] == [2]


def test_what_somebody_watches_can_end_it() -> None:
    class Enough(Exception):
        pass

    def watch(done: int) -> None:
        raise Enough

    made = steps(RETRY)
    with pytest.raises(Enough):
        lives_of(gather(made), made, [1], {1: searchable()}, watch)


def test_facts_of_pruned_results_are_kept_apart() -> None:
    printed = step(0, "jobs/io/reader.py: 12", "tool")
    printed = replace(printed, saying=replace(printed.saying, pruned=True))
    used = [step(n, "Reading.", "assistant", [("read_file", "jobs/io/reader.py")], None) for n in range(1, 5)]
    found = lives_of(gather([printed, *used]), [printed, *used], [1], {1: searchable()})
    assert found.lives == ()
    assert [life.fact.value for life in found.pruned] == ["jobs/io/reader.py"]
    told = step(5, "The reader is jobs/io/reader.py.", "assistant", (), None)
    said = lives_of(gather([printed, *used, told]), [printed, *used, told], [1], {1: searchable()})
    assert (said.lives, said.pruned) == ((), ())


def test_examples_are_all_somebodys() -> None:
    assert {SPEAKERS.get(rule, "user") for rule in EXAMPLES} == {"user", "assistant"}
    assert RULES.languages


LISTS = st.lists(
    st.tuples(
        st.lists(TEXTS, max_size=3).map("\n".join),
        st.lists(TEXTS, max_size=2),
        st.lists(TEXTS, max_size=3),
    ),
    min_size=1,
    max_size=4,
)


@given(st.lists(TEXTS, min_size=1, max_size=3, unique=True), LISTS)
def test_what_is_carried_over_has_the_fate_of_a_list_that_is_read_anew(
    told: list[str], lists: list[tuple[str, list[str], list[str]]]
) -> None:
    made = steps(*told)
    found = gather(made)
    lists_after = {number: searchable(*one) for number, one in enumerate(lists, 1)}
    numbers = values_said(found)
    for life in lives_of(found, made, [len(made)] * len(lists), lists_after).lives:
        for one in life.fates:
            anew = fate(life.fact, lists_after[one.compaction], one.compaction, numbers)
            assert (one.outcome, one.where) == (anew.outcome, anew.where)


@given(st.lists(TEXTS, min_size=1, max_size=3, unique=True), LISTS)
def test_fates_told_in_short_are_the_same_with_all_places_where_they_changed(
    told: list[str], lists: list[tuple[str, list[str], list[str]]]
) -> None:
    made = steps(*told)
    found = gather(made)
    lists_after = {number: searchable(*one) for number, one in enumerate(lists, 1)}
    ends = [len(made)] * len(lists)
    whole = lives_of(found, made, ends, lists_after)
    short = lives_of(found, iter(made), ends, lists_after, places="changes")
    for life, other in zip(whole.lives, short.lives, strict=True):
        states = [(one.compaction, one.outcome, one.where, one.changed) for one in life.fates]
        assert [(one.compaction, one.outcome, one.where, one.changed) for one in other.fates] == states
        assert other.fates[0] == life.fates[0]
        for at in range(1, len(states)):
            if states[at - 1][1:3] != states[at][1:3]:
                assert other.fates[at] == life.fates[at]
    none = lives_of(found, iter(made), ends, lists_after, places="none")
    for life, other in zip(whole.lives, none.lives, strict=True):
        states = [(one.compaction, one.outcome, one.where, one.changed) for one in life.fates]
        assert [(one.compaction, one.outcome, one.where, one.changed) for one in other.fates] == states
        assert all(one.index is None and not one.excerpt for one in other.fates if not one.changed)


@given(st.lists(TEXTS, min_size=1, max_size=3, unique=True), st.lists(TEXTS, max_size=3))
def test_an_index_counts_the_words_that_passages_have(told: list[str], texts: list[str]) -> None:
    index = searchable("\n".join(texts), texts)
    for one in gather(steps(*told)):
        things = probe_of(one, RULES).things
        at_least = index.sharing(things)
        for number, passage in enumerate(index.passages):
            shared = len(passage.words.intersection(things))
            assert [passages >> number & 1 for passages in at_least] == [
                shared > count for count in range(len(at_least))
            ]
        assert len(at_least) == max(
            (len(one.words.intersection(things)) for one in index.passages), default=0
        )


def test_a_text_that_still_stands_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[tuple[str, ...]] = []

    def spy(probe: Probe, after: PassageIndex, numbers: object = ()) -> dict[int, Match]:
        looked.append(tuple(part.text for part in after.parts))
        return matches(probe, after, numbers)  # type: ignore[arg-type]

    monkeypatch.setattr("inspector.quality.facts.fates.lives.matches", spy)
    made = steps(RETRY)
    lists_after = {n: searchable(f"- summary {n}", [RETRY], ["same tail", f"tail {n}"]) for n in range(1, 5)}
    (life,) = lives_of(gather(made), made, [1] * 4, lists_after).lives
    assert [one.outcome for one in life.fates] == ["verbatim"] * 4
    assert [texts.count(RETRY) for texts in looked] == [1, 0, 0, 0]
    assert looked[1:] == [(f"- summary {n}", f"tail {n}") for n in range(2, 5)]


def test_a_wording_of_any_script_is_found_where_it_stands() -> None:
    for wording in ("Все строки должны быть на русском языке", "한국어로 답해 주세요", "请用中文回答"):
        text = f"## Notes\n- first of all\n- {wording}, as was agreed.\n"
        assert text[slice(*place_of(wording, text))] == wording


CLOSED = "The gate of the depot is closed and I still hear the bell."
OTHER = "The bell of the depot was painted, and the gate needs a new hinge."


@pytest.mark.parametrize(
    ("summary", "outcome"),
    [
        # The summary quotes another sentence of the user's, and that alone.
        (f'- The gate: "{CLOSED}"', "lost"),
        (f'- "{CLOSED}"\n- The bell of the depot has new paint, its gate lacks a hinge', "paraphrased"),
        (f'- "{CLOSED} {OTHER}"', "verbatim"),
        # Nobody said so.
        ("- The gate of the depot is shut and one still hears its bell.", "paraphrased"),
    ],
)
def test_what_the_user_said_elsewhere_does_not_tell_a_fact(summary: str, outcome: str) -> None:
    assert lives([CLOSED, OTHER], [1, 1], {1: summary})[OTHER].outcome == outcome  # type: ignore[attr-defined]


def test_a_sentence_that_says_nearly_the_same_tells_a_fact() -> None:
    again, limit = (
        "Please, the retry limit of the depot gate stays 37 from now on.",
        "The retry limit of the gate is 37.",
    )
    found = lives([again, limit], [1, 1], {1: f'- "{again}"'})
    assert found[limit].outcome == "paraphrased"  # type: ignore[attr-defined]


@given(st.lists(TEXTS, min_size=1, max_size=4, unique=True), TEXTS, st.data())
def test_taking_a_quote_out_of_the_summary_never_improves_a_fate(
    told: list[str], text: str, data: st.DataObject
) -> None:
    quotes = Quotes([wording_of(one.text)[0] for one in facts(*told)])
    lines = data.draw(st.lists(st.lists(st.sampled_from(told) | TEXTS, min_size=1, max_size=3), min_size=1))
    number = data.draw(st.integers(0, len(lines) - 1))
    gone = data.draw(st.integers(0, len(lines[number]) - 1))
    left = [list(line) for line in lines]
    left[number][gone] = ""
    whole, shorter = ("\n".join(f'- "{" ".join(line)}"' for line in some) for some in (lines, left))
    assume(searchable(whole).tongue == searchable(shorter).tongue)
    for one in facts(text):
        outcomes = [
            fate(one, PassageIndex([ListText("summary", 0, "summary", said)], RULES, quotes), 1).outcome
            for said in (whole, shorter)
        ]
        assert ORDER.index(outcomes[1]) >= ORDER.index(outcomes[0]), (one.text, whole, shorter)


def test_what_claude_code_writes_around_a_summary_is_no_evidence() -> None:
    text = (
        "This session is being continued from a previous conversation that ran out of context.\n"
        "1. The import was begun.\n"
        "Please continue the conversation from where we left it off without asking the user any further questions. "
        "Continue with the last task that you were asked to work on.\n"
    )
    recorded = Compaction(1, "s", 9, 1, 0, 9, 0, 1, 0, text, False, False, 0, 0, 0.0)
    (part,) = parts_of(Message({"role": "user", "content": text}, summary=True), 0, recorded)
    assert text[part.offset :].startswith(part.text)
    asked = fact("Can you continue with the last task you were asked to work on?")
    assert fate(asked, PassageIndex([part], RULES), 1).outcome == "lost"
