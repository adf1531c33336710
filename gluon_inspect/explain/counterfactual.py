"""What if a layout were another: the same addresses, placed anew and counted again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gluon_inspect import targets
from gluon_inspect.addresses.global_access import GlobalAccess
from gluon_inspect.addresses.launch import Evaluated, evaluate_launch
from gluon_inspect.addresses.placement import place
from gluon_inspect.addresses.records import global_records
from gluon_inspect.addresses.requests import Traffic, count
from gluon_inspect.addresses.vector import mask_limit, pointer_limits, width
from gluon_inspect.errors import InspectError
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import Access
from gluon_inspect.model.encodings import BlockedEncoding, Encoding
from gluon_inspect.model.report import KernelReport
from gluon_inspect.model.types import TensorType
from gluon_inspect.pipeline.gather import Reader

_MOST_PROGRAMS = 1 << 11
"""Programs that are evaluated at most for each candidate; more are sampled."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One access under one candidate layout, in the first program: traffic and instructions a warp."""

    layout: BlockedEncoding
    traffic: Traffic
    vector: int


class WhatIf:
    """One kernel and launch, to be evaluated under other layouts."""

    def __init__(self, report: KernelReport) -> None:
        self.report = report
        self.target = targets.find(report.kernel.target)
        self._reader = Reader(report.kernel, self.target)
        self.warps = report.num_warps or 4

    @cached_property
    def base(self) -> Evaluated | None:
        """The launch as it is, on a sample of programs; None without IR or without a grid."""
        return self._evaluated({})

    def accesses(self, layouts: Mapping[Encoding, Encoding]) -> tuple[Access, ...]:
        """Access records with encodings replaced; counts are scaled from a sample of programs."""
        evaluated = self._evaluated(layouts)
        return () if evaluated is None else global_records(evaluated)

    def _evaluated(self, layouts: Mapping[Encoding, Encoding]) -> Evaluated | None:
        reader = self._reader
        if reader.module is None or reader.function is None or self.report.launch.grid is None:
            return None
        return evaluate_launch(
            reader.module,
            reader.function,
            self.report.launch,
            self.target,
            self.warps,
            _MOST_PROGRAMS,
            layouts,
        )

    def trial(self, access: GlobalAccess, layout: BlockedEncoding) -> Trial | None:
        """One access under a candidate; None where the layout does not fit or nothing is known."""
        sample, tensor = access.tally.sample, access.tensor
        if sample is None or not isinstance(tensor, TensorType):
            return None
        try:
            linear = linear_layout(layout, tensor.shape)
        except InspectError:
            return None
        size = access.tally.element_bytes
        axis = access.context.axis
        limits = pointer_limits(
            linear, axis[access.address], size, self.target.max_vector_bytes, is_pointer=not access.row.offsets
        )
        if access.mask is not None and isinstance(access.mask.type, TensorType):
            limits += (mask_limit(linear, axis[access.mask]),)
        placement = place(linear, width(limits))
        addresses = sample.row.reshape(-1)[placement.first] + sample.base
        mask = np.ones(1, np.bool_) if sample.mask is None else sample.mask.reshape(-1)[placement.first] != 0
        active = np.asarray(mask & placement.owns if access.row.once else mask)
        found = count(addresses, active, placement.vector * size, self.target.sector_bytes, self.target.line_bytes)
        return Trial(layout, found, placement.vector)
