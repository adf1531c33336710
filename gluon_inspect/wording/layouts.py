"""Layout attributes in short: the form people compare, without the names of the usual fields."""

from __future__ import annotations

import re
from functools import lru_cache

_DIALECT = re.compile(r"#(?:ttg|ttng|tt|amdg|amdgpu|gluon)\.")
_FIELD = re.compile(r"\b(?:sizePerThread|threadsPerWarp|warpsPerCTA|order|dim|parent)\s*=\s*")
_SPACE = re.compile(r"\s*([,=])\s*")


@lru_cache(maxsize=1024)
def short_layout(text: str) -> str:
    """`#ttg.blocked<{sizePerThread = [1, 4], …}>` as `blocked([1,4],[32,1],[4,1],[1,0])`.

    Field order is that of the attribute: size per thread, threads per warp, warps per CTA, order.
    """
    text = _FIELD.sub("", _DIALECT.sub("", text))
    return _SPACE.sub(r"\1", text).replace("<{", "(").replace("}>", ")")
