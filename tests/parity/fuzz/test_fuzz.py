"""The programs that are drawn, and how two outcomes of one are compared; `scripts/parity --fuzz` runs them."""

from __future__ import annotations

from tests.parity.fuzz.command import draw
from tests.parity.fuzz.program import Program, joined
from tests.parity.fuzz.running import difference, run_alone, run_joined
from tests.parity.outcome import Outcome
from tests.parity.runner import ours


def test_a_seed_and_a_number_draw_the_same_program_again() -> None:
    names = [f"1/{i}" for i in range(50)]
    assert [draw(name) for name in names] == [draw(name) for name in names]
    assert len({draw(name).parts for name in names}) == 50


def test_programs_are_python() -> None:
    programs = [draw(f"2/{i}") for i in range(200)]
    for program in programs:
        compile(program.script(), program.name, "exec")
    compile(joined([program for program in programs if not program.alone]), "joined", "exec")


def test_changes_are_compared_by_their_sum() -> None:
    at_once = Outcome(["out> +I[a, 2]", "out> +I[b, 1]"])
    by_steps = Outcome(["out> +I[a, 1]", "out> +I[b, 1]", "out> -U[a, 1]", "out> +U[a, 2]"])
    assert difference(Program("1/0", (), order="net"), at_once, by_steps) == {}
    assert difference(Program("1/0", (), order="any"), at_once, by_steps)
    wrong = Outcome(["out> +I[a, 2]"])
    assert "-out> [b, 1]" in difference(Program("1/0", (), order="net"), at_once, wrong)["printed"]


def test_a_failure_is_the_same_as_another_unless_a_function_failed() -> None:
    def failed(error: str | None) -> Outcome:
        return Outcome(["printed before"], {}, error)

    program = Program("1/0", ())
    assert difference(program, failed("when built: A: x"), failed("while running: B: y")) == {}
    assert difference(program, failed("in a function: A: x"), failed("in a function: A: y"))
    assert difference(program, failed("when built: A: x"), failed(None)) == {"error": ["-when built: A: x", "+None"]}


def test_programs_run_here_together_and_alone() -> None:
    programs = [draw(f"3/{i}") for i in range(6)]
    with ours() as here:
        together = run_joined(programs, here)
        alone = run_alone(programs, here)
    for program, one, other in zip(programs, together, alone, strict=True):
        assert difference(program, one, other) == {}, program.script()
    assert any(one.printed for one in together)
