"""Runs scripts on Flink, in one process with one Java; runs in the environment that has PyFlink."""

from __future__ import annotations

import re
import threading

import pyflink.java_gateway
from serving import named, one_line, ran, run_script, serve

_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n((?: .*\n|\n)+)(\S.*)")
_FILE = re.compile(r'File "(.+?)"')
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


def run(script: list[str]) -> str | None:
    try:
        run_script(script)
    except Exception as error:
        return describe(error, script[0])
    return None


def describe(error: Exception, script: str) -> str:
    """Whether a user's function, the running job or the building of it failed."""
    text = str(error)
    java = getattr(error, "java_exception", None)
    if java is None or not ran(error):
        return one_line("while running" if ran(error) else "when built", str(java or named(error)))
    tracebacks = _TRACEBACK.findall(text)
    if not tracebacks:
        return one_line("while running", (_CAUSE.findall(text) or [str(java)])[-1])
    frames, last = tracebacks[-1]
    own = script in frames and "/pyflink/" not in _FILE.findall(frames)[-1]
    return one_line("in a function" if own else "while running", last)


if __name__ == "__main__":
    drain_java()
    serve(run)
