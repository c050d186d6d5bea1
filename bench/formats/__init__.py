"""Rates of the formats, one module a format: records a second, ours and the library's own."""

import gc

from datastream.runtime.program import GC_THRESHOLDS

gc.set_threshold(*GC_THRESHOLDS)  # for both sides, as in the workers
