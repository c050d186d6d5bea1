"""A set of options by key."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from datastream.config.duration_text import parse_duration_ms
from datastream.config.list_text import parse_list
from datastream.errors import ValidationError, cut
from datastream.java_maps import hash_map_order, hash_order, string_hash


class Configuration:
    """Options by key. Values may be set as text and read as numbers or booleans, and the reverse.

    Args:
        other: A configuration to copy.
    """

    def __init__(self, other: Configuration | None = None) -> None:
        self._values: dict[str, Any] = {}
        if other is not None:
            self.add_all(other)

    @classmethod
    def from_dict(cls, map: Mapping[str, str]) -> Configuration:
        """Return a configuration with these options."""
        configuration = cls()
        configuration._values.update(map)
        return configuration

    def get_string(self, key: str, default_value: str) -> str:
        """Return the value as text, or the default when the key is not set."""
        return _as_text(self._values[key]) if key in self._values else default_value

    def set_string(self, key: str, value: str) -> Configuration:
        """Set the value."""
        return self._set(key, value)

    def get_integer(self, key: str, default_value: int) -> int:
        """Return the value as an integer, or the default when the key is not set.

        Raises:
            ValidationError: The value is no integer.
        """
        value = self._values.get(key)
        if value is None:
            return default_value
        text = _as_text(value)
        if not re.fullmatch(r"[+-]?[0-9]+", text) or not -(1 << 63) <= int(text) < 1 << 63:
            raise _mismatch(key, value, "an integer of 64 bits")
        return int(text)

    def set_integer(self, key: str, value: int) -> Configuration:
        """Set the value."""
        return self._set(key, value)

    def get_boolean(self, key: str, default_value: bool) -> bool:
        """Return the value as a boolean, or the default when the key is not set.

        Raises:
            ValidationError: The value is neither true nor false, in upper or lower case.
        """
        value = self._values.get(key)
        if value is None:
            return default_value
        text = _as_text(value).lower()
        if text not in ("true", "false"):
            raise _mismatch(key, value, "true or false")
        return text == "true"

    def set_boolean(self, key: str, value: bool) -> Configuration:
        """Set the value."""
        return self._set(key, value)

    def get_float(self, key: str, default_value: float) -> float:
        """Return the value as a float, or the default when the key is not set.

        Raises:
            ValidationError: The value is no number.
        """
        value = self._values.get(key)
        if value is None:
            return float(default_value)
        try:
            return float(_as_text(value))
        except ValueError:
            raise _mismatch(key, value, "a number") from None

    def set_float(self, key: str, value: float) -> Configuration:
        """Set the value."""
        return self._set(key, float(value))

    def get_bytearray(self, key: str, default_value: bytearray) -> bytearray:
        """Return the value as bytes, or the default when the key is not set.

        Raises:
            ValidationError: The value is not bytes.
        """
        value = self._values.get(key)
        if value is None:
            return bytearray(default_value)
        if not isinstance(value, (bytes, bytearray)):
            raise _mismatch(key, value, "bytes")
        return bytearray(value)

    def set_bytearray(self, key: str, value: bytearray) -> Configuration:
        """Set the value."""
        return self._set(key, bytes(value))

    def get_duration_ms(self, key: str, default_value: int) -> int:
        """Return the value as ms, or the default when the key is not set.

        `200`, `200 ms`, `3 min` and `1d` are amounts of time; a bare number is in ms.
        An addition to PyFlink's names.

        Raises:
            ValidationError: The value is no amount of time.
        """
        value = self._values.get(key)
        return default_value if value is None else parse_duration_ms(key, value)

    @staticmethod
    def parse_list_value(value: str) -> list[str]:
        """Return the items of `a;b`, of a YAML list in brackets, or of one with a dash a line.

        Raises:
            ValidationError: The brackets do not hold a flat list.
        """
        return parse_list(value) if value else []

    def key_set(self) -> set[str]:
        """Return the keys that are set."""
        return set(self._values)

    def add_all_to_dict(self, target_dict: dict[str, Any]) -> None:
        """Write all options, as they were set, into `target_dict`."""
        target_dict.update(self._values)

    def add_all(self, other: Configuration, prefix: str | None = None) -> Configuration:
        """Take over all options of `other`, with `prefix` put before each key."""
        self._values.update({(prefix or "") + key: value for key, value in other._values.items()})
        return self

    def contains_key(self, key: str) -> bool:
        """Whether the key is set."""
        return key in self._values

    def to_dict(self) -> dict[str, str]:
        """Return all options as text, in the order in which Java's map returns them."""
        return dict(hash_order(self._texts(), string_hash))

    def remove_config(self, key: str) -> bool:
        """Unset the key, and what it is the prefix of, as ``a.b`` is for ``a``. Return whether any was set."""
        found = [each for each in self._values if each == key or each.startswith(f"{key}.")]
        for each in found:
            del self._values[each]
        return bool(found)

    def _texts(self) -> dict[str, str]:
        return {key: _as_text(self._values[key]) for key in hash_map_order(self._values)}

    def _set(self, key: str, value: Any) -> Configuration:
        if value is None:
            raise ValidationError(f"Config '{key}' cannot be set to None; use remove_config to unset it.")
        self._values[key] = value
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Configuration:
        return Configuration(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Configuration) and self._typed() == other._typed()

    def _typed(self) -> dict[str, tuple[type, Any]]:
        """The options with their types: 3 and "3" differ, and so do 1 and True."""
        return {key: (type(value), value) for key, value in self._values.items()}

    def __hash__(self) -> int:
        return hash(frozenset(self.to_dict().items()))

    def __str__(self) -> str:
        return "{" + ", ".join(f"{key}={value}" for key, value in self._texts().items()) + "}"

    def __repr__(self) -> str:
        return f"Configuration({self})"


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, (bytes, bytearray)):
        return "!!binary |-\n  " + base64.b64encode(value).decode()
    if isinstance(value, (list, tuple)):
        return ";".join(map(_as_text, value))
    return str(value)


def _float_text(value: float) -> str:
    """A float as Flink's configuration shows it: Java's digits, YAML's names of what is not finite."""
    if value != value:
        return ".nan"
    if value in (float("inf"), float("-inf")):
        return ".inf" if value > 0 else "-.inf"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value) if "e" not in repr(value) else f"{value:f}"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    shown = "".join(map(str, digits)).rstrip("0") or "0"
    assert isinstance(exponent, int)
    return f"{'-' if sign else ''}{shown[0]}.{shown[1:] or '0'}E{exponent + len(digits) - 1}"


def _mismatch(key: str, value: object, expected: str) -> ValidationError:
    return ValidationError(f"Config '{key}' is {cut(value)}: expected {expected}.")
