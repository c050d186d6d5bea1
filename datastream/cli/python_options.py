"""Options of ``datastream run`` that name what the job brings: those of Flink's command, and of FLIP-38."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from datastream.config.python_settings import (
    ARCHIVES,
    CLIENT,
    CONTAINER,
    ENVIRONMENT,
    EXECUTABLE,
    FILES,
    PYTHON_PATH,
    REQUIREMENTS,
)
from datastream.config.settings import Settings, settings
from datastream.environments.needs import DOCKER, PROCESS
from datastream.errors import ValidationError

from .properties import parse_properties

_Command = TypeVar("_Command", bound=Callable[..., Any])
_SET = "datastream.settings"
_STARTED = "DATASTREAM_CLIENT_EXECUTABLE"


def _sets(key: str, *names: str, **given: Any) -> Callable[[_Command], _Command]:
    """An option that is another way to write a setting, and wins over ``-D``."""

    def take(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            settings().properties[key] = value
            context.meta.setdefault(_SET, set()).add(key)

    return click.option(*names, callback=take, expose_value=False, **given)


def _take_properties(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> None:
    said = context.meta.get(_SET, ())
    found = parse_properties(context, parameter, values)
    settings().properties.update({key: value for key, value in found.items() if key not in said})


#: What is run.
_CODE = (
    click.option(
        "-py",
        "--python",
        "python_script",
        metavar="FILE",
        help="The script, in place of the first argument; a path, or a URI of another file system.",
    ),
    click.option("-pym", "--pyModule", "--py-module", "module", metavar="NAME", help="A module to run, of --pyFiles."),
)
#: What it brings.
_SETTINGS = (
    _sets(
        FILES,
        "-pyfs",
        "--pyFiles",
        "--py-files",
        metavar="FILES",
        help="Modules for the script and its functions: .py, directories, .zip, .egg, .whl; with commas.",
    ),
    _sets(
        REQUIREMENTS,
        "-pyreq",
        "--pyRequirements",
        metavar="FILE[#DIR]",
        help="Packages that are installed for the job: a requirements file, and perhaps a directory of their wheels.",
    ),
    _sets(
        ARCHIVES,
        "-pyarch",
        "--pyArchives",
        metavar="FILES",
        help="Archives that are unpacked for the functions: FILE[#TARGET_DIR]; with commas.",
    ),
    _sets(
        EXECUTABLE,
        "-pyexec",
        "-py-exec",
        "--pyExecutable",
        "--py-exec",
        metavar="PYTHON",
        help="The interpreter of the functions: a path, perhaps into an archive, such as venv.zip/bin/python.",
    ),
    _sets(
        CLIENT,
        "-pyclientexec",
        "--pyClientExecutable",
        metavar="PYTHON",
        help="The interpreter of the script itself; it needs this project's package.",
    ),
    _sets(
        PYTHON_PATH,
        "-pypath",
        "--pyPythonPath",
        metavar="DIRS",
        help="Directories of modules, as of PYTHONPATH, for the functions.",
    ),
    _sets(
        ENVIRONMENT,
        "-py-env",
        "--py-env",
        type=click.Choice([PROCESS, DOCKER]),
        help="Where functions run: processes of this machine, or a container.  [default: process]",
    ),
    _sets(
        f"{CONTAINER}image",
        "-py-docker-image",
        "--py-docker-image",
        "--py-image",
        metavar="IMAGE",
        help="The container's image.",
    ),
    click.option(
        "-D",
        "properties",
        multiple=True,
        metavar="KEY=VALUE",
        expose_value=False,
        callback=_take_properties,
        help="A setting; may be repeated. spark.* go to Spark.",
    ),
)


def python_options(command: _Command) -> _Command:
    """Give a command these options, ``-D`` among them. Those that are settings are not among its arguments."""
    for option in reversed((*_CODE, *_SETTINGS)):
        command = option(command)
    return command


def job_settings(command: _Command) -> _Command:
    """Give a command those of these options that are settings, ``-D`` and ``--py-env`` among them."""
    for option in reversed(_SETTINGS):
        command = option(command)
    return command


def become_client(given: Settings) -> None:
    """Start anew in the interpreter that the script is to run in, if that is another one.

    Raises:
        ValidationError: There is none, or it lacks this project's package.
    """
    wanted = given.properties.get(CLIENT)
    if not wanted or os.environ.get(_STARTED) == wanted:
        return
    found = shutil.which(wanted)
    if found is None:
        raise ValidationError(f"the script's interpreter {wanted} does not exist")
    if os.path.abspath(found) == os.path.abspath(sys.executable):
        return
    import subprocess

    asked = subprocess.run([found, "-c", "import datastream.cli"], capture_output=True, text=True)
    if asked.returncode:
        said = (asked.stderr.strip().splitlines() or ["it ended"])[-1]
        raise ValidationError(
            f"the script's interpreter {wanted} cannot run jobs: {said}\n  install this project's package there"
        )
    sys.stdout.flush()
    os.execve(found, [found, "-m", "datastream.cli", *sys.argv[1:]], {**os.environ, _STARTED: wanted})
