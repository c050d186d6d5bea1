"""What a job brings for its workers: files, packages, archives, an interpreter, an image."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from datastream.config import Configuration
from datastream.config.python_settings import EXECUTABLE, archive_of, needs_of
from datastream.environments.archives import is_archive
from datastream.environments.fetch import local_path
from datastream.environments.needs import Archive, CachedFile, Needs, is_remote
from datastream.environments.packages import own_needs
from datastream.errors import ValidationError, cut


class PythonDependencies:
    """The calls of `StreamExecutionEnvironment` that name what workers need, and the settings that do."""

    _configuration: Configuration

    def __init__(self) -> None:
        self._files: list[str] = []
        self._archives: list[Archive] = []
        self._cached: list[CachedFile] = []
        self._requirements: tuple[str, str | None] | None = None

    def add_python_file(self, file_path: str) -> None:
        """Make modules importable for the job's functions, and for this script.

        The same as the setting ``python.files``, with commas between several.

        Args:
            file_path: A module's file, a folder that modules and packages lie in, a zip file, an egg or a wheel; a
                path, or a URI of another file system.

        Raises:
            ValidationError: It does not exist.
        """
        path = _existing("add_python_file", file_path)
        if not is_remote(path):
            of_itself = os.path.isdir(path) or is_archive(path)
            sys.path.append(path if of_itself else os.path.dirname(path))
        self._files.append(path)

    def set_python_requirements(self, requirements_file_path: str, requirements_cache_dir: str | None = None) -> None:
        """Name the packages that functions need; they are installed for the job's workers, once a machine.

        The same as the setting ``python.requirements``: a file, and perhaps ``#`` and a directory.

        Args:
            requirements_file_path: A requirements file, as of pip.
            requirements_cache_dir: A directory of their wheels and source archives, as ``pip download`` fills it. With
                one no index is asked.

        Raises:
            ValidationError: A file does not exist.
        """
        path = _existing("set_python_requirements", requirements_file_path)
        folder = None
        if requirements_cache_dir is not None:
            folder = _existing("set_python_requirements", requirements_cache_dir)
        self._requirements = path, folder

    def add_python_archive(self, archive_path: str, target_dir: str | None = None) -> None:
        """Have an archive unpacked for the functions, which run in the folder that its target directory is in.

        The same as the setting ``python.archives``, with commas between several and ``#`` before a target directory.

        Args:
            archive_path: A file: zip, jar, tar, tar.gz, tgz.
            target_dir: A relative path. Default: the archive's name, so that ``venv.zip/bin/python`` is a path.

        Raises:
            ValidationError: It does not exist, or the directory is outside.
        """
        path = _existing("add_python_archive", archive_path)
        self._archives.append(archive_of(path, target_dir))

    def set_python_executable(self, python_exec: str) -> None:
        """Name the interpreter that functions run in; the same as the setting ``python.executable``.

        Args:
            python_exec: A path, a path into an archive such as ``venv.zip/bin/python``, or a name on ``PATH``; of the
                same minor version as this script's.
        """
        self._configuration.set_string(EXECUTABLE, _text("set_python_executable", python_exec))

    def register_cached_file(self, file_path: str, name: str, executable: bool = False) -> None:
        """Give functions a file: ``runtime_context.get_distributed_cache().get_file(name)`` is its path where they run.

        Args:
            file_path: A file or folder; a path, or a URI of another file system.
            name: What functions know it by.
            executable: Whether it is a program.

        Raises:
            ValidationError: It does not exist, or the name is taken.
        """
        path = _existing("register_cached_file", file_path)
        if any(file.name == name for file in self._cached):
            raise ValidationError(f"register_cached_file: there is a cached file called '{name}' already")
        self._cached.append(CachedFile(path, _text("register_cached_file", name), bool(executable)))

    def _needs(self) -> Needs:
        """What the job brings, by its settings and by calls.

        Raises:
            ValidationError: A setting is wrong.
        """
        needs = needs_of(self._configuration)
        needs = replace(
            needs,
            files=tuple(dict.fromkeys([*needs.files, *self._files])),
            archives=tuple(dict.fromkeys([*needs.archives, *self._archives])),
            cached=tuple(dict.fromkeys([*needs.cached, *self._cached])),
        )
        if self._requirements is not None:
            needs = replace(needs, requirements=self._requirements[0], wheels=self._requirements[1])
        return replace(needs, constraints=own_needs()) if needs.requirements else needs


def _text(call: str, value: str) -> str:
    if not isinstance(value, (str, os.PathLike)) or not str(value):
        raise ValidationError(f"{call} needs a text, got {cut(value)}")
    return str(value)


def _existing(call: str, path: str) -> str:
    """The absolute path of a file that must exist.

    Raises:
        ValidationError: It does not; `call` is for the message.
    """
    found = local_path(_text(call, path))
    if not is_remote(found) and not os.path.exists(found):
        where = "" if os.path.isabs(path) else f" in {os.getcwd()}"
        raise ValidationError(f"{call}: {path} does not exist{where}")
    return found
