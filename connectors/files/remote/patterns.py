"""Which remote files a path means: a file, all below a folder, or what a glob pattern fits."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator

from datastream.connectors.files.listing import FoundFile, is_hidden
from datastream.errors import ValidationError

from .file_system import FileSystem
from .file_systems import file_system
from .location import Location


def find_below(location: Location, after: str = "") -> Iterator[FoundFile]:
    """The files that a path means, in an order that is always the same; hidden ones (``.``, ``_``) are left out.

    Args:
        location: A file, a folder or a pattern.
        after: Only those after this one; empty: all.
    """
    files = file_system(location)
    uri = location.uri
    if not files.listable or location.path:
        found = files.stat(uri)
        if found is not None:  # named by itself: taken even if it is hidden or looks like a pattern
            if not after:
                yield found
            return
    if not files.listable:
        return
    if has_pattern(location):
        yield from _matching(files, location, after)
        return
    yield from files_in(location, after)


def files_in(folder: Location, after: str = "") -> Iterator[FoundFile]:
    """The files below a folder, as `find_below` returns them."""
    prefix = folder.uri + "/"
    for found in file_system(folder).find(prefix, after):
        if not _hidden_below(prefix, found.path):
            yield found


def means(location: Location, uri: str) -> bool:
    """Whether a path means a file, by its name alone."""
    if uri == location.uri:
        return True
    if has_pattern(location):
        base = _fixed(location)
        base = base[: base.rfind("/") + 1]
        return (
            uri.startswith(base)
            and not _hidden_below(base, uri)
            and re.fullmatch(_expression(location.uri), uri) is not None
        )
    return uri.startswith(location.uri + "/") and not _hidden_below(location.uri + "/", uri)


def has_pattern(location: Location) -> bool:
    """Whether the path has characters of a pattern."""
    return glob.has_magic(location.path)


def check_location(location: Location) -> None:
    """See that there is something at a path.

    Raises:
        ValidationError: naming the path, and what was looked for.
        ConnectionError: the file system does not answer.
        JobError: it refuses.
    """
    if next(find_below(location), None) is not None:
        return
    if has_pattern(location):
        raise ValidationError(f"FileSource: no file or folder matches the pattern {location.uri}")
    raise ValidationError(f"FileSource: no file or folder at {location.uri}")


def _matching(files: FileSystem, location: Location, after: str) -> Iterator[FoundFile]:
    fixed = _fixed(location)
    base = fixed[: fixed.rfind("/") + 1]
    fits = re.compile(_expression(location.uri))
    for found in files.find(fixed, after):
        if not _hidden_below(base, found.path) and fits.fullmatch(found.path):
            yield found


def _fixed(location: Location) -> str:
    """What is before the pattern's first special character."""
    return re.split(r"[*?\[]", location.uri, maxsplit=1)[0]


def _expression(pattern: str) -> str:
    """A regular expression of a glob pattern; also of all that is below a folder that fits."""
    parts: list[str] = []
    position = 0
    while position < len(pattern):
        rest = pattern[position:]
        if rest.startswith("**/"):
            parts.append("(?:[^/]+/)*")
            position += 3
        elif rest.startswith("*"):
            stars = len(rest) - len(rest.lstrip("*"))
            parts.append("[^/]*" if stars == 1 else ".*")
            position += stars
        elif rest.startswith("?"):
            parts.append("[^/]")
            position += 1
        elif (group := re.match(r"\[(!?)(\]?[^\]]*)\]", rest)) is not None:
            inside = group[2].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("^", "\\^")
            parts.append(f"[{'^' if group[1] else ''}{inside}]")
            position += group.end()
        else:
            parts.append(re.escape(rest[0]))
            position += 1
    return "".join(parts) + "(?:/.*)?"


def _hidden_below(folder: str, uri: str) -> bool:
    return any(is_hidden(name) for name in uri[len(folder) :].split("/"))
