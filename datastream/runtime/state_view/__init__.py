"""What a job keeps in a checkpoint, as people see it: read from the store's entries, without the job."""

from .reader import Entries, StateReader
from .rows import StateName, StateRow, plain, text

__all__ = ["Entries", "StateName", "StateReader", "StateRow", "plain", "text"]
