"""What a GPU measured beside what was predicted; without a measurement, the prediction and how to get one."""

from __future__ import annotations

from gluon_inspect.model.report import KernelReport
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.widgets.prose import Prose


class MeasuredPane(Prose):
    """Time, bandwidth, counters, and the roofline as wide as the pane."""

    def __init__(self) -> None:
        super().__init__(id="measured", title="Measured")
        self._kernel: KernelReport | None = None
        self._drawn = 0

    def show_kernel(self, chosen: Chosen) -> None:
        """The kernel's measurement, or why there is none."""
        self._kernel = chosen.kernel
        self._show()

    def on_resize(self) -> None:
        """Draw the chart anew where its width changed."""
        if self._kernel is not None and self.wrap_width() != self._drawn:
            self._show()
        super().on_resize()

    def _show(self) -> None:
        # Loaded here: the first screen must not wait for the chart.
        from gluon_inspect.tui.measurements import measurement_text

        if self._kernel is not None:
            self._drawn = self.wrap_width()
            self.show_passages(tuple(measurement_text(self._kernel, self._drawn)))
