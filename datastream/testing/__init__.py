"""For tests of jobs."""

from datastream.testing.cases import Case, Runner, case

__all__ = ["Case", "Runner", "case"]
