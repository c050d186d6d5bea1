"""Reading pickles whose classes may be missing: a stand-in shows what an object was made of."""

from __future__ import annotations

import io
import pickle
from typing import Any


class StandIn:
    """An object whose class could not be imported. Takes whatever a pickle does to an object, and shows it."""

    def __new__(cls, *arguments: Any, **keywords: Any) -> StandIn:
        made = object.__new__(cls)
        made.__dict__["parts"] = [*arguments, *([keywords] if keywords else [])]
        return made

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        own, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
        self.__dict__["parts"] += [part for part in (own, slots) if part]

    def append(self, item: Any) -> None:
        self.__dict__["parts"].append(item)

    add = append

    def extend(self, items: Any) -> None:
        self.__dict__["parts"].extend(items)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.__dict__["parts"].append({key: value})

    def __repr__(self) -> str:
        name = f"{type(self).__module__}.{type(self).__qualname__}"
        return f"<{' '.join([name, *map(repr, self.__dict__['parts'])])}>"


class LenientReader:
    """Reads pickles.

    Attributes:
        missing: Names of the classes and functions that could not be imported, and why.
    """

    def __init__(self) -> None:
        self.missing: dict[str, str] = {}
        self._stand_ins: dict[tuple[str, str], type] = {}

    def loads(self, data: bytes | memoryview) -> Any:
        return _Unpickler(data, self).load()

    def stand_in(self, module: str, name: str, error: Exception) -> type:
        """What takes the place of a class."""
        self.missing.setdefault(f"{module}.{name}", f"{type(error).__name__}: {error}")
        place = (module, name)
        if place not in self._stand_ins:
            fields = {"__module__": module, "__qualname__": name}
            self._stand_ins[place] = type(name.rpartition(".")[2], (StandIn,), fields)
        return self._stand_ins[place]


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes | memoryview, reader: LenientReader) -> None:
        super().__init__(io.BytesIO(data))
        self._reader = reader

    def find_class(self, module: str, name: str) -> Any:
        try:
            return super().find_class(module, name)
        except Exception as error:  # a module may raise anything when it is imported
            return self._reader.stand_in(module, name, error)
