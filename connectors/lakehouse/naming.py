"""Names of a job's files, and of what a sink keeps beside the files of its table."""

from __future__ import annotations

import hashlib

from datastream.io import WriterContext


def job_mark(job_id: str) -> str:
    """What the names of a job's files have in them."""
    return f"job{hashlib.blake2b(job_id.encode(), digest_size=6).hexdigest()}"


def file_prefix(context: WriterContext, epoch: int) -> str:
    """What the names of a subtask's files of an epoch begin with."""
    return f"part-{context.subtask:05}-{epoch}-{job_mark(context.job_id)}"


def staging_folder(job_id: str, uid: str) -> str:
    """The folder of a sink of a job, relative to the table, with ``/`` at its end."""
    return f"_datastream/{hashlib.blake2b(f'{job_id}/{uid}'.encode(), digest_size=8).hexdigest()}/"
