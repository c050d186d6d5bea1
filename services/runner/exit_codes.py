"""What the supervisor hears when the runner ends. docs/runner.md has the table."""

from __future__ import annotations

from datastream.driver import failures
from datastream.driver.run import system_exit_code
from datastream.errors import CheckpointInUse, FunctionError, JobCancelled

#: The job has finished, or was stopped or cancelled on request.
ENDED = 0
#: It failed; another try may help.
FAILED = failures.FAILED
#: The job, its settings or its image is wrong as written; another try has the same result.
INVALID = failures.INVALID
#: The port of the endpoints is taken.
PORT_TAKEN = 3
#: Another driver holds the checkpoint directory: EX_TEMPFAIL of sysexits.h.
HELD = 75
#: Ended by SIGTERM, but not within the grace period: 128 + SIGTERM, as shells have it.
FORCED = 143


def exit_code(error: BaseException | None, jobs_started: int) -> int:
    """The exit code of a run.

    Args:
        error: What ended the job's code; None: it ran to its end.
        jobs_started: How many jobs it has started.
    """
    if error is None:
        return ENDED if jobs_started else INVALID
    if isinstance(error, SystemExit):
        return system_exit_code(error)
    if isinstance(error, (KeyboardInterrupt, JobCancelled)):
        return ENDED
    if isinstance(error, CheckpointInUse):
        return HELD
    if isinstance(error, FunctionError) and error.failure.error.startswith("ModuleNotFoundError:"):
        return INVALID
    return failures.exit_code(error, started=jobs_started > 0)
