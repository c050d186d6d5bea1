"""Programs of the documents that began PyFlink, as they are printed there: they run, and each old name is told once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parity.runner import Runner, ours
from tests.support.offline import Wheels

SEEDS = Path(__file__).parent / "seeds"

#: Program -> what it prints, and the old names that its log tells.
PROGRAMS: dict[str, tuple[list[str], set[str]]] = {
    "flip38_word_count": (
        ["ASF,2", "Apache,1", "Foundation,1", "Licensed,1", "Software,1"]
        + ["line,2", "one,1", "the,2", "to,2", "under,1"],
        {
            "pyflink.dataset.ExecutionEnvironment",
            "BatchTableEnvironment",
            "TableEnvironment.connect",
            "an expression as text",
            "TableEnvironment.execute",
        },
    ),
    "flip38_shell": (
        ["1,Sunny", "2,Eden"],
        {
            "pyflink.dataset.ExecutionEnvironment",
            "BatchTableEnvironment",
            "TableEnvironment.from_collection",
            "an expression as text",
            "Table.insertInto",
            "TableEnvironment.execute",
        },
    ),
    "flip58_shell": (
        ["1,Sunny", "2,Eden"],
        {
            "TableConfig.Builder",
            "TableEnvironment.create with a TableConfig",
            "TableEnvironment.from_collection",
            "an expression as text",
            "Table.insertInto",
            "TableEnvironment.execute",
        },
    ),
    "flip58_functions": (
        ["['hi guys', 'hello guys']", "[('guys', 2), ('hello', 1), ('hi', 1)]", "[2]"],
        {
            "udf(input=..., output=...)",
            "udtf(input=..., output=...)",
            "udaf(input=..., output=...)",
            "DataTypes.ROW of a type",
            "TableConfig.Builder",
            "TableEnvironment.create with a TableConfig",
            "TableEnvironment.register_function",
            "an expression as text",
        },
    ),
    "flip58_word_count": (
        ["hi guys", "hello guys", "", "guys,2", "hello,1", "hi,1"],
        {
            "udf(input=..., output=...)",
            "udtf(input=..., output=...)",
            "udaf(input=..., output=...)",
            "DataTypes.ROW of a type",
            "TableConfig.Builder",
            "TableEnvironment.get_table_environment",
            "CsvTableSource",
            "TableEnvironment.register_table_source",
            "TableEnvironment.connect",
            "TableEnvironment.register_function",
            "an expression as text",
            "TableEnvironment.execute",
            "to write a query that changes its rows into a file in streaming mode",
        },
    ),
    "flip58_one_operator": (
        ["<Row(1, 3, 6, -1)>"],
        {"TableEnvironment.register_function", "TableEnvironment.register_table", "an expression as text"},
    ),
    "flip130_functions": (
        ["2", "2", "2", "3", "3", "3", "+I[1,1]", "+I[2,2]"],
        {"the argument data_types of map", "Types.String"},
    ),
    "flip130_example": (["('ab', 2)", "('abc', 3)", "('abcd', 4)", "('abcde', 5)"], set()),
    "flip130_kafka": (
        [
            "['Source: Custom Source', 'Sink: Print to Std. Out', 'Source: Custom Source', "
            "'Sink: FlinkKafkaProducer010']"
        ],
        {"FlinkKafkaConsumer010", "FlinkKafkaProducer010"},
    ),
    "flip130_dependencies": (
        ["41", "42", "+I[2,b]", "(true,+I[a, 1])", "(true,+I[b, 2])"],
        {"StreamExecutionEnvironment.register_cache_file", "an expression as text"},
    ),
    "quick_start_word_count": (
        ["flink\t2", "pyflink\t1"],
        {
            "pyflink.dataset.ExecutionEnvironment",
            "BatchTableEnvironment",
            "TableEnvironment.connect",
            "an expression as text",
            "TableEnvironment.execute",
        },
    ),
    "quick_start_udf": (
        ["3", "3"],
        {
            "pyflink.dataset.ExecutionEnvironment",
            "BatchTableEnvironment",
            "TableEnvironment.register_function",
            "TableEnvironment.connect",
            "an expression as text",
            "TableEnvironment.execute",
        },
    ),
    "quick_start_dependencies": (
        ["3"],
        {
            "pyflink.dataset.ExecutionEnvironment",
            "BatchTableEnvironment",
            "TableEnvironment.register_function",
            "TableEnvironment.from_collection",
            "an expression as text",
            "Table.insertInto",
            "TableEnvironment.execute",
        },
    ),
    "quick_start_sql": (
        ["+I[2]", "+I[3]", "+I[4]"],
        {
            "EnvironmentSettings.Builder.use_blink_planner",
            "TableEnvironment.sql_update",
            "TableEnvironment.execute",
        },
    ),
}


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    wheels = Wheels(tmp_path_factory.mktemp("wheels"))
    with ours("local") as runner:
        runner.environment["SEEDS_WHEELS"] = str(wheels.folder)
        yield runner


def test_every_program_has_its_output() -> None:
    assert PROGRAMS.keys() == {path.stem for path in SEEDS.glob("*.py")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_and_tells_each_old_name_once(name: str, runner: Runner) -> None:
    printed, old = PROGRAMS[name]
    start = runner.log.stat().st_size if runner.log.exists() else 0
    outcome = runner.run_path(SEEDS / f"{name}.py")
    log = runner.log.read_text()[start:]
    assert outcome.error is None
    lines = [re.sub(r"^\d+> ", "", line) for line in outcome.printed]
    assert lines == printed if name != "flip130_functions" else sorted(lines) == sorted(printed)
    told = [line for line in log.splitlines() if " is old: write " in line]
    assert sorted(line.partition(" is old: ")[0] for line in told) == sorted(old)
