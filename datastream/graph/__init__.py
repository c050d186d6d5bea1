"""The job as plain data: operators and edges, and the plan that follows; how it is explained and drawn."""

from .chains import Chain
from .job_graph import Edge, JobGraph
from .levels import Level
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
from .plan import Plan
from .timing import Timing

__all__ = [
    "Broadcast",
    "Chain",
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
    "Plan",
    "Rebalance",
    "Rescale",
    "Shuffle",
    "Timing",
]
