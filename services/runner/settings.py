"""What can be set, and which source of settings wins: flags, environment variables, the file, defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from datastream.cli.run_options import click_type
from datastream.config.run_options import RunOptions, option, options_of
from datastream.environments.secret_values import hide_arguments, shown_value
from datastream.errors import ValidationError

DEFAULT = "default"
#: What can be run; a source of settings names one of them.
_CODE = ("script", "module", "archive")

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _seconds(default: float, help: str, above_0: bool = False) -> Any:
    return option(default, help, type=click.FloatRange(min=0, min_open=above_0), metavar="SECONDS")


@dataclass
class _Code:
    """What is run."""

    script: Path | None = option(None, "The job: a script.", type=_FILE)
    module: str | None = option(None, "The job: a module, as after python -m.", "-m", metavar="PACKAGE.MODULE")
    archive: Path | None = option(
        None,
        "The job: a zip, pyz, wheel or tar.gz with __main__.py or with the module of -m.",
        type=_FILE,
        metavar="FILE",
    )
    args: tuple[str, ...] = option((), "Arguments of the job.")


@dataclass
class RunnerSettings(RunOptions, _Code):
    """The settings of a run. Each is a flag, an environment variable and a key of the file; a secret is no flag."""

    log_format: str = option("json", "One JSON object a line, or for people.", choices=("json", "console"))
    address: str = option("127.0.0.1", "Address of the HTTP endpoints.", metavar="HOST")
    port: int = option(
        9249, "Port of the HTTP endpoints; 0: a free one.", type=click.IntRange(0, 65535), metavar="NUMBER"
    )
    grace: float = _seconds(25.0, "After SIGTERM, time for the epoch in hand.")
    stuck_after: float = _seconds(
        600.0, "The job is unhealthy if it has work and commits nothing for so long; 0: never."
    )
    upgrade: str = option(
        "refuse",
        "What becomes of a job that does not fit its checkpoint; with savepoint it starts from one, and checkpoint-dir "
        "holds a checkpoint for each such start.",
        choices=("refuse", "savepoint"),
    )
    scaling_min: int | None = option(None, "Scale by backlog: the smallest parallelism.", least=1, metavar="NUMBER")
    scaling_max: int | None = option(None, "Scale by backlog: the largest parallelism.", least=1, metavar="NUMBER")
    scaling_up_backlog: float = _seconds(60.0, "Double the parallelism when so much work waits.", above_0=True)
    scaling_up_after: float = _seconds(30.0, "... for this time.")
    scaling_down_after: float = _seconds(300.0, "Halve the parallelism when the half would do for this time.")
    scaling_utilization: float = option(
        0.7, "How much of its capacity the half may be loaded with.", type=click.FloatRange(0.05, 1), metavar="PART"
    )
    scaling_cooldown: float = _seconds(120.0, "No change for so long after a start.")
    standby: bool = option(False, "Wait while another job holds the checkpoint directory.")
    control_token: str | None = option(None, "Who shows it may watch and steer the job by HTTP.")
    note: Path | None = option(
        None,
        "A file for process and URL of the endpoints.",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
    )


FIELDS = options_of(RunnerSettings)


@dataclass(frozen=True)
class Given:
    """A value, and where it came from."""

    value: Any
    origin: str


@dataclass
class Layer:
    """What one source sets.

    Attributes:
        settings: Name -> text, or a list of texts for the arguments.
        properties: Settings of datastream, Flink and Spark by key.
    """

    settings: dict[str, Given] = field(default_factory=dict)
    properties: dict[str, Given] = field(default_factory=dict)


@dataclass(frozen=True)
class Effective:
    """The settings that count.

    Attributes:
        runner: The runner's own.
        properties: Those of datastream, Flink and Spark by key.
        origins: Name or key -> where it came from.
    """

    runner: RunnerSettings
    properties: dict[str, str]
    origins: Mapping[str, str]

    def shown(self) -> dict[str, dict[str, Any]]:
        """Name or key -> value and origin, without secrets."""
        own = {name: _shown(name, getattr(self.runner, each.name)) for name, each in FIELDS.items()}
        keys = {key: _shown(key, value) for key, value in sorted(self.properties.items())}
        return {name: {"value": value, "from": self.origins[name]} for name, value in (own | keys).items()}


def resolve(layers: Sequence[Layer]) -> Effective:
    """Merge sources of settings; what an earlier one sets wins.

    Raises:
        ValidationError: A value is not of its type, or nothing says what to run.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    problems: list[str] = []
    code = next((layer.settings for layer in layers if any(name in layer.settings for name in _CODE)), {})
    for name, about in FIELDS.items():
        source: Iterable[dict[str, Given]] = [code] if name in _CODE else (layer.settings for layer in layers)
        given = next((settings[name] for settings in source if name in settings), None)
        origins[name] = DEFAULT if given is None else given.origin
        if given is None:
            continue
        try:
            values[about.name] = _converted(click_type(about), given.value)
        except click.BadParameter as error:
            problems.append(f"{given.origin}: {name}: {error.message}")
    if {"script", "module", "archive"} & code.keys() > {"script"}:
        problems.append(f"{code['script'].origin}: script: there is a module or an archive, too; give one of them")
    if not code:
        problems.append(
            "nothing says which job to run: give a script, -m PACKAGE.MODULE or --archive FILE (DATASTREAM_SCRIPT, "
            "DATASTREAM_MODULE, DATASTREAM_ARCHIVE; script, module or archive in the file)"
        )
    own = RunnerSettings(**values)
    problems += _unmet(own, origins)
    if problems:
        raise ValidationError("\n".join(problems))
    properties: dict[str, str] = {}
    for layer in layers:
        for key, given in layer.properties.items():
            if key not in properties:
                properties[key], origins[key] = given.value, given.origin
    return Effective(own, properties, origins)


def _unmet(own: RunnerSettings, origins: Mapping[str, str]) -> list[str]:
    """What settings need of others."""
    problems = _unmet_by_scaling(own, origins)
    if own.upgrade == "refuse":
        return problems
    if not own.checkpoint_dir:
        problems.append(f"{origins['upgrade']}: upgrade: savepoint needs a checkpoint-dir")
    if own.executor != "spark":
        problems.append(f"{origins['upgrade']}: upgrade: savepoint needs the executor spark, got {own.executor}")
    return problems


def _converted(type: click.ParamType[Any], value: Any) -> Any:
    if any("\0" in str(part) for part in (value if isinstance(value, (list, tuple)) else [value])):
        raise click.BadParameter("it holds a zero byte")
    if isinstance(value, (list, tuple)):
        return tuple(value)
    return type.convert(value, None, None)


def _shown(name: str, value: Any) -> Any:
    if isinstance(value, tuple):
        return hide_arguments(value)
    return None if value is None else shown_value(name, str(value) if isinstance(value, Path) else value)


def _unmet_by_scaling(own: RunnerSettings, origins: Mapping[str, str]) -> list[str]:
    """What scaling needs of other settings."""
    least, most = own.scaling_min, own.scaling_max
    if least is None and most is None:
        return [
            f"{origins[name]}: {name} has no effect without scaling-min and scaling-max"
            for name in FIELDS
            if name.startswith("scaling-") and origins[name] != DEFAULT
        ]
    if least is None or most is None:
        missing, given = ("scaling-min", "scaling-max") if least is None else ("scaling-max", "scaling-min")
        return [f"{origins[given]}: {given} needs {missing}"]
    problems = []
    if least > most:
        problems.append(f"{origins['scaling-min']}: scaling-min: it is {least}, and scaling-max {most}")
    if own.upgrade != "savepoint":
        problems.append(f"{origins['scaling-max']}: scaling-max needs upgrade: savepoint and a checkpoint-dir")
    elif "://" in (own.checkpoint_dir or "") and not str(own.checkpoint_dir).startswith("file://"):
        problems.append(
            f"{origins['scaling-max']}: scaling-max needs a checkpoint-dir that this machine reaches by a path, got "
            f"{own.checkpoint_dir}"
        )
    return problems
