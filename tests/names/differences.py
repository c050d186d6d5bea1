"""Why names and attributes differ from PyFlink's: by docs/differences.md, or for a reason that stands here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "differences.md"

#: What is so -> the heading of the table that lists it.
HEADINGS = {
    "later": "Connectors that come later",
    "absent": "Absent names",
    "refused": "Refused names",
    "without effect": "Names without effect",
    "parameters": "Other parameters",
}


@cache
def listed(what: str) -> list[str]:
    """The names in the first column of a table, such as ``Class``, ``Class.method`` or ``Class.method(parameter)``."""
    text = PAGE.read_text()
    found = re.search(rf"^### {HEADINGS[what]}\n(.*?)(?=^##|\Z)", text, re.S | re.M)
    if found is None and what == "later":  # all are here
        return []
    assert found, f"{PAGE.name} has no heading {HEADINGS[what]!r}"
    rows = [line for line in found[1].splitlines() if line.startswith("| ")][1:]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])]


#: What differs beside that: a pattern of attributes, or of parameters, ``Class.method(parameter)`` -> why.
ACCEPTED = {
    r".*\.get_java_\w+": "there is no object of Java behind it",
    r"(CsvSchema|CompletableFuture|FileSystemCheckpointStorage)\.__str__": "what Java prints of its object",
    r"(Rowtime|Schema)\.to_properties": "the map that Java reads; an object keeps what it was told",
    r"PlanReference\.__\w+__": "each of its subclasses has it",
    r"HiveCatalog\..*": "the class is refused",
    r"\w*AggregateFunction\.(get_accumulator_type|get_result_type|merge|retract)": "it raises in PyFlink, too",
    r"\w+\.(to_sql|from_sql|to_internal|from_internal)_type\(\w+\)": "each type has a name for it; here it is obj",
    r"UserDefined\w*Wrapper\.__init__\(\w+\)": "udf and its kin call it",
}


def reason(module: str, name: str, owners: Sequence[str]) -> str | None:
    """Why something differs.

    Args:
        module: Of the class.
        name: Of the attribute, or of a parameter: ``method(parameter)``.
        owners: The class, and those that it may have the attribute from.
    """
    plain = name.partition("(")[0]
    for owner in owners:
        paths = {f"{owner}.{name}", f"{owner}.{plain}", f"{module.rpartition('.')[2]}.{owner}.{plain}"}
        for what in ("absent", "refused", "parameters"):
            if paths & {*listed(what)}:
                return HEADINGS[what]
    patterns = (why for pattern, why in ACCEPTED.items() if re.fullmatch(pattern, f"{owners[0]}.{name}"))
    return next(patterns, None)
