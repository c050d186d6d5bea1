"""Code in the README runs, and what it names exists."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.servers.kafka import Broker

ROOT = Path(__file__).parents[1]
BROKER = "127.0.0.1:9092"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for i, code in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M)):
            if not code.startswith("# "):  # a file of its own, see tests/testing/test_testing_page.py
                found.append((f"{page.name}#{i}", code))
    return found


def with_topics(code: str, page: str, kafka: Broker) -> str:
    """The code with a broker that is there, and with topics that hold what the page's commands put into them."""
    for name, partitions in re.findall(r"^ +scripts/kafka topic (\S+)(?: --partitions (\d+))?$", page, re.M):
        topic = kafka.topic(int(partitions or 1), prefix=name)
        for lines in re.findall(rf"^ +printf '%s\\n' (.*) \| scripts/kafka write {name}$", page, re.M):
            kafka.produce(topic, shlex.split(lines))
        code = code.replace(f'"{name}"', f'"{topic}"')
    return code.replace(BROKER, kafka.bootstrap)


@pytest.mark.parametrize(("name", "code"), blocks(), ids=[name for name, _ in blocks()])
def test_python_blocks_run(name: str, code: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if BROKER in code:
        page = next(page for page in PAGES if page.name == name.partition("#")[0])
        code = with_topics(code, page.read_text(), request.getfixturevalue("kafka"))
    script = tmp_path / "job.py"
    script.write_text(code)
    command = [sys.executable, "-m", "datastream.cli", "run", "--executor", "local", str(script)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_option_of_run_is_in_the_readme() -> None:
    from datastream.cli.run import command

    text = (ROOT / "README.md").read_text()
    for parameter in command.params:
        for option in parameter.opts:
            if option.startswith("--"):
                assert option in text, f"README.md does not name {option}"
