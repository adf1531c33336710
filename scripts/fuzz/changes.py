"""How an input is changed: a little, so that most of it stays valid."""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "33",
    "65536",
    "2147483647",
    "2147483648",
    "4294967296",
    "9" * 20,
    "9" * 400,
)
VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 2**31, 2**63, 10**30, 1e308, "", "x", "\x1b[31m", "9" * 5000,
    [], {}, [[]], [None], {"": 0},
)  # fmt: skip
TOKEN = re.compile(r"[\w$.]+|[^\w\s]|\s+")
NUMBER = re.compile(r"-?\d+")
SCALAR = re.compile(r"\b(?:i\d+|f\d+|bf16|index)\b")
SCALARS = ("i0", "i1", "i3", "i8", "i32", "i64", "i128", "i99999999999", "f16", "f32", "f64", "index", "f99")


def text_changed(pick: random.Random, content: bytes) -> bytes:
    """One to three changes to tokens, numbers, types or lines; now and then the end is cut off."""
    text = content.decode("utf-8", "replace")
    for _ in range(pick.randint(1, 3)):
        text = pick.choice((_number, _number, _scalar, _token, _token, _line, _cut, _character))(pick, text)
    return text.encode("utf-8", "replace")


def _number(pick: random.Random, text: str) -> str:
    return _replaced(pick, text, NUMBER, NUMBERS)


def _scalar(pick: random.Random, text: str) -> str:
    return _replaced(pick, text, SCALAR, SCALARS)


def _replaced(pick: random.Random, text: str, pattern: re.Pattern[str], by: Sequence[str]) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    one = pick.choice(found)
    return text[: one.start()] + pick.choice(by) + text[one.end() :]


def _token(pick: random.Random, text: str) -> str:
    tokens = TOKEN.findall(text)
    if not tokens:
        return text
    at, other = pick.randrange(len(tokens)), pick.randrange(len(tokens))
    match pick.randrange(4):
        case 0:
            tokens[at] = ""
        case 1:
            tokens[at] *= 2
        case 2:
            tokens[at] = tokens[other]
        case _:
            tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


def _line(pick: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at, other = pick.randrange(len(lines)), pick.randrange(len(lines))
    match pick.randrange(3):
        case 0:
            del lines[at]
        case 1:
            lines.insert(other, lines[at])
        case _:
            lines[at], lines[other] = lines[other], lines[at]
    return "".join(lines)


def _cut(pick: random.Random, text: str) -> str:
    return text if pick.random() < 0.7 else text[: pick.randrange(len(text) + 1)]


def _character(pick: random.Random, text: str) -> str:
    at = pick.randrange(len(text) + 1)
    return text[:at] + pick.choice("\0\x1b\u202e\ud800{}[]()<>\"'#%@:,=-\n\tA\uffff") + text[at:]


def bytes_changed(pick: random.Random, content: bytes) -> bytes:
    """Bytes flipped, taken out, repeated, or replaced by extreme numbers; now and then the end is cut off."""
    data = bytearray(content)
    for _ in range(pick.randint(1, 4)):
        at, length = pick.randrange(len(data) or 1), pick.choice((1, 2, 4, 8))
        match pick.randrange(6):
            case 0:
                data[at : at + 1] = bytes([pick.randrange(256)])
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[at : at + length * 8]
            case 3:
                data[at : at + length] = pick.choice((0, 1, 2**31, 2**63, 2**64 - 1)).to_bytes(8, "little")[
                    :length
                ]
            case 4 if pick.random() < 0.3:
                del data[at:]
            case _:
                data[at : at + length] = pick.randbytes(length)
    return bytes(data)


def json_changed(pick: random.Random, content: bytes) -> bytes:
    """One to three values replaced, taken out or nested deeply; now and then the text itself is changed."""
    if pick.random() < 0.2:
        return text_changed(pick, content)
    document = json.loads(content)
    for _ in range(pick.randint(1, 3)):
        places = list(_places(document))
        if not places:
            break
        owner, key = pick.choice(places)
        match pick.randrange(8):
            case 0:
                del owner[key]
            case 1:
                depth = pick.choice((50, 100_000))
                return json.dumps(document).encode().replace(b"null", b"[" * depth + b"]" * depth, 1)
            case 2:
                owner[key] = [owner[key]] * 2
            case _:
                owner[key] = deepcopy(pick.choice(VALUES))
    return json.dumps(document).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every value inside, by what holds it and its key."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        keys: Any = one if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            yield one, key
            waiting.append(one[key])


def lines_changed(pick: random.Random, content: bytes) -> bytes:
    """JSON lines: one of them changed."""
    lines = content.splitlines()
    at = pick.randrange(len(lines))
    lines[at] = json_changed(pick, lines[at])
    return b"\n".join(lines)


def index_changed(pick: random.Random, content: bytes) -> bytes:
    """A capture whose members stay and whose index is changed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["index.json"] = json_changed(pick, members["index.json"])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return packed.getvalue()
