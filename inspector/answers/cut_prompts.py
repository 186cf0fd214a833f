"""Requests whose prompts the server cut to its window, as Ollama does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from inspector.core.conversations import Request
from inspector.quality.limits import CUT_REQUESTS


def cut_requests(requests: Iterable[Request]) -> Iterator[tuple[Request, ...]]:
    """Yield the runs of requests that report exactly the same input, of one list and one model.

    A list grows with each answer, so equal inputs in a row show that the server cut the prompts.
    """
    sent = (
        request for request in requests if request.context and not (request.summarizes or request.unsized)
    )
    for _, same in groupby(sent, key=lambda request: (request.generation, request.model, request.context)):
        run = tuple(same)
        if len(run) >= CUT_REQUESTS:
            yield run


def without_cut(requests: Iterable[Request]) -> list[Request]:
    """Return the requests whose input is the size of their list."""
    requests = list(requests)
    cut = {request.index for run in cut_requests(requests) for request in run}
    return [request for request in requests if request.index not in cut]
