"""The functions of compiled plans, which name them and do not hold them."""

from __future__ import annotations

from typing import Any

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.table.catalogs.function_registry import FunctionRegistry
from datastream.table.execution.json_form import Damaged
from datastream.table.functions.collections import NUMBERED, UNNEST
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.user_functions import UserFunction
from datastream.table.types.type_text import quoted, sql


class PlanFunctions:
    """Names of functions in JSON: those of the library as they are, those of users as registered, in backquotes.

    Args:
        registry: Where functions are.
        signatures: Of a plan that is read; see below.

    Attributes:
        signatures: Name of a user's function -> its kind and the type of its results.
    """

    def __init__(self, registry: FunctionRegistry, signatures: Any = None) -> None:
        self._registry = registry
        self.signatures: dict[str, Any] = {} if signatures is None else signatures

    def stored(self, name: str) -> str:
        """The name in JSON of a function's name in a plan.

        Raises:
            UnsupportedOperation: It is not registered.
        """
        found = self._registry.find(name)
        if found is None or isinstance(found, Entry | AggregateEntry):
            return name
        path = self._registry.path_of(found)
        if path is None:
            raise UnsupportedOperation(
                f"the function {name} is called without a name, or was dropped, so a plan cannot name it: register it "
                "by create_temporary_function and call it by its name"
            )
        text = ".".join(map(quoted, path))
        self.signatures[text] = _signature(found)
        return text

    def planned(self, text: str) -> str:
        """The name in a plan of a function's name in JSON.

        Raises:
            Damaged: Nothing can have this name.
            ValidationError: There is no such function of the user's, or one with other results.
        """
        if not text.startswith("`"):
            if text not in (UNNEST, NUMBERED) and self._registry.find(text) is None:
                raise Damaged(f"there is no function {cut(text)} in the library")
            return text
        if not isinstance(self.signatures, dict) or text not in self.signatures:
            raise Damaged(f"the function {text} is not among its functions")
        found = self._registry.registered(tuple(part.replace("``", "`") for part in text[1:-1].split("`.`")))
        if found is None:
            raise ValidationError(
                f"the plan calls the function {text}, which is not registered. Plans do not hold functions: create it "
                "before the plan is loaded, by create_temporary_function or CREATE FUNCTION"
            )
        if _signature(found) != self.signatures[text]:
            raise ValidationError(
                f"the function {text} is {_signature(found)}, and the plan was compiled with {self.signatures[text]}: "
                "compile the statement again"
            )
        return found.name


def _signature(function: UserFunction) -> dict[str, str]:
    return {"kind": function.kind, "result": sql(function.result_type)}
