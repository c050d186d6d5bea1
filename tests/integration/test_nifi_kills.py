"""A job carries flow files from port to port; its processes and the NiFi are killed (-9): each packet once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from datastream.connectors.nifi import NiFiDataPacket, StandardNiFiDataPacket
from tests.support.processes import JOBS, Run, Runs
from tests.support.servers.nifi import Flow, OwnNiFi
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

_BLOCK = 1_000


def start(runs: Runs, folder: Path, nifi: OwnNiFi, ends: tuple[Flow, Flow]) -> Run:
    return runs.job(
        "--checkpoint-dir", folder / "checkpoint", "-D", "restart-strategy.type=none",
        "-D", "datastream.epoch.max-records=100",
        JOBS / "flow_files.py", nifi.url, ends[0].output, ends[1].input,
    )  # fmt: skip


def test_each_packet_once_whatever_is_killed(runs: Runs, tmp_path: Path, own_nifi: OwnNiFi) -> None:
    ends = (own_nifi.flow(), own_nifi.flow())
    found: list[NiFiDataPacket] = []
    sent = 0

    def carried(count: int) -> bool:
        found.extend(own_nifi.take(ends[1].output))
        return len({each.get_content() for each in found}) >= count

    def wait_for_more(run: Run, count: int) -> None:
        """Of a job that may fail while its server is away."""
        wait_until(lambda: carried(count) or run.process.poll() is not None, f"{count} packets")

    for victim in ("worker", "driver", "server", "java", "server", None):
        run = start(runs, tmp_path, own_nifi, ends)
        before = sent
        sent += _BLOCK
        own_nifi.put(ends[0].input, [StandardNiFiDataPacket(f"{n}".encode()) for n in range(before, sent)])
        run.until(lambda before=before: carried(before + _BLOCK // 4), "a part of the packets")
        if victim == "server":
            own_nifi.kill()
            own_nifi.start()
            wait_for_more(run, before + _BLOCK // 2)
            run.kill("driver")
        elif victim is None:
            run.until(lambda sent=sent: carried(sent), "all packets")
            run.kill("driver")
        else:
            run.kill(victim)
        run.wait()
        run.assert_gone()
    carried(sent)
    wanted = Counter(f"{n}".encode() for n in range(sent))
    assert Counter(each.get_content() for each in found).keys() == wanted.keys(), "none is lost"
    # By their ids, by which a flow would drop what is sent again.
    by_id = {each.get_attributes()["datastream.id"]: each.get_content() for each in found}
    assert Counter(by_id.values()) == wanted
