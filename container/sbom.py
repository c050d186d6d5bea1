"""Writes the bill of materials of an image, as CycloneDX: Python's packages, Java and its jars, Debian's packages.

python sbom.py ROOT TARGET
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

Component = dict[str, Any]


def python_packages(root: Path) -> Component:
    """The document that cyclonedx-py makes of the environment."""
    tool = Path(sys.executable).with_name("cyclonedx-py")
    command = [tool, "environment", "--output-reproducible", "--of", "JSON", root / "opt/venv/bin/python"]
    found: Component = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def jars(root: Path) -> Iterator[Component]:
    """Java's libraries, by what Maven wrote into them; else by their file's name."""
    for jar in sorted(root.glob("opt/venv/lib/python*/site-packages/pyspark/jars/*.jar")):
        named = re.fullmatch(r"(.+?)-(\d.*)", jar.stem)
        name, version = named.groups() if named else (jar.stem, "")
        group = _group(jar, name) or ("org.apache.spark" if name.startswith("spark-") else "")
        purl = f"pkg:maven/{quote(group)}/{quote(name)}@{quote(version)}" if group else None
        yield _component("library", name, version, purl, group)


def _group(jar: Path, name: str) -> str | None:
    with zipfile.ZipFile(jar) as archive:
        for entry in archive.namelist():
            found = re.fullmatch(r"META-INF/maven/([^/]+)/([^/]+)/pom\.properties", entry)
            if found and found.group(2) == name:
                return found.group(1)
    return None


def java(root: Path) -> Component:
    """Java itself."""
    release = dict(re.findall(r'^(\w+)="(.*)"$', (root / "opt/java/release").read_text(), re.MULTILINE))
    version = release["JAVA_VERSION"]
    return _component("framework", "openjdk", version, f"pkg:generic/openjdk@{quote(version)}", None)


def debian_packages(root: Path) -> Iterator[Component]:
    """What the base image has installed."""
    system = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', (root / "etc/os-release").read_text(), re.MULTILINE))
    for entry in (root / "var/lib/dpkg/status").read_text("utf-8").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in entry.splitlines() if re.match(r"[A-Z][\w-]*: ", line))
        if fields.get("Status", "").endswith(" installed"):
            name, version = fields["Package"], fields["Version"]
            where = f"arch={fields['Architecture']}&distro={system['ID']}-{system.get('VERSION_ID', '')}"
            purl = f"pkg:deb/{system['ID']}/{quote(name)}@{quote(version)}?{where}"
            yield _component("library", name, version, purl, None)


def _component(kind: str, name: str, version: str, purl: str | None, group: str | None) -> Component:
    found: Component = {"type": kind, "name": name, "version": version, "bom-ref": purl or f"{name}@{version}"}
    if group:
        found["group"] = group
    if purl:
        found["purl"] = purl
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the bill of materials of an image.")
    parser.add_argument("root", type=Path, help="the image's files")
    parser.add_argument("target", type=Path)
    args = parser.parse_args()
    document = python_packages(args.root)
    others = [java(args.root), *jars(args.root), *debian_packages(args.root)]
    document["components"] = [*document.get("components", ()), *others]
    document["metadata"]["component"] = {"type": "container", "name": "datastream", "bom-ref": "datastream"}
    document.pop("dependencies", None)  # of Python's packages alone, they would look like all
    args.target.write_text(json.dumps(document, indent=1) + "\n")
    print(f"{len(document['components'])} components: {args.target}")


if __name__ == "__main__":
    main()
