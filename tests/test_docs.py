"""Code in the README runs, and what it names exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for i, code in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M)):
            found.append((f"{page.name}#{i}", code))
    return found


@pytest.mark.parametrize(("name", "code"), blocks(), ids=[name for name, _ in blocks()])
def test_python_blocks_run(name: str, code: str, tmp_path: Path) -> None:
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
