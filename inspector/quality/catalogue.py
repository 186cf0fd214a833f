"""Rules of findings as data: id, severity, title, meaning, condition, advice. `python docs/findings.py` prints them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from inspector.quality import limits
from inspector.quality.finding import Finding, Rule

_ALL = (
    Rule(
        "summary-fallback",
        "error",
        "No summary was made",
        "The summary model gave no usable answer. A fallback text of the agent, or an error of the API, "
        "replaced the middle.",
        "The list after a compaction has a fallback text instead of a summary.",
        "Read the removed messages in the previous generation, and repeat what the agent still needs. Check "
        "the provider, key and model for summaries.",
        "They are set under auxiliary.compression in config.yaml.",
    ),
    Rule(
        "summary-missing",
        "error",
        "The summary is missing",
        "Messages left the list, and the list after it has no text about them.",
        "A compaction removed messages, and the list after it has no summary and no fallback text.",
        "Read the removed messages in the previous generation. If another program compacted this session, "
        "this program may not recognise its summary.",
    ),
    Rule(
        "summary-says-nothing",
        "error",
        "The summary has little or no content",
        "A model wrote the summary, but it has no content, or only that of the current turn. The other messages that "
        "it replaced are lost.",
        f"A summary of fewer than {limits.EMPTY_SUMMARY} characters replaces {limits.SUMMARIZED_AT_LEAST:,} tokens "
        f"or more. Or a summary of fewer than {5 * limits.EMPTY_SUMMARY} characters says that it saw no "
        f"conversation, or that there is no task although it replaces {limits.SUMMARIZED_AT_LEAST:,} tokens or more. "
        "Or each of its sections says only that there is nothing. Or a word replaces the history before the current "
        "turn. The messages that it replaced are larger than the summary.",
        "Read the messages in the list before, and repeat what the agent still needs. Try another summary "
        "model.",
    ),
    Rule(
        "rule-broken",
        "error",
        "The agent broke a rule that a compaction lost",
        "The user had forbidden an act. A compaction lost the rule, and the agent then did the act.",
        "A call after the compaction writes, reads or runs something that a lost or weakened rule of the "
        "user forbids by name. The rule was not repeated before the call. The check skips rules with a "
        "condition and long sentences.",
        "Check the effect of the call, and repeat the rule. Put rules that must always hold into a file that "
        "the agent loads by itself.",
    ),
    Rule(
        "gave-up",
        "error",
        "The agent gave up compacting",
        "The guards of the release against useless compactions stop it from compacting. The list grows "
        "until requests exceed the model's window.",
        "Hermes 0.13 to 0.18: two compactions in a row saved less than 10% each. From 0.19 on: two compactions in a "
        "row left the prompt over the threshold (by the rough count, because the store has no other count), or two "
        "in a row had no summary.",
        "Start a new session or compact by hand. Then find what keeps the list large: a huge message, a "
        "tail budget near the threshold, or a summary model that fails.",
    ),
    Rule(
        "compaction-fails",
        "error",
        "The release fails on this list",
        "The release raises an error when it compacts this list. The list has reached the threshold, so "
        "the next turn fails.",
        "The live list is at or over the threshold, and its plan reaches a place where the release raises "
        "an error.",
        "Go to the named message. Undo it, or start a new session. A later release may have fixed the error.",
    ),
    Rule(
        "tail-starts-with-result",
        "error",
        "The tail starts with a tool result",
        "The call of this result was summarized. Chat APIs refuse such a list with status 400, unless the "
        "agent removes the result before it sends the list.",
        "The first copied message of the tail is a tool result, and no message before it has a call with "
        "its id.",
        "Start a new session if requests fail.",
        "Every release of Hermes repairs tool pairs, so find out what else wrote this list.",
    ),
    Rule(
        "request-gone",
        "error",
        "The open request is gone",
        "The user's last request was summarized before the agent had answered it, and the summary does not mention it. "
        "The agent cannot know what to do.",
        "After a compaction the last request is not in the head or tail. No entry of the summary quotes it or has 60% "
        "of its words, and the whole summary has fewer than a third of them. Requests with fewer than three content "
        "words do not count.",
        "Ask again. Protect more of the tail, and find out why the tail was so short.",
    ),
    Rule(
        "history-lost",
        "error",
        "The agent lost the list without a compaction",
        "The next message has no link to the messages before it, so the agent no longer sends them, and no summary "
        "names them. Some releases of OpenClaw wrote such messages after /status or a restart of the gateway.",
        "A message after others has no parent, or a parent that the file does not have.",
        "Repeat to the agent what it still needs, or let it read the messages before in the file. Update the agent.",
    ),
    Rule(
        "constraint-lost",
        "warning",
        "A constraint of the user is lost",
        "A rule of the user's (must, must never) is no longer in the list. Nothing stops the agent from "
        "breaking it.",
        "A constraint in the user's own words was in a summarized message: a prohibition, a bound, a "
        f"condition, “always” or “must”. Its sentence has {limits.SHORTEST} to {limits.CONCISE} bytes, and its "
        f"message at most {limits.CROWDED} statements. It begins like a lasting rule (“always”, “never”, “do not ... "
        "until I say so”), has an exact value, is in the user's first two messages, or was said twice. The "
        "constraint is not in the list after the compaction and not in the live list, and the user did not repeat, "
        "withdraw or change it later. In Chinese and other scripts without spaces between words, only a constraint "
        "with a name counts, and one that the summary changes or has without its value. The command losses also "
        "lists rules that hold only for their own request. "
        f"If one message has more than {limits.FEW} lost constraints, they are one finding.",
        "Repeat the rule if it still holds. The command next prints a text with all lost rules and the facts at risk, "
        "for the next message or for a manual compaction.",
    ),
    Rule(
        "said-again",
        "warning",
        "The user had to repeat a statement",
        "The user repeats a statement that a compaction lost or weakened, or whose fate is uncertain.",
        "A message after the compaction has most words of an earlier rule, wish or value of the user's, or corrects "
        "the agent with some of its words. The earlier statement is lost, weakened, contradicted or uncertain.",
        "Put the statement into a file that the agent loads by itself, or into the text for the next "
        "compaction.",
    ),
    Rule(
        "kept-rule-broken",
        "warning",
        "The agent broke a rule that the list still has",
        "The compaction kept a rule of the user's, and the agent did not follow it. Other settings of the "
        "compaction do not help.",
        "Two or more calls after a compaction do what the rule forbids by name, or the user complains that they "
        "said it before. The rule is from before the compaction, and the list after it has it word for word or in "
        "other words. The user did not repeat it before the call, and mentioned nothing that may lift it.",
        "Enforce the rule outside the model: with a permission, a hook or a test. A file that the agent loads by "
        "itself gives it more weight.",
    ),
    Rule(
        "number-changed",
        "warning",
        "A summary changed a number",
        "The summary has another number or version than the user gave, and no message explains the change. The agent "
        "will use the new one.",
        "The user gave a number with its unit, or a version, in the words of a rule. The summary has another value for "
        "the same thing, and no longer has the old value. No summarized or kept message gives the new value for it.",
        "Give the agent the right value.",
    ),
    Rule(
        "summary-elides",
        "warning",
        "A placeholder replaces a text",
        "The summary has a note in brackets, such as “[detailed plan with 4 steps]”, instead of a text "
        "that the agent used. The text itself is gone.",
        "Brackets in the summary, outside code, have words such as detailed, truncated, rest of, plan with.",
        "Paste the text again, or say where the agent can read it.",
    ),
    Rule(
        "summary-quotes-prompt",
        "warning",
        "The summary quotes the prompt that asked for it",
        "The summary model took its own instructions for a message of the user. They forbid calls of tools, and the "
        "agent may obey them after the compaction.",
        "The summary has a phrase of Claude Code's prompt for summaries. No message of the user or of a tool before "
        "the compaction has this phrase.",
        "Tell the agent that the user did not say this, and that it may use its tools. Try another summary model.",
    ),
    Rule(
        "summary-has-thinking",
        "warning",
        "The summary has the thinking of its model",
        "The plans and guesses of the summary model are in the list as if they were the summary. Each request pays for "
        "them.",
        "The summary begins with a block such as <think> ... </think>.",
        "Set the provider to return thinking separately, or try another summary model. Check that the agent does not "
        "act on the block.",
    ),
    Rule(
        "reference-dangles",
        "warning",
        "A choice is kept, but its list is gone",
        "The user chose by number or letter (“skip 5, 7, 8”, “option B”). The words are kept, but the list "
        "of options is not. The agent will guess.",
        "The list after a compaction has a choice of the user's. A message shortly before the choice lists "
        "the options, and the summary has less than half of the words of a chosen option.",
        "Repeat what the numbers mean.",
    ),
    Rule(
        "done-claimed",
        "warning",
        "The summary says that all is done, but a request is not mentioned",
        "The summary says that everything is done or that nothing is pending. The user had asked for "
        "something that the list after does not mention.",
        "The summary says that all is done, and a request in one of the user's last "
        f"{limits.LATE_MESSAGES} summarized messages is lost. Messages with more than {limits.CROWDED} statements "
        "do not count.",
        "Check whether it was done. Ask for it again if not.",
    ),
    Rule(
        "messages-unrecorded",
        "warning",
        "The summary quotes messages that are not recorded",
        "The summary lists messages of the user that the file does not have. They may be in another file or on another "
        "branch. Their facts are not followed.",
        "At least half of the quotes in the summary's list of the user's messages, and more than one, are in no "
        "message before the compaction.",
        "Open the other file of the session, or read the quotes in the summary.",
    ),
    Rule(
        "summary-model-too-small",
        "warning",
        "The summary model is too small for the middle",
        "The middle is longer than the window of the summary model. The call fails or the middle is cut "
        "off. This is the most common cause of bad compactions.",
        "The middle of a recorded compaction, or of a compaction now, has more rough tokens than the "
        "summary model's window.",
        "Use a summary model with at least the main model's window, or lower the threshold.",
        "The summary model is auxiliary.compression.model in config.yaml.",
    ),
    Rule(
        "summary-cut-off",
        "warning",
        "A summary seems to be cut off",
        "The summary begins or ends in the middle of something. The rest is lost.",
        "A code block does not end, the last heading has no text, the last entry is empty, or the text "
        "ends with a comma, a semicolon or an open bracket. Or the text has headings, and begins with a small letter, "
        "a comma, a semicolon or a closing bracket.",
        "Read the beginning and the end of the summary. Give the summary model more room for its answer, or compact "
        "earlier.",
    ),
    Rule(
        "summary-repeats-previous",
        "warning",
        "A summary repeats the previous one",
        "The model copied the earlier summary and added nothing about the newer messages.",
        f"At least {limits.REPEATED_SHARE:.0%} of the summary's text, in {limits.REPEATED_ENTRIES} entries or more, is "
        f"word for word in the previous one, although it replaces at least {limits.REPEATED_MESSAGES} more messages. "
        "For several such summaries in a row, the messages since the first one count.",
        "Compare both in the summary pane. Read the summarized messages, and try another summary model.",
    ),
    Rule(
        "summary-section-vanished",
        "warning",
        "A section of the summary vanished",
        "An earlier summary had a section with content. The next one has neither its heading nor its "
        "content.",
        "A section with entries and a heading that summaries usually have (goal, constraints, decisions, pending tasks "
        "and the like) has no counterpart in the next summary that a model wrote, nor has the section around it. At "
        "least one entry is nowhere in that summary.",
        "Look at the removed entries in the summary pane (changes), and repeat what still holds.",
    ),
    Rule(
        "summary-secret",
        "warning",
        "A summary seems to contain a secret",
        "A key or password from a message was copied into the summary. It is now part of every request and "
        "of every later summary.",
        "A text in a summary has the format of a known kind of key, or is named like one, and looks "
        "random. Placeholders and [REDACTED] do not count.",
        "Revoke the key if it is real, and keep keys out of messages and tool output.",
    ),
    Rule(
        "summary-call-failed",
        "warning",
        "The last summary call failed",
        "The release recorded an error of its summary model and no success since. The next compaction "
        "waits, or drops its middle.",
        "The session's compression_failure_error is set in the store.",
        "Fix the named error. Its cause is usually the provider, key or model under auxiliary.compression "
        "in config.yaml.",
    ),
    Rule(
        "compaction-failed",
        "warning",
        "An attempt to compact failed",
        "The agent tried to compact and failed. The list did not change and grows until requests fail.",
        "The agent recorded an attempt to compact that ended with an error. Attempts that the user cancelled do not "
        "count.",
        "Read the error. Go back a few messages, or start a new session with the text that still matters.",
    ),
    Rule(
        "context-shrank",
        "warning",
        "The context shrank without a compaction",
        "A request sent much less than the previous one, and no compaction is recorded between them. "
        "Something left the context, such as old tool results that the server cleared, and no summary "
        "names it.",
        f"A request sent at least {limits.FALL_TOKENS:,} tokens and {limits.FALL_SHARE:.0%} fewer than the previous "
        "request of the same list, within five minutes, and the next requests are not as long as before. "
        "One finding names the largest fall.",
        "Ask the agent which earlier results it still knows, and let it read the others again.",
    ),
    Rule(
        "prompt-cut",
        "warning",
        "The server cut the prompt",
        "The model saw only a part of the list: mostly its end, without the instructions and rules at its beginning. "
        "The recorded list does not show it, and neither the agent nor the model says so.",
        f"At least {limits.CUT_REQUESTS} requests in a row of one list report exactly the same input, and the list "
        "has more rough tokens. The sizes of these requests are not used.",
        "Give the server a larger window (Ollama: num_ctx or OLLAMA_CONTEXT_LENGTH), and tell the agent the same "
        "window, so that it compacts before the list is cut.",
    ),
    Rule(
        "rules-file-cut",
        "warning",
        "A rules file was sent in part",
        "The agent cut a file such as AGENTS.md, because it is longer than a limit. Rules in the rest of the file are "
        "not in the prompt. The model knows them only if it read the file.",
        "The record says how many characters of a rules file were sent, and they are fewer than the file has. OpenClaw "
        "records this.",
        "Make the file shorter, or raise the limit (OpenClaw: agents.defaults.bootstrapMaxChars and "
        "bootstrapTotalMaxChars). The command rules lists the files.",
    ),
    Rule(
        "did-not-shrink",
        "warning",
        "A compaction did not shrink the context",
        "By the agent's own figures the context was as large after the compaction as before it.",
        "The size that the agent reports after a compaction is not below the size before it.",
        "Compact by hand with a focus, or start a new session. Otherwise the next compaction follows at "
        "once.",
    ),
    Rule(
        "messages-twice",
        "warning",
        "Messages are in the list twice",
        "A part of the live list is stored a second time. The model reads it twice, and each request pays "
        "for it twice.",
        f"At least {limits.TWICE} consecutive messages repeat earlier ones of the live list in the same order.",
        "Start a new session, or compact by hand. Report it to the agent's developers.",
    ),
    Rule(
        "prefix-missed",
        "warning",
        "Prompts were sent again although their cache was valid",
        "The prompt changed between two requests, or the cache was lost. The cached tokens after the change were sent "
        "and cached again.",
        "An agent that sets cache breakpoints missed a prefix within its time to live. Such misses cost at least "
        f"{limits.NOTICED_DOLLARS} US dollars and {limits.MISSED_SHARE:.0%} of the cost of all requests.",
        "Find what changes after the tokens that were still read: a restart or another mode, other tools, the date, a "
        "file that is always rewritten. `requests` lists each miss.",
    ),
    Rule(
        "last-request-summarized",
        "warning",
        "The last request was summarized",
        "The user's last request is no longer in the list in the user's words. The agent knows it only "
        "from the summary.",
        "The user's last message before a compaction of Hermes is between head_end and tail_start. The summary does "
        "not mention it, or cannot be read.",
        "Repeat the request. Hermes 0.13 and later keeps that message in the tail.",
    ),
    Rule(
        "saved-little",
        "warning",
        "A compaction saved little",
        "The compaction cost a summary call and the prompt cache, but the list is almost as large as "
        "before. After two in a row Hermes 0.13 to 0.18 gives up compacting.",
        f"A compaction saved less than {limits.LEAST_SAVED:.0%} of the rough tokens of a list that the store has "
        "whole.",
        "If the list is most of the prompt, compact later or keep less, so that the middle is larger. If not, shrink "
        "the fixed prompt: fewer tools, MCP servers and memory files.",
        "To compact later, raise the threshold. To keep less, lower target_ratio or protect_last_n.",
    ),
    Rule(
        "quick-succession",
        "warning",
        "Compactions in quick succession",
        "Little was added between two compactions. Each one costs a summary call and the prompt cache, and "
        "each summary of a summary loses details.",
        f"Fewer than {limits.QUICK_MESSAGES} messages were added between two compactions. Or the added tokens are "
        f"less than {limits.QUICK_SHARE:.0%} of the threshold, or of the list before the second compaction if that "
        "is smaller. Tokens are those of the requests or of the agent's reports, if known, else rough. A compaction "
        "by hand does not count as the second compaction.",
        "If the list is most of the prompt, find what fills it after a compaction: a large head or tail, or one huge "
        "message. If not, shrink the fixed prompt: fewer tools, MCP servers and memory files. An agent that counts "
        "events needs a larger limit of events.",
        "To compact later, raise the threshold. To keep less, lower target_ratio.",
    ),
    Rule(
        "read-again",
        "warning",
        "Files were read again",
        "The agent opened files or pages again that it had read or written before. Their text was paid for "
        "twice. The record does not show why.",
        f"After the compaction and before the user's next request, the agent opened {limits.READ_AGAIN} or more "
        f"files or pages, with {limits.READ_AGAIN_TOKENS:,} tokens or more in all. Acts that left the list had read "
        "or written them.",
        "See what the agent looked for. A summary that keeps the important lines and values, a longer tail, or a "
        "compaction by hand before a large task avoids the second reading.",
    ),
    Rule(
        "tail-over-budget",
        "warning",
        "The tail is over its budget",
        "The messages kept at the end cost more than the tail budget. The compaction saved less than "
        "planned, and the next one comes sooner.",
        f"The tail of a recorded compaction has more than {limits.TAIL_CEILING:g} times its budget in tokens, as "
        "the release estimates them. The release allows 1.5 times, and whole turns may add a little.",
        "Look at the named message. Let the agent write large tool output to a file and read it in parts.",
    ),
    Rule(
        "huge-message",
        "warning",
        "A huge message that every compaction keeps",
        "The message is larger than the whole tail budget, and every compaction keeps it. The list stays "
        "large.",
        "A message of the head or tail planned for the live list has more tokens than the tail budget, "
        f"even after pruning, and at least {limits.HUGE_TOKENS:,}.",
        "Undo the message and give the agent the text as a file, or start a new session.",
    ),
    Rule(
        "compaction-would-fail",
        "warning",
        "The release would fail on this list",
        "The release raises an error when it compacts this list. The list has not reached the threshold yet.",
        "The live list is under the threshold, and its plan reaches a place where the release raises an "
        "error.",
        "Go to the named message. The next messages may solve the problem. If not, undo it or start a new "
        "session.",
    ),
    Rule(
        "planned-not-recorded",
        "warning",
        "Recorded and planned boundaries differ",
        "The compaction did not use the rules and settings that this program assumes. The plan for the "
        "live list may be wrong too.",
        "The recorded boundaries of a compaction are certain, and the profile plans other ones for the "
        "same list.",
        "Choose the profile of the release that wrote the database, and give the config.yaml that it used "
        "with --config.",
    ),
    Rule(
        "threshold-overridden",
        "warning",
        "The threshold you set is not in force",
        "A rule of the release raises, lowers or caps the configured threshold.",
        "The threshold is set by config.yaml or a flag, and the tokens in force are not that share of the "
        "window.",
        "The finding names the rule. Set a threshold that the rule allows, or plan with the threshold in "
        "force.",
    ),
    Rule(
        "threshold-beyond-window",
        "warning",
        "The threshold is beyond the window",
        "The model's window is full before the threshold is reached, so requests fail first.",
        "The threshold in force is at least as large as the context length, or every compaction of several came "
        "because a request did not fit.",
        "Use a model with a larger window, or check the assumed context length.",
    ),
    Rule(
        "target-ratio-clamped",
        "warning",
        "target_ratio was clamped",
        "The releases keep target_ratio between 0.1 and 0.8, so the tail budget is not what you set.",
        "The configured target_ratio is outside that range.",
        "Set compression.target_ratio to a value within the range.",
    ),
    Rule(
        "hygiene-before-agent",
        "warning",
        "The gateway compacts before the agent",
        "The gateway compacts between messages at its own limit, with a rougher count, so the agent never "
        "reaches its threshold first. If both limits have the same value, lists are compacted on every turn.",
        "A session from a gateway has a threshold in force at or over 85% of the window.",
        "Lower compression.threshold, or use a model with a larger window.",
    ),
    Rule(
        "orphaned-result",
        "warning",
        "A tool result without its call",
        "Chat APIs refuse a list with such a result. An agent that leaves it out of the request, as Hermes does, "
        "does not see what the store shows.",
        "A tool result of the live list has an id that no earlier call has.",
        "Read the message here if its content matters. The call was not removed by a compaction of Hermes.",
    ),
    Rule(
        "unanswered-call",
        "warning",
        "A tool call without its result",
        "Chat APIs refuse a list with such a call. An agent that puts a stub into the request, as Hermes does, sees "
        "no result. Usually the agent was stopped while the tool ran.",
        "A call of the live list has no result, and messages other than results follow. The last calls may "
        "still run.",
        "Ask the agent to run the tool again if the result matters.",
    ),
    Rule(
        "breakpoints-never-hit",
        "warning",
        "The cache is written and never read",
        "Every request writes its prompt into the cache, which costs more than sending it, but no request "
        "reads it.",
        f"{limits.WRITING_REQUESTS} recorded requests or more wrote into the cache, and no request of the "
        "conversation read from it.",
        "Look for differences at the start of the prompts, or for requests that go to other servers. "
        "Otherwise turn the cache breakpoints off.",
    ),
    Rule(
        "prompt-always-changes",
        "warning",
        "The prompt changes with every request",
        "Something near the start of the prompt changes with nearly every request, such as a time or a "
        "counter in the system prompt, or the order of tools. Everything after it is sent again.",
        f"Of the recorded requests within the time to live of the cache, {limits.CHANGED_REQUESTS} or more and at "
        f"least {limits.CHANGED_SHARE:.0%} read back only the start of the previous prompt.",
        "Remove what changes from the system prompt and the tools, or move it to the end of the list. "
        "`requests` shows where each prompt first differs.",
    ),
    Rule(
        "never-paid-off",
        "info",
        "A compaction never paid off",
        "Reading the summarized messages, writing the summary and writing the new list into the cache cost "
        "more than the shorter prompts saved until the next compaction.",
        f"Usage and prices are known. {limits.CLOSE_REQUESTS} or more requests came between the first request after "
        "the compaction and the next compaction, but fewer than the break-even needs. The loss is at least "
        f"{limits.NOTICED_DOLLARS} US dollars.",
        "Compact later or keep less, so that the next compaction comes later.",
        "To compact later, raise the threshold. To keep less, lower target_ratio.",
    ),
    Rule(
        "idling-costs-most",
        "info",
        "Pauses cost more than compactions",
        "The cache expired during pauses of the conversation, and sending everything again cost more than "
        "all compactions.",
        "The extra cost of requests after pauses longer than the time to live is more than the bills of "
        f"all compactions. The other time to live would save {limits.MISSED_SHARE:.0%} or more of the cost of all "
        f"requests, and at least {limits.NOTICED_DOLLARS} US dollars.",
        "Use the cheaper time to live, which the finding names. Compact before a long pause, not after it.",
    ),
    Rule(
        "caches-thrown-away",
        "info",
        "A compaction discarded the cache of the previous one",
        "Each compaction writes a new list into the cache. The next compaction followed before enough "
        "requests had read that list.",
        f"Fewer than {limits.CLOSE_REQUESTS} requests came between the first one after a compaction and the next "
        f"compaction. The first compaction lost at least {limits.NOTICED_DOLLARS} US dollars.",
        "Find what fills the list right after a compaction.",
        "To compact later, raise the threshold. To keep less, lower target_ratio.",
    ),
    Rule(
        "reported-size-doubted",
        "info",
        "A reported size does not fit the requests or the list",
        "The agent reports far more tokens before a compaction than the last request and its answer had. Requests "
        "before the compaction may be missing in the file, and messages with them. Or it reports far fewer than the "
        "list has.",
        "The reported size is more than twice that of the last request, or less than a quarter of the rough size of "
        "the list.",
        "Look for another file of the session. The program uses the size of the last request, or the rough size.",
    ),
    Rule(
        "threshold-raised",
        "info",
        "The default threshold is not in force",
        "No threshold is configured, and a rule of the release changes the default.",
        "The threshold is the default, and the tokens in force are not that share of the window.",
        "Nothing to do. The agent compacts at the threshold in force.",
    ),
    Rule(
        "mid-task",
        "info",
        "A compaction interrupted a task",
        "The agent was working on a request when its list became a summary. The summary does not say what the agent "
        "was working on.",
        "An automatic compaction kept nothing of the list, the last message before it was a call or its "
        f"result, {limits.MID_TASK} or more messages had followed the request, and the summary names no file of "
        "their calls.",
        "Remind the agent of its task. Compact by hand between tasks, if the agent allows it.",
    ),
    Rule(
        "boundaries-inferred",
        "info",
        "Boundaries are inferred",
        "The store does not record head and tail, and the two lists match in more than one way or not fully.",
        "The lists before and after a compaction do not prove its boundaries. The note gives the reason.",
        "Nothing to do. The boundaries of this compaction are a best guess.",
    ),
    Rule(
        "head-fossilized",
        "info",
        "The head is never compacted",
        "The last compactions kept the same first messages, as Hermes 0.13 to 0.17 does. The first request is sent "
        "with every call, long after it was done.",
        "The same messages, apart from the system prompt, are at the beginning through "
        f"{limits.FOSSIL_COMPACTIONS} compactions or more.",
        "Protect fewer of them, or start a new session, if the beginning no longer matters.",
        "The setting is protect_first_n. Hermes 0.19 releases the head after the first compaction.",
    ),
    Rule(
        "system-prompt-changed",
        "info",
        "The system prompt changed",
        "The prompt cache begins with the system prompt, so nothing could be read from it after the change.",
        "A session of the conversation has another system prompt than the session before it.",
        "Nothing to do for one change. If it happens with every compaction, look for times or counters in "
        "the prompt.",
    ),
    Rule(
        "summary-over-budget",
        "info",
        "A summary is over its budget",
        "The model wrote more than its budget. The whole summary is kept, and the list is longer by the "
        "difference.",
        "A summary has more rough tokens than the budget that the profile plans for the same list.",
        "Nothing to do for one summary. If every summary grows, the model keeps finished work; try another "
        "model.",
    ),
    Rule(
        "repeated-roles",
        "info",
        "Two messages of one role in a row",
        "Some APIs refuse such a list, or answer with nothing. Hermes joins such messages before it sends "
        "them.",
        "A message of the live list has the role of the previous message (user or assistant). To-do lists "
        "that a compaction put back do not count. How other agents send their lists is unknown.",
        "With Hermes, nothing. With another agent, look for a failed request after it.",
    ),
)

#: Rules by id, the most severe first.
RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in _ALL})


def advice_of(finding: Finding) -> str:
    """Return what the user can do about a finding, without settings of another agent."""
    rule = RULES[finding.rule]
    return rule.advice if finding.observed or not rule.hermes else f"{rule.advice} {rule.hermes}"
