"""Tests of jobs: the same test on the local executor and on Spark.

`case` makes a test of a function that builds streams, and lets small tests share one Spark job. The fixture ``run``
is for tests that start jobs themselves. Both need pytest with the plugin ``datastream.testing.plugin``::

    pytest_plugins = ["datastream.testing.plugin"]  # in conftest.py

`Runner.start` runs a job epoch by epoch: the test feeds each `TestStream`, moves time on, and starts it again.

`replay` runs an epoch of a job in production again.

`collect` runs a job and returns what comes out of its streams, with any test framework or none.
"""

from datastream.testing.cases import case
from datastream.testing.collecting import collect
from datastream.testing.fed_stream import TestStream
from datastream.testing.replaying import replay
from datastream.testing.runner import Runner
from datastream.testing.stepped_job import SteppedJob

__all__ = ["Runner", "SteppedJob", "TestStream", "case", "collect", "replay"]
