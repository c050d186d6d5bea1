"""The windows' reference is in tests/windows; tests of jobs compare with it too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "windows"))
