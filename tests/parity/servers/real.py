"""Runs scripts on Flink, in one process with one Java; runs in the environment that has PyFlink."""

from __future__ import annotations

import re
import threading

import pyflink.java_gateway
from serving import named, one_line, run_script, serve

_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n((?: .*\n|\n)+)(\S.*)")
_CAUSE = re.compile(r"Caused by: (.+)")


def drain_java() -> None:
    """Read Java's stderr, which PyFlink leaves in a pipe: a full one would stop Java."""
    launch = pyflink.java_gateway.launch_gateway_server_process

    def launch_and_drain(*arguments):
        process = launch(*arguments)
        kept = process.stderr
        threading.Thread(target=lambda: [None for _ in kept], daemon=True).start()
        return process

    pyflink.java_gateway.launch_gateway_server_process = launch_and_drain


def run(script: str) -> str | None:
    try:
        run_script(script)
    except Exception as error:
        return describe(error, script)
    return None


def describe(error: Exception, script: str) -> str:
    """Whether a user's function, the running job or the building of it failed."""
    text = str(error)
    if "JobExecutionException" not in text and "SDK harness" not in text:
        java = getattr(error, "java_exception", None)
        return one_line("when built", str(java) if java is not None else named(error))
    tracebacks = _TRACEBACK.findall(text)
    if not tracebacks:
        return one_line("while running", ([*_CAUSE.findall(text)] or [text])[-1])
    frames, last = tracebacks[-1]
    return one_line("in a function" if script in frames else "while running", last)


if __name__ == "__main__":
    drain_java()
    serve(run)
