"""Colours that say who owns an element: the hue by warp (or bank), the lightness by lane."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

_HUES = (0.58, 0.08, 0.36, 0.86, 0.14, 0.50, 0.74, 0.98)
"""Eight hues that people tell apart, neighbours far from each other."""

_SATURATION = 0.62
_DARK, _LIGHT = 0.56, 0.86


@dataclass(frozen=True, slots=True)
class Colour:
    """Red, green and blue, 0 to 255."""

    red: int
    green: int
    blue: int

    @property
    def hexadecimal(self) -> str:
        """As in CSS."""
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"

    @property
    def ink(self) -> str:
        """The colour of text on top: black or white, whichever contrasts more (ITU-R BT.601 luma)."""
        luma = 0.299 * self.red + 0.587 * self.green + 0.114 * self.blue
        return "#000000" if luma > 128 else "#ffffff"


def by_warp_and_lane(warp: int, lane: int, lanes: int) -> Colour:
    """A warp's hue; light at lane 0, darker towards the last."""
    share = lane / max(lanes - 1, 1)
    return _colour(_HUES[warp % len(_HUES)], _LIGHT - share * (_LIGHT - _DARK))


def by_bank(bank: int, banks: int) -> Colour:
    """Once around the colour wheel, except the return to red."""
    return _colour(0.88 * bank / banks, 0.68)


def _colour(hue: float, lightness: float) -> Colour:
    parts = colorsys.hls_to_rgb(hue, lightness, _SATURATION)
    red, green, blue = (round(255 * part) for part in parts)
    return Colour(red, green, blue)
