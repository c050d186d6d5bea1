"""Differences that stay, told by how Flink fails."""

from __future__ import annotations

import re

from tests.parity.fuzz.running import Differs

#: What Flink says -> why it is not so here.
_REASONS = {
    r"NoSuchFieldException: regularInput": "Flink cannot chain some functions behind a broadcast stream.",
    r"Could not create converter for structured type": "Flink has no converter of a tuple in a tuple to a table's row.",
    r"Py4JError: An error occurred while calling": "PyFlink's array_join, array_slice and others find no method of Java.",
    r"LegacyTypeInformationType cannot be cast": "Flink gives no stream of a table with a column of its old types.",
    r"anonymous_datastream_sink.*do not match": "Flink's validation of a table as a stream takes CHR for another type.",
}


def accepted(diff: Differs) -> str | None:
    """The reason for which a difference stays, if it does."""
    said = "\n".join(line for line in diff.get("error", ()) if line.startswith("-"))
    return next((reason for pattern, reason in _REASONS.items() if re.search(pattern, said)), None)
