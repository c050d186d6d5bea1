"""Options of commands whose process starts any number of jobs, such as prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from datastream.config.run_options import RunOptions
from datastream.config.settings import Settings, settings

from .python_options import job_settings
from .run_options import run_options

_Command = TypeVar("_Command", bound=Callable[..., Any])
#: Options of a run that are about one job, by their names in the gateway.
_OF_ONE_JOB = ("name", "savepointPath", "allowNonRestoredState")


def session_options(command: _Command) -> _Command:
    """Give a command the options of `datastream run` but for those that are about one job or its script."""
    return run_options(only=lambda said: said.in_gateway not in _OF_ONE_JOB)(job_settings(command))


def take_options(options: Mapping[str, Any]) -> Settings:
    """The settings of the process, with these options.

    Raises:
        UsageError: the driver would be a pod.
    """
    given = settings()
    given.take(RunOptions(**options))
    given.log_format = given.log_format or "console"
    if (given.master or "").startswith("k8s://"):
        from .run_in_pod import runs_in_pod

        if runs_in_pod(given):
            raise click.UsageError("--master k8s://...: this command's process is the driver, which cannot be a pod")
    return given
