"""The pattern of MATCH_RECOGNIZE: which ones there are, as in Flink."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.table.plan.errors import wrong
from datastream.table.plan.relations import PatternVariable
from datastream.table.sql.syntax import VariableNode


def checked_pattern(nodes: Sequence[VariableNode]) -> tuple[PatternVariable, ...]:
    """The variables of a pattern, without their conditions.

    Args:
        nodes: As written.

    Raises:
        ValidationError: There is no such pattern.
    """
    names = [node.name for node in nodes]
    for place, node in enumerate(nodes):
        if node.name in names[:place]:
            raise wrong(f"Pattern variables must be unique: '{node.name}' is there twice", node.position)
        _check_bounds(node)
    found = tuple(map(_variable, nodes))
    if not any(each.least for each in found):
        raise wrong(
            "Patterns that can produce empty matches are not supported: at least one variable must take a row",
            nodes[0].position,
        )
    if found[-1].greedy:
        raise wrong(
            "Greedy quantifiers are not allowed as the last element of a pattern: finish it with a simple variable, or "
            "with a reluctant quantifier, such as *?",
            nodes[-1].position,
        )
    for node, before, each in zip(nodes[1:], found, found[1:], strict=False):
        if before.greedy and each.least == 0 and each.most in (1, None):
            raise wrong(
                "Optional pattern cannot be preceded by greedy pattern: make the quantifier of "
                f"'{before.name}' reluctant, or let '{each.name}' take a row",
                node.position,
            )
    return found


def _check_bounds(node: VariableNode) -> None:
    if (node.least, node.most) == (0, 1) and node.reluctant:
        raise wrong("Reluctant optional variables (??) are not supported", node.position)
    if node.most is not None and node.most < max(node.least, 1):
        least = max(node.least, 1)
        raise wrong(f"The most rows of '{node.name}' must be at least {least}, got {node.most}", node.position)


def _variable(node: VariableNode) -> PatternVariable:
    single = (node.least, node.most) == (0, 1) or node.least == node.most
    return PatternVariable(node.name, node.least, node.most, not single and not node.reluctant)
