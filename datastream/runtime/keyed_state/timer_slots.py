"""Where a key's content keeps its timers: the values of `TimeDomain`."""

EVENT_TIME = 0
PROCESSING_TIME = 1
