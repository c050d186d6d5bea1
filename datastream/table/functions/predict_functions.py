"""Functions that run models: what `ML_PREDICT` calls for a model of the provider ``python``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from datastream.table.functions.user_functions import FunctionContext, UserDefinedFunction

if TYPE_CHECKING:
    import pandas

    from datastream.types import Row


class PredictContext(FunctionContext):
    """What such a function knows of its model and of where it runs.

    Args:
        options: The model's.
        inputs: The names of its input columns.
        outputs: The names of its output columns.
        args: As `FunctionContext` takes them.
    """

    def __init__(self, options: Mapping[str, str], inputs: Sequence[str], outputs: Sequence[str], *args: Any) -> None:
        super().__init__(*args)
        self._options, self._inputs, self._outputs = dict(options), list(inputs), list(outputs)

    def get_options(self) -> dict[str, str]:
        """The options of the model, secrets too."""
        return dict(self._options)

    def get_input_columns(self) -> list[str]:
        """The names of the input columns."""
        return list(self._inputs)

    def get_output_columns(self) -> list[str]:
        """The names of the output columns."""
        return list(self._outputs)


class PredictFunction(UserDefinedFunction, ABC):
    """Runs a model for one row at a time. ``open`` gets a `PredictContext`; load the model there."""

    @abstractmethod
    def predict(self, row: Row) -> Any:
        """What the model makes of a row.

        Args:
            row: The input columns, with the model's names.

        Returns:
            A row of the output columns: a Row, a tuple or a dict; of a single column also its value. Or a list or a
            generator of rows; None for none, so that the row of the table is left out, too.
        """


class AsyncPredictFunction(UserDefinedFunction, ABC):
    """Runs a model for several rows at the same time, such as by requests to a server."""

    @abstractmethod
    async def async_predict(self, row: Row) -> Any:
        """What the model makes of a row; see `PredictFunction.predict`."""


class BatchPredictFunction(UserDefinedFunction, ABC):
    """Runs a model for many rows at once."""

    @abstractmethod
    def predict_batch(self, rows: list[Row]) -> Sequence[Any]:
        """What the model makes of rows, up to some thousand.

        Args:
            rows: The input columns, with the model's names.

        Returns:
            One row of the output columns for each row, in the same order; of a single column also its value.
        """


class PandasPredictFunction(UserDefinedFunction, ABC):
    """Runs a model for many rows at once, as a DataFrame."""

    @abstractmethod
    def predict_frame(self, frame: pandas.DataFrame) -> Any:
        """What the model makes of rows, up to some thousand.

        Args:
            frame: The input columns, with the model's names.

        Returns:
            A DataFrame of the output columns with as many rows, in the same order; of a single column also a Series or
            an array.
        """
