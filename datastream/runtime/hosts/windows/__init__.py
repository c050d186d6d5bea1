"""Windows: what runs a `WindowOperation` in one subtask.

`WindowHost` runs any of them; the others run the usual ones faster, with the same results.
"""

from .choice import window_host

__all__ = ["window_host"]
