from __future__ import annotations

import os

import hypothesis

# A run that gates others draws the same examples each time; a developer's draws new ones and finds new faults.
# How long an example takes says nothing on a machine that is shared.
hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")

pytest_plugins = ["datastream.testing.plugin", "tests.support.servers.plugin", "tests.support.workers"]
