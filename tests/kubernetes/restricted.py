"""What the Pod Security profile *restricted* asks of a pod, and what the project asks beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_VOLUMES = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
#: Writes its settings beside its programs.
_WRITABLE = {"kafka"}


def violations(spec: Mapping[str, Any]) -> Iterator[str]:
    """What a pod's specification has that it must not have, or lacks."""
    pod = spec.get("securityContext", {})
    if any(spec.get(key) for key in ("hostNetwork", "hostPID", "hostIPC")):
        yield "namespaces of the host"
    for volume in spec.get("volumes", ()):
        if wrong := set(volume) - {"name"} - _VOLUMES:
            yield f"volume {volume['name']}: {wrong}"
        if "emptyDir" in volume and not volume["emptyDir"].get("sizeLimit"):
            yield f"volume {volume['name']}: no sizeLimit"
    if spec.get("enableServiceLinks", True):
        yield "variables of Services, which begin as settings"
    for container in (*spec.get("initContainers", ()), *spec["containers"]):
        name, own = container["name"], container.get("securityContext", {})
        context = {**pod, **own}
        if context.get("runAsNonRoot") is not True or not context.get("runAsUser"):
            yield f"{name}: may run as root"
        if context.get("seccompProfile", {}).get("type") != "RuntimeDefault":
            yield f"{name}: no seccompProfile"
        if own.get("allowPrivilegeEscalation") is not False:
            yield f"{name}: allowPrivilegeEscalation"
        if own.get("capabilities") != {"drop": ["ALL"]}:
            yield f"{name}: capabilities"
        if own.get("privileged"):
            yield f"{name}: privileged"
        if own.get("readOnlyRootFilesystem") is not True and name not in _WRITABLE:
            yield f"{name}: its root can be written to"
        if "resources" in container and "memory" not in container["resources"].get("limits", {}):
            yield f"{name}: no limit of memory"
