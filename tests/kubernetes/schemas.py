"""JSON schemas of Kubernetes' kinds for kubeconform, made of what is in Go's modules. Its own come from a web site."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

CACHE = Path(__file__).parents[2] / ".cache" / "kubernetes"
KUBERNETES = "k8s.io/kubernetes@v1.35.4"
OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.85.0"
_CUSTOM = ("prometheusrules", "servicemonitors")
_DEFINITIONS = "definitions.json"
#: kubeconform puts names of kinds in here.
PATTERN = "{{.ResourceKind}}{{.KindSuffix}}.json"


def make_schemas() -> Path:
    """The folder of the schemas; they are made once.

    Raises:
        OSError: There is no Go.
        subprocess.CalledProcessError: A module cannot be fetched.
    """
    folder = CACHE / f"schemas-{KUBERNETES.rpartition('@v')[2]}-{OPERATOR.rpartition('@v')[2]}"
    if not folder.is_dir():
        swagger = _module(KUBERNETES) / "api" / "openapi-spec" / "swagger.json"
        definitions = json.loads(swagger.read_text())["definitions"]
        files: dict[str, Any] = {_DEFINITIONS: {"definitions": {k: _strict(v) for k, v in definitions.items()}}}
        for name, kind in _kinds(definitions):
            files[name] = {"$ref": f"{_DEFINITIONS}#/definitions/{kind}"}
        custom = _module(OPERATOR) / "example" / "prometheus-operator-crd"
        for kind in _CUSTOM:
            files |= _custom(yaml.safe_load((custom / f"monitoring.coreos.com_{kind}.yaml").read_text()))
        work = folder.with_name(f"{folder.name}.{os.getpid()}")
        work.mkdir(parents=True)
        for name, schema in files.items():
            (work / name).write_text(json.dumps(schema))
        work.rename(folder)
    return folder


def _module(name: str) -> Path:
    command = ["go", "mod", "download", "-json", name]
    found = subprocess.run(command, check=True, capture_output=True, text=True, cwd="/")
    return Path(json.loads(found.stdout)["Dir"])


def _file(group: str, version: str, kind: str) -> str:
    return "-".join([kind.lower(), *([group.partition(".")[0]] if group else []), version]) + ".json"


def _kinds(definitions: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, about in definitions.items():
        for kind in about.get("x-kubernetes-group-version-kind", ()):
            yield _file(kind["group"], kind["version"], kind["kind"]), name


def _custom(definition: Mapping[str, Any]) -> dict[str, Any]:
    spec = definition["spec"]
    found = {}
    for version in spec["versions"]:
        schema = _strict(version["schema"]["openAPIV3Schema"])
        schema["properties"]["metadata"] = {
            "$ref": f"{_DEFINITIONS}#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
        }
        found[_file(spec["group"], version["name"], spec["names"]["kind"])] = schema
    return found


def _strict(schema: Any) -> Any:
    """The same schema, in which a key that it does not name is wrong."""
    if isinstance(schema, list):
        return [_strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("format") == "int-or-string":
        return {"type": ["string", "integer"]}
    if isinstance(schema.get("$ref"), str):
        return {"$ref": _DEFINITIONS + schema["$ref"]}
    found = {key: _strict(value) for key, value in schema.items()}
    open_ended = "additionalProperties" in schema or schema.get("x-kubernetes-preserve-unknown-fields")
    if isinstance(schema.get("properties"), dict) and schema.get("type", "object") == "object" and not open_ended:
        found["additionalProperties"] = False
    return found


if __name__ == "__main__":
    make_schemas()
