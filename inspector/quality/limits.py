"""Limits of the rules of findings. The catalogue shows them to users."""

from __future__ import annotations

#: Minimum messages, and minimum growth as a share of the threshold, between two compactions.
QUICK_MESSAGES = 10
QUICK_SHARE = 0.10
#: Minimum share of the tokens that a compaction saves (the limit of the releases).
LEAST_SAVED = 0.10
#: Maximum tail as a multiple of its budget. The releases allow 1.5 times, and whole turns may add a little.
TAIL_CEILING = 1.6
#: Minimum number of compactions through which the same first messages stay.
FOSSIL_COMPACTIONS = 2
#: Minimum share of a summary, in characters, that is word for word in the previous one, ...
REPEATED_SHARE = 0.95
#: ... and the minimum number of its entries, and of additional messages that it replaces.
REPEATED_ENTRIES = 5
REPEATED_MESSAGES = 10
#: Minimum number of messages since the request for a compaction to interrupt a task that is well under way.
MID_TASK = 10
#: Minimum number of files and pages opened again after a compaction, and their minimum tokens.
READ_AGAIN = 5
READ_AGAIN_TOKENS = 10_000
#: Minimum tokens of a huge message, for any tail budget.
HUGE_TOKENS = 1_000
#: Number of the last messages of the user whose request may still be open; an earlier one is mostly done.
LATE_MESSAGES = 3
#: Minimum and maximum octets of a lasting rule. A shorter sentence is a fragment, a longer one mixes several subjects.
SHORTEST, CONCISE = 15, 160
#: Maximum statements of an ordinary message. A longer message is a document, and its weak cues count less.
CROWDED = 15
#: Maximum number of lost constraints of one message that are findings of their own: a longer list is one finding.
FEW = 3
#: Maximum number of findings of one rule about one list; a last one counts the others.
MOST = 20
#: Minimum number of requests that read the cache of a compaction before the next compaction.
CLOSE_REQUESTS = 3
#: Minimum fall of a context, in tokens and as a share.
FALL_TOKENS = 10_000
FALL_SHARE = 0.1
#: Minimum number of requests in a row with exactly the same input.
CUT_REQUESTS = 3
#: Minimum loss by a compaction, cost of misses of a fresh prefix, or saving of another time to live, in US dollars.
NOTICED_DOLLARS = 0.5
#: Minimum cost of these misses as a share of all requests. Minimum share that another time to live, or a keep-alive,
#: saves.
MISSED_SHARE = 0.1
#: Minimum number of requests that write into a cache that is never read.
WRITING_REQUESTS = 5
#: Minimum number of changed prompts, and their share of the requests within the time to live of the cache.
CHANGED_REQUESTS = 5
CHANGED_SHARE = 0.8
#: Minimum characters of a summary that replaces at least SUMMARIZED_AT_LEAST tokens.
EMPTY_SUMMARY = 120
SUMMARIZED_AT_LEAST = 2_000
#: Minimum number of consecutive messages that are in a list twice.
TWICE = 4
