"""The job as plain data: operators, edges, levels; how it is checked, explained and drawn."""

from .job_graph import Edge, JobGraph
from .levels import Level, level_of, levels
from .operators import Operator, Origin
from .partitioners import (
    Broadcast,
    Custom,
    Forward,
    Global,
    Hash,
    Partitioner,
    Rebalance,
    Rescale,
    Shuffle,
)
from .timing import Timing

__all__ = [
    "Broadcast",
    "Custom",
    "Edge",
    "Forward",
    "Global",
    "Hash",
    "JobGraph",
    "Level",
    "Operator",
    "Origin",
    "Partitioner",
    "Rebalance",
    "Rescale",
    "Shuffle",
    "Timing",
    "level_of",
    "levels",
]
