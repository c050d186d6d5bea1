"""`datastream sql` at its prompt, in a pseudo terminal."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pexpect

from tests.support.processes import datastream, heed_interrupts
from tests.support.waiting import scaled

#: Asks the terminal where the cursor is.
ASKED, ANSWER = re.escape("\x1b[6n"), "\x1b[5;1R"
PROMPT = "SQL>"


class SqlPrompt:
    """The client at its prompt."""

    def __init__(self, folder: Path, executor: str = "local") -> None:
        command, *args = datastream("sql", "--executor", executor, "-p", "1", "-hist", folder / "history")
        self._process = pexpect.spawn(
            command,
            args,
            cwd=str(folder),
            env={**os.environ, "TERM": "xterm"},
            encoding="utf-8",
            timeout=scaled(20 if executor == "local" else 60),
            dimensions=(30, 150),
            preexec_fn=heed_interrupts,
        )
        self.see(PROMPT)

    def see(self, text: str) -> None:
        """Wait for a text, a regular expression; ``SQL>`` is a prompt that reads.

        A line that ends is drawn once more, with its prompt, while the terminal is about to leave raw mode, and keys
        that come between two prompts are the terminal's. A new prompt asks where the cursor is before it is drawn.
        """
        if text == PROMPT:
            self._process.expect(ASKED)
            self._process.send(ANSWER)
        while self._process.expect([ASKED, text]) == 0:
            self._process.send(ANSWER)

    def type(self, keys: str, *seen: str) -> None:
        """Type, and wait for texts one after the other."""
        self._process.send(keys)
        for each in seen:
            self.see(each)

    def end(self) -> int:
        """Wait for the end; the exit code."""
        self._process.expect(pexpect.EOF)
        self._process.close()
        code = self._process.exitstatus
        assert code is not None
        return code

    def kill(self) -> None:
        self._process.close(force=True)

    def replay(self, session: str) -> None:
        """Type what a recorded session has after its prompts, and see the rest of it, but for times and ids."""
        typed: list[str] = []
        for line in session.splitlines():
            prompt, text = line[:5], line[5:]
            if prompt in ("SQL> ", "   > "):
                typed.append(text)
                if text.rstrip().endswith(";"):
                    self.type("\r".join(typed) + "\r")
                    typed = []
            elif line == "^C":
                self.type("\x03")
            elif line:
                self.see(_pattern(line))


#: What is another one each time.
_VARIES = re.compile(r"(?P<id>[0-9a-f]{32})|\d+ rows? \([0-9.]+ seconds\)")


def _pattern(line: str) -> str:
    """A line as a regular expression."""
    made, end = "", 0
    for found in _VARIES.finditer(line):
        varies = "[0-9a-f]{32}" if found["id"] else r"\d+ rows? \([0-9.]+ seconds\)"
        made, end = made + re.escape(line[end : found.start()]) + varies, found.end()
    return made + re.escape(line[end:])
