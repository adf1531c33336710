"""Numbers as people read them; unknown is a word, never a zero."""

from gluon_inspect.model.finding import Evidence

UNKNOWN = "unknown"
NOT_APPLICABLE = "-"
_BYTE_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP = 1024
_MANY = 100_000
_DECIMAL_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_ROUNDS_UP = 0.9995
"""Of a unit: what reads as a whole one in three digits."""
_SMALLEST_PLAIN = 1e-3


def count(value: int | None) -> str:
    """A count with thousands separators."""
    return UNKNOWN if value is None else f"{value:,}"


def short_count(value: int | None) -> str:
    """A count in at most six characters: exact up to 99,999, then 4 digits and a decimal unit."""
    if value is None:
        return UNKNOWN
    if abs(value) < _MANY:
        return f"{value:,}"
    scale, unit = next(pair for pair in _DECIMAL_UNITS if abs(value) >= pair[0])
    return f"{value / scale:.4g}{unit}"


def ratio(value: float | None) -> str:
    """A ratio with at most two decimals, none where they are zero."""
    return UNKNOWN if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def percent(value: float | None) -> str:
    """A fraction as whole percent; what is not zero never reads as 0%."""
    if value is None:
        return UNKNOWN
    return "<1%" if 0 < value < 0.005 else f"{value:.0%}"


def size(size_bytes: int | None) -> str:
    """Bytes in binary units."""
    if size_bytes is None:
        return UNKNOWN
    amount = float(size_bytes)
    for unit in _BYTE_UNITS[:-1]:
        if abs(amount) < _STEP:
            return f"{ratio(amount)} {unit}"
        amount /= _STEP
    return f"{ratio(amount)} {_BYTE_UNITS[-1]}"


def duration(seconds: float | None) -> str:
    """A time in three digits: "12.1 µs", "3.4 ms"."""
    if seconds is None:
        return UNKNOWN
    scale, unit = next((pair for pair in _TIME_UNITS if seconds >= pair[0] * _ROUNDS_UP), _TIME_UNITS[-1])
    return f"{seconds / scale:.3g} {unit}"


def plain(value: Evidence) -> str:
    """Any evidence or table cell: unknown for None, integers grouped, floats in four digits."""
    match value:
        case None:
            return UNKNOWN
        case bool():
            return "yes" if value else "no"
        case int():
            return count(value)
        case float():
            return _float(value)
        case str():
            return value
        case tuple():
            return ", ".join(plain(item) for item in value)


def _float(value: float) -> str:
    if value and abs(value) < _SMALLEST_PLAIN:
        return f"{value:.3g}"
    return f"{value:,.4f}".rstrip("0").rstrip(".") if abs(value) < _MANY else f"{value:,.0f}"


def plural(number: int, noun: str) -> str:
    """ "1 warp", "4 warps", "2 launches"."""
    ending = "" if number == 1 else "es" if noun.endswith("ch") else "s"
    return f"{number:,} {noun}{ending}"
