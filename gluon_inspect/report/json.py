"""The report as JSON, schema version 1 (report/schema/report-v1.schema.json). Unknown is null, never zero."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from gluon_inspect.model.access import Access, Conversion
from gluon_inspect.model.artifact import ArgumentValue, DescriptorArgument, ScriptError, TensorArgument
from gluon_inspect.model.change import Comparison
from gluon_inspect.model.finding import Cell, Entry, Evidence, Finding, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Measurement, Registers, RegisterTensor, Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.version import tool_version

NAME = "json"
SCHEMA_VERSION = 1

Json = dict[str, Any]


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
    changes = [asdict(change) | {"location": _location(change.location)} for change in comparison.changes]
    return {"baseline": comparison.baseline, "changes": changes}


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
        "passes": [asdict(entry) for entry in report.passes],
        "measurement": _measurement(report.measurement),
        "findings": [_finding(finding) for finding in report.findings],
        "metrics": [asdict(metric) for metric in report.metrics],
        "tables": [_table(table) for table in report.tables],
        "coverage": _coverage(report),
        "problems": list(report.problems),
    }


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
        "programs": asdict(report.programs),
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
        "id": access.id,
        "op": access.op,
        "space": access.space.value,
        "direction": access.direction.value,
        "location": _location(access.location),
        "layout": access.layout or None,
        "memory_layout": access.memory_layout or None,
        "shape": list(access.shape),
        "element_bits": access.element_bits,
        "vector_bits": access.vector_bits,
        "widths": [asdict(width) for width in access.widths],
        "requests": access.requests,
        "transactions": access.transactions,
        "lines": access.lines,
        "sectors": access.sectors,
        "sectors_ideal": access.sectors_ideal,
        "wavefronts": access.wavefronts,
        "wavefronts_ideal": access.wavefronts_ideal,
        "bytes_requested": access.bytes_requested,
        "bytes_unique": access.bytes_unique,
        "executions": access.executions,
        "confidence": access.confidence.value,
        "model": access.model.value,
        "reason": access.reason,
    }


def _conversion(conversion: Conversion) -> Json:
    return {
        "id": conversion.id,
        "op": conversion.op,
        "location": _location(conversion.location),
        "from": conversion.source,
        "to": conversion.target,
        "kind": conversion.kind.value,
        "scratch_bytes": conversion.scratch_bytes,
        "wavefronts": conversion.wavefronts,
        "wavefronts_ideal": conversion.wavefronts_ideal,
        "barriers": conversion.barriers,
        "pays": conversion.pays,
        "why": conversion.why,
        "confidence": conversion.confidence.value,
        "model": conversion.model.value,
    }


def _registers(registers: Registers) -> Json:
    return {
        "per_thread": registers.per_thread,
        "spill_bytes": registers.spill_bytes,
        **({} if registers.amd is None else {"amd": asdict(registers.amd)}),
        "partitions": [asdict(partition) for partition in registers.partitions],
        "tensors": [_register_tensor(tensor) for tensor in registers.tensors],
    }


def _register_tensor(tensor: RegisterTensor) -> Json:
    return {
        "location": _location(tensor.location),
        "shape": list(tensor.shape),
        "layout": tensor.layout,
        "element_bits": tensor.element_bits,
        "registers_per_thread": tensor.registers_per_thread,
        "registers_per_program": tensor.registers_per_program,
        "unique_elements": tensor.unique_elements,
        "replication": asdict(tensor.replication),
    }


def _occupancy(report: KernelReport) -> Json | None:
    occupancy = report.occupancy
    if occupancy is None:
        return None
    return {
        "ctas_per_sm": occupancy.ctas_per_sm,
        "warps": occupancy.warps,
        "fraction": occupancy.fraction,
        "limited_by": list(occupancy.limited_by),
        "limits": dict(occupancy.limits),
    }


def _measurement(measurement: Measurement | None) -> Json | None:
    if measurement is None:
        return None
    return {
        "device": measurement.device,
        "time_ms": asdict(measurement.time_ms) if measurement.time_ms else None,
        "bytes": measurement.bytes,
        "gbps": measurement.gbps,
        "fraction_of_peak": measurement.fraction_of_peak,
        "moved_bytes": measurement.moved_bytes,
        "moved_gbps": measurement.moved_gbps,
        "tflops": measurement.tflops,
        "peak_gbps": measurement.peak_gbps,
        "datasheet_gbps": measurement.datasheet_gbps,
        "sm_clock": asdict(measurement.sm_clock) if measurement.sm_clock else None,
        "memory_clock": asdict(measurement.memory_clock) if measurement.memory_clock else None,
        "counters": dict(measurement.counters),
        "notes": list(measurement.notes),
    }


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
        "id": finding.id,
        "rule": finding.rule,
        "name": finding.name,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "model": finding.model.value,
        "message": finding.message,
        "location": _location(finding.location),
        "evidence": _evidence(finding.evidence),
        "help": finding.help,
        "subject": finding.subject or None,
        "cost": finding.cost,
        "lost_us": None if finding.lost_seconds is None else finding.lost_seconds * 1e6,
    }


def _evidence(evidence: Mapping[str, Evidence]) -> Json:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in evidence.items()}


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
