"""``datastream-runner``: its options, and where its settings come from."""

from __future__ import annotations

import gc
import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from datastream.cli.properties import parse_properties
from datastream.cli.run_options import click_type
from datastream.config.run_options import about
from datastream.config.settings import settings
from datastream.driver.run import prewarm, set_up_log
from datastream.errors import DataStreamError

from .exit_codes import FORCED
from .restart import heed_signals, remember_start
from .scaled_settings import scaled
from .settings import FIELDS, Effective, Given, Layer, resolve

_NO_FLAG = ("script", "args", "control-token")  # arguments, and a secret, which flags would show in lists of processes
_EXTRA = ("yaml",)


def main() -> None:
    """Entry point of ``datastream-runner`` and of ``python -m datastream.services.runner``."""
    command.main(prog_name="datastream-runner")


def _options() -> list[click.Parameter]:
    options: list[click.Parameter] = [
        click.Option(
            ["--config"],
            metavar="FILE",
            envvar="DATASTREAM_CONFIG",
            help="A YAML file with settings.",
        )
    ]
    for name, each in FIELDS.items():
        said, type = about(each), click_type(each)
        if name in _NO_FLAG:
            continue
        is_flag = type is click.BOOL
        default = f"  [default: {each.default}]" if each.default not in (None, False) else ""
        options.append(
            click.Option(
                [f"--{name}", *([said.short] if said.short else [])],
                type=None if is_flag else str,
                is_flag=is_flag,
                default=None,
                metavar=said.metavar or ("|".join(getattr(type, "choices", ())) or None),
                help=said.help + default,
            )
        )
    options.append(
        click.Option(
            ["-D", "properties"],
            multiple=True,
            metavar="KEY=VALUE",
            callback=parse_properties,
            help="A setting of datastream, Flink or Spark; may be repeated.",
        )
    )
    return [*options, click.Argument(["job"], nargs=-1, type=click.UNPROCESSED, metavar="[SCRIPT] [ARGS]...")]


def _run(config: str | None, properties: dict[str, str], job: tuple[str, ...], **flags: Any) -> None:
    """Run one job as the main process of a container: SCRIPT ARGS, -m PACKAGE.MODULE ARGS or --archive FILE ARGS.

    \b
    Each option is also an environment variable (DATASTREAM_CHECKPOINT_DIR) and a key of the file (checkpoint-dir).
    Flags win over the environment, the environment over the file.
    \b
    Exit code: 0 ended as asked, 1 failed, 2 the job or a setting is wrong, 3 the port is taken,
    75 another driver holds the checkpoint directory, 143 given up after SIGTERM's grace period.
    """
    remember_start()
    if missing := [name for name in _EXTRA if find_spec(name) is None]:
        raise click.UsageError(f"no package {missing[0]}: install the extra: pip install 'spark-datastream[runner]'")
    try:
        effective, ignored = effective_settings(config, _layer_of(flags, properties, job))
        effective = scaled(effective)
    except DataStreamError as error:
        from datastream.driver.failures import exit_code, report

        log_format = str(flags["log_format"] or os.environ.get("DATASTREAM_LOG_FORMAT", "json"))
        set_up_log(log_format, verbose=False)
        report(error, log_format, verbose=False)
        sys.exit(exit_code(error))
    os.environ.pop("DATASTREAM_CONTROL_TOKEN", None)  # no affair of the job's processes
    signal.signal(signal.SIGTERM, _end_at_once)
    heed_signals()
    take_over(effective)
    from .process import run  # while Java starts

    code = run(effective, ignored)
    gc.freeze()  # as `datastream run` does
    sys.exit(code)


command = click.Command(
    "datastream-runner",
    params=_options(),
    callback=_run,
    help=_run.__doc__,
    context_settings={"allow_interspersed_args": False, "help_option_names": ["-h", "--help"]},
)


def _end_at_once(number: int, frame: FrameType | None) -> NoReturn:
    """SIGTERM before there is anything to end but Java, which starts."""
    sys.exit(FORCED)


def _layer_of(flags: dict[str, Any], properties: dict[str, str], job: tuple[str, ...]) -> Layer:
    """What the command line sets."""
    layer = Layer()
    for name, each in FIELDS.items():
        value = flags.get(each.name)
        if value is not None:
            layer.settings[name] = Given(value, f"--{name}")
    if job and not {"module", "archive"} & layer.settings.keys():
        layer.settings["script"] = Given(job[0], "argument")
        job = job[1:]
    if job:
        layer.settings["args"] = Given(list(job), "arguments")
    layer.properties.update({key: Given(value, "-D") for key, value in properties.items()})
    return layer


def take_over(effective: Effective) -> None:
    """Give the settings to every environment that the job makes, and let Java start."""
    own, given = effective.runner, settings()
    given.take(own)
    given.measured = True
    given.properties.update(effective.properties)
    if own.executor == "spark":
        prewarm(given)


def effective_settings(config: str | None, flags: Layer) -> tuple[Effective, list[str]]:
    """The settings that count, and the environment variables that look like settings but are none.

    Raises:
        ValidationError: One is wrong.
    """
    from .environment import read_environment
    from .settings_file import read_file

    environment, ignored = read_environment(os.environ)
    layers = [flags, environment]
    if config:
        layers.append(read_file(Path(config)))
    return resolve(layers), ignored
