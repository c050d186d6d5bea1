"""Where the measurements keep their files: the generated text, checkpoints."""

from __future__ import annotations

import os
import random
import shutil
import string
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path

_VOCABULARY = 20_000
_ROUND_MB = 20


def folder() -> Path:
    """On disk, and kept: ``$XDG_CACHE_HOME/datastream-bench``."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    found = cache / "datastream-bench"
    found.mkdir(parents=True, exist_ok=True)
    return found


@contextmanager
def temporary_folder() -> Iterator[str]:
    """A folder on the same disk, for one run's checkpoint."""
    path = tempfile.mkdtemp(prefix="run-", dir=folder())
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def text_file(mb: int) -> Path:
    """Lines of ten words, the words as unevenly frequent as in a language; made once, always the same."""
    path = folder() / f"text-{mb}.txt"
    if path.exists():
        return path
    source = random.Random(7)
    words = ["".join(source.choices(string.ascii_lowercase, k=source.randint(2, 9))) for _ in range(_VOCABULARY)]
    weights = list(accumulate(1 / (rank + 10) for rank in range(_VOCABULARY)))
    size = min(mb, _ROUND_MB) << 20
    lines: list[str] = []
    while size > 0:
        line = " ".join(source.choices(words, cum_weights=weights, k=10)) + "\n"
        lines.append(line)
        size -= len(line)
    unfinished = path.with_suffix(f".{os.getpid()}")
    with open(unfinished, "w", encoding="ascii") as out:
        for _ in range(max(1, mb // _ROUND_MB)):
            source.shuffle(lines)
            out.writelines(lines)
    os.replace(unfinished, path)
    return path
