"""A module's operations lowered for shared memory, under an evaluated launch or as if each ran once."""

from gluon_inspect.facts.lowered import lowered_operations
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.model.versions import NEWEST
from gluon_inspect.traffic.shared.allocation import allocate
from gluon_inspect.traffic.shared.conversions import conversions
from gluon_inspect.traffic.shared.endpoints import CostedLaunch


def once(_):
    return 1


def lowered(module, target, version=NEWEST):
    return lowered_operations(module, graph_of(module), target, version, once, {}, 1.0)


def lowered_in(run, module, target, version=NEWEST):
    found = run.executions, run.accesses, run.scale
    return lowered_operations(module, graph_of(module), target, version, *found)


def allocated(module, target, version=NEWEST):
    return allocate(graph_of(module), lowered(module, target, version))


def converted(module, target, version=NEWEST):
    launch = CostedLaunch(graph_of(module), target, version, {}, once, is_assumed=False)
    return conversions(module, lowered(module, target, version), launch, once)
