"""Settings that name what a job brings for its workers, and what they come to."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping

from datastream.environments.archives import target_of
from datastream.environments.fetch import local_path
from datastream.environments.needs import DOCKER, PROCESS, Archive, CachedFile, Container, EnvironmentRefused, Needs
from datastream.errors import ValidationError, cut

from .configuration import Configuration

FILES = "python.files"
REQUIREMENTS = "python.requirements"
ARCHIVES = "python.archives"
EXECUTABLE = "python.executable"
CLIENT = "python.client.executable"
PYTHON_PATH = "python.pythonpath"
CACHED_FILES = "pipeline.cached-files"
ENVIRONMENT = "datastream.python.environment"
CONTAINER = "datastream.python.container."
#: Between a file and what belongs to it: a cached directory, a target directory.
WITH = "#"


def needs_of(configuration: Configuration) -> Needs:
    """What a job brings, by its settings.

    Raises:
        ValidationError: One is wrong.
    """

    def value(key: str) -> str:
        return configuration.get_string(key, "").strip()

    requirements, _, wheels = value(REQUIREMENTS).partition(WITH)
    archives = [part.partition(WITH)[::2] for part in _parts(value(ARCHIVES))]
    return Needs(
        files=tuple(local_path(part) for part in [*_parts(value(FILES)), *_parts(value(PYTHON_PATH), ",:")]),
        requirements=local_path(requirements) if requirements else None,
        wheels=local_path(wheels) if wheels else None,
        archives=tuple(archive_of(local_path(path), target or None) for path, target in archives),
        executable=value(EXECUTABLE) or None,
        cached=_cached_files(value(CACHED_FILES)),
        container=_container(configuration),
    )


def with_paths(settings: Mapping[str, str], change: Callable[[str, str], str]) -> dict[str, str]:
    """The settings among these that name files, with other paths.

    Args:
        settings: All of them.
        change: Gets a setting's key and a path of it, and returns the other path.
    """

    def each(key: str, separators: str) -> str:
        parts = [part.partition(WITH) for part in _parts(settings[key], separators)]
        return ",".join(f"{change(key, path)}{mark}{other}" for path, mark, other in parts)

    found = {key: each(key, ",") for key in (FILES, ARCHIVES) if settings.get(key)}
    if settings.get(PYTHON_PATH):
        found[PYTHON_PATH] = each(PYTHON_PATH, ",:")
    if settings.get(REQUIREMENTS):
        path, mark, folder = settings[REQUIREMENTS].partition(WITH)
        found[REQUIREMENTS] = f"{change(REQUIREMENTS, path)}{mark}{change(REQUIREMENTS, folder) if folder else ''}"
    if settings.get(CACHED_FILES):
        found[CACHED_FILES] = ";".join(
            f"name:{name},path:{change(CACHED_FILES, path)},executable:{str(executable).lower()}"
            for name, path, executable in _cached_parts(settings[CACHED_FILES])
        )
    return found


def absolute(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings among these that name files, with absolute paths: for a script that goes to another folder.

    Args:
        settings: All of them.
    """
    found = with_paths(settings, lambda key, path: local_path(path))
    executable = settings.get(EXECUTABLE, "")
    if "/" in executable and os.path.exists(executable):
        found[EXECUTABLE] = os.path.abspath(executable)
    return found


def _container(configuration: Configuration) -> Container | None:
    kind = configuration.get_string(ENVIRONMENT, PROCESS)
    if kind not in (PROCESS, DOCKER):
        raise ValidationError(f"{ENVIRONMENT} must be {PROCESS} or {DOCKER}, got {cut(kind)}")

    def value(name: str) -> str | None:
        return configuration.get_string(f"{CONTAINER}{name}", "").strip() or None

    image = value("image")
    if kind == PROCESS:
        if image is not None:
            raise ValidationError(
                f"the image {image} is given, but workers run as processes: --py-env docker, or "
                f"-D {ENVIRONMENT}={DOCKER}"
            )
        return None
    if image is None:
        raise ValidationError(
            f"{ENVIRONMENT} is {DOCKER}, and no image is named: --py-docker-image, or -D {CONTAINER}image=NAME"
        )
    return Container(
        image,
        memory=value("memory"),
        cpus=value("cpus"),
        user=value("user"),
        network=value("network") or Container.network,
        mounts=tuple(_parts(value("mounts") or "")),
        variables=tuple(_parts(value("variables") or "")),
        arguments=tuple(shlex.split(value("arguments") or "")),
    )


def _cached_files(text: str) -> tuple[CachedFile, ...]:
    return tuple(CachedFile(local_path(path), name, executable) for name, path, executable in _cached_parts(text))


def _cached_parts(text: str) -> Iterator[tuple[str, str, bool]]:
    """Name, path and whether it can be run, of each of ``name:a,path:file:///tmp/a;name:...``, as Flink writes them."""
    for entry in filter(None, (part.strip() for part in text.split(";"))):
        pairs = dict(re.findall(r"(name|path|executable):(.*?)(?=,(?:name|path|executable):|$)", entry))
        if not pairs.get("name") or not pairs.get("path"):
            raise ValidationError(
                f"{CACHED_FILES} must be like name:a,path:/data/a;name:b,path:/data/b, got {cut(text)}"
            )
        yield pairs["name"], pairs["path"].strip("`'\""), pairs.get("executable", "").lower() == "true"


def archive_of(path: str, target: str | None) -> Archive:
    """An archive, in a folder of its own name by default.

    Raises:
        ValidationError: The folder is outside of the workers' own.
    """
    try:
        return Archive(path, target_of(os.path.basename(path) if target is None else target))
    except EnvironmentRefused as error:
        raise ValidationError(str(error)) from None


def _parts(text: str, separators: str = ",") -> list[str]:
    return [part for part in (piece.strip() for piece in re.split(f"[{separators}]", text)) if part]
