"""Tests of jobs: the same test on the local executor and on Spark.

`case` makes a test of a function that builds streams, and lets small tests share one Spark job. The fixture ``run``
is for tests that start jobs themselves. Both need pytest with the plugin ``datastream.testing.plugin``::

    pytest_plugins = ["datastream.testing.plugin"]  # in conftest.py

`collect` runs a job and returns what comes out of its streams, with any test framework or none.
"""

from datastream.testing.cases import case
from datastream.testing.collecting import collect
from datastream.testing.runner import Runner

__all__ = ["Runner", "case", "collect"]
