"""Facts made by hand: a kernel of which only what a test names is known."""

from dataclasses import replace

from gluon_inspect import targets
from gluon_inspect.assembly.counts import count_by_line, count_static
from gluon_inspect.assembly.sass import parse_sass
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.occupancy import occupancy
from gluon_inspect.model.artifact import CompiledKernel, Launch
from gluon_inspect.model.report import Programs, Registers

NOTHING = Facts(
    kernel=CompiledKernel("k", "cuda:90", source_file="k.py"),
    launch=Launch("0"),
    target=targets.find("cuda:90"),
    module=None,
    assembly=None,
    num_warps=4,
    num_ctas=1,
    programs=Programs(None, None),
    accesses=(),
    conversions=(),
    registers=Registers(),
    shared_bytes=None,
    occupancy=None,
)


def sass(*instructions):
    """Facts with a SASS listing; each instruction is (line, text)."""
    lines = [".text.k:"]
    for number, (line, text) in enumerate(instructions):
        lines += [f'\t//## File "k.py", line {line}', f"\t/*{16 * number:04x}*/ {text} ;"]
    assembly = parse_sass("\n".join(lines))
    return replace(
        NOTHING,
        assembly=assembly,
        instructions_static=count_static(assembly, "k"),
        instructions_by_line=count_by_line(assembly, "k", "k.py"),
    )


def resident(facts, registers, shared, warps):
    """The same with registers, shared memory and the occupancy they give."""
    return replace(
        facts,
        registers=Registers(registers, 0),
        shared_bytes=shared,
        num_warps=warps,
        total_warps=warps,
        occupancy=occupancy(facts.target, registers, shared, warps),
    )
