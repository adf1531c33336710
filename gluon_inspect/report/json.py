"""The report as JSON, schema version 1 (report/schema/report-v1.schema.json). Unknown is null, never zero."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gluon_inspect.codec import picked, plain
from gluon_inspect.model.access import Access, Conversion
from gluon_inspect.model.artifact import ArgumentValue, DescriptorArgument, ScriptError, TensorArgument
from gluon_inspect.model.change import Comparison
from gluon_inspect.model.cost import KernelCost, Stall
from gluon_inspect.model.finding import Cell, Entry, Finding, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Measurement, Registers, RegisterTensor, Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.version import tool_version

NAME = "json"
SCHEMA_VERSION = 1

Json = dict[str, Any]
_ACCESS = (
    "shape",
    "element_bits",
    "vector_bits",
    "widths",
    "requests",
    "transactions",
    "lines",
    "sectors",
    "sectors_ideal",
    "wavefronts",
    "wavefronts_ideal",
    "bytes_requested",
    "bytes_unique",
    "executions",
    "confidence",
    "model",
    "reason",
)
_CONVERSION = (
    "kind",
    "scratch_bytes",
    "wavefronts",
    "wavefronts_ideal",
    "barriers",
    "pays",
    "why",
    "confidence",
    "model",
)
_TENSOR = (
    "shape",
    "layout",
    "element_bits",
    "registers_per_thread",
    "registers_per_program",
    "unique_elements",
    "replication",
)
_OCCUPANCY = ("ctas_per_sm", "warps", "fraction", "limited_by", "limits")
_MEASUREMENT = (
    "device",
    "time_ms",
    "bytes",
    "gbps",
    "fraction_of_peak",
    "moved_bytes",
    "moved_gbps",
    "tflops",
    "peak_gbps",
    "datasheet_gbps",
    "sm_clock",
    "memory_clock",
    "counters",
    "notes",
)


def render(report: Report, style: Style = PLAIN) -> str:  # noqa: ARG001 - JSON looks the same everywhere
    """The document, two-space indented, keys in the order of the schema."""
    return json.dumps(document(report), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def document(report: Report) -> Json:
    """The document as plain dictionaries, lists and scalars."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "gluon-inspect", "version": tool_version()},
        "origin": report.origin or None,
        "notes": list(report.notes),
        "error": _error(report.error),
        "kernels": [_kernel(kernel) for kernel in report.kernels],
        "comparison": _comparison(report.comparison),
    }


def _comparison(comparison: Comparison | None) -> Json | None:
    if comparison is None:
        return None
    changes = [plain(change) | {"location": _location(change.location)} for change in comparison.changes]
    times = [
        plain(time) | {"ratio": time.ratio, "within_error": time.is_within_error} for time in comparison.times
    ]
    return {"baseline": comparison.baseline, "times": times, "changes": changes}


def _error(error: ScriptError | None) -> Json | None:
    if error is None:
        return None
    return {"message": error.message, "file": error.file or None, "line": error.line or None}


def _kernel(report: KernelReport) -> Json:
    compiled = report.kernel
    return {
        "name": compiled.name,
        "target": compiled.target,
        "triton_version": compiled.triton_version or None,
        "error": compiled.error or report.unread or None,
        **({"faults": [fault.error for fault in report.faults]} if report.faults else {}),
        "launch": _launch(report),
        "constexprs": dict(compiled.constexprs),
        "source": _source(compiled.source_file, compiled.source_line),
        **({"made_from": report.made_from} if report.made_from else {}),
        "accesses": [_access(access) for access in report.accesses],
        "conversions": [_conversion(conversion) for conversion in report.conversions],
        "registers": _registers(report.registers),
        "shared_bytes": report.shared_bytes,
        "tensor_memory_columns": report.tensor_memory_columns,
        "occupancy": _occupancy(report),
        "instructions_static": dict(report.instructions_static),
        "instructions_executed": dict(report.instructions_executed),
        "passes": [plain(entry) for entry in report.passes],
        "expected": _expected(report.cost),
        "measurement": _measurement(report.measurement),
        "findings": [_finding(finding) for finding in report.findings],
        "metrics": [plain(metric) for metric in report.metrics],
        "tables": [_table(table) for table in report.tables],
        "coverage": _coverage(report),
        "problems": list(report.problems),
    }


def _expected(cost: KernelCost | None) -> Json | None:
    """The expected time with its band (share, or null), its parts in seconds, and where warps stand."""
    if cost is None:
        return None
    return {
        "seconds": cost.seconds,
        "band": cost.band,
        "is_lower_bound": cost.is_lower_bound,
        "limited_by": cost.limiting.value,
        "parts": {name.value: seconds for name, seconds in cost.parts.items()},
        "from_assembly": cost.has_code,
        "assumed": list(cost.assumed),
        "standing": [
            {
                "index": each.index,
                "instruction": each.instruction,
                "text_line": each.text_line or None,
                "location": _location(each.location),
                "share": round(each.share, _SHARE_DIGITS),
                "stalls": _stalls(each.stalls),
            }
            for each in cost.standing
        ],
        "standing_by_line": [
            {
                "location": _location(line.location),
                "share": round(line.share, _SHARE_DIGITS),
                "stalls": _stalls(line.stalls),
            }
            for line in cost.standing_by_line()
        ],
    }


def _stalls(stalls: Mapping[Stall, float]) -> Json:
    return {stall.value: round(share, _SHARE_DIGITS) for stall, share in stalls.items()}


_SHARE_DIGITS = 5


def _launch(report: KernelReport) -> Json:
    launch = report.launch
    return {
        "id": launch.id,
        "count": launch.count,
        "grid": list(launch.grid) if launch.grid else None,
        "num_warps": report.num_warps,
        "num_ctas": report.num_ctas,
        "total_warps": report.total_warps,
        "arguments": {name: _argument(value) for name, value in launch.arguments.items()},
        "programs": plain(report.programs),
    }


def _argument(value: ArgumentValue) -> Any:
    match value:
        case TensorArgument():
            return {
                "dtype": value.dtype,
                "shape": list(value.shape),
                "strides": list(value.strides),
                "address": value.address,
            }
        case DescriptorArgument():
            tensor = _argument(value.tensor)
            return {"tensor": tensor, "block_shape": list(value.block_shape), "layout": value.layout or None}
        case float() if value != value or value in (float("inf"), float("-inf")):
            return str(value)
        case _:
            return value


def _source(file: str, line: int) -> Json | None:
    return {"file": file, "line": line or None} if file else None


def _location(location: Location | None) -> Json | None:
    if location is None:
        return None
    author = location.author
    place: Json = {"file": author.file, "line": author.line or None, "column": author.column or None}
    if author.callers:
        place["callers"] = [_location(caller) for caller in author.callers]
    if location.library:
        place["library"] = [_location(inner) for inner in location.library]
    return place


def _access(access: Access) -> Json:
    return {
        **picked(access, "id", "op", "space", "direction"),
        "location": _location(access.location),
        "layout": access.layout or None,
        "memory_layout": access.memory_layout or None,
        **picked(access, *_ACCESS),
    }


def _conversion(conversion: Conversion) -> Json:
    return {
        **picked(conversion, "id", "op"),
        "location": _location(conversion.location),
        "from": conversion.source,
        "to": conversion.target,
        **picked(conversion, *_CONVERSION),
    }


def _registers(registers: Registers) -> Json:
    return {
        "per_thread": registers.per_thread,
        "spill_bytes": registers.spill_bytes,
        **({} if registers.amd is None else {"amd": plain(registers.amd)}),
        "partitions": [plain(partition) for partition in registers.partitions],
        "tensors": [_register_tensor(tensor) for tensor in registers.tensors],
    }


def _register_tensor(tensor: RegisterTensor) -> Json:
    return {"location": _location(tensor.location), **picked(tensor, *_TENSOR)}


def _occupancy(report: KernelReport) -> Json | None:
    return None if report.occupancy is None else picked(report.occupancy, *_OCCUPANCY)


def _measurement(measurement: Measurement | None) -> Json | None:
    return None if measurement is None else picked(measurement, *_MEASUREMENT)


def _coverage(report: KernelReport) -> Json:
    coverage = report.coverage
    return {
        "operations": coverage.operations if report.has_ir else None,
        "understood": coverage.understood if report.has_ir else None,
        "not_understood": dict(coverage.not_understood),
        "unmodelled": dict(coverage.unmodelled),
    }


def _finding(finding: Finding) -> Json:
    return {
        **picked(finding, "id", "rule", "name", "severity", "confidence", "model", "message"),
        "location": _location(finding.location),
        **picked(finding, "evidence", "help"),
        "subject": finding.subject or None,
        "cost": finding.cost,
        "lost_us": None if finding.lost_seconds is None else finding.lost_seconds * 1e6,
        "replacement": None if finding.replacement is None else plain(finding.replacement),
    }


def _table(table: Table) -> Json:
    return {
        "key": table.key,
        "title": table.title,
        "columns": [{"title": one.title, "align": one.align, "unit": one.unit} for one in table.columns],
        "rows": [[_entry(entry) for entry in row] for row in table.rows],
        "locations": [_location(location) for location in table.locations],
        "note": table.note,
    }


def _entry(entry: Entry) -> Any:
    value = entry.value if isinstance(entry, Cell) else entry
    return list(value) if isinstance(value, tuple) else value
