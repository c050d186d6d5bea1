"""Models as something that runs: by the function that their provider makes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.table.functions.predict_functions import (
    AsyncPredictFunction,
    BatchPredictFunction,
    PandasPredictFunction,
    PredictFunction,
)
from datastream.table.plan.models import ModelShape
from datastream.table.plan.relations import Column

_ASYNC = AsyncPredictFunction
_SYNC = (PredictFunction, BatchPredictFunction, PandasPredictFunction)
_KINDS = (*_SYNC, _ASYNC)


@dataclass(frozen=True)
class RunnableModel:
    """A model, and what runs it.

    Attributes:
        path: Its full name.
        inputs: Its input columns.
        outputs: Its output columns.
        options: Its options, secrets too.
        make: Makes the function that runs it: a class of one of the kinds of `predict_functions`.
    """

    path: tuple[str, ...]
    inputs: tuple[Column, ...]
    outputs: tuple[Column, ...]
    options: Mapping[str, str] = field(repr=False)
    make: type[Any]

    @property
    def shape(self) -> ModelShape:
        """The model as queries know it."""
        kind = self.make
        return ModelShape(
            self.path, self.inputs, self.outputs, issubclass(kind, _ASYNC), issubclass(kind, _SYNC), kind.__qualname__
        )


def runnable(
    path: tuple[str, ...], inputs: tuple[Column, ...], outputs: tuple[Column, ...], options: Mapping[str, str]
) -> RunnableModel:
    """A model with what runs it.

    Args:
        path: Its full name.
        inputs: Its input columns.
        outputs: Its output columns.
        options: Its options.

    Raises:
        ValidationError: Its options are wrong.
    """
    problem = f"Unable to create a model provider for model '{'.'.join(path)}'"
    if "provider" not in options:
        raise ValidationError(
            f"{problem}. Model options do not contain an option key 'provider' for discovering a provider."
        )
    provider = _PROVIDERS.get(options["provider"])
    if provider is None:
        raise ValidationError(
            f"{problem}: there is no provider '{options['provider']}'; there are {', '.join(sorted(_PROVIDERS))}"
        )
    try:
        return RunnableModel(path, inputs, outputs, dict(options), provider(inputs, outputs, options))
    except ValidationError as error:
        raise ValidationError(f"{problem}: {error}") from error


def _python(inputs: tuple[Column, ...], outputs: tuple[Column, ...], options: Mapping[str, str]) -> type[Any]:
    """The class that the option ``class`` names."""
    target = options.get("class")
    if not target:
        raise ValidationError("the option 'class' is missing: 'class' = 'module.Class'")
    module, _, name = target.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValidationError(f"the class {target} cannot be imported: {error}; expected module.Class") from error
    names = ", ".join(each.__name__ for each in _KINDS)
    if not (isinstance(found, type) and issubclass(found, _KINDS)):
        raise ValidationError(f"'class' = '{target}' must name a subclass of one of {names}, got {cut(found)}")
    if missing := getattr(found, "__abstractmethods__", None):
        raise ValidationError(f"the class {target} lacks the method {', '.join(sorted(missing))}")
    if sum(issubclass(found, each) for each in _SYNC) > 1:
        raise ValidationError(f"the class {target} must be one of {', '.join(each.__name__ for each in _SYNC)}")
    return found


def _openai(inputs: tuple[Column, ...], outputs: tuple[Column, ...], options: Mapping[str, str]) -> type[Any]:
    from .openai import openai  # with an HTTP client, which jobs without such a model do without

    return openai(inputs, outputs, options)


_PROVIDERS: dict[str, Callable[[tuple[Column, ...], tuple[Column, ...], Mapping[str, str]], type[Any]]] = {
    "openai": _openai,
    "python": _python,
}
