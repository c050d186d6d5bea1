"""Prints the tables of docs/mistakes.md."""

from __future__ import annotations

from tests.mistakes.catalogue import TOPICS

for topic in TOPICS:
    print(f"\n## {topic.TITLE}\n")
    print("| You wrote | What happens | What to do |\n| --- | --- | --- |")
    for mistake in topic.MISTAKES:
        print(mistake.row)
