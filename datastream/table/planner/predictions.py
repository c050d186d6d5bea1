"""ML_PREDICT: the rows of a table with what a model makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from datastream.config.duration_text import parse_duration_ms
from datastream.errors import ValidationError
from datastream.table.functions.implicit_casts import fits
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import unknown, wrong
from datastream.table.plan.expressions import Descriptor, Expression, Position
from datastream.table.plan.models import ModelShape
from datastream.table.plan.relations import Column, Predict, Relation, distinct_names
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import MapType, is_nullable
from datastream.table.types.type_text import summary

from .constants import NotConstant, constant
from .process_arguments import Given, GivenModel, GivenTable
from .resolver import Resolver
from .scope import Scope

NAME = "ML_PREDICT"
_ARGUMENTS = ("input", "model", "args", "config")
_MODES = ("ORDERED", "ALLOW_UNORDERED")


def prediction(
    name: str, given: Sequence[Given], functions: FunctionLookup, position: Position | None
) -> Relation | None:
    """The relation of a call; None: the function is another one.

    Args:
        name: Of the function.
        given: The arguments.
        functions: Finds functions; a user's of this name goes before.
        position: Where the call is written.

    Raises:
        ValidationError: An argument is missing or wrong.
    """
    if name.upper() != NAME or functions.find(name) is not None:
        return None
    return _Call(functions, position).bind(given)


class _Call:
    def __init__(self, functions: FunctionLookup, position: Position | None) -> None:
        self._functions, self._position = functions, position

    def bind(self, given: Sequence[Given]) -> Predict:
        found = self._matched(given)
        table, model, args = found["input"], found["model"], found["args"]
        if not isinstance(table.value, GivenTable):
            raise self._wrong("the argument 'input' expects a table: TABLE t", table)
        if table.value.partition:
            raise self._wrong("Only tables with set semantics may be partitioned. Invalid PARTITION BY", table)
        if not isinstance(model.value, GivenModel):
            raise self._wrong("the argument 'model' expects a model: MODEL m", model)
        if not isinstance(args.value, Descriptor):
            raise self._wrong("the argument 'args' expects columns: DESCRIPTOR(a, b)", args)
        relation, shape = table.value.relation, model.value.model
        places = self._places(relation, shape, args.value.names, args)
        config = self._config(found.get("config"))
        if shape.problem is not None:
            raise wrong(shape.problem, model.position or self._position)
        made = [*relation.columns, *shape.outputs]
        names = distinct_names([each.name for each in made])
        columns = tuple(
            Column(name, each.type, each.time if i < len(relation.columns) else None)
            for i, (name, each) in enumerate(zip(names, made, strict=True))
        )
        runs_async = self._runs_async(shape, config, found.get("config"))
        return Predict(relation, shape.path, places, tuple(config.items()), runs_async, columns=columns)

    def _matched(self, given: Sequence[Given]) -> dict[str, Given]:
        """The arguments by their names."""
        found: dict[str, Given] = {}
        for place, each in enumerate(given):
            if each.name is None and (place >= len(_ARGUMENTS) or any(before.name for before in given[:place])):
                raise self._wrong(f"takes {', '.join(_ARGUMENTS)}, those by place before those by name", each)
            name = _ARGUMENTS[place] if each.name is None else each.name.lower()
            if name not in _ARGUMENTS:
                raise unknown(f"argument of {NAME} has the name", each.name or "", _ARGUMENTS, each.position)
            if name in found:
                raise self._wrong(f"the argument '{name}' is given twice", each)
            found[name] = each
        missing = [name for name in _ARGUMENTS[:3] if name not in found]
        if missing:
            raise self._wrong(f"the argument '{missing[0]}' is missing: {NAME}(TABLE t, MODEL m, DESCRIPTOR(a))")
        return found

    def _places(self, relation: Relation, model: ModelShape, names: Sequence[str], given: Given) -> tuple[int, ...]:
        """Where the columns are that the model takes."""
        if len(names) != len(model.inputs):
            raise self._wrong(
                f"Number of descriptor columns ({len(names)}) does not match model input size ({len(model.inputs)}).",
                given,
            )
        places = []
        for position, (name, wanted) in enumerate(zip(names, model.inputs, strict=True)):
            if name not in relation.names:
                available = ", ".join(relation.names)
                raise self._wrong(
                    f"Descriptor column '{name}' not found in table columns. Available columns: {available}.", given
                )
            places.append(relation.names.index(name))
            kind = relation.columns[places[-1]].type
            if not fits(kind, wanted.type) or (is_nullable(kind) and not is_nullable(wanted.type)):
                raise self._wrong(
                    f"Descriptor column '{name}' type {summary(kind)} cannot be assigned to model input type "
                    f"{summary(wanted.type)} at position {position}.",
                    given,
                )
        return tuple(places)

    def _config(self, given: Given | None) -> dict[str, str]:
        """The pairs of a constant map of texts, tested."""
        if given is None:
            return {}
        problem = self._wrong("the argument 'config' expects a constant map of strings: MAP['async', 'true']", given)
        if not isinstance(given.value, Expression) or isinstance(given.value, Descriptor):
            raise problem
        resolved = Resolver(Scope((), ()), self._functions).resolve(given.value)
        if not isinstance(type_of(resolved), MapType):
            raise problem
        try:
            pairs = constant(resolved, self._functions)
        except NotConstant:
            raise problem from None
        if not pairs or not all(isinstance(text, str) for pair in pairs.items() for text in pair):
            raise problem
        self._check(pairs, given)
        return dict(pairs)

    def _check(self, config: Mapping[str, str], given: Given) -> None:
        known = ("async", "max-concurrent-operations", "output-mode", "timeout")
        for key, value in config.items():
            if key not in known:
                raise unknown(f"option of {NAME} has the name", key, known, given.position or self._position)
            if key == "async" and value.lower() not in ("true", "false"):
                raise self._wrong(f"Could not parse value '{value}' for key 'async'. Expected true or false", given)
            if key == "max-concurrent-operations" and not (value.isdecimal() and int(value)):
                raise self._wrong(
                    f"Invalid runtime config option '{key}'. Its value should be positive integer but was {value}.",
                    given,
                )
            if key == "output-mode" and value.upper() not in _MODES:
                raise self._wrong(f"Could not parse value '{value}' for key '{key}': {' or '.join(_MODES)}", given)
            if key == "timeout":
                try:
                    parse_duration_ms(key, value)
                except ValidationError as error:
                    raise self._wrong(str(error), given) from error

    def _runs_async(self, model: ModelShape, config: Mapping[str, str], given: Given | None) -> bool:
        wanted = config.get("async", "").lower()
        if wanted == "true" and not model.runs_async:
            raise self._wrong(
                f"Require async mode, but model provider {model.function} doesn't support async mode.", given
            )
        if wanted == "false" and not model.runs_sync:
            raise self._wrong(
                f"Require sync mode, but model provider {model.function} doesn't support sync mode.", given
            )
        return model.runs_async and wanted != "false"

    def _wrong(self, message: str, given: Given | None = None) -> ValidationError:
        return wrong(f"{NAME}: {message}", self._position if given is None else given.position or self._position)
