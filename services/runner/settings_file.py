"""Settings from a YAML file. Each wrong key is named with its line and with the key that was probably meant."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

import yaml

from datastream.config.known_keys import remedy_of
from datastream.errors import ValidationError

from .settings import FIELDS, Given, Layer

PROPERTIES = "properties"
ARGS = "args"
KEYS = (*FIELDS, PROPERTIES)


def read_file(path: Path) -> Layer:
    """The settings in a file.

    Raises:
        ValidationError: The file cannot be read, is not YAML, or a key or the form of a value is wrong. It names all
            of them.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ValidationError(f"the settings file {path} cannot be read: {why}") from error
    return read_text(text, str(path))


def read_text(text: str, where: str) -> Layer:
    """The settings in a text; `where` is its name in messages."""
    layer = Layer()
    problems = []
    for problem in _read(text, where, layer):
        problems.append(problem)
    if problems:
        raise ValidationError("\n".join(problems))
    return layer


def _read(text: str, where: str, layer: Layer) -> Iterator[str]:
    """Fill a layer; returns what is wrong."""
    root = _compose(text, where)
    if root is None:
        return
    if not isinstance(root, yaml.MappingNode):
        yield f"{where}:1: expected settings such as `port: 9249`, one a line"
        return
    for key, origin, node, problem in _entries(root, where, ""):
        if problem:
            yield problem
        elif key not in KEYS:
            yield f"{origin}: there is no setting {key!r}; {_remedy(key)}"
        elif key == PROPERTIES:
            yield from _read_properties(node, where, origin, layer)
        elif key == ARGS and isinstance(node, yaml.SequenceNode):
            scalars = [item for item in node.value if isinstance(item, yaml.ScalarNode)]
            if len(scalars) < len(node.value):
                yield f"{origin}: args: expected a list of texts"
            layer.settings[key] = Given([_text(item) for item in scalars], origin)
        elif key == ARGS or not isinstance(node, yaml.ScalarNode):
            yield f"{origin}: {key}: expected {'a list' if key == ARGS else 'one value'}"
        else:
            layer.settings[key] = Given(_text(node), origin)


def _read_properties(node: yaml.Node, where: str, origin: str, layer: Layer) -> Iterator[str]:
    if not isinstance(node, yaml.MappingNode):
        yield f"{origin}: properties: expected keys and values, one a line"
        return
    for key, place, value, problem in _entries(node, where, "properties: "):
        remedy = remedy_of(key)
        if problem:
            yield problem
        elif remedy is not None:
            yield f"{place}: properties: there is no setting {key!r}; {remedy}"
        elif not isinstance(value, yaml.ScalarNode):
            yield f"{place}: properties: {key}: expected one value; write the whole key, with its dots, on one line"
        else:
            layer.properties[key] = Given(_text(value), place)


def _entries(node: yaml.MappingNode, where: str, within: str) -> Iterator[tuple[str, str, yaml.Node, str]]:
    """Key, place, value and what is wrong with the key, of each entry."""
    lines: dict[str, int] = {}
    for key_node, value in node.value:
        line = key_node.start_mark.line + 1
        key = _text(key_node) if isinstance(key_node, yaml.ScalarNode) else ""
        origin = f"{where}:{line}"
        problem = ""
        if not isinstance(key_node, yaml.ScalarNode):
            problem = f"{origin}: {within}expected a key"
        elif key in lines:
            problem = f"{origin}: {within}{key!r} is set in line {lines[key]} already"
        elif isinstance(value, yaml.ScalarNode) and value.tag == "tag:yaml.org,2002:null":
            problem = f"{origin}: {within}{key!r} has no value"
        lines.setdefault(key, line)
        yield key, origin, value, problem


def _text(node: yaml.ScalarNode) -> str:
    """A scalar's text. JSON escapes what lies beyond 16 bits as two halves, which YAML takes for two characters."""
    halves = str(node.value)
    return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _compose(text: str, where: str) -> yaml.Node | None:
    try:
        return yaml.compose(text, yaml.SafeLoader)
    except RecursionError as error:
        raise ValidationError(f"{where}: too many levels inside each other") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f":{mark.line + 1}"
        why = getattr(error, "problem", None) or str(error)
        if isinstance(error, yaml.composer.ComposerError):  # it quotes a value, which may be a secret
            why = "a value that begins with * or & refers to another one; write it in quotes"
        raise ValidationError(f"{where}{line}: this is not YAML: {why}") from error


def _remedy(key: str) -> str:
    near = get_close_matches(key.replace("_", "-").lower(), KEYS, 1, 0.6)
    if near:
        return f"did you mean {near[0]}?"
    if "." in key:
        return "settings of datastream, Flink and Spark belong below `properties:`"
    return f"there are {', '.join(KEYS)}"
