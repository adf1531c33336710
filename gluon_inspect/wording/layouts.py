"""Layout attributes in short: the form people compare, without the names of the usual fields."""

import re
from functools import lru_cache

_DIALECT = re.compile(r"#(?:ttg|ttng|tt|amdg|amdgpu|gluon)\.")
_FIELD = re.compile(
    r"\b(?:sizePerThread|threadsPerWarp|warpsPerCTA|size_per_thread|threads_per_warp|warps_per_cta|order|dim|parent)"
    r"\s*=\s*"
)
_ONE_CTA = re.compile(r",\s*cga_layout\s*=\s*\[\]")
_SPACE = re.compile(r"\s*([,=])\s*")


@lru_cache(maxsize=1024)
def short_layout(text: str) -> str:
    """`#ttg.blocked<{sizePerThread = [1, 4], …}>` as `blocked([1,4],[32,1],[4,1],[1,0])`.

    Gluon's own words are shortened alike. Field order is that of the attribute: size per thread, threads per
    warp, warps per CTA, order.
    """
    text = _FIELD.sub("", _DIALECT.sub("", _ONE_CTA.sub("", text)))
    return _SPACE.sub(r"\1", text).replace("<{", "(").replace("}>", ")")
