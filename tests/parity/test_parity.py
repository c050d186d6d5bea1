"""PyFlink scripts print, write and fail here as they do on Flink, whose outcomes are recorded."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.parity.cases import RECORDED, Script, accepted, scripts
from tests.parity.checking import check
from tests.parity.docstrings import examples_of, left_out, run_examples, runs_whole
from tests.parity.examples import package
from tests.parity.runner import Runner, ours

#: Carries out each argument in a fork of its own.
IMPORT_EACH = """
import os, sys
from datastream.compat import install
install()
statuses = []
for statement in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        exec(statement)
        os._exit(0)
    statuses.append(os.waitpid(child, 0)[1])
sys.exit(any(statuses))
"""


@pytest.fixture(scope="module")
def local() -> Iterator[Runner]:
    with ours("local") as runner:
        yield runner


@pytest.mark.parametrize("script", scripts(), ids=lambda script: script.name)
def test_script_does_what_it_does_on_flink(script: Script, local: Runner) -> None:
    check(script, local.run(script))


def test_what_scripts_import_first_can_be_imported_first() -> None:
    """Scripts share what was imported before them, so that their own order of imports says nothing."""
    lines = [re.search(r"^(from|import) pyflink.*", script.path.read_text(), re.M) for script in scripts()]
    firsts = {re.sub(r"\(.*", "*", re.sub(r"[,#].*", "", line[0])).strip() for line in lines if line}
    run = subprocess.run([sys.executable, "-c", IMPORT_EACH, *firsts], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, ""), run.stderr


def test_every_record_and_every_accepted_difference_has_its_script() -> None:
    names = {script.name for script in scripts()}
    recorded = {str(path.relative_to(RECORDED).with_suffix("")) for path in RECORDED.glob("*/*.txt")}
    assert recorded == names
    assert accepted().keys() <= names


def test_few_differences_are_accepted() -> None:
    assert len(accepted()) <= 0.05 * len(scripts())


def test_every_docstring_with_examples_is_run_or_left_out_with_a_reason() -> None:
    left = [name for names in left_out().values() for name in names]
    assert sorted(run_examples() + left) == sorted(examples_of(package()))


def test_most_docstrings_run_on_flink_and_these_are_equal_here() -> None:
    whole = {script.name for script in scripts(["docstrings"]) if runs_whole(script.recorded().printed)}
    assert len(run_examples()) == 188
    assert len(whole) >= 130
    assert len(whole & accepted().keys()) <= 0.05 * len(whole)
