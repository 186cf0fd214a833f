"""The numbers that set rules off; the catalogue says them."""

from __future__ import annotations

#: A compaction is too soon after the one before with fewer messages between them, or less growth (of the threshold).
QUICK_MESSAGES = 10
QUICK_SHARE = 0.10
#: A compaction that saves a smaller share of the tokens is hardly worth its summary (the releases' own limit).
LEAST_SAVED = 0.10
#: The releases walk until the tail has 1.5 times its budget, and whole turns may add a little; this is beyond both.
TAIL_CEILING = 1.6
#: So many compactions carry the same first messages along before they count as fossils.
FOSSIL_COMPACTIONS = 2
#: A summary repeats the one before where so much of it (in characters) stood there word for word, ...
REPEATED_SHARE = 0.95
#: ... where it has so many entries, and stands for so many more messages.
REPEATED_ENTRIES = 5
REPEATED_MESSAGES = 10
#: So many files and pages opened again after a compaction are many.
READ_AGAIN = 5
#: The most findings of one rule about one list; one more says how many others there are.
MOST = 20
#: What a compaction wrote into the cache was hardly read where fewer requests than this followed until the next.
CLOSE_REQUESTS = 3
#: A context that shrinks by fewer tokens, or by a smaller share, is not reported.
FALL_TOKENS = 10_000
FALL_SHARE = 0.1
#: Misses of a fresh prefix that cost less, in US dollars or as a share of all requests, are not reported.
MISSED_DOLLARS = 0.1
MISSED_SHARE = 0.1
#: So many requests that write into the cache and none that reads tell that nothing ever hits.
WRITING_REQUESTS = 5
#: The prompt changes with every request where so many do, and so much of all that came while the cache lived.
CHANGED_REQUESTS = 5
CHANGED_SHARE = 0.8
#: A summary with fewer characters says nothing, if it replaced as many tokens as the next limit.
EMPTY_SUMMARY = 120
SUMMARIZED_AT_LEAST = 2_000
#: Minimum number of consecutive messages that are in a list twice.
TWICE = 4
