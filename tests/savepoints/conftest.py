"""Golden checkpoints name the classes of their jobs by the package ``golden``, wherever this folder is."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
