"""Modules import each other in one direction, also inside a room, inside functions and for types."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = grimp.build_graph("inspector", "widgets")
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imported).prepare()  # raises CycleError with the modules of a circle
