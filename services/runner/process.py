"""The order of things: settings, endpoints, the job, its end."""

from __future__ import annotations

from collections.abc import Callable

import click
import structlog

from datastream.config.settings import settings
from datastream.driver.failures import report
from datastream.driver.run import listen, run_job, set_up_log
from datastream.errors import DataStreamError, JobCancelled, ValidationError
from datastream.http_pages import Page, json_page
from datastream.job.handle import JobHandle
from datastream.prometheus import CONTENT_TYPE, REGISTRY
from datastream.spark.checkpoints import is_remote

from .control import Control
from .ending import Ending
from .exit_codes import FORCED, INVALID, PORT_TAKEN, exit_code
from .followed import Followed
from .generations import Generations
from .http_server import HttpServer, PortTaken
from .job_code import job_code
from .note import url_of, write_note
from .restart import restart
from .scaling import Scaling
from .settings import Effective, RunnerSettings
from .upgrade import Upgrade
from .watch import Verdict, Watch


def run(effective: Effective, ignored: list[str]) -> int:
    """Run the job.

    Args:
        effective: The settings that count.
        ignored: Environment variables that look like settings but are none.

    Returns:
        The exit code.
    """
    own = effective.runner
    watch = Watch(own.stuck_after)
    ending = Ending(watch, own.grace)
    followed = Followed()
    _follow(watch, followed, own.standby)
    _show(effective, ignored)
    scaling = _upgrade(own, watch, followed, ending) if own.upgrade == "savepoint" else None
    log = structlog.get_logger("datastream")
    control = None if own.control_token is None else Control(watch, followed, own.control_token)
    server: HttpServer | None = None
    ended: BaseException | None
    try:
        with ending.by_signals():  # whoever finds the page may ask for the end at once
            try:
                server = HttpServer(
                    own.address, own.port, _pages(watch), None if control is None else control.guarded()
                )
                if own.note is not None:
                    write_note(own.note, url_of(own.address, server.port))
            except (PortTaken, ValidationError) as error:
                report(error, own.log_format, own.verbose)
                return PORT_TAKEN if isinstance(error, PortTaken) else INVALID
            log.info("listening", address=own.address, port=server.port)
            if scaling is not None:
                scaling.start()
            ended = _run_job(own)
    except KeyboardInterrupt as error:  # asked to end where the job's code does not run, or as it came to its end
        ended = error
    if server is not None:
        server.close()
    if scaling is not None and scaling.restarts and not ending.asked and not isinstance(ended, (Exception, SystemExit)):
        log.info("restarting", reason="scaling")
        restart()
    code = FORCED if ending.forced else exit_code(ended, settings().jobs_started)
    if control is not None:
        if isinstance(ended, Exception) and not isinstance(ended, JobCancelled):
            followed.failed(ended)
        control.log_last(code, ended)
    log.info("exit", code=code, asked=ending.asked)
    return code


def _run_job(own: RunnerSettings) -> BaseException | None:
    """Run the job's code; what ended it."""
    given = settings()
    terminal = listen(given, own.log_format)
    try:
        what, code = job_code(own)
    except (DataStreamError, OSError, KeyboardInterrupt) as error:
        report(error, own.log_format, own.verbose)
        return error
    return run_job(given, code, what, terminal, own.log_format)


def _follow(watch: Watch, followed: Followed, standby: bool) -> None:
    """Let those who watch hear of every job of the process."""
    given = settings()

    def started(job: JobHandle) -> None:
        followed.started(job)
        watch.started(job)

    given.on_started = started
    given.followers.append(followed.follow)
    given.on_held = watch.wait_for_checkpoint if standby else None
    given.listeners.append(watch)


def _upgrade(own: RunnerSettings, watch: Watch, followed: Followed, ending: Ending) -> Scaling | None:
    """Let the job have generations of checkpoints; what scales it, if it is to be scaled."""
    assert own.checkpoint_dir is not None
    if is_remote(own.checkpoint_dir):
        structlog.get_logger("datastream").warning(
            "a savepoint needs a checkpoint-dir that this machine reaches by a path: a job that does not fit "
            f"{own.checkpoint_dir} is refused"
        )
        return None
    generations = Generations(own.checkpoint_dir)
    scaling = Scaling(own, generations, followed, ending) if own.scaling_min is not None else None
    upgrade = Upgrade(generations, watch, None if scaling is None else scaling.check_noted)
    settings().on_options = upgrade.prepare
    return scaling


def _pages(watch: Watch) -> dict[str, Callable[[], Page]]:
    def probe(verdict: Verdict) -> Page:
        return json_page(verdict.as_dict(), verdict.good)

    return {
        "/": lambda: json_page(watch.overview()),
        "/healthz": lambda: probe(watch.health()),
        "/readyz": lambda: probe(watch.readiness()),
        "/metrics": lambda: Page(REGISTRY.text(), CONTENT_TYPE),
    }


def _show(effective: Effective, ignored: list[str]) -> None:
    """Log the settings that count, once."""
    log_format, shown = effective.runner.log_format, effective.shown()
    set_up_log(log_format, effective.runner.verbose)
    log = structlog.get_logger("datastream")
    if log_format == "json":
        log.info("settings", settings=shown)
    else:
        width = max(map(len, shown))
        for name, about in shown.items():
            click.echo(f"{name:<{width}}  {about['value']}  ({about['from']})", err=True)
    for name in ignored:
        log.warning("ignored", variable=name, reason="it is no setting of the runner")
