"""The scripts, and what is kept beside them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from tests.parity.docstrings import RUNNING, judged, run_examples
from tests.parity.examples import NAMES, example, package
from tests.parity.outcome import Outcome, differences

FOLDER = Path(__file__).parent
SCRIPTS, RECORDED, ACCEPTED = FOLDER / "scripts", FOLDER / "recorded", FOLDER / "accepted.toml"
#: The topic of PyFlink's own examples, whose names have - for /.
EXAMPLES = "examples"
#: The topic of the examples in PyFlink's docstrings.
DOCSTRINGS = "docstrings"
#: The first line of a script whose lines may come in any order.
ANY_ORDER = "# parity: any order\n"


@dataclass(frozen=True)
class Script:
    """One script.

    Attributes:
        name: ``topic/name``.
    """

    name: str

    @property
    def path(self) -> Path:
        topic, _, name = self.name.partition("/")
        if topic == DOCSTRINGS:
            return RUNNING
        return example(name.replace("-", "/")) if topic == EXAMPLES else SCRIPTS / f"{self.name}.py"

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the script is called with."""
        topic, _, name = self.name.partition("/")
        return (str(package()), name) if topic == DOCSTRINGS else ()

    def is_at(self, path: Path) -> bool:
        """Whether a path is that of the script in this folder."""
        return path.resolve() == SCRIPTS / f"{self.name}.py"

    @property
    def record(self) -> Path:
        return RECORDED / f"{self.name}.txt"

    @property
    def any_order(self) -> bool:
        return self.name.startswith(f"{EXAMPLES}/") or self.path.read_text().startswith(ANY_ORDER)

    def differences(self, flink: Outcome, ours: Outcome) -> dict[str, list[str]]:
        """Where two outcomes differ: ``printed``, ``files`` or ``error`` -> lines of a diff."""
        if self.name.startswith(f"{DOCSTRINGS}/"):
            left, right = judged(flink.printed, ours.printed)
            flink, ours = replace(flink, printed=left), replace(ours, printed=right)
        return differences(flink, ours, self.any_order)

    def recorded(self) -> Outcome:
        """What real Flink did.

        Raises:
            LookupError: Nothing is recorded yet.
        """
        if not self.record.exists():
            raise LookupError(f"{self.name} is not recorded yet: scripts/parity --record {self.name}")
        return Outcome.parse(self.record.read_text())


@dataclass(frozen=True)
class Accepted:
    """A difference that stays.

    Attributes:
        differs: ``printed``, ``files`` and ``error``: those of them that differ.
        reason: Why it stays.
    """

    differs: frozenset[str]
    reason: str


def scripts(names: list[str] | None = None) -> list[Script]:
    """All scripts, or those of some names: ``topic/name``, ``name``, ``topic`` or a path.

    Raises:
        LookupError: A name that no script has.
    """
    every = [Script(str(path.relative_to(SCRIPTS).with_suffix(""))) for path in sorted(SCRIPTS.glob("*/*.py"))]
    every += [Script(f"{EXAMPLES}/{name.replace('/', '-')}") for name in NAMES]
    every += [Script(f"{DOCSTRINGS}/{name}") for name in run_examples()]
    if not names:
        return every
    chosen = []
    for name in names:
        wanted = name.removesuffix("/")
        found = [
            script for script in every if wanted in (script.name, *script.name.split("/")) or script.is_at(Path(name))
        ]
        if not found:
            raise LookupError(f"there is no script or topic {name!r}")
        chosen += found
    return list(dict.fromkeys(chosen))


def verdict(diff: dict[str, list[str]], known: Accepted | None) -> str:
    """``equal``, ``accepted``, ``differs`` or ``no longer differs``."""
    if known is None:
        return "differs" if diff else "equal"
    if not diff:
        return "no longer differs"
    return "accepted" if known.differs == diff.keys() else "differs"


def accepted() -> dict[str, Accepted]:
    """Script -> its accepted difference."""
    table = tomllib.loads(ACCEPTED.read_text())
    return {name: Accepted(frozenset(entry["differs"]), entry["reason"]) for name, entry in table.items()}
