"""A person's own words in a message, without text of a program or a paste."""

from __future__ import annotations

import pytest

from inspector.quality.facts.extract import facts_of
from inspector.quality.facts.languages import language_of, summary_language
from inspector.quality.facts.line_forms import is_prose
from inspector.quality.facts.meaning import meaning_of
from inspector.quality.facts.sentences import sentences
from inspector.quality.facts.spoken import by_person, spoken_spans
from tests.counting import lines_run
from tests.quality.facts.made_facts import fact, facts

LOG = "[ImageCache] load failed for maps/harbour: no permission\n" * 3
DUMP = (
    "Name: pier\nStatus: Waiting\nBoats:\n"
    + " Berth: 4\n Depth: 12 m (a boat must fit)\n" * 8
    + "Events: <none>"
)
SCRIPT = (
    "=== Step 1: Count ===\n94 berths read\n\nBoats should moor first.\n\n=== Step 2: Moor ===\nunknown boat\n\n"
    "Never moored:\n\n=== Step 3: Leave ===\n"
)
RECORD = '{"time":"2026-01-02","level":"INFO","msg":"moored","berth":"north"}'
BERTHS = ((1, "North"), (2, "South"), (3, "East"), (4, "West"), (5, "Old"), (6, "New"))
STACK = "renderTree @ chunk-7.js:11570\nrenderLeaf @ chunk-7.js:11602\n"

#: (message, the writer's own sentences)
PERSONS_SENTENCES = (
    (f"The map stays grey:\n{STACK}", ["The map stays grey:"]),
    (f"1) Fix the map.\n2) The cache fails:\n{LOG}3) Remove the banner.\nAll of it before Friday.",
     ["1) Fix the map.", "2) The cache fails:", "3) Remove the banner.", "All of it before Friday."]),
    (f"The cache fails:\n{LOG}loading the next tile now\n", ["The cache fails:"]),
    ("The tides are wrong:\nNAME   HIGH   LOW   RANGE\nBREST\t6.9\t1.2\t5.7", ["The tides are wrong:"]),
    (f"Read it.\n<file name='chat.txt'>\n{'Never moor here. ' * 9_000}\n</file>", ["Read it."]),
    ("The page:\n(index):1 tides loaded\nn @ (index):1\n(index):64 never use this in production", ["The page:"]),
    ("The gate fails:\nimport tides\ngate = Gate(3)\n# Opens it at noon\nif gate.on == 0:\n    return gate\nBut why?",
     ["The gate fails:", "But why?"]),
    ("It stops:\nPS C:\\boats> npm run sail\nboats should be moored first\n\nWhat is wrong?",
     ["It stops:", "What is wrong?"]),
    ("One rule: never sail\n  at night", ["One rule: never sail", "at night"]),
    ("It stops here:\n✓ 94 berths read\n✓ Boats should be moored\n\nWhy?", ["It stops here:", "Why?"]),
    ("Still bad:\nFeb  9 09:56:48.954 |DEBU| boats must be moored\n\nWhy?", ["Still bad:", "Why?"]),
    ("? How should the boat leave? [Use arrows to move]\n Under sail\n> With the engine", []),
    ("You said:\n\n Boats must leave before noon, as the tide\n falls then.\n\n Let me check:\n\nThat is wrong.",
     ["You said:", "That is wrong."]),
    ("The table says\n Pull the anchor in slowly      │ Crew\nbut why?", ["The table says", "but why?"]),
    ("Can you do this?:\n- Moor the boat.\n- Never sail alone.",
     ["Can you do this?:", "- Moor the boat.", "- Never sail alone."]),
    ("1. Moor the boat.\n\n Never sail alone.\n\nGo.", ["1. Moor the boat.", "Never sail alone.", "Go."]),
    (f"Harbour 1.2\n{'=' * 30}\n\nBerths: 4\n\n还有两个泊位\nAll berths are shown.\nIs that Chinese?",
     ["Harbour 1.2", "All berths are shown.", "Is that Chinese?"]),
    ("--- MODE SWITCH: NOTES ---\nWrite the notes now.", []),
    ("go on\n</observed_from_primary_session>\nNever explain a note.", []),
    ("Fix the lint:\n\n   9:1   error  Prefer named berths  pier/names\n  13:34  error  Moor first  tide",
     ["Fix the lint:"]),
    ("ada@Adas-Mac pier % moor --now\n\nadded 4 berths in 9ms\nYou must reboot first.\nada@Adas-Mac pier %", []),
    ("ada@mole ~ $ moor\nNever moor twice.", []),
    ("Write to ada@pier.example with $ amounts. Never write twice.",
     ["Write to ada@pier.example with $ amounts.", "Never write twice."]),
    ("It says\nada@mole ~ % moor\nNever moor twice.\n\nWhat now?", ["It says", "What now?"]),
    ("Model \"pier/tide-2\" is not allowed. Use /models to list them, or never ask.", []),
    ("The bot answers:Request timed out before a response was generated. Please raise the limit.",
     ["The bot answers:"]),
    ("it opens, but I see You are not allowed to access 'Berth' (pier.berth) records.\n\nAlso the lamp is off.",
     ["it opens, but I see", "Also the lamp is off."]),
    ("You are not allowed to moor 'Ada' here.", ["You are not allowed to moor 'Ada' here."]),
    ("I get this: Agent failed before reply: tide\nNever moor twice.", ["I get this:", "Never moor twice."]),
    ("When I see \"Agent failed before reply: tide\", stop the boat. Never moor twice.",
     ["When I see \"Agent failed before reply: tide\", stop the boat.", "Never moor twice."]),
    ("10:30 error at the pier again, never moor there.", ["10:30 error at the pier again, never moor there."]),
    ("/devices", []),
    ("https://tide.org/u_16213/10773198", ["https://tide.org/u_16213/10773198"]),
    ("看图\nhttps://tide.org/u_16213/10773198", ["看图", "https://tide.org/u_16213/10773198"]),
    ("/plugin install moon@pier", []),
    ("/review only src/pier.py", ["/review only src/pier.py"]),
    ("Run it.\n  --max-iterations 15 \\\n  --dry-run", ["Run it."]),
    ("Please: 1. Add the pump 2. Never touch the valve", ["Please:", "1. Add the pump", "2. Never touch the valve"]),
    ("The steps are 1) paint and 2) dry.", ["The steps are 1) paint and 2) dry."]),
    ("The stages are: 0. First Survey 2. Cost - Mason 4.1 Again 1. Scope - Mason 3. Offer",
     ["The stages are:", "0. First Survey", "2. Cost - Mason 4.1 Again", "1. Scope - Mason", "3. Offer"]),
    ("Keep 12. never take 13. Go.", ["Keep 12.", "never take 13.", "Go."]),
    ("moor at pier 2. it is dry", ["moor at pier 2.", "it is dry"]),
    ("The order: 1. Moor the boat.\n2. Count it.", ["The order:", "1. Moor the boat.", "2. Count it."]),
    ("Add it.\n2. Stop the pump.", ["Add it.", "2. Stop the pump."]),
    ("Checks still fail   Running [lint] in [/srv/app] ...", ["Checks still fail", "Running [lint] in [/srv/app] ..."]),
    ("<task-notification>done</task-notification>\nPlease go on.", ["Please go on."]),
    ("Slow:\n🚀 ❓ [moor] [DEBUG] Checking\n✅ pier (skipped)\nUse '--all' to moor all.\n🚀 ℹ️ [moor] [INFO] Done\n"
     "\nWhy so slow?", ["Slow:", "Why so slow?"]),
    ("Does it run?\n\nada 77 0.1 2.0 61000 4400 ? Ss Mar02 9:01 /bin/moor --never\n"
     "ada 78 0.0 0.3 52000 3300 ? Ss Mar02 0:07 /bin/pier", ["Does it run?"]),
    ("Pier starts, BerthName=/North/Quay\nTide read, TideName=low\nLogPier: Error: It is old. Please use another.\n"
     "Pier failed\n\nWhy?", ["Why?"]),
    ("Set it, Mode=fast please", ["Set it, Mode=fast please"]),
    ("The console log is map-64.js?v=7:6 Two maps found. They should be avoided.\ntC @ map-64.js?v=7:6\n\nWhy?",
     ["The console log is", "Why?"]),
    ("Look at map.js:6 first.\nThen fix it.", ["Look at map.js:6 first.", "Then fix it."]),
    ("Look:\n\nName:        pier\nNever Moored:        yes\nBoats should be moored first\n\nWhy?", ["Look:", "Why?"]),
    (f"{DUMP}\n\nIs the pier broken?", ["Is the pier broken?"]),
    ("It is there now\n\nPiers\nBerths\n\nNorth Pier\nAll boats must moor\nPage 1 of 3 (1 - 4 of 9 items)\n"
     "Items per page\n25\nPage 1 of 2\n", ["It is there now"]),
    ("--- FAIL: TestPier (3.4s)\n    pier.go:209: Hook output: none\n        Created the berth list\n"
     "        Moved three boats\n\nWhy does it fail?", ["Why does it fail?"]),
    (f"It stops at the end:\nBuilt: /srv/moor/bin\n{SCRIPT}Kept at: /srv/moor/log\n\nWhy?",
     ["It stops at the end:", "Why?"]),
    (f"Here:\n{SCRIPT}\nI see no boat there.\n\n{SCRIPT}", ["Here:", "I see no boat there."]),
    ("Add a total to\n  \"berths\": 94,\n  \"boats\": 12,\n  \"free\": 82,\n  \"north\": 40,\n  \"south\": 42,\n"
     "  \"east\": 0 so that the sum is shown", ["Add a total to", "\"east\": 0 so that the sum is shown"]),
    ("Do this:\n" + "".join(f"Check the {pier} pier of #{n}\n" for n, pier in BERTHS),
     ["Do this:", *(f"Check the {pier} pier of #{n}" for n, pier in BERTHS)]),
    ("Use these:\n" + "\n\n".join(f"{pier} pier\nBerth code: {pier}4x\nBerth id：{n}{n}1.077" for n, pier in BERTHS),
     ["Use these:", *(part for n, pier in BERTHS for part in (f"{pier} pier", f"Berth code: {pier}4x"))]),
    ("The tide is lost here\n\nLow Severity\n\nThe berth must be read first. Else it is empty.",
     ["The tide is lost here"]),
    ("A lost tide\n\nLow Severity\n\nThe berth must be read first.\n\nIs it true?", ["A lost tide", "Is it true?"]),
    ("1. A\n2. B\n3. A\n4. B\n5. A\n6. keep the old pier\n7. C", ["6. keep the old pier"]),
    ("| a | b |\n| 1 | 2 |\n| 3 | 4 |\nall rows need a unit\n| 5 | 6 |\n| 7 | 8 |", ["all rows need a unit"]),
    ("9:00\nmoor the boats\n10:00\n11:00\n12:00\nleave the north pier\n13:00\n14:00",
     ["moor the boats", "leave the north pier"]),
    (f"One:\n{SCRIPT}\nPlease look.\n\n{SCRIPT}\nNever sail alone.\nMoor at noon.\n\n{SCRIPT}",
     ["One:", "Please look.", "Never sail alone.", "Moor at noon."]),
    ("Wishes:\n- no sails;\n- [ ] never moor alone;\n1. 禁止使用 sails;\n- break;\n- moor(boat);",
     ["Wishes:", "- no sails;", "- [ ] never moor alone;", "1. 禁止使用 sails;"]),
    (f"It fails:\n{STACK}never sail alone\nmoor at noon", ["It fails:", "never sail alone", "moor at noon"]),
    (f"$ moor\n{STACK}never sail alone", []),
    (f"一:\n{SCRIPT}\n不要改数据库配置\n\n{SCRIPT}", ["一:", "不要改数据库配置"]),
    ("".join(f"Paint the {pier} pier ({n} EUR)\n" for n, pier in BERTHS),
     [f"Paint the {pier} pier ({n} EUR)" for n, pier in BERTHS]),
    ("Low severity\n\nmust be yellow\n\nHigh severity\n\nmust be red\n\nShow both.",
     ["Low severity", "must be yellow", "High severity", "must be red", "Show both."]),
    ("Map these:\n404 NO_BERTH\nnever show the pier\n500 TIDE_LOST\nmust ring",
     ["Map these:", "404 NO_BERTH", "never show the pier", "500 TIDE_LOST", "must ring"]),
    (f"Here:\n{SCRIPT}\n    Berth code: north-4\n\n=== Step 4: End ===", ["Here:"]),
    ("It fails:\n\nYour line works.\n\n500: TIDE_LOST\nCode: PIER_BURNT", ["It fails:", "Your line works."]),
    ("go on here ● Moor the boats\n  ⎿  ☒ Count them\n\n  Top berths:\n  1. North", ["go on here"]),
    ("It fails ❯ Moor the boats\n  ⎿  BoatCheck says: Read it\n\n     Never sail alone.\n\nWhy?", ["It fails", "Why?"]),
    ("I see this: TideStart:early says:\n\n     Mind the tide:\n       It will rise.\n but it fell.",
     ["I see this: TideStart:early says:", "but it fell."]),
    ("add the tide import Sea, { useTide } from 'sea';\nimport Boat from './boat';\n", ["add the tide"]),
    ("first import Sea from 'sea'\nthen add the tide", ["first import Sea from 'sea'", "then add the tide"]),
    ("It lists these:    > north pier\n    > south pier\n\nWhy?", ["It lists these:", "Why?"]),
    ("my berth:    4\n  your berth:  5", ["my berth:    4", "your berth:  5"]),
    ("> v north pier\n   v * never sail alone\n\nMoor it.", ["Moor it."]),
    ("- first\n  > north pier\n  never sail alone", ["- first", "never sail alone"]),
    (f"still fails: {RECORD}\n{RECORD}", ["still fails:"]),
    ("moor it, but let's count first;\n\nIt fails.", ["moor it, but let's count first;", "It fails."]),
    (f"Why?\n\n* commit {'5e1f' * 10}\n  Date:  Sun\n\n      Moor the boats\n\n      Never sail alone.\n\nGo.",
     ["Why?", "Go."]),
    ("[Image #1] [Image #2] ", []),
    ("Catch the TideError: it must never leave the pier.\n\nWhy?",
     ["Catch the TideError: it must never leave the pier.", "Why?"]),
    ("Use 8080", ["Use 8080"]),
    ("Berth: 8080\n- due 2026-12-01\n8080", ["Berth: 8080", "- due 2026-12-01"]),
    ("Berth: 8080\n" * 40, []),
    ("```\nBerth: 8080\n```", []),
    ("步骤是：1. 刷船 2. 不要停靠 3. 出海", ["步骤是：", "1. 刷船", "2. 不要停靠", "3. 出海"]),
    ("1.码头没有灯2.路径和旧码头一样，3.分析两个码头", ["1.码头没有灯", "2.路径和旧码头一样，", "3.分析两个码头"]),
    ("1.潮汐表是好的\n\n导出——没有这个选项2.查询也没有", ["1.潮汐表是好的", "导出——没有这个选项", "2.查询也没有"]),
    ("版本2.很好", ["版本2.很好"]),
    ("每0。2秒检测一次。再停", ["每0。2秒检测一次。", "再停"]),
    ("停靠这些：north-pier,south-pier,east-pier,west-pier", ["停靠这些：north-pier,south-pier,east-pier,west-pier"]),
    ("north-pier,south-pier,east-pier,west-pier", []),
    ("Fix Tide Error\n\nTideError: it is low", ["Fix Tide Error"]),
    ("Tide Error\n\nWhy does it come?", ["Tide Error", "Why does it come?"]),
    ("It fails:\n    raise TideError(low) from None  # Restart with \"--debug\"\n"
     "pier.errors.TooLow: no tide must be low\n"
     "LINE 1: ...x never \"moor\"\nHINT:  Perhaps use a boat\n\nWhy?", ["It fails:", "Why?"]),
    ("It broke.\n\nDuring handling of the above exception, another one occurred:\n\nWhy?", ["It broke.", "Why?"]),
    ("During handling of the above boats, never moor.", ["During handling of the above boats, never moor."]),
    ("Never moor before 2026-05-21 06:08:58 UTC\nLINE 5: the old pier\nsea.Tide: never moor",
     ["Never moor before 2026-05-21 06:08:58 UTC", "LINE 5: the old pier", "sea.Tide: never moor"]),
    ("pier.py:42 must not moor the boats", ["pier.py:42 must not moor the boats"]),
    ("src/pier.ts:4:2 - never moor here\nsea.ts:7 is too low",
     ["src/pier.ts:4:2 - never moor here", "sea.ts:7 is too low"]),
    ("pier.py:42: use of a closed berth\npier.py:42 - error: it must float\npier.js:42 Never moored", []),
    ("git: never force push\npython: must be 3.12", ["git: never force push", "python: must be 3.12"]),
    ("git: 'moor' is not a git command\nmake: *** no rule\ncurl: (6) keep off\nhint: use a boat", []),
    ("No group currently allows this operation. Please moor.",
     ["No group currently allows this operation.", "Please moor."]),
    ('This is what I have """\nThe tide app\n\nBoats should be moored.\n"""\n\nNever sail alone.',
     ['This is what I have """', "Never sail alone."]),
    ("He says:\n\n'''\nBoats should be moored.\n'''\n", ["He says:"]),
    ('"""\nMoor the boats.\n"""', ["Moor the boats."]),
    ('"""\nMoor the boats.\n"""\nNever sail alone.\n"""\nPaint them.\n"""', ["Never sail alone."]),
    ('Set it to """\nNever sail alone.', ['Set it to """', "Never sail alone."]),
    ("2026-05-02 08:29:30 pier: tide low\n2026-05-02 08:29:31 pier: closed  I think the moor's key is lost?",
     ["I think the moor's key is lost?"]),
    ("It fails:\n2026-05-02 08:29:30 pier: low\n2026-05-02 08:29:31 pier: shut\nI guess it is the tide",
     ["It fails:", "I guess it is the tide"]),
    ("2026-05-02 08:29:30 pier: tide low\n2026-05-02 08:29:31 pier: closed  Never moor again", []),
    ("A leak #12\nOpen\nada opened this issue on May 3 · 2 comments\n\nida commented on May 4\nNever moor twice.\n\n"
     "Paint it, but never the mole.", ["Paint it, but never the mole."]),
    ("Asked 3 years, 2 months ago\nModified 1 year ago\n12\n\nYou should never moor.\n\nShare\nedited May 3, 2021 at "
     "10:00\n\nNever do that.", ["Never do that."]),
    ("ada  10:02 AM\nwe must never moor\nida  10:05 AM\nyes, always count\n\nNever on Sundays.",
     ["Never on Sundays."]),
    ("From: Ada <ada@pier.example>\nSent: Monday\nSubject: tides\n\nHi, you must never moor.\n\nBest,\nAda\n\n"
     "Never write twice.", ["Never write twice."]),
    ("Copilot AI reviewed May 3, 2026\n\nsrc/pier.py\nNever trust the tide.\n\nNever by night.",
     ["Never by night."]),
    ("Count at 10:00\nNever move it.\nPaint at 11:00\nMust be short.",
     ["Count at 10:00", "Never move it.", "Paint at 11:00", "Must be short."]),
    ("From: north pier\nDate: 3 May\nMust be a direct ferry.",
     ["From: north pier", "Date: 3 May", "Must be a direct ferry."]),
    ("ida  10:05 AM\nNever move it.", ["ida  10:05 AM", "Never move it."]),
    ("Ada edited it on May 3. Bob wrote it 2 days ago. Never moor twice.",
     ["Ada edited it on May 3.", "Bob wrote it 2 days ago.", "Never moor twice."]),
    ("id,name,limit\n1,must never,5\n2,always,7\n\nNever above 7.", ["Never above 7."]),
    ("2026-05-02 08:29:30 pier: tide low\n2026-05-02 08:29:31 pier: closed  Never moor again", []),
    ("Copilot AI reviewed May 3, 2026\n\nsrc/pier.py\nNever trust the tide.\n\nNever by night.",
     ["Never by night."]),
    ("replicas: 3 # must be odd\n\nThree must do.", ["Three must do."]),
    ("SELECT * FROM piers;\n-- never drop it\n\nNever read it twice.", ["Never read it twice."]),
    ("-- never drop it\n\nmoor it", ["-- never drop it", "moor it"]),
    ("red,green,blue must stay\nno, never, please\nkeep a,b,c", ["red,green,blue must stay", "no, never, please",
     "keep a,b,c"]),
    ("I0501 10:00:01.123456       1 server.go:12] must not moor\n\nNever moor.", ["Never moor."]),
)  # fmt: skip


@pytest.mark.parametrize(("message", "expected"), PERSONS_SENTENCES)
def test_text_around_a_paste_is_the_persons(message: str, expected: list[str]) -> None:
    found = [one for one in sentences(message) if not one.pasted]
    assert [message[one.start : one.end] for one in found] == expected


def test_only_the_ends_of_a_long_document_are_the_writers() -> None:
    message = "Read this.\n" + "The pier is long. " * 1_500 + "\nNever moor here."
    own = [message[one.start : one.end] for one in sentences(message) if not one.planned]
    assert (own[0], own[-1]) == ("Read this.", "Never moor here.")
    assert len(own) < 300
    assert not any(one.planned for one in sentences(message[:15_000]))


def test_sentences_of_a_plan_are_marked() -> None:
    message = "Implement the following plan:\n\n# Split the loader\n\nUse <Tree> here.\n<Leaf>a</Leaf>\nKeep the names."
    first, *rest = [one.planned for one in sentences(message)]
    assert not first
    assert rest == [True] * len(rest)


def test_the_text_below_a_question_with_a_colon_is_marked() -> None:
    message = "Is this right?:\nBoats should be moored first.\n\nCould you paint them?\n\nNever sail alone."
    marked = [message[one.start : one.end] for one in sentences(message) if one.planned]
    assert marked == ["Boats should be moored first.", "Could you paint them?"]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "5+6. The pier holds twelve boats.",
            ["The pier holds twelve boats."],
        ),
        ("1、对，开放\n2、最高\n3、我在码头挂灯，别锁大门", ["我在码头挂灯，别锁大门"]),
        ("[Image #1] paint the old pier, and [Image #2] too", ["paint the old pier, and [Image #2] too"]),
        ("[Image #3]", []),
        ("[Image #1], [Image #2]: paint the old pier", ["paint the old pier"]),
        ("[Image #1]\n[Image #2] [Image #3]\nPaint the old pier", ["Paint the old pier"]),
        ("刪除pier插件", ["刪除pier插件"]),
        ("刪除這個", []),
        ("ok好的", []),
        ("Implement the following plan:\n\n# Tides\n\nCount the boats.", ["Count the boats."]),
        ("PLEASE IMPLEMENT THIS PLAN:\n# Tides\nCount the boats.", ["Count the boats."]),
        (
            "Implement the plan of the north pier: paint it",
            ["Implement the plan of the north pier: paint it"],
        ),
        ("2.锚的灯\n3.每条船的缆绳都写进航海日志", ["每条船的缆绳都写进航海日志"]),
        ("“# Pilot\nMoor the boats at the pier.", ["Moor the boats at the pier."]),
        ("夜里把灯挂在码头。4。每条船都写进航海日志", ["夜里把灯挂在码头。", "每条船都写进航海日志"]),
        ("Which pier? 8080", ["Which pier?", "8080"]),
        (
            "Der Steg Nr. Zwei (geb. Nordsteg) ist evtl. (z. B. Samstag) zu. Streiche ihn bzw. Steg Drei.",
            [
                "Der Steg Nr. Zwei (geb. Nordsteg) ist evtl. (z. B. Samstag) zu.",
                "Streiche ihn bzw. Steg Drei.",
            ],
        ),
        ("1234567890" * 5 + " is the berth", ["1234567890" * 5 + " is the berth"]),
    ],
)
def test_the_number_of_an_item_and_a_bare_heading_say_nothing(message: str, expected: list[str]) -> None:
    assert [one.text for one in facts_of(message, "user").statements] == expected


@pytest.mark.parametrize(
    ("message", "own"),
    [
        ("Make the pilot.\n# Pilots\n## ✅ The pilot\n- Never sails alone\n\nGo.", ["Make the pilot.", "Go."]),
        ("## 🚫 Rules\n- Never moor at night.", ["## 🚫 Rules", "- Never moor at night."]),
        ("Harbour\n---\n# Pilot\nHe never sails.\n## Core\n- Vibe: calm\n## Rules\n- Moor first\n\nSave it please",
         ["Harbour", "Save it please"]),
        ("This is the pilot : # Ada\n## Rules\n- She never sails.\n- Moor first.", ["This is the pilot : # Ada"]),
        ("Like this:\n\n📋 Report\nNever moor here.\n\n🟢 Open piers\n- North\n\n🔴 Shut piers\n- South\n\nGo.",
         ["Like this:", "Go."]),
        ("# Pier\n[![build](a.svg)](b)\n\n## Usage\nYou must never moor twice.\n\nNever use its CLI.",
         ["Never use its CLI."]),
        ("### ROLE: PILOT\n### PORT: NORTH\n### NIGHT: NO\nYou cannot use the crane.", []),
        ("✅ North opens\n❌ South shut\n✅ East opens", ["✅ North opens", "❌ South shut", "✅ East opens"]),
        ("# Task\nNever moor at night.\n\n## Rules\n- Count the berths.",
         ["# Task", "Never moor at night.", "## Rules", "- Count the berths."]),
        ("Two tasks:\n---\nNever moor at night.\n---\nCount the berths.",
         ["Two tasks:", "Never moor at night.", "Count the berths."]),
        ("The idea:\n### One\nRead the tides.import tides\n### Two\nNever moor.\n### Three\nGo.", ["The idea:"]),
        ("The idea:\n### One\nRead the tides.\n### Two\nNever moor.\n### Three\nGo.",
         ["The idea:", "Read the tides.", "Never moor.", "### Three", "Go."]),
        ("## 📑 One\nx\n## 🛠 Two\n<Tide>\nlow\n</Tide>\nNever moor.\n- Go.", []),
        ("## 📑 One\nx\n## 🛠 Two\n\ntide = 3\n<Tide>\nlow\n</Tide>\n\n<Wind>\nlow\n</Wind>\nNever moor.\n- Go.", []),
        ("Fix it:\n```sh\n# ✅ moor\nmoor\n```\nNever moor at night.", ["Fix it:", "Never moor at night."]),
    ],
)  # fmt: skip
def test_a_document_that_a_person_passes_on_is_marked(message: str, own: list[str]) -> None:
    found = [one for one in sentences(message) if not (one.pasted or one.planned)]
    assert [message[one.start : one.end] for one in found] == own


def test_a_long_document_begins_at_the_colon_of_the_first_line() -> None:
    note = "Sender (untrusted metadata):\n```json\n{}\n```\n\n"
    document = "\nPilots must rest.\n\nNever moor." + "\n\nIt is a long day." * 1_500
    for message, own in (
        (f"Use this as base:{document}", ["Use this as base:"]),
        (f"{note}Use this as base:{document}", ["Use this as base:"]),
    ):
        found = [one for one in sentences(message, end=1_500) if not one.planned]
        assert [message[one.start : one.end] for one in found] == own
    for words in (
        "Sail at 10:30.",
        "Note: the pier is closed",
        "Two things: moor twice, and never at night.",
        "Keep my rules:\n- Moor twice.",
    ):
        assert not any(one.planned for one in sentences(f"{words}{document}", end=100))


def test_the_last_words_behind_a_tag_of_a_document_are_the_persons() -> None:
    message = "## 📑 One\nx\n## 🛠 Two\n<Tide>\nlow\n</Tide>\nPlease never moor at night."
    found = [message[one.start : one.end] for one in sentences(message) if not (one.planned or one.pasted)]
    assert found == ["Please never moor at night."]


def test_a_message_forwarded_from_a_bot_is_pasted() -> None:
    context = 'Forwarded message context (untrusted metadata):\n```json\n{{\n  "username": "{}"\n}}\n```\n\nNever moor.'
    assert [one.pasted for one in sentences(context.format("pier_bot"))] == [True]
    assert [one.pasted for one in sentences(context.format("ada"))] == [False]


def test_data_is_marked() -> None:
    message = 'Here it is:\n{"name":"Ida must rest","length":"9","crew":"never"} (9 bytes)'
    assert [one.planned for one in sentences(message)] == [False, True]


def test_a_filled_template_has_the_words_of_its_user_in_a_fence() -> None:
    steps = "\nYou **MUST** moor the boat first.\n\n## Outline\n\n1. Never sail alone.\n\n## Rules\n\nKeep the log."
    message = "## User Input\n\n```text\nSail to Brest, never at night.\n```\n"
    own = [one for one in sentences(message + steps) if not (one.planned or one.heading)]
    assert [message[one.start : one.end] for one in own] == ["Sail to Brest, never at night."]
    assert not any(one.planned for one in sentences(message + "\nYou must moor the boat first."))


@pytest.mark.parametrize(
    ("message", "person"),
    [
        ("go on", True),
        ("<system-reminder>Be brief.</system-reminder> and now?", True),
        ("<task-notification>done</task-notification>", False),
        (
            "<task-notification>done</task-notification>\nRead the output file to retrieve the result: /tmp/a",
            False,
        ),
        ("<command-name>/review</command-name><command-args>the loader</command-args>", True),
        ("[Request interrupted by user]", False),
    ],
)
def test_a_message_is_a_persons_or_a_programs(message: str, person: bool) -> None:
    assert by_person(message) is person


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("By the way, the boat must not leave before noon.", "by “must not”"),
        ("Hello there. The harbour opens at 06:30.", "by its time"),
        ("Please update the table of the boats.", "as a request"),
        ("Which colour should the second boat have?", "as a question"),
        ("The second boat looks tired.", "as a plain sentence"),
    ],
)
def test_a_fact_names_its_source(text: str, evidence: str) -> None:
    assert fact(text).evidence == evidence


@pytest.mark.parametrize(
    ("line", "prose"),
    [
        (r"Never delete files in C:\new\data", True),
        (r"Never run the script tools\notes.py", True),
        (r"Never touch ..\notes or .\new please", True),
        (r"the answer was:\nnever delete files", False),
        (r"one line of words.\nNext line of words\nand more", False),
        (r"Never open C:\new\data, it said\nand then more", False),
        ("claude --resume", False),
        ("Never call claude --resume", True),
    ],
)
def test_a_windows_path_has_no_escaped_newline(line: str, prose: bool) -> None:
    assert is_prose(line) == prose
    if prose:
        assert fact(line).kind == "constraint"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '<teammate-message teammate_id="team-lead" summary="start">\nDo not edit the charts.\n</teammate-message>',
            ["Do not edit the charts."],
        ),
        ('<teammate-message teammate_id="crew">\nDo not edit the charts.\n</teammate-message>', []),
        (
            '<teammate-message teammate_id="team-lead">\n{"type":"task","text":"Do not stop."}\n</teammate-message>',
            [],
        ),
        ("<system_reminder>You MUST call the tool first.</system_reminder>\nMoor it.", ["Moor it."]),
    ],
)
def test_a_lead_gives_orders_and_a_program_does_not(text: str, expected: list[str]) -> None:
    assert [text[one.start : one.end] for one in sentences(text)] == expected


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("プロキシ不要のため、画像を送信します。", "zh.told"),
        ("不要修改配置文件。", "zh.do-not"),
        ("你要把船停到旧码头才行", "zh.must"),
        ("不需要重启这条船才行", "zh.told"),
        ("为什么旧码头的船看不到呢", "zh.question"),
        ("刚才为什么看不到旧码头的船", "zh.question"),
    ],
)
def test_a_chinese_word_of_a_rule_is_none_in_japanese(text: str, rule: str) -> None:
    assert fact(text).rule == rule


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I suppose we need to review the map.", "decision"),
        ("First we need to better define what a berth is.", "decision"),
        ("Should probably explain the tides.", "decision"),
        ("As before need to say where boats turn.", "decision"),
        ("Move the old pier, make sure it is in the north.", "decision"),
        ("Move the lamps to the pier and use them in the north.", "decision"),
        ("Can you look at the log and say what still need to be painted", "decision"),
        ("The boats need to be moored at night.", "constraint"),
        ("We need to sign every log.", "constraint"),
        ("We need to keep the old pier.", "constraint"),
        ("We should stop at 40 berths.", "constraint"),
        ("Make sure that the crew rests.", "constraint"),
        ("Zero empty berths.", "constraint"),
        ("I'd like to repaint the pier.", "decision"),
        ("I'd like to keep the old pier.", "preference"),
        ("Let's do the lamps first.", "decision"),
        ("You're absolutely right about the tides.", "statement"),
        ("The lamp should have burned all night.", "statement"),
        ("How do I moor at berth 2", "statement"),
        ("What is important: never sail alone.", "constraint"),
        ("/tmp/harbour/Screenshot\\ 2025-12-24.png", "statement"),
        ("The pier is in harbour.png", "value"),
        ("Should we remove the lamp and always use the moon?", "statement"),
        ("How the boats leave: they must never cross.", "constraint"),
        ("No errors encountered; no repairs or checks performed.", "statement"),
        ("The boats actually don't use the new pier.", "statement"),
        ("The pilot may not know the tides.", "statement"),
        ("All I see is fog.", "statement"),
        ("All berths are currently blocked.", "statement"),
        ("All berths are numbered.", "constraint"),
        ("It breaks if it needs to turn the boat.", "statement"),
        ("Follow the existing log format exactly.", "constraint"),
        ("Please also response me in Dutch.", "preference"),
        ("Say where each of the boats should moor.", "statement"),
        ("Silence is slightly preferred to speed.", "preference"),
        ("Stop moving everything.", "constraint"),
        ("It's a pity that we have to turn the boat, but fine.", "statement"),
        ("I have a feeling you need to read the whole log.", "statement"),
        ("This pier has still NEVER BEEN painted.", "statement"),
        ("The mast is 17px and too short.", "statement"),
        ("Now it shows 627.", "statement"),
        ("I get an error at berth 404.", "statement"),
        ("The moon is bad for level 2.", "statement"),
        ("The port is 8080.", "value"),
        ("Have a look at logs/tides.jsonl", "decision"),
        ("The mooring is certain, a must do.", "constraint"),
        ("No check berth two.", "decision"),
        ("No checks in berth two.", "constraint"),
        ("Shall we paint it?", "decision"),
        ("is there anything that the crew should add", "statement"),
        ("does the lamp need to burn all night", "statement"),
        ("the boats should/must/need wait", "statement"),
        ("Use Cases", "statement"),
        ("There are no nets within each berth of pier 3.", "value"),
        ("Sail within 3 days.", "constraint"),
        ("23 need a chart", "statement"),
        ("2-3 are okay", "statement"),
        ("I don't want to over-engineer the pier.", "preference"),
        ("No need to explain the tides.", "preference"),
        ("No need to worry about the tides.", "statement"),
        ("Better not to sail at night.", "constraint"),
        ("How am I meant to moor here?", "statement"),
        ("3 hybrid 4.", "statement"),
        ("tier 4 is there", "statement"),
        ("你不能自己造一条船吗", "statement"),
        ("你不能自己造船", "constraint"),
        ("问题3：同上", "statement"),
        ("A、1、夜里都停在旧码头；", "statement"),
    ],
)
def test_a_task_is_no_standing_rule(text: str, kind: str) -> None:
    assert {one.kind for one in facts(text)} == {kind}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Keep the pier free.\nFrom now on\nanswer in English.", 2),
        ("Work only on\nHarbour-control", 1),
        ("It belongs to\n- the pier\n- the mole", 3),
        ("Paint the pier\nThen the mole", 2),
    ],
)
def test_a_sentence_continues_on_the_next_line(text: str, lines: int) -> None:
    assert len(list(sentences(text))) == lines


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Jangan hapus berkas ini kalau belum ada salinan.", "id"),
        ("Non toccare mai il registro della barca.", "it"),
        ("Wijzig het logboek nooit zonder te vragen.", "nl"),
        ("Zawsze pytaj, zanim coś zmienisz, proszę.", "pl"),
        ("Bu dosyayı silme lütfen.", "tr"),
        ("What to do with her van per day?", "en"),
    ],
)
def test_small_words_tell_the_language(text: str, language: str) -> None:
    assert language_of(text) == language


def test_quotes_are_not_the_language_of_a_summary() -> None:
    quotes = '1. "泊位图应该怎么画，要不要标出水深"\n2. “先画北边的泊位”\n3. `港口/泊位图_初稿.md`\n'
    summary = f"The user asks for the chart of the berths and its depths:\n{quotes}"
    assert (language_of(summary), summary_language(summary)) == ("zh", "en")


@pytest.mark.parametrize("line", ["│\n", "✓ a\n", "# a\n", "a: b\n", " ", "<br>\n"])
def test_a_log_in_one_block_is_read_in_linear_time(line: str) -> None:
    def read(count: int) -> None:
        list(spoken_spans(f"a\n{line * count}b"))
        list(sentences(f"a {line * count}b"))

    # A call with a long block compiles all patterns.
    read(100)
    assert lines_run(read, 2_000) < 2.2 * lines_run(read, 1_000)


def test_many_values_in_a_line_are_read_in_linear_time() -> None:
    def read(count: int) -> None:
        assert len(meaning_of(f"Paint the piers {'1 ' * count}").contrasted) == 0

    read(100)
    assert lines_run(read, 2_000) < 2.2 * lines_run(read, 1_000)


def test_a_statement_above_a_far_indented_line_is_found() -> None:
    (rule,) = facts(f"Always moor at the north pier.\n\n{' ' * 1_000}1")
    assert rule.text == "Always moor at the north pier."


def test_from_now_on_belongs_to_its_rule() -> None:
    (rule,) = facts("From now on, always moor at the north pier.")
    assert (rule.kind, rule.text) == ("constraint", "From now on, always moor at the north pier.")


def test_statements_below_rules_are_constraints() -> None:
    text = (
        "TASKS:\n- Paint the pier.\n\nRULES:\n- When moving a buoy: read the WHOLE chart first.\n"
        "- NOTIFY: Message the pilot when the pier is done.\n\nTASKS:\n- Paint the mole.\n\n"
        "## Rules\n1. Test each lamp by night.\n\n## Context\nThe pier is old."
    )
    kinds = {one.text: one.kind for one in facts(text)}
    assert [text for text, kind in kinds.items() if kind == "constraint"] == [
        "When moving a buoy: read the WHOLE chart first.",
        "NOTIFY: Message the pilot when the pier is done.",
        "Test each lamp by night.",
    ]


@pytest.mark.parametrize(
    ("text", "is_rule"),
    [
        ("后台要使用Redis", True),
        ("后台主要使用Redis", False),
        ("为什么要使用Redis", False),
        ("没必要使用Redis", False),
        # "From now on" begins a rule at the start of a clause.
        ("卸完货了吗，以后卸完都告诉我一声", True),
        ("以后靠岸先开灯", True),
        ("涨潮以后靠岸", False),
        ("以后的码头会更大", False),
        ("以后我可能会换船", False),
    ],
)
def test_chinese_words_make_a_rule_only_in_their_own_sense(text: str, is_rule: bool) -> None:
    assert ("constraint" in {one.kind for one in facts(text)}) == is_rule


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Load at most 9 t. Never stand below it.", ["Load at most 9 t.", "Never stand below it."]),
        ("Ring for 3 min. Don't skip it.", ["Ring for 3 min.", "Don't skip it."]),
        ("We sail route D. Do not use the old one.", ["We sail route D.", "Do not use the old one."]),
        ("Ask J. Lind before the storm.", ["Ask J. Lind before the storm."]),
        ("1. Never stand below it.", ["Never stand below it."]),
    ],
)
def test_a_rule_after_a_unit_is_a_statement_of_its_own(message: str, expected: list[str]) -> None:
    assert [one.text for one in facts_of(message, "user").statements] == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        # Wishes that last.
        ("When I ask you for the tides, I need you to read both charts.", "constraint"),
        ("Ok, no problem, but from now on could you ring the bell before you leave?", "constraint"),
        ("Send me the tide table every morning.", "constraint"),
        ("Now set up a daily task that counts the boats.", "constraint"),
        ("You don't need to explain the crane unless I ask.", "preference"),
        ("每周和每月第一天检查缆绳。", "constraint"),
        ("潮汐表每天傍晚发给我", "constraint"),
        ("你不用解释船怎么停，有人问再说", "preference"),
        ("只有船长才能开灯", "constraint"),
        ("我觉得你应该先挑一个码头", "constraint"),
        ("We never sail on Fridays.", "constraint"),
        ("In this harbour we never moor twice.", "constraint"),
        ("we dont paint the old pier", "constraint"),
        ("We only sail from the north pier.", "constraint"),
        ("I never want to see a red lamp on the mole.", "constraint"),
        ("Our crane never lifts two boats.", "constraint"),
        ("The limit must be a whole number.", "constraint"),
        ("The pilot must have an oar.", "constraint"),
        ("They must be painted.", "constraint"),
        ("Settled for good: no new piers.", "constraint"),
        ("move it without a pilot", "constraint"),
        ("quit painting my boats", "constraint"),
        ("nobody but Ida opens the gate", "constraint"),
        ("Nobody sails to the mole.", "constraint"),
        ("no ropes on deck, ever", "constraint"),
        ("all labels in Danish please", "preference"),
        ("$ never use the crane", "constraint"),
        ("A berth number is a word, not a number.", "constraint"),
        ("ropes in metres, not in feet", "constraint"),
        ("The keys hang in the tower, nowhere else.", "constraint"),
        ("The lamps are always painted before they are hung.", "constraint"),
        # Reports, guesses, questions, tasks and names.
        ("the crane never stops when I pull the rope", "statement"),
        ("the pump never runs", "statement"),
        ("I always end up at the old pier", "statement"),
        ("the bell never works", "statement"),
        ("I guess the rope must be torn.", "statement"),
        ("must have been the tide", "statement"),
        ("nobody knows the pilot", "statement"),
        ("there is never a free berth", "statement"),
        ("the lamps should burn again", "statement"),
        ("you only need to pull once", "statement"),
        ("It is the rope, not the crane.", "statement"),
        ("I think this is a mole, not a pier", "statement"),
        ("the gate is always closed when I come", "statement"),
        ("this should be easy", "statement"),
        ("the lamp should burn by now but it does not", "statement"),
        ("don't give up", "statement"),
        ("Sort the boats and keep a list.", "decision"),
        ("Please check if we must paint it", "decision"),
        ("run the crane without a load", "decision"),
        ("When I ask you for the tide, it fails.", "statement"),
        ("I walk to the pier every morning.", "statement"),
        ("That label should give you all my mails.", "statement"),
        ('I don\'t think I saw an "Always moor" button.', "statement"),
        ("I don't even have a boat card.", "statement"),
        ("do you mean all piers are painted", "statement"),
        ("we will need to paint that", "decision"),
        ("My 1:1 with Ida is about the pier.", "statement"),
        ("只有装上了灯，船才会变快，奇怪。", "statement"),
        ("你觉得我应该怎么做好", "statement"),
        ("我不知道这里应该停几条", "statement"),
        ("让船不摇已经很难了", "statement"),
        ("左边的船总是没力气", "statement"),
        ("我每天喂的海鸥你都认得了吗", "statement"),
        ("总不能晚上停船吧", "statement"),
    ],
)
def test_a_wish_that_lasts_is_a_rule_and_a_report_is_none(text: str, kind: str) -> None:
    assert [one.kind for one in facts(text)] == [kind]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("paint the pier (don't touch the lamps)", ["paint the pier", "don't touch the lamps"]),
        ("Clean the pier - no new lamps!", ["Clean the pier", "no new lamps!"]),
        ("Clean the pier; no new lamps", ["Clean the pier", "no new lamps"]),
        ("build the crane so that it never lifts two", ["build the crane", "never lifts two"]),
        ("Paint the pier, no rush at all", ["Paint the pier, no rush at all"]),
        ("The pier has no lamps - no ropes either", ["The pier has no lamps - no ropes either"]),
        ("Paint it (never at night) and the mole", ["Paint it (never at night) and the mole"]),
    ],
)
def test_a_task_and_its_rule_are_two_statements(text: str, found: list[str]) -> None:
    assert [one.text for one in facts_of(text, "user").statements] == found


def test_a_long_sentence_that_begins_like_a_question_may_have_a_rule() -> None:
    text = (
        "What else was seen is the leak in the old pier and before anybody paints the lamps of the mole the crew wrote "
        "that we cannot use both piers and that all the boats need to be moored at the new one"
    )
    assert [one.kind for one in facts(text)] == ["constraint"]


def test_a_question_behind_a_rule_is_a_statement_of_its_own() -> None:
    text = "Always answer in Dutch, what is left?"
    found = [(statement.text, statement.kind) for statement in facts_of(text, "user").statements]
    assert found == [("Always answer in Dutch", "preference"), ("what is left?", "statement")]
    assert len(facts_of("Looking at the tides, what is left?", "user").statements) == 1


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (
            "Do the below for the port: Role\nYou are an expert pilot.\nCount the boats.\nNever sail at night.",
            ["Do the below for the port: Role"],
        ),
        (
            "Use this prompt:\n\nRole\nYou are a pilot of the port.\nNever sail at night.",
            ["Use this prompt:"],
        ),
        ("这是给代理的提示：\n你是一个领航员，懂所有的船。\n不要在晚上靠岸。", []),
        (
            "You are an expert pilot.\nNever sail at night.",
            ["You are an expert pilot.", "Never sail at night."],
        ),
        (
            "It is late.\nYou are the pilot here.\nNever sail at night.",
            ["It is late.", "You are the pilot here.", "Never sail at night."],
        ),
    ],
)
def test_a_prompt_that_the_user_passes_on_is_pasted(text: str, own: list[str]) -> None:
    statements = facts_of(text, "user").statements
    assert [one.text for one in statements if not one.pasted] == own


def test_a_condition_behind_an_interjection_stays_with_its_rule() -> None:
    (rule,) = facts("Right, so when I ask for the tides, I need you to read both charts.")
    assert rule.text == "Right, so when I ask for the tides, I need you to read both charts."


def test_round_marks_begin_items_of_a_persons_list() -> None:
    message = "Rules for the pier:\n● Never paint it red\n● Always moor at berth 2"
    kinds = [(statement.text, statement.kind) for statement in facts_of(message, "user").statements]
    assert kinds[1:] == [("Never paint it red", "constraint"), ("Always moor at berth 2", "constraint")]
    printed = "● Read(tides.txt)\n  ⎿  12 lines\n\n● The tide is high.\n\nNever sail at night."
    own = [each.text for each in facts_of(printed, "user").statements if not each.pasted]
    assert own == ["Never sail at night."]


def test_the_agent_gives_a_page_also_before_a_call() -> None:
    text = "The draft of TIDE-4 is created: https://pier.example/pull/4"
    (found,) = facts_of(text, "assistant", [("moor", "{}")]).statements
    assert found.rule == "value.url"
    assert not facts_of("Draft of TIDE-4", "assistant", [("moor", "{}")]).statements


def test_the_lines_of_a_hunk_are_pasted_by_its_counts() -> None:
    hunk = "@@ -10,3 +10,4 @@ def open_lock():\n pass\n-# never open two locks at once\n"
    hunk += "+# you must never open two locks at once\n+# nor three\n\n"
    after = "- The second comment must stay as it was."
    for text, expected in (
        (f"Look at this:\n{hunk}{after}", ["Look at this:", after]),
        # The copy ends before the hunk.
        (
            "@@ -1,9 +1,9 @@\n-# never wait\nThe comment must stay as it was.",
            ["The comment must stay as it was."],
        ),
    ):
        assert [text[one.start : one.end] for one in sentences(text) if not one.pasted] == expected
