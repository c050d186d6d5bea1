"""Functions of models, of the tests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from datastream.table import (
    AsyncPredictFunction,
    BatchPredictFunction,
    PandasPredictFunction,
    PredictContext,
    PredictFunction,
)
from datastream.types import Row


class Label(PredictFunction):
    """good, bad, or nothing for NULL, by the option ``good``."""

    def open(self, function_context: PredictContext) -> None:
        options = function_context.get_options()
        self.good = options["good"].split(",")
        self.columns = function_context.get_input_columns(), function_context.get_output_columns()

    def predict(self, row: Row) -> Any:
        assert self.columns == (["word"], ["label"])
        if row.word == "unknown":
            raise LookupError(f"no label for {row.word}")
        return None if row.word is None else "good" if row.word in self.good else "bad"


class Halves(PredictFunction):
    """As many rows as the number says."""

    def predict(self, row: Row) -> Iterator[tuple[float, list[int]]]:
        for i in range(row.n):
            yield row.n / 2, list(range(i))


class Doubled(AsyncPredictFunction):
    """Twice the number; the least one comes last."""

    async def async_predict(self, row: Row) -> dict[str, int]:
        for _ in range(12 // row.n if 0 < row.n < 5 else 0):  # turns of the loop, not a time
            await asyncio.sleep(0)
        return {"twice": row.n * 2}


class Either(PredictFunction, AsyncPredictFunction):
    """Says how it was called."""

    def predict(self, row: Row) -> str:
        return "sync"

    async def async_predict(self, row: Row) -> str:
        return "async"


class Batches(BatchPredictFunction):
    """Twice the numbers."""

    def predict_batch(self, rows: list[Row]) -> list[int]:
        return [2 * row.n for row in rows]


class Frames(PandasPredictFunction):
    """Twice the numbers and their texts, by names."""

    def predict_frame(self, frame: Any) -> Any:
        made = frame.assign(twice=frame["n"] * 2, text=frame["n"].astype(str))
        return made[["text", "twice"]]


class Arrays(PandasPredictFunction):
    """Twice the numbers, as models of scikit-learn return them."""

    def predict_frame(self, frame: Any) -> Any:
        return frame["n"].to_numpy() * 2


class TooFew(BatchPredictFunction):
    """A row less."""

    def predict_batch(self, rows: list[Row]) -> Sequence[int]:
        return [0] * (len(rows) - 1)


class Wrong(PredictFunction):
    """A text for a number."""

    def predict(self, row: Row) -> Any:
        return "two"


class Slow(AsyncPredictFunction):
    """Never comes."""

    async def async_predict(self, row: Row) -> Any:
        await asyncio.Event().wait()


class Unfinished(PredictFunction):
    """Lacks predict."""
