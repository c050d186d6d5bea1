"""What a running job warns of.

intake             records and sampled keys of an operator in a task, counted by block
observation        what a task reports of an operator in an epoch
monitor            beside the driver: adds the reports up, and collects the warnings
stalled_watermark  a watermark that does not advance while records come, and timestamps of a wrong unit
hot_key            a key that holds half of the records
silent_window      a window that never fires, and late records
"""

from .intake import Intake
from .monitor import HealthMonitor
from .observation import Observation

__all__ = ["HealthMonitor", "Intake", "Observation"]
