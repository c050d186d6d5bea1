"""Runs one epoch of a checkpoint again, in this process: with the state from before it, and what it read.

For a debugger, and for tests of what happened in production. The checkpoint is read only; sinks write nothing, what
they would have got is printed; no offset is committed to a source.

recorded   an epoch as a checkpoint has it
shown      sinks that show records instead of writing them
job        the job that runs one epoch
"""

from .job import Replay, ReplayedJob, execute, replaying

__all__ = ["Replay", "ReplayedJob", "execute", "replaying"]
