"""Limits of cores and memory, as Linux writes them for a container."""

from __future__ import annotations

from pathlib import Path

import pytest

from datastream.config import machine


def lay_out(folder: Path, own: str, files: dict[str, str]) -> tuple[Path, Path]:
    """A folder as /sys/fs/cgroup, and a file as /proc/self/cgroup."""
    mount, process = folder / "cgroup", folder / "self"
    process.write_text(own)
    for name, text in files.items():
        file = mount / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    return mount, process


@pytest.mark.parametrize(
    ("own", "files"),
    [
        ("0::/\n", {"cpu.max": "100000 100000", "memory.max": "1048576"}),
        ("0::/a/b\n", {"a/cpu.max": "max 100000", "a/b/cpu.max": "50000 100000", "a/memory.max": "1048576"}),
        ("0::/a/b\n", {"a/cpu.max": "100000 100000", "a/b/memory.max": "max", "a/memory.max": "1048576"}),
        (
            "4:cpu,cpuacct:/docker/1\n3:memory:/docker/1\n0::/system\n",
            {
                "cpu/cpu.cfs_quota_us": "100000",
                "cpu/cpu.cfs_period_us": "100000",
                "memory/memory.limit_in_bytes": "1048576",
            },
        ),
    ],
    ids=["own namespace", "nested", "of a group around it", "version 1"],
)
def test_limits(tmp_path: Path, own: str, files: dict[str, str]) -> None:
    mount, process = lay_out(tmp_path, own, files)
    assert machine.cores(mount, process) == 1
    assert machine.memory(mount, process) == 1048576


@pytest.mark.parametrize(
    "files",
    [{}, {"cpu.max": "max 100000", "memory.max": "max"}, {"cpu.max": "99900000 100000", "memory.max": f"{1 << 60}"}],
    ids=["no groups", "no limits", "limits above the machine's"],
)
def test_the_machine(tmp_path: Path, files: dict[str, str]) -> None:
    mount, process = lay_out(tmp_path, "0::/\n", files)
    nowhere = tmp_path / "nowhere"
    assert machine.cores(mount, process) == machine.cores(nowhere, nowhere)
    assert machine.memory(mount, process) == machine.memory(nowhere, nowhere) > 1 << 28
