"""Checkpoint directories: who holds one, whether the job fits it, and whether it is sound.

Beside Spark's own ``offsets``, ``commits`` and ``state`` a folder holds ``job.json`` (`job_file`), ``owner.lock``
(`lock`; on other file systems than this machine's a lease, `remote`) and the notes of sources and sinks.
"""

from .directory import GENERATIONS, Checkpoint, acquire, check_epochs, committed_epochs, is_remote
from .job_file import read_job

__all__ = [
    "GENERATIONS",
    "Checkpoint",
    "acquire",
    "check_epochs",
    "committed_epochs",
    "is_remote",
    "read_job",
]
