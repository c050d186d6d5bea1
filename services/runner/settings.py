"""What can be set, and which source of settings wins: flags, environment variables, the file, defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import click

from datastream.environments.secret_values import hide_arguments, shown_value
from datastream.errors import ValidationError

DEFAULT = "default"
#: What can be run; a source of settings names one of them.
_CODE = ("script", "module", "archive")

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_SECONDS = click.FloatRange(min=0)
_ABOVE_0 = click.FloatRange(min=0, min_open=True)


def _setting(default: Any, type: click.ParamType[Any], help: str, *flags: str, metavar: str | None = None) -> Any:
    about = {"type": type, "help": help, "flags": flags, "metavar": metavar}
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class RunnerSettings:
    """The settings of a run. Each is a flag, an environment variable and a key of the file; a secret is no flag."""

    script: Path | None = _setting(None, _FILE, "The job: a script.")
    module: str | None = _setting(
        None, click.STRING, "The job: a module, as after python -m.", "-m", metavar="PACKAGE.MODULE"
    )
    archive: Path | None = _setting(
        None,
        _FILE,
        "The job: a zip, pyz, wheel or tar.gz with __main__.py or with the module of -m.",
        metavar="FILE",
    )
    args: tuple[str, ...] = _setting((), click.STRING, "Arguments of the job.")
    parallelism: int | None = _setting(
        None, click.IntRange(min=1), "Default number of subtasks.", "-p", metavar="NUMBER"
    )
    master: str | None = _setting(None, click.STRING, "Spark master.  [default: local[*]]", metavar="URL")
    checkpoint_dir: str | None = _setting(
        None, click.STRING, "Where offsets, state and commits live; a job continues from it.", metavar="DIR"
    )
    from_savepoint: str | None = _setting(
        None, click.STRING, "A savepoint to take state and offsets over from.", metavar="DIR"
    )
    allow_non_restored_state: bool = _setting(
        False, click.BOOL, "Leave behind what of the savepoint the job has no operator for."
    )
    name: str | None = _setting(None, click.STRING, "Name of the job; wins over the script's.", metavar="NAME")
    executor: str = _setting("spark", click.Choice(["spark", "local"]), "Spark, or this process, for tests.")
    log_format: str = _setting("json", click.Choice(["json", "console"]), "One JSON object a line, or for people.")
    log_file: str | None = _setting(None, click.STRING, "Where Spark's own log goes.", metavar="FILE")
    verbose: bool = _setting(False, click.BOOL, "Whole tracebacks, Java's too.", "-v")
    address: str = _setting("127.0.0.1", click.STRING, "Address of the HTTP endpoints.", metavar="HOST")
    port: int = _setting(9249, click.IntRange(0, 65535), "Port of the HTTP endpoints; 0: a free one.", metavar="NUMBER")
    grace: float = _setting(25.0, _SECONDS, "After SIGTERM, time for the epoch in hand.", metavar="SECONDS")
    stuck_after: float = _setting(
        600.0,
        _SECONDS,
        "The job is unhealthy if it has work and commits nothing for so long; 0: never.",
        metavar="SECONDS",
    )
    upgrade: str = _setting(
        "refuse",
        click.Choice(["refuse", "savepoint"]),
        "What becomes of a job that does not fit its checkpoint; with savepoint it starts from one, and checkpoint-dir "
        "holds a checkpoint for each such start.",
    )
    scaling_min: int | None = _setting(
        None, click.IntRange(min=1), "Scale by backlog: the smallest parallelism.", metavar="NUMBER"
    )
    scaling_max: int | None = _setting(
        None, click.IntRange(min=1), "Scale by backlog: the largest parallelism.", metavar="NUMBER"
    )
    scaling_up_backlog: float = _setting(
        60.0, _ABOVE_0, "Double the parallelism when so much work waits.", metavar="SECONDS"
    )
    scaling_up_after: float = _setting(30.0, _SECONDS, "... for this time.", metavar="SECONDS")
    scaling_down_after: float = _setting(
        300.0, _SECONDS, "Halve the parallelism when the half would do for this time.", metavar="SECONDS"
    )
    scaling_utilization: float = _setting(
        0.7, click.FloatRange(0.05, 1), "How much of its capacity the half may be loaded with.", metavar="PART"
    )
    scaling_cooldown: float = _setting(120.0, _SECONDS, "No change for so long after a start.", metavar="SECONDS")
    standby: bool = _setting(False, click.BOOL, "Wait while another job holds the checkpoint directory.")
    control_token: str | None = _setting(None, click.STRING, "Who shows it may watch and steer the job by HTTP.")
    note: Path | None = _setting(
        None, click.Path(dir_okay=False, path_type=Path), "A file for process and URL of the endpoints.", metavar="FILE"
    )


FIELDS = {each.name.replace("_", "-"): each for each in fields(RunnerSettings)}


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
            values[about.name] = _converted(about.metadata["type"], given.value)
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
