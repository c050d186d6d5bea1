"""The constants of `pyflink.common.constants`."""

from __future__ import annotations

MAX_LONG_VALUE = 2**63 - 1
MIN_LONG_VALUE = -(2**63)

#: The tag of records that are no side output.
DEFAULT_OUTPUT_TAG = ""
