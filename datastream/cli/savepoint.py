"""``datastream savepoint``: a job's state in a folder of its own."""

from __future__ import annotations

import json
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from datastream.errors import DataStreamError
from datastream.job.registry import JOBS, running_jobs

from .options import FORMAT, IMPORT_PATH

if TYPE_CHECKING:
    from datastream.runtime.savepoints.manifest import Manifest


@click.command("savepoint")
@FORMAT
@IMPORT_PATH
@click.argument("checkpoint", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
def command(form: str, paths: tuple[str, ...], checkpoint: Path, target: Path) -> None:
    """Write the state in the folder CHECKPOINT, as of its last commit, to the new folder TARGET.

    The job may be running. Start it, or a changed one, from the savepoint with run --from-savepoint TARGET.

    \b
    Exit code: 0 written, 1 failed; then nothing is left in TARGET.
    """
    from datastream.spark.process.session import session
    from datastream.spark.savepoint import take_savepoint

    sys.path[:0] = [*paths, ""]
    began = time.monotonic()
    status = _status()
    try:
        with status or nullcontext():
            manifest = take_savepoint(checkpoint, target, progress=None if status is None else status.update)
    except DataStreamError as error:
        from datastream.driver.failures import exit_code, report

        report(error, "console", verbose=False)
        sys.exit(exit_code(error))
    finally:
        session.close()
    seconds = time.monotonic() - began
    if form == "json":
        click.echo(json.dumps({**_summary(manifest), "path": str(target.absolute()), "seconds": round(seconds, 3)}))
    else:
        click.echo(
            f"savepoint of epoch {manifest.epoch:,}: {manifest.keys:,} keys of {_operators(manifest):,} operators, "
            f"{manifest.bytes:,} bytes, {seconds:.1f} s: {target}"
        )
    if others := sorted(path.parent.name for path in checkpoint.glob(f"{JOBS}/*/job.json")):
        click.echo(
            f"note: this is the savepoint of the job '{manifest.job_name}'. Other jobs of its script have checkpoints "
            f"of their own, in {checkpoint / JOBS}: {', '.join(others)}",
            err=True,
        )
    if manifest.interrupted and manifest.sinks and not _runs(checkpoint):
        click.echo(
            f"warning: epoch {manifest.epoch + 1:,} was under way when the job ended. Its sinks may have "
            "written parts of that epoch, and a job started from this savepoint writes them again. To rule that out, "
            "start the job from its checkpoint directory, stop it with 'datastream stop', and use that savepoint",
            err=True,
        )


def _runs(checkpoint: Path) -> bool:
    """Whether a job runs on a checkpoint directory: it finishes the epoch that is under way."""
    return any(note.checkpoint == str(checkpoint.absolute()) for note in running_jobs())


def _summary(manifest: Manifest) -> dict[str, Any]:
    return {
        "epoch": manifest.epoch,
        "operators": _operators(manifest),
        "keys": manifest.keys,
        "bytes": manifest.bytes,
        "interrupted": manifest.interrupted,
    }


def _operators(manifest: Manifest) -> int:
    return len({file.operator for file in manifest.files})


def _status() -> Any:
    """A line that moves, on a terminal."""
    if not sys.stderr.isatty():
        return None
    from rich.console import Console

    return Console(stderr=True).status("starting Spark")
