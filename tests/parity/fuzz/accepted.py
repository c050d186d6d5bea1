"""Differences that stay, told by how Flink fails."""

from __future__ import annotations

import re

from tests.parity.fuzz.program import Program
from tests.parity.fuzz.running import Differs

#: What Flink says -> why it is not so here.
_REASONS = {
    r"NoSuchFieldException: regularInput": "Flink cannot chain some functions behind a broadcast stream.",
    r"Could not create converter for structured type": "Flink has no converter of a tuple in a tuple to a table's row.",
    r"Py4JError: An error occurred while calling": "PyFlink's array_join, array_slice and others find no method of Java.",
    r"_binary_op\S* missing 1 required positional argument": "PyFlink's array_reverse and others cannot be called.",
    r"LegacyTypeInformationType cannot be cast": "Flink gives no stream of a table with a column of its old types.",
    r"This calc has no useful projection and no filter": "Flink's planner stops at a projection that it made itself.",
    r"EnforcerException: Column .* is NOT NULL": "Flink's Table API keeps the NOT NULL of columns that an outer join fills.",
    r"more than one rowtime attribute column": "A table may have several times of its rows when it becomes a stream.",
    r"when built: java.lang.NullPointerException": "Flink's planner fails.",
    r"Error while applying rule": "Flink's planner fails.",
    r"Cannot generate a valid execution plan": "Flink's planner finds no plan for a join above a function of Python.",
    r"when built: java.lang.reflect.InvocationTargetException": "Flink's from_collection cannot make a source of LISTs.",
    r"anonymous_datastream_sink.*do not match": "Flink's validation of a table as a stream takes CHR for another type.",
}


#: What the program has to hold, where what Flink says does not tell enough.
_ONLY = {
    r"EnforcerException: Column .* is NOT NULL": "_outer_join(",
    r"when built: java.lang.reflect.InvocationTargetException": "type_info=Types.LIST(",
}


def accepted(program: Program, diff: Differs) -> str | None:
    """The reason for which a difference stays, if it does."""
    said = "\n".join(line for line in diff.get("error", ()) if line.startswith("-"))
    for pattern, reason in _REASONS.items():
        if re.search(pattern, said) and _ONLY.get(pattern, "") in program.script():
            return reason
    return None
