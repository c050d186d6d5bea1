"""Pages of the docs site that have their source elsewhere: the front page, contributors' pages, the API reference.

A hook of MkDocs (see mkdocs.yml).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

#: File of the checkout -> its page.
COPIES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing/index.md",
    "CHANGELOG.md": "contributing/changelog.md",
}

#: Public package -> what it is for. Each is a page of the reference.
REFERENCE = {
    "datastream.api": "The environment, streams and what a started job returns. Import them from `datastream`.",
    "datastream.functions": "Functions that jobs implement, and their contexts. Import them from `datastream`.",
    "datastream.state": "Keyed and broadcast state. Import them from `datastream`.",
    "datastream.windows": "Window assigners, triggers and evictors. Import them from `datastream`.",
    "datastream.time": "Durations, timestamps and watermarks. Import them from `datastream`.",
    "datastream.types": "Types, rows and serializers. Import them from `datastream`.",
    "datastream.types.arrow": "Rows as Arrow's record batches, and back.",
    "datastream.config": "Configuration of an environment. Import them from `datastream`.",
    "datastream.job": "Results and states of started jobs. Import them from `datastream`.",
    "datastream.errors": "Errors. Import them from `datastream`.",
    "datastream.metrics": "Metrics of functions.",
    "datastream.connectors": "Small sources and sinks.",
    "datastream.connectors.files": "Files as sources and sinks.",
    "datastream.connectors.jdbc": "Databases as sinks. PostgreSQL needs the extra `jdbc`.",
    "datastream.connectors.kafka": "Kafka as source and sink. Needs the extra `kafka`.",
    "datastream.formats": "Base classes of formats, and schemas for text and bytes.",
    "datastream.formats.avro": "Avro.",
    "datastream.formats.csv": "CSV.",
    "datastream.formats.json": "JSON.",
    "datastream.formats.protobuf": "Protobuf.",
    "datastream.io": "The contract of connectors.",
    "datastream.io.ranges": "Ranges of numbers, for sources that count their records.",
    "datastream.testing": "Tests of jobs.",
    "datastream.testing.connectors": "Tests of sources and sinks.",
    "datastream.state_processor": "Savepoints that no job has written.",
    "datastream.spark.state_view": "The state of a checkpoint as a DataFrame of Spark.",
    "datastream.table": "The Table API and SQL, and types for schemas of files. Import them from `pyflink.table`.",
    "datastream.table.connectors": "The contract of table connectors.",
    "datastream.table.expressions": "Functions that make expressions.",
    "datastream.table.udf": "User-defined functions.",
    "datastream.client": "A client of the gateway.",
    "datastream.compat": "PyFlink's module names for this package.",
}

#: Packages inside the project: their names may change with any release.
INTERNAL = {
    "java_maps",
    "whole_numbers",
    "without_effect",
    "cli",
    "codegen",
    "driver",
    "environments",
    "graph",
    "http_pages",
    "kubernetes",
    "local",
    "logs",
    "missing_names",
    "old_names",
    "package",
    "plain_text",
    "prompt_signals",
    "prometheus",
    "replay",
    "runtime",
    "services",
    "spark",
    "stored_types",
}

_LINK = re.compile(r"(\]\()(?!https?:|#)([^)#\s]+)")
_OUTSIDE = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?(https?:)?//|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|preload|icon|preconnect))[^>]*\bhref=[\"']?(https?:)?//"
)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that have no file in docs/."""
    _refuse_unknown_packages()
    for source, page in COPIES.items():
        text = _relinked((ROOT / source).read_text("utf-8"), source, page)
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "reference/index.md", content=_contents()))
    for package, purpose in REFERENCE.items():
        files.append(File.generated(config, f"reference/{package}.md", content=_reference(package, purpose)))
    return files


def on_config(config: Any) -> Any:
    """Put the reference's pages in the navigation."""
    for section in config.nav:
        for pages in section.values():
            if isinstance(pages, list):
                for number, entry in enumerate(pages):
                    if entry == {"API": "reference/"}:
                        pages[number] = {"API": ["reference/index.md", *(f"reference/{name}.md" for name in REFERENCE)]}
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links to files of the checkout to their pages."""
    if page.file.generated_by:
        return markdown
    return _relinked(markdown, f"docs/{page.file.src_uri}", page.file.src_uri)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Refuse what a browser would fetch from elsewhere."""
    found = _OUTSIDE.search(output)
    if found:
        raise PluginError(f"{page.file.src_uri} would load from another host: {output[found.start() :][:200]}")
    return output


def _refuse_unknown_packages() -> None:
    """A new package is shown in the reference, or named as internal."""
    for part in pkgutil.iter_modules(importlib.import_module("datastream").__path__):
        name = f"datastream.{part.name}"
        if name not in REFERENCE and part.name not in INTERNAL and not part.name.startswith("_"):
            raise PluginError(f"scripts/docs_site.py: {name} is neither in the reference nor internal")


def _relinked(text: str, source: str, page: str) -> str:
    """Links of a file, relative to its place in the checkout, as links of its page."""
    folder, target_folder = posixpath.dirname(source), posixpath.dirname(page)

    def change(link: re.Match[str]) -> str:
        file = posixpath.normpath(posixpath.join(folder, link.group(2)))
        target = COPIES.get(file, file.removeprefix("docs/"))
        if target == file:
            raise PluginError(f"{source} links to {file}, which is no page")
        return link.group(1) + posixpath.relpath(target, target_folder or ".")

    return _LINK.sub(change, text)


def _contents() -> str:
    rows = [f"| [`{package}`]({package}.md) | {purpose} |" for package, purpose in REFERENCE.items()]
    return "\n".join(
        [
            "# API reference",
            "",
            "Every public name of this project. Names of PyFlink are the same here. `datastream run`, and",
            "`datastream.compat.install()`, make `pyflink.common` and `pyflink.datastream` lead to them.",
            "",
            "| Package | Holds |",
            "| --- | --- |",
            *rows,
            "",
        ]
    )


def _reference(package: str, purpose: str) -> str:
    lines = [f"# `{package}`", "", purpose, ""]
    for name in public_names(package):
        lines += [f"::: {_home(package, name)}", "    options:", f"      heading: {name}", ""]
    return "\n".join(lines)


def public_names(package: str) -> list[str]:
    """The names that a package's page shows: its `__all__`, without those that a package inside it shows.

    Args:
        package: Its dotted name.
    """
    module = importlib.import_module(package)
    if package == "datastream.errors":
        return [name for name, value in vars(module).items() if _is_error(value, package)]
    deeper = {
        id(getattr(importlib.import_module(other), name))
        for other in REFERENCE
        if other.startswith(f"{package}.")
        for name in importlib.import_module(other).__all__
    }
    return [name for name in sorted(module.__all__) if id(getattr(module, name)) not in deeper]


def _is_error(value: object, package: str) -> bool:
    return inspect.isclass(value) and issubclass(value, Exception) and value.__module__ == package


def _home(package: str, name: str) -> str:
    """The module that defines a name, where that can be known: names of packages may be loaded late."""
    value = getattr(importlib.import_module(package), name)
    module, inner = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if inspect.isclass(value) or inspect.isfunction(value):
        return f"{module}.{inner}"
    return f"{package}.{name}"
