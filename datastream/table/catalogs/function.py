"""`CatalogFunction` and `Procedure`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.errors import UnsupportedOperation


@dataclass(frozen=True)
class CatalogFunction:
    """A function of a catalog, by where its code is.

    Attributes:
        class_name: ``module.name`` of a function that `udf` or its kin give.
        language: ``PYTHON``, ``JAVA`` or ``SCALA``; only those of Python can be called.
        options: By key.
    """

    class_name: str
    language: str = "PYTHON"
    options: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def create_instance(class_name: str, function_language: str = "Python") -> CatalogFunction:
        """A function by its class, or ``module.name``."""
        return CatalogFunction(class_name, function_language.upper())

    def get_class_name(self) -> str:
        """The class, or ``module.name``."""
        return self.class_name

    def copy(self) -> CatalogFunction:
        """The same as another object."""
        return CatalogFunction(self.class_name, self.language, dict(self.options))

    def get_description(self) -> str:
        """What it is."""
        return "This is a user-defined function"

    def get_detailed_description(self) -> str:
        """What it is."""
        return "This is a user-defined function"

    def get_function_language(self) -> str:
        """``PYTHON``, ``JAVA`` or ``SCALA``."""
        return self.language

    def get_options(self) -> dict[str, str]:
        """Its options."""
        return dict(self.options)


class Procedure:
    """A procedure of a catalog."""

    def __init__(self, j_procedure: Any) -> None:
        raise UnsupportedOperation("Procedure: no catalog here has procedures; call a function of Python instead")
