"""The public names and signatures are those of the checked-in file, so that a review sees each change of them."""

from __future__ import annotations

from difflib import unified_diff

from tests.names.public import FILE, surface


def test_the_public_surface_is_pinned() -> None:
    before, now = FILE.read_text().splitlines(), surface().splitlines()
    changed = "\n".join(unified_diff(before, now, "checked in", "now", n=0, lineterm=""))
    assert not changed, f"the public surface changed; if that is meant: python -m tests.names.public\n{changed}"
