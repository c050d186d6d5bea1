"""PyFlink scripts print, write and fail here as they do on Flink, whose outcomes are recorded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.parity.cases import RECORDED, Script, accepted, scripts
from tests.parity.checking import check
from tests.parity.runner import Runner, ours


@pytest.fixture(scope="module")
def local() -> Iterator[Runner]:
    with ours("local") as runner:
        yield runner


@pytest.mark.parametrize("script", scripts(), ids=lambda script: script.name)
def test_script_does_what_it_does_on_flink(script: Script, local: Runner) -> None:
    check(script, local.run(script))


def test_every_record_and_every_accepted_difference_has_its_script() -> None:
    names = {script.name for script in scripts()}
    recorded = {str(path.relative_to(RECORDED).with_suffix("")) for path in RECORDED.glob("*/*.txt")}
    assert recorded == names
    assert accepted().keys() <= names


def test_few_differences_are_accepted() -> None:
    assert len(accepted()) <= 0.05 * len(scripts())
