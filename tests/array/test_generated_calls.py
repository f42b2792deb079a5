"""The source of call functions: what a small operation spends its time on."""

from gpuarray import _calls

#: `a + b` of arrays of known layouts. A line more is time that every operation takes.
ADD = """\
def call(x0, x1):
    if x0._memory.stream is not stream:
        x0._memory.used_by(stream)
    if x1._memory.stream is not stream:
        x1._memory.used_by(stream)
    y0 = new(cls)
    y0._layout = layout0
    try:
        block = pop0()
        y0._memory = Allocation(block, push0, stream)
        y0._pointer = address0 = block.pointer
    except IndexError:
        y0._memory, address0 = allocate(nbytes0, stream)
        y0._pointer = address0
    try:
        buffer = take0()
    except IndexError:
        buffer = make0(y0, x0, x1)
    words, params = buffer
    words[0] = address0
    words[1] = x0._pointer
    words[2] = x1._pointer
    status = launch0(config0, function0, params, None)
    give0(buffer)
    if status:
        raise failed0(status)
    note(trace0)
    return y0
"""

#: A launch into scratch memory, one with a number and a given output, then cuBLAS.
STEPS = """\
def call(x0, x1, y0):
    if x0._memory.stream is not stream:
        x0._memory.used_by(stream)
    if y0._memory.stream is not stream:
        y0._memory.used_by(stream)
    try:
        block = scratch_pop0()
        t0 = Allocation(block, scratch_push0, stream)
        scratch_address0 = block.pointer
    except IndexError:
        t0, scratch_address0 = allocate(scratch0, stream)
    try:
        buffer = take0()
    except IndexError:
        buffer = make0(t0)
    words, params = buffer
    words[0] = scratch_address0
    status = launch0(config0, function0, params, None)
    give0(buffer)
    if status:
        raise failed0(status)
    note(trace0)
    try:
        buffer = take1()
    except IndexError:
        buffer = make1(t0, x0, x1)
    words, params, slot_x1 = buffer
    words[0] = scratch_address0
    words[3] = x0._pointer
    try:
        slot_x1[0] = x1
    except (ValueError, OverflowError):
        raise overflow1('x1', x1) from None
    status = launch1(config1, function1, params, None)
    give1(buffer)
    if status:
        raise failed1(status)
    note(trace1)
    try:
        buffer = take2()
    except IndexError:
        buffer = make2(t0, y0)
    words, arguments = buffer
    words[0] = scratch_address0
    words[1] = y0._pointer
    words[2] = handles2.handle
    status = function2(*arguments)
    give2(buffer)
    if status:
        raise failed2(status)
    note(trace2)
    return y0
"""


def test_an_addition():
    step = ("launch", (("y0", 0), ("x0", 1), ("x1", 2)))
    assert "\n".join([*_calls._source("aa", "n", (step,), 0, False), ""]) == ADD


def test_launches_and_a_library_in_one_call():
    steps = (
        ("launch", (("t0", 0),)),
        ("launch", (("t0", 0), ("x0", 3), ("x1", 4))),
        ("library call", (("t0", 0), ("y0", 1))),
    )
    assert "\n".join([*_calls._source("as", "g", steps, 1, False), ""]) == STEPS
