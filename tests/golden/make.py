"""Makes golden checkpoints, and savepoints of them, by the datastream that runs it.

``python tests/golden/make.py FORMAT-RELEASE [JOB ...]``

They are made once, when a version is released, and never again: a later version restores them as they are.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from golden import archives, running

from datastream.runtime.savepoints.manifest import VERSION
from datastream.spark.savepoint import take_savepoint


def main(release: str, *jobs: str) -> None:
    """Make the checkpoints of some jobs, by default of all."""
    for job in jobs or running.JOBS:
        if (release, job) in archives.names():
            sys.exit(f"there is a golden checkpoint of {job} by {release} already; it must stay as it is")
        with tempfile.TemporaryDirectory() as folder:
            for path in make(job, release, Path(folder)):
                print(f"{path}: {path.stat().st_size:,} bytes")


def make(job: str, release: str, folder: Path) -> list[Path]:
    """Run a job to the middle, keep that and a savepoint of it, and see that the same version goes on from there."""
    checkpoint, copy = folder / "checkpoint", folder / "copy"
    whole = running.run(job, None, "local")
    before = running.run(job, checkpoint, first_half=True)
    thin(checkpoint)
    shutil.copytree(checkpoint, copy)
    take_savepoint(checkpoint, folder / "savepoint")
    after = running.run(job, copy)
    found, wanted = running.settled(before + after), running.settled(whole)
    if found != wanted:
        sys.exit(f"{job}: missing {list((wanted - found).items())[:9]}, too many {list((found - wanted).items())[:9]}")
    if not before or not running.settled(before) or not after:
        print(f"{job}: before {len(before)}, after {len(after)}")
    for name, results in (("before", before), ("all", whole)):
        (folder / name).write_text("".join(f"{line}\n" for line in sorted(results.elements())))
    savepoints = f"{VERSION}-{release.partition('-')[2]}"
    return [archives.pack(folder, release, job), archives.pack(folder, savepoints, job, archives.SAVEPOINTS)]


def thin(checkpoint: Path) -> None:
    """Remove what is not needed to restore."""
    for path in [*checkpoint.rglob(".*.crc"), *checkpoint.rglob("owner.lock")]:
        path.unlink()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
