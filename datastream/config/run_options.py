"""The options of a run: their names, types, defaults and texts.

Commands, the runner, the gateway and pods of drivers take theirs from here; tests compare pages and chart with it.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from typing import Any

_KEY = "option"


@dataclass(frozen=True)
class RunOption:
    """What is said about an option.

    Attributes:
        help: What it is for.
        short: A short flag.
        metavar: Name of the value in ``--help``.
        least: The smallest number that it takes.
        choices: The texts that it takes; empty: any.
        type: What click converts its texts with; None: by what is above, and its default.
        in_gateway: Its name in the gateway's REST interface, Flink's where Flink has one; None: not there.
        in_chart: Its name in the values of a job in the Helm chart; None: the chart sets it by itself, or not at all.
    """

    help: str
    short: str | None = None
    metavar: str | None = None
    least: int | None = None
    choices: tuple[str, ...] = ()
    type: Any = None
    in_gateway: str | None = None
    in_chart: str | None = None


def option(default: Any, help: str, short: str | None = None, **about: Any) -> Any:
    """A field of a class of options; `about` are further attributes of `RunOption`."""
    return field(default=default, metadata={_KEY: RunOption(help, short, **about)})


def options_of(kind: type) -> dict[str, Field[Any]]:
    """Name of each option of a class, as flags and files have it -> its field."""
    return {each.name.replace("_", "-"): each for each in fields(kind) if _KEY in each.metadata}


def about(each: Field[Any]) -> RunOption:
    """What is said about an option."""
    said: RunOption = each.metadata[_KEY]
    return said


@dataclass
class RunOptions:
    """How a job is run, whoever starts it."""

    parallelism: int | None = option(
        None,
        "Default number of subtasks.",
        "-p",
        metavar="NUMBER",
        least=1,
        in_gateway="parallelism",
        in_chart="parallelism",
    )
    master: str | None = option(None, "Spark master.  [default: local[*]]", metavar="URL")
    checkpoint_dir: str | None = option(
        None,
        "Where offsets, state and commits live; a job continues from it.",
        metavar="DIR",
        in_gateway="checkpointDir",
    )
    from_savepoint: str | None = option(
        None,
        "A savepoint to take state and offsets over from.",
        metavar="DIR",
        in_gateway="savepointPath",
        in_chart="fromSavepoint",
    )
    allow_non_restored_state: bool = option(
        False,
        "Skip savepoint state that the job has no operator for.",
        in_gateway="allowNonRestoredState",
        in_chart="allowNonRestoredState",
    )
    name: str | None = option(None, "Name of the job; wins over the script's.", metavar="NAME", in_gateway="name")
    executor: str = option("spark", "Spark, or this process, for tests and debuggers.", choices=("spark", "local"))
    log_format: str | None = option(
        "console", "For people, or one JSON object a line on stderr.", choices=("console", "json")
    )
    log_file: str | None = option(None, "Where Spark's own log goes; - for stderr.", metavar="FILE")
    verbose: bool = option(False, "Whole tracebacks, Java's too.", "-v")

    def take(self, given: RunOptions) -> None:
        """Take over what is given."""
        for each in fields(RunOptions):
            setattr(self, each.name, getattr(given, each.name))
