"""Every rule as data: id, severity, and the words that explain it. docs/findings.md says the same."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from inspector.quality.finding import Rule
from inspector.quality.limits import (
    CHANGED_REQUESTS,
    CHANGED_SHARE,
    CLOSE_REQUESTS,
    EMPTY_SUMMARY,
    FALL_SHARE,
    FALL_TOKENS,
    FOSSIL_COMPACTIONS,
    LEAST_SAVED,
    MISSED_DOLLARS,
    MISSED_SHARE,
    QUICK_MESSAGES,
    QUICK_SHARE,
    READ_AGAIN,
    REPEATED_ENTRIES,
    REPEATED_MESSAGES,
    REPEATED_SHARE,
    SUMMARIZED_AT_LEAST,
    TAIL_CEILING,
    TWICE,
    WRITING_REQUESTS,
)

_ALL = (
    Rule(
        "summary-fallback",
        "error",
        "No summary was made",
        "The summary model could not be asked or gave no usable answer, so the messages of the middle "
        "were dropped and a text that no model wrote stands in their place: one that the agent makes up, or the error "
        "or limit of the API that it was told of.",
        "The list after a compaction carries a fallback text instead of a summary.",
        "Read the dropped messages in the generation before, and tell the agent what it still needs. "
        "Check the provider, key and model that write summaries (Hermes: auxiliary.compression in config.yaml).",
    ),
    Rule(
        "summary-missing",
        "error",
        "No summary is to be found",
        "Messages left the list, and nothing in the list after it tells of them.",
        "No summary and no fallback text was found in the list after a compaction that left messages out.",
        "Read the dropped messages in the generation before. If another program compacted this session, "
        "its summary may be worded in a way that is not known here.",
    ),
    Rule(
        "summary-says-nothing",
        "error",
        "The summary is empty",
        "A model wrote the summary, and it has no content: the messages that it replaced are gone.",
        f"The summary has fewer than {EMPTY_SUMMARY} characters for {SUMMARIZED_AT_LEAST:,} tokens or more, or it "
        "is short and says that there is no task or nothing to summarize.",
        "Read the messages in the list before, and tell the agent what it still needs. Try another summary model.",
    ),
    Rule(
        "rule-broken",
        "error",
        "The agent broke a rule that a compaction lost",
        "The user had forbidden it. The rule did not survive a compaction, and the agent did it afterwards.",
        "A call after the compaction writes, reads or runs what a lost or weakened rule of the user's forbids by name, "
        "and nobody repeated the rule in between. Rules with a condition are not compared.",
        "Check what the call did, and say the rule again. Put rules that must always hold into a file that the agent "
        "loads by itself.",
    ),
    Rule(
        "gave-up",
        "error",
        "Compaction has given up",
        "The release's guards against useless compactions have struck, so the list grows until requests "
        "no longer fit into the model's window.",
        "0.13 to 0.18: two compactions in a row saved under 10% each. From 0.19 on: after two in a row the prompt was "
        "still over the threshold (by the rough count, as the store keeps no other), or two in a row had "
        "no summary.",
        "Start a new session or compact by hand. Then look for what keeps the list large: a huge "
        "message, a tail budget near the threshold, or a summary model that fails.",
    ),
    Rule(
        "compaction-fails",
        "error",
        "The release fails on this list",
        "Compacting this list raises an error inside the release, and the list has reached the "
        "threshold, so the next turn fails.",
        "Planning the live list meets a place where the release raises, at or over the threshold.",
        "Go to the message that is named; undo it, or start a new session. A later release may have "
        "mended it.",
    ),
    Rule(
        "tail-starts-with-result",
        "error",
        "The tail starts with a tool result",
        "The call that the result answers was summarized away. Chat APIs refuse such a list with status "
        "400 unless the agent drops the result before it sends the list.",
        "The first message of the tail's copies is a tool result, and no message before it calls with "
        "its id.",
        "Start a new session if requests fail. Every release of Hermes mends tool pairs, so look at what else wrote "
        "this list.",
    ),
    Rule(
        "request-gone",
        "error",
        "The open request is gone",
        "The user's last request was summarized away, and the summary does not tell of it: the agent cannot know "
        "what it is to do.",
        "The last request is not in the head or tail after a compaction, and no entry of the summary quotes it or "
        "has 60% of its words, or of its own words from it. Requests of fewer than three telling words do not count.",
        "Ask again. Protect more of the tail, and look at what made the tail so short.",
    ),
    Rule(
        "constraint-lost",
        "warning",
        "A user's hard constraint is lost",
        "What the user said must or must never be is no longer in the list, so nothing keeps the agent from doing "
        "otherwise.",
        "A hard constraint in a user's own words was in a summarized message, its value stands nowhere in the list "
        "after the compaction, no later message brought it back, and the user had not said otherwise before.",
        "Say it again if it still holds. The facts command has a checklist of what is at risk, for the focus text "
        "of a manual compaction.",
    ),
    Rule(
        "said-again",
        "warning",
        "The user had to say it again",
        "The user repeats a statement that a compaction lost or weakened.",
        "A message after the compaction has most of the words of an earlier statement of the user's, or corrects the "
        "agent with some of them, and the earlier statement is lost, weakened or contradicted.",
        "Put it into a file that the agent loads by itself, or into the text for the next compaction.",
    ),
    Rule(
        "number-changed",
        "warning",
        "A summary changed a number",
        "The summary gives another number or version than before, and no message says so. The agent will act on it.",
        "An entry outside the sections that change with the work has another number or version than in the summary "
        "before and no summarized message or kept message says it of the same thing; or the summary gives a value "
        "that nobody said for something that the user gave a value for.",
        "Compare both summaries in the summary pane (changes), and tell the agent the right value.",
    ),
    Rule(
        "constraint-weakened",
        "warning",
        "A constraint no longer binds",
        "A rule that the user gave is told of as something that happened or was discussed: the agent reads of "
        "it and does not know that it holds.",
        "A user's hard constraint is in the list after a compaction without its denial or its reason (fate "
        "weakened).",
        "Say the rule again, as a rule.",
    ),
    Rule(
        "user-message-left-out",
        "warning",
        "The list of the user's messages has a gap",
        "The summary lists what the user said, and the agent takes that list for whole. What is not in it was "
        "never said.",
        "The summary has a section of the user's messages, at least one stands in it word for word, and "
        "another that was summarized does not, or only a part of it.",
        "Say again what was left out.",
    ),
    Rule(
        "summary-elides",
        "warning",
        "Brackets stand for a text",
        "The summary has a note in brackets such as “[detailed plan with 4 steps]” where a text stood that "
        "the agent worked from. What the text said is gone.",
        "Brackets in the summary, outside code, have words such as detailed, truncated, rest of, plan with.",
        "Paste the text again, or tell the agent where it is to be read.",
    ),
    Rule(
        "reference-dangles",
        "warning",
        "A choice is kept, the list is gone",
        "The user chose by number or letter (“skip 5, 7, 8”, “option B”). The words survive, what they point "
        "at does not: the agent will guess.",
        "A choice of the user's stands in the list after, a message just before it lists what the numbers "
        "stand for, and the summary has less than half of the words of one of these.",
        "Tell the agent what the numbers stood for.",
    ),
    Rule(
        "guess-told-as-fact",
        "warning",
        "A guess is told as a fact",
        "The agent said that something was likely, or that it supposed it. The summary tells it without the "
        "doubt, and the agent will build on it.",
        "A guess of the agent's is in the list after without any word of doubt (fate weakened).",
        "Tell the agent that it is not known yet.",
    ),
    Rule(
        "done-claimed",
        "warning",
        "All is done, it says, and something is not mentioned",
        "The summary says that everything was done or that nothing is pending, although the user asked for "
        "something that nothing in the list after mentions.",
        "The summary says so in such words, and a rule or request of the user's that was summarized is lost.",
        "Check whether it was done; ask for it again if not.",
    ),
    Rule(
        "summary-model-too-small",
        "warning",
        "The summary model is too small for the middle",
        "What has to be summarized is longer than the summary model's window. The call fails or its end "
        "is cut off, and the middle is lost: the most common cause of bad compactions.",
        "The middle of a recorded compaction, or of one now, has more rough tokens than the summary "
        "model's window.",
        "Set auxiliary.compression.model to a model with at least the main model's window, or lower the "
        "threshold.",
    ),
    Rule(
        "summary-cut-off",
        "warning",
        "A summary seems to be cut off",
        "The summary ends in the middle of something, so what should have followed is lost.",
        "A block of code never ends, nothing stands below the last heading, the last entry is empty, or "
        "the text ends with a comma, a semicolon or an open bracket.",
        "Read the end of the summary. Give the summary model more room for its answer, or compact earlier.",
    ),
    Rule(
        "summary-repeats-previous",
        "warning",
        "A summary repeats the one before",
        "The model copied the earlier summary and took up nothing of what happened since.",
        f"At least {REPEATED_SHARE:.0%} of the summary's text, in {REPEATED_ENTRIES} entries or more, "
        f"stood word for word in the one before, though it stands for at least {REPEATED_MESSAGES} more "
        "messages.",
        "Compare both in the summary pane. Read the middle that was summarized, and try another summary model.",
    ),
    Rule(
        "summary-section-vanished",
        "warning",
        "A section of the summary vanished",
        "An earlier summary had something to say under a heading; the next one has neither the heading "
        "nor what stood there.",
        "A section with entries has no counterpart in the next summary that a model wrote, and at least "
        "one of its entries is found nowhere in it.",
        "Look at the removed entries in the summary pane (changes), and tell the agent what still holds.",
    ),
    Rule(
        "summary-secret",
        "warning",
        "A summary holds what looks like a secret",
        "A key or password that once stood in a message was copied into the summary. It is sent with "
        "every request from then on and copied into every later summary.",
        "A text in a summary has the format of a known kind of key, or is named like one, and looks "
        "random. Placeholders and [REDACTED] do not count.",
        "Revoke the key if it is real, and keep keys out of messages and tool output.",
    ),
    Rule(
        "summary-call-failed",
        "warning",
        "The last summary call failed",
        "The release noted an error of its summary model and has not noted a success since. The next "
        "compaction waits, or drops its middle.",
        "The session's compression_failure_error is set in the store.",
        "Mend what the error names, usually provider, key or model under auxiliary.compression in "
        "config.yaml.",
    ),
    Rule(
        "compaction-failed",
        "warning",
        "An attempt to compact failed",
        "The agent tried to compact and could not. The list stayed as it was and goes on to grow, until requests fail.",
        "The agent recorded an attempt to compact with an error.",
        "Read the error. Go back a few messages, or start a new session with what still matters.",
    ),
    Rule(
        "context-shrank",
        "warning",
        "The context shrank without a compaction",
        "A request sent much less than the one before, and no compaction is recorded between them: something left the "
        "context, such as old tool results that the server cleared, and no summary says what.",
        f"A request sent at least {FALL_TOKENS:,} tokens and {FALL_SHARE:.0%} fewer than the one before in one list.",
        "Ask the agent for what it still knows of the results before this request, and have it read them again.",
    ),
    Rule(
        "did-not-shrink",
        "warning",
        "A compaction did not shrink the context",
        "By the agent's own figures the context was as large after the compaction as before it.",
        "The size that the agent reports after a compaction is not below the one before it.",
        "Compact by hand with a focus, or start a new session: the next compaction comes at once.",
    ),
    Rule(
        "messages-twice",
        "warning",
        "Messages are in the list twice",
        "A part of the live list is stored a second time, so the model reads it twice and each request pays for it.",
        f"At least {TWICE} consecutive messages repeat earlier ones of the live list in the same order.",
        "Start a new session, or compact by hand; report it to the agent's developers.",
    ),
    Rule(
        "prefix-missed",
        "warning",
        "Misses of a fresh cache cost much",
        "The beginning of the prompt changed between two requests, so what the one before had cached was sent again at "
        "full price.",
        f"Such misses cost at least {MISSED_DOLLARS} US dollars and {MISSED_SHARE:.0%} of what all requests cost.",
        "See what changes at the beginning of the prompt: tools, the date, a file that is always rewritten.",
    ),
    Rule(
        "last-request-summarized",
        "warning",
        "The last request was summarized away",
        "What the user asked for last is no longer in the list in the user's words; the agent knows it "
        "from the summary alone.",
        "The last message of the user's own before a compaction lies between head_end and tail_start.",
        "Check that the summary says what was asked. Hermes 0.13 and later keeps that message in the tail.",
    ),
    Rule(
        "saved-little",
        "warning",
        "A compaction saved little",
        "The compaction cost a summary call and the prompt cache, and the list is hardly smaller. After "
        "two in a row Hermes 0.13 to 0.18 gives up compacting.",
        f"A compaction saved less than {LEAST_SAVED:.0%} of the rough tokens of a list that the store has whole.",
        "Compact later, or have less stay, so that more lies in the middle: with Hermes raise the threshold, or lower "
        "target_ratio or protect_last_n.",
    ),
    Rule(
        "quick-succession",
        "warning",
        "Compactions in quick succession",
        "Hardly anything happened between two compactions. Each costs a summary call and the prompt "
        "cache, and each summary of a summary loses detail.",
        f"Fewer than {QUICK_MESSAGES} messages, or rough tokens under {QUICK_SHARE:.0%} of the threshold, "
        "were added between two compactions.",
        "Look at what fills the list after a compaction: a large head or tail, or one huge message. "
        "With Hermes lower target_ratio or raise the threshold.",
    ),
    Rule(
        "read-again",
        "warning",
        "Files were read again",
        "The agent opened files or pages again that it had read before: what it needed of them did not stand in the "
        "summary, so their text was paid for twice.",
        f"{READ_AGAIN} files or pages or more were opened between this compaction and the next that messages which had "
        "left the list opened before.",
        "See what it looked for there: a summary that keeps the lines that matter, with their values, or a longer tail "
        "would have spared the reading.",
    ),
    Rule(
        "tail-over-budget",
        "warning",
        "The tail is over its budget",
        "The messages that were kept at the end cost more than the tail may, so the compaction saved "
        "less than planned and the next one comes sooner.",
        f"The tail of a recorded compaction has more than {TAIL_CEILING:g} times its budget in tokens, as "
        "the release estimates them; 1.5 times is what the release allows, and whole turns may add a "
        "little.",
        "Look at the message that is named. Large tool output is better written to a file and read in parts.",
    ),
    Rule(
        "huge-message",
        "warning",
        "A huge message that no boundary can move",
        "The message is larger than the whole tail budget, and it stands where a compaction keeps it, so "
        "no compaction can make the list small while it is there.",
        "A message of the head or tail that is planned for the live list has more tokens than the tail "
        "budget, even after pruning.",
        "Undo the message and give the agent the text as a file, or start a new session.",
    ),
    Rule(
        "compaction-would-fail",
        "warning",
        "The release would fail on this list",
        "Compacting this list as it stands raises an error inside the release. It has not reached the "
        "threshold yet.",
        "Planning the live list meets a place where the release raises, under the threshold.",
        "Go to the message that is named. The next messages may put it right; if not, undo it or start a "
        "new session.",
    ),
    Rule(
        "planned-not-recorded",
        "warning",
        "Recorded and planned boundaries differ",
        "The compaction was not made with the rules and settings that are assumed here, so what is "
        "planned for the live list may be off too.",
        "A compaction whose recorded boundaries are certain has others than the profile plans for the "
        "same list.",
        "Choose the profile of the release that wrote the database, and name the config.yaml it used "
        "with --config.",
    ),
    Rule(
        "threshold-overridden",
        "warning",
        "The threshold you set is not in force",
        "A rule of the release raises, lowers or caps the configured threshold.",
        "The threshold is set by config.yaml or a flag, and the tokens in force are not that share of "
        "the window.",
        "The finding names the rule. Set a threshold that the rule allows, or plan with the one in force.",
    ),
    Rule(
        "threshold-beyond-window",
        "warning",
        "The threshold lies beyond the window",
        "The model's window is full before the threshold is reached, so requests fail first.",
        "The threshold in force is at least as large as the context length.",
        "Use a model with a larger window, or check the context length that is assumed.",
    ),
    Rule(
        "target-ratio-clamped",
        "warning",
        "target_ratio was clamped",
        "The releases keep target_ratio between 0.1 and 0.8, so the tail budget is not the one you set.",
        "The configured target_ratio lies outside that range.",
        "Set compression.target_ratio to a value within the range.",
    ),
    Rule(
        "hygiene-before-agent",
        "warning",
        "Hygiene compacts before the agent",
        "The gateway compacts between messages at its own mark, with a rougher count, and the agent's "
        "threshold is never reached first; with both at one value lists were compacted on every turn.",
        "A session from a gateway whose threshold in force is at or over 85% of the window.",
        "Lower compression.threshold, or use a model with a larger window.",
    ),
    Rule(
        "orphaned-result",
        "warning",
        "A tool result without its call",
        "Chat APIs refuse a list with such a result; Hermes leaves it out of the request, so the agent does not see "
        "what the store shows.",
        "A tool result of the live list has an id that no call before it has.",
        "Read the message here if its content matters. Something else than a compaction of Hermes "
        "removed the call.",
    ),
    Rule(
        "unanswered-call",
        "warning",
        "A tool call without its result",
        "Chat APIs refuse a list with such a call; Hermes puts a stub in the request, so the agent "
        "sees no result. Mostly the agent was stopped while the tool ran.",
        "A call of the live list has no result, and other messages than results follow. The last calls "
        "may still run.",
        "Ask the agent to run the tool again if the result matters.",
    ),
    Rule(
        "breakpoints-never-hit",
        "warning",
        "The cache is written and never read",
        "Every request pays for writing its prompt into the cache, which costs more than sending it, and no "
        "request finds what was written.",
        f"{WRITING_REQUESTS} recorded requests or more wrote into the cache, and none of the conversation read"
        " from it.",
        "Look for what differs at the start of every prompt, or for requests that go to other servers; else "
        "turn the cache markers off.",
    ),
    Rule(
        "prompt-always-changes",
        "warning",
        "The prompt changes with every request",
        "Something near the start of the prompt is another one in nearly every request, such as a time or a "
        "counter in the system prompt or tools in another order, so everything behind it is sent again.",
        f"Of the recorded requests that came while the cache lived, {CHANGED_REQUESTS} or more and at least "
        f"{CHANGED_SHARE:.0%} read back only the start of the prompt before.",
        "Take what changes out of the system prompt and the tools, or put it at the end of the list. "
        "`requests` says where each prompt first differs.",
    ),
    Rule(
        "never-paid-off",
        "info",
        "A compaction never paid off",
        "Reading what was summarized, writing the summary and writing the new list into the cache cost more "
        "than the shorter prompts saved until the next compaction.",
        "Usage and prices are known, and fewer requests came between two compactions than it takes for the "
        "first to come back.",
        "Compact later or keep less, so that the next compaction is farther off: with Hermes raise the threshold or "
        "lower target_ratio.",
    ),
    Rule(
        "idling-costs-most",
        "info",
        "Pauses cost more than compactions",
        "The cache did not live through pauses of the conversation, and sending everything again cost more "
        "than all compactions did.",
        "What requests after pauses longer than the time to live cost more than reading from the cache is "
        "more than the bills of all compactions.",
        "Keep the cache for an hour, or keep it alive, where that is cheaper; compact before a long pause, "
        "not after it.",
    ),
    Rule(
        "caches-thrown-away",
        "info",
        "A compaction threw away the cache of the one before",
        "Each compaction writes a new list into the cache. The next one came before that was read often "
        "enough to be worth writing.",
        f"Fewer than {CLOSE_REQUESTS} requests came between the first one behind a compaction and the next "
        "compaction.",
        "Look at what fills the list right after a compaction; with Hermes raise the threshold, or lower target_ratio.",
    ),
    Rule(
        "cleared-at-a-loss",
        "info",
        "Clearing results cost more than it saved",
        "Old tool results were cleared from the middle of the list, so everything behind them had to be written to the "
        "prompt cache again: more than was saved.",
        "A microcompaction saved fewer tokens, as the agent says, than the request behind it wrote to the cache again.",
        "It pays off only if the session goes on for long. Compact as a whole, or start a new session for a new task.",
    ),
    Rule(
        "reported-size-doubted",
        "info",
        "A reported size cannot be true",
        "The agent reports more tokens before a compaction than the last request and its answer had, by far.",
        "The reported size is more than twice that of the last request.",
        "Nothing has to be done: the size of the last request is used.",
    ),
    Rule(
        "threshold-raised",
        "info",
        "The default threshold is not in force",
        "No threshold is configured, and a rule of the release changes the default of half the window.",
        "The threshold is the default, and the tokens in force are not that share of the window.",
        "Nothing has to be done; compactions come at the number in force.",
    ),
    Rule(
        "mid-task",
        "info",
        "A compaction came in mid-task",
        "The agent was at work on a request when its list became a summary: what it had just found out, "
        "and the request's own words, it knows from the summary alone.",
        "A compaction that nobody asked for by hand left nothing of the list, and the last message "
        "before it was a call or its result.",
        "See what the summary says of the step it was at. Compact by hand between tasks, where the agent "
        "lets you.",
    ),
    Rule(
        "boundaries-inferred",
        "info",
        "Boundaries are inferred",
        "The store does not say where head and tail were, and both lists fit together in more than one "
        "way or not fully.",
        "The lists before and after a compaction do not prove its boundaries; the note says why.",
        "Nothing has to be done; read the boundaries of this compaction as a best guess.",
    ),
    Rule(
        "head-fossilized",
        "info",
        "The head is a fossil",
        "0.13 to 0.17 protect the first messages for ever, so what was asked first is sent again with every "
        "request, long after it was done.",
        f"The same messages, the system prompt aside, stand at the beginning through {FOSSIL_COMPACTIONS} "
        "compactions or more.",
        "Lower protect_first_n if the beginning no longer matters. 0.19 lets the head go after the first "
        "compaction.",
    ),
    Rule(
        "system-prompt-changed",
        "info",
        "The system prompt changed",
        "The prompt cache begins with the system prompt, so nothing of it could be read after the change.",
        "A session of the conversation has another system prompt than the session before it.",
        "Nothing has to be done once. If it happens with every compaction, look for times or counters in "
        "the prompt.",
    ),
    Rule(
        "summary-over-budget",
        "info",
        "A summary is over its budget",
        "The model wrote more than it was asked for. The summary is kept whole, and the list is that "
        "much longer.",
        "The rough tokens of a summary are more than the budget that the profile plans for the same list.",
        "Nothing has to be done once. If every summary grows, the model keeps what is finished; try "
        "another one.",
    ),
    Rule(
        "repeated-roles",
        "info",
        "Two messages of one role in a row",
        "Some APIs refuse that, or answer with nothing; Hermes joins such messages before it sends them.",
        "A message of the live list has the role of the one before it (user or assistant; to-do lists "
        "that a compaction put back do not count). Of other agents it is not known how they send their lists.",
        "Nothing has to be done with Hermes.",
    ),
)

#: Every rule by id, the gravest first.
RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in _ALL})
