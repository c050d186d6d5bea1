"""How the rows of a query are shown."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.errors import ValidationError, cut
from datastream.table import TableConfig

RUNTIME_MODE = "execution.runtime-mode"
RESULT_MODE = "sql-client.execution.result-mode"
PRINT_TIME = "sql-client.display.print-time-cost"
MOST_ROWS = "sql-client.execution.max-table-result.rows"
_MODES = ("tableau", "table", "changelog")
#: The second is the older name.
MAX_WIDTH = ("table.display.max-column-width", "sql-client.display.max-column-width")


@dataclass(frozen=True)
class Display:
    """How the rows of one query are printed as a table.

    Attributes:
        streaming: Rows are printed as they come, with their kinds.
        max_width: How wide a column of text is at most.
        with_time: Say how long it took.
        began: When it began, by `time.monotonic`.
        mode: ``tableau``, ``table`` or ``changelog``.
        most_rows: How many rows a view keeps.
    """

    streaming: bool
    max_width: int
    with_time: bool
    began: float
    mode: str
    most_rows: int

    @staticmethod
    def of(config: TableConfig, began: float) -> Display:
        """As the settings of the session have it.

        Raises:
            ValidationError: one of them is wrong.
        """
        mode = config.get(RESULT_MODE, "tableau").lower()
        if mode not in _MODES:
            raise ValidationError(f"{RESULT_MODE} must be one of {', '.join(_MODES)}, got {cut(mode)}")
        most = config.get(MOST_ROWS, "1000000")
        if not most.isdigit() or int(most) < 1:
            raise ValidationError(f"{MOST_ROWS} must be a whole number above 0, got {cut(most)}")
        widths = [config.get(key, "") for key in MAX_WIDTH]
        width = next(filter(None, widths), "30")
        if not width.isdigit() or int(width) < 1:
            raise ValidationError(f"{MAX_WIDTH[0]} must be a whole number above 0, got {cut(width)}")
        streaming = config.get(RUNTIME_MODE, "streaming").lower() == "streaming"
        with_time = config.get(PRINT_TIME, "true").lower() == "true"
        return Display(streaming, int(width), with_time, began, mode, int(most))
