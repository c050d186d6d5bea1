"""Packages that are made for tests, and an index that refuses: so nothing comes from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

#: An index that nobody listens at.
REFUSES = {
    "UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple",
    "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
    "UV_HTTP_RETRIES": "0",
    "PIP_FIND_LINKS": None,
}


class Wheels:
    """A folder of wheels.

    Attributes:
        folder: Where they are: two versions of ``greeting``, and ``polite``, which needs one of them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for version in ("1.0", "2.0"):
            wheel(folder, "greeting", version)
        wheel(folder, "polite", "1.0", needs="greeting==1.0")

    def requirements(self, folder: Path, *lines: str, name: str = "requirements.txt") -> Path:
        """A requirements file."""
        file = folder / name
        file.write_text("\n".join(lines) + "\n")
        return file


def wheel(folder: Path, name: str, version: str, needs: str | None = None, tag: str = "py3-none-any") -> Path:
    """Make a wheel of one module, which knows its version."""
    about = f"{name}-{version}.dist-info"
    required = f"Requires-Dist: {needs}\n" if needs else ""
    files = {
        f"{name}.py": f'VERSION = "{version}"\n',
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{required}",
        f"{about}/WHEEL": f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: {tag}\n",
    }
    record = [f"{path},sha256={_hash(text)},{len(text)}" for path, text in files.items()]
    path = folder / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as out:
        for inside, text in files.items():
            out.writestr(inside, text)
        out.writestr(f"{about}/RECORD", "\n".join([*record, f"{about}/RECORD,,"]) + "\n")
    return path


def _hash(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
