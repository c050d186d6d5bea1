"""Whatever call a commit dies in, every record ends up visible exactly once."""

import contextlib
import itertools

import pytest
from test_file_sink import EACH_EPOCH, NEVER, pieces, sink, visible

from datastream.connectors.files import RollingPolicy
from datastream.formats import Encoder
from datastream.io import Batch
from tests.support.drive import begun, committer_of, context, write_epoch
from tests.support.dying import Crash, Faults

EPOCHS = 5


def rows(epoch):
    return lambda subtask: [f"{epoch}.{subtask}.{i}" for i in range(2)]


def job(path, policy, faults, epoch, die_at, encoder, retry_same_epoch, abort):
    """Five epochs; the commit of one dies at a call; a new process goes on. Whether it died at all."""
    died = False
    committer = committer_of(sink(path, policy, encoder))
    number = 0
    while number < EPOCHS:
        made = sink(path, policy, encoder)
        prepared = write_epoch(made, number, rows(number), attempt=0)
        faults.left = die_at if number == epoch and not died else None
        try:
            committer.commit(number, prepared, number == EPOCHS - 1)
        except Crash:
            died = True
            if abort:
                committer.abort(number, prepared)
            committer = committer_of(made)
            if not retry_same_epoch:
                committer.commit(number, prepared, number == EPOCHS - 1)
                number += 1
            continue
        finally:
            faults.left = None
        number += 1
    return died


@pytest.mark.long
@pytest.mark.parametrize(
    ("abort", "retry_same_epoch"),
    [(False, True), (True, True), (False, False)],
    ids=["rewritten", "aborted", "recommitted"],
)
@pytest.mark.parametrize(
    "policy",
    [EACH_EPOCH, NEVER, RollingPolicy.default_rolling_policy(part_size=20)],
    ids=["each", "end", "size"],
)
def test_every_record_once_wherever_a_commit_dies(tmp_path, monkeypatch, policy, abort, retry_same_epoch):
    truth = sorted(row for epoch in range(EPOCHS) for subtask in range(2) for row in rows(epoch)(subtask))
    faults = Faults(monkeypatch)
    deaths = 0
    for epoch in (0, 2, EPOCHS - 1):
        for die_at in itertools.count(1):
            path = tmp_path / f"{epoch}-{die_at}"
            died = job(path, policy, faults, epoch, die_at, None, retry_same_epoch, abort)
            lines = sorted(itertools.chain.from_iterable(visible(path).values()))
            assert lines == truth, f"epoch {epoch}, call {die_at}"
            assert [name for name in pieces(path) if not name.endswith("json.tmp")] == []
            if not died:
                break
            deaths += 1
    assert deaths > 20


def test_headers_survive_crashes(tmp_path, monkeypatch):
    faults = Faults(monkeypatch)
    encoder = Encoder.csv(header=["head"])
    for die_at in itertools.count(1):
        path = tmp_path / str(die_at)
        died = job(path, NEVER, faults, EPOCHS - 1, die_at, encoder, True, False)
        for lines in visible(path).values():
            assert lines[0] == "head"
            assert len(lines) == 1 + 2 * EPOCHS
            assert lines.count("head") == 1
        if not died:
            break


def test_two_sinks_of_one_folder_do_not_take_each_others_names(tmp_path, monkeypatch):
    faults = Faults(monkeypatch)
    for die_at in itertools.count(1):
        path = tmp_path / str(die_at)
        made = sink(path)
        first = [begun(made, context(uid=uid)) for uid in "ab"]
        for writer, name in zip(first, "ab", strict=True):
            writer.write(Batch([name]))
        ready = [[writer.prepare_commit()] for writer in first]
        faults.left = die_at
        died = False
        with contextlib.suppress(Crash):
            died = True
            committer_of(made, uid="a").commit(0, ready[0], False)
            died = False
        faults.left = None
        committer_of(made, uid="b").commit(0, ready[1], False)
        committer_of(made, uid="a").commit(0, ready[0], False)
        assert sorted(sum(visible(path).values(), [])) == ["a", "b"], die_at
        if not died:
            break
