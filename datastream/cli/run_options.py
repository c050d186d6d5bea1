"""Options of a run as click's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field
from typing import Any, TypeVar

import click

from datastream.config.run_options import RunOption, RunOptions, about, options_of

_Command = TypeVar("_Command", bound=Callable[..., Any])


def click_type(each: Field[Any]) -> click.ParamType[Any]:
    """What converts the texts of an option."""
    said = about(each)
    if said.type is not None:
        own: click.ParamType[Any] = said.type
        return own
    if isinstance(each.default, bool):
        return click.BOOL
    if said.choices:
        return click.Choice(said.choices)
    return click.STRING if said.least is None else click.IntRange(min=said.least)


def run_options(
    helps: Mapping[str, str] | None = None, only: Callable[[RunOption], bool] = lambda said: True
) -> Callable[[_Command], _Command]:
    """Give a command the options of a run; it gets them by name.

    Args:
        helps: Name -> what this command says instead of the option's own text.
        only: Which options it has.
    """

    def add(command: _Command) -> _Command:
        for name, each in reversed(options_of(RunOptions).items()):
            if only(about(each)):
                command = _option(name, each, (helps or {}).get(name))(command)
        return command

    return add


def _option(name: str, each: Field[Any], help: str | None) -> Callable[[_Command], _Command]:
    said = about(each)
    flags = [said.short, f"--{name}"] if said.short else [f"--{name}"]
    help = help or said.help
    if isinstance(each.default, bool):
        return click.option(*flags, is_flag=True, help=help)
    return click.option(
        *flags,
        type=click_type(each),
        default=each.default,
        show_default=each.default is not None,
        metavar=None if said.least is not None else said.metavar,
        help=help,
    )
