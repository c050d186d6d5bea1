"""Settings from environment variables: ``DATASTREAM_`` and the setting's name."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from difflib import get_close_matches

from datastream.config.known_keys import FLINK_KEYS, OUR_KEYS, remedy_of
from datastream.errors import ValidationError

from .settings import FIELDS, Given, Layer
from .settings_file import ARGS, PROPERTIES, read_text

PREFIX = "DATASTREAM_"
CONFIG = "DATASTREAM_CONFIG"
_PROPERTY = "DATASTREAM_PROPERTIES__"
_NAMES = {PREFIX + name.upper().replace("-", "_"): name for name in (*FIELDS, PROPERTIES)}
#: Variables of the library itself, and of its tests.
_OTHERS = re.compile(r"DATASTREAM_(JAVA_ARCHIVE|ARCHIVE_DUMP|PYTHON|TEST_.*|REQUIRE_.*)")
#: Docker and Kubernetes set such variables for a service whose name begins with "datastream".
_SERVICE = re.compile(r"DATASTREAM_(.*_)?(SERVICE_(HOST|PORT(_.*)?)|PORT_[0-9]+_(TCP|UDP|SCTP)(_.*)?|NAME|ENV_.*)")
_SERVICE_ADDRESS = re.compile(r"(tcp|udp|sctp)://")
_BY_VARIABLE = {re.sub(r"[.-]", "_", key).upper(): key for key in (*OUR_KEYS, *FLINK_KEYS)}


def read_environment(variables: Mapping[str, str]) -> tuple[Layer, list[str]]:
    """The settings in environment variables, and the names of variables that look like settings but are none.

    Raises:
        ValidationError: A name is nearly that of a setting, or a value has not the form that it needs.
    """
    layer = Layer()
    problems: list[str] = []
    unknown: list[str] = []
    for variable in sorted(variables):
        value = variables[variable]
        if not variable.startswith(PREFIX) or variable == CONFIG or _SERVICE_ADDRESS.match(value):
            continue
        try:
            if variable.startswith(_PROPERTY):
                _read_property(variable, value, layer)
            elif variable in _NAMES:
                _read_setting(variable, value, layer)
            elif not _OTHERS.fullmatch(variable) and not _SERVICE.fullmatch(variable):
                near = get_close_matches(variable, [*_NAMES, CONFIG], 1, 0.85)
                if near:
                    raise ValidationError(f"{variable}: there is no such setting; did you mean {near[0]}?")
                unknown.append(variable)
        except ValidationError as error:
            problems.append(str(error))
    if problems:
        raise ValidationError("\n".join(problems))
    return layer, unknown


def _read_setting(variable: str, value: str, layer: Layer) -> None:
    name = _NAMES[variable]
    if name == PROPERTIES:
        for key, given in read_text(f"{PROPERTIES}:\n" + _indented(value), variable).properties.items():
            layer.properties.setdefault(key, Given(given.value, variable))
    elif name == ARGS:
        try:
            layer.settings[name] = Given(shlex.split(value), variable)
        except ValueError as error:
            raise ValidationError(f"{variable}: {error}; quote as in a shell") from error
    elif value:  # compose files set a variable that has no value to an empty text
        layer.settings[name] = Given(value, variable)


def _indented(text: str) -> str:
    return "\n".join(f" {line}" for line in text.splitlines())


def _read_property(variable: str, value: str, layer: Layer) -> None:
    """``DATASTREAM_PROPERTIES__DATASTREAM_EPOCH_TARGET_MS``, or a key in its own case with ``__`` for a dot."""
    name = variable.removeprefix(_PROPERTY)
    key = name.replace("__", ".")
    if name.isupper():
        found = _BY_VARIABLE.get(name.replace("__", "_"))
        if found is None:
            near = get_close_matches(name.replace("__", "_"), _BY_VARIABLE, 1, 0.75)
            remedy = (
                f"did you mean {_PROPERTY}{near[0]}?"
                if near
                else f"write other keys in their own case, with __ for a dot: {_PROPERTY}spark__driver__memory"
            )
            raise ValidationError(f"{variable}: there is no such setting; {remedy}")
        key = found
    remedy_of_key = remedy_of(key)
    if remedy_of_key is not None:
        raise ValidationError(f"{variable}: there is no setting {key!r}; {remedy_of_key}")
    layer.properties[key] = Given(value, variable)
