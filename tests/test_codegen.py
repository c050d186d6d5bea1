"""Generated functions: what a traceback shows of them, what their lines are about, what they keep."""

import gc
import linecache
import traceback

import pytest

from datastream.codegen import FILE_PREFIX, SourceText, generated_frames


def halving(note="halves"):
    code = SourceText(two=2)
    with code.function("def half(values)"):
        code.line("out = []")
        with code.collected() as body:
            code.line(f"out.append({code.bind(divmod, 'f')}(two, v))", note)
        with code.block("for v in values"):
            code.insert(body)
        code.line("return out")
    return code.compiled("half", "halving of values")


def test_a_traceback_shows_the_line_and_the_title():
    try:
        halving()([1, 0])
    except ZeroDivisionError as error:
        text = "".join(traceback.format_exception(error))
    assert "out.append(f1(two, v))" in text
    assert f'File "{FILE_PREFIX}halving of values ' in text


def test_two_functions_of_one_title_keep_their_own_lines():
    first, second = halving(), halving()
    assert first.__code__.co_filename != second.__code__.co_filename
    assert linecache.getlines(first.__code__.co_filename) == linecache.getlines(second.__code__.co_filename) != []


def test_the_note_of_the_line_that_raised():
    with pytest.raises(ZeroDivisionError) as caught:
        halving("the record")([4, 0])
    ((entry, note),) = generated_frames(caught.tb)
    assert note == "the record"
    assert entry.tb_frame.f_locals["v"] == 0


def test_other_frames_are_not_generated_ones():
    with pytest.raises(ZeroDivisionError) as caught:
        1 // 0  # noqa: B018
    assert list(generated_frames(caught.tb)) == []


def test_a_function_that_is_dropped_leaves_no_lines():
    function = halving()
    name = function.__code__.co_filename
    assert linecache.getlines(name)
    del function
    gc.collect()
    assert not linecache.getlines(name)


def test_an_object_has_one_name():
    code = SourceText()
    some, other = [], []
    assert code.bind(some) == code.bind(some) != code.bind(other)
    assert code.variable("k") not in code.bound


def test_functions_call_each_other():
    code = SourceText()
    with code.function("def even(n)"):
        with code.function("def odd(n)"):
            code.line("return n != 0 and even(n - 1)")
        code.line("return n == 0 or odd(n - 1)")
    even = code.compiled("even", "parity")
    assert [even(n) for n in range(4)] == [True, False, True, False]


def test_lines_with_blocks_of_their_own_stand_at_the_present_depth():
    code = SourceText()
    with code.function("def signs(numbers)"):
        code.line("found = []")
        with code.block("for number in numbers"):
            code.indented(["if number < 0:", "    found.append('-')", "else:", "    found.append('+')"])
        code.line("return found")
    assert code.compiled("signs", "signs")([1, -1]) == ["+", "-"]
