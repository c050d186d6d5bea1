"""The start of a job on Spark: what is checked before anything runs, and the checkpoint directory that it holds."""

from __future__ import annotations

import logging

from datastream.errors import CheckpointError, CheckpointInUse
from datastream.graph import JobGraph, Plan
from datastream.job.options import JobOptions
from datastream.runtime.program import JobSpec, pack
from datastream.runtime.savepoints.matching import restore_from

from .checkpoints import Checkpoint, acquire, is_remote
from .process.session import session
from .query import SparkJob

_LOGGER = logging.getLogger("datastream")


def start(graph: JobGraph, options: JobOptions) -> SparkJob:
    """Start a job on Spark and return at once.

    Raises:
        NotSerializableError: a function cannot travel to the workers.
        CheckpointError: the checkpoint directory is in use or belongs to another job.
        JavaError: no usable Java.
    """
    plan = Plan.of(graph)
    for source in plan.sources:
        source.source.validate()
    for sink in plan.sinks:
        sink.sink.validate()
    pack(JobSpec(graph, "", "", {}))  # fails early, before anything is started or touched
    if not options.checkpoint_dir:
        for op in plan.sinks:
            if op.sink.consumed.needs_checkpoint:
                _LOGGER.warning(
                    "'%s' is to write exactly once, but there is no checkpoint directory: started again, the job "
                    "starts from the beginning and writes everything again; give --checkpoint-dir, or set "
                    "execution.checkpointing.dir",
                    op.name,
                )
    checkpoint, restore = None, None
    if options.checkpoint_dir:
        checkpoint = _acquire(plan, options)
        restore = checkpoint.restore
    elif options.from_savepoint:
        restore = restore_from(options.from_savepoint, plan, options.allow_non_restored_state)
    for listener in options.listeners:
        listener.on_start(graph)
    try:
        return SparkJob(plan, options, checkpoint, restore)
    except BaseException as error:
        if checkpoint is not None:
            checkpoint.release()
        for listener in options.listeners:
            listener.on_end("FAILED", error)
        raise


def _acquire(plan: Plan, options: JobOptions) -> Checkpoint:
    """Take hold of the job's checkpoint directory, once no other job holds it if the job is to wait for that."""
    while True:
        try:
            return _acquire_free(plan, options)
        except CheckpointInUse as held:
            if options.on_held is None:
                raise
            options.on_held(held)


def _acquire_free(plan: Plan, options: JobOptions) -> Checkpoint:
    assert options.checkpoint_dir
    if not is_remote(options.checkpoint_dir):
        return acquire(options.checkpoint_dir, plan, options.from_savepoint, options.allow_non_restored_state)
    if options.from_savepoint:
        raise CheckpointError(
            f"the checkpoint directory {options.checkpoint_dir} is on a remote file system: a job restored from a "
            "savepoint needs one that this machine reaches by a path"
        )
    session.shared(options.master, options.properties, options.log_file)  # whose Java knows the file system
    from .checkpoints.remote import acquire_remote

    return acquire_remote(options.checkpoint_dir, plan)
