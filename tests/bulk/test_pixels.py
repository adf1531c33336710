"""Im2col copies: the pixels of the window, as upstream's conv-im2col tutorial finds them on a GPU."""

import numpy as np
import pytest

from gluon_inspect.errors import CaptureError
from gluon_inspect.evaluate.descriptors import Descriptor
from gluon_inspect.loading.encoding import decode_argument, encode_argument
from gluon_inspect.measure.saved import argument
from gluon_inspect.model.artifact import DescriptorArgument, PixelBox, TensorArgument
from gluon_inspect.traffic.bulk.box import Boxes
from gluon_inspect.traffic.bulk.pixels import PixelCopy, count_pixels
from gluon_inspect.traffic.bulk.tally import BulkTally

WHOLE, PADDED = PixelBox((0, 0), (0, 0), (1, 1, 1, 1)), PixelBox((-1, -1), (-1, -1), (1, 1, 1, 1))
CUT = Boxes((16, 32), (16, 32), (16, 32), 1, 1)


def traffic(images, window, corner, offsets=(0, 0), channels=32, cut=CUT, count=1):
    tally = BulkTally(4)
    strides = (16 * channels, 4 * channels, channels, 1)
    tensor = Descriptor(1 << 20, (images, 4, 4, channels), strides, pixels=window)
    return count_pixels(tally, tensor, window, PixelCopy(corner, offsets, cut, count)), tally.traffic


@pytest.mark.parametrize(
    ("images", "window", "corner", "offsets", "pixels"),
    [
        (1, WHOLE, (0, 0, 0, 0), (0, 0), 16),
        (1, PADDED, (0, -1, -1, 0), (0, 0), 9),
        (1, PADDED, (0, -1, -1, 0), (1, 1), 16),
        (2, WHOLE, (0, 1, 3, 0), (0, 0), 16),
        (2, PADDED, (0, 1, 2, 0), (0, 0), 9),
        (2, WHOLE, (1, 2, 0, 0), (0, 0), 8),
    ],
)
def test_only_pixels_inside_the_tensor_are_read(images, window, corner, offsets, pixels):
    why, found = traffic(images, window, corner, offsets)
    assert why == ""
    assert (found.bytes, found.sectors, found.lines) == (pixels * 128, pixels * 4, pixels)


def test_strides_spread_the_pixels_and_leave_their_number():
    window = PixelBox((0, 0), (0, 0), (1, 2, 2, 1))
    _, found = traffic(4, window, (0, 0, 0, 0))
    assert found.bytes == 16 * 128
    _, found = traffic(3, window, (0, 0, 0, 0))
    assert found.bytes == 12 * 128


def test_pixels_that_share_a_sector_are_read_once_and_launches_add_up():
    cut = Boxes((16, 4), (16, 4), (16, 4), 1, 1)
    corner = (0, 0, 0, np.array([0, 0, 0]))
    _, found = traffic(1, WHOLE, corner, channels=4, cut=cut, count=3)
    assert (found.sectors, found.lines, found.bytes) == (3 * 8, 3 * 2, 3 * 256)


def test_channels_are_cut_to_the_tensor():
    _, found = traffic(1, WHOLE, (0, 0, 0, 24))
    assert found.bytes == 16 * 8 * 4


@pytest.mark.parametrize("corner", [(0, 0, -1, 0), (0, 0, 1, 0), (0, 4, 0, 0)])
def test_a_start_beside_the_windows_pixels_is_unknown(corner):
    why, found = traffic(1, PixelBox((0, 0), (0, 0), (1, 2, 2, 1)), corner)
    assert "beside" in why
    assert found.bytes == 0


def test_captures_without_a_pixel_box_load_and_no_im2col_descriptor_is_made_again():
    given = DescriptorArgument(
        TensorArgument("float32", (1, 4, 4, 32), (512, 128, 32, 1), 4096), (16, 32), "", WHOLE
    )
    data = encode_argument(given, lambda _: "")
    assert decode_argument(data, lambda _: b"") == given
    del data["pixels"]
    old = decode_argument(data, lambda _: b"")
    assert old.pixels is None
    for each in (given, old):
        with pytest.raises(CaptureError, match="im2col"):
            argument(each, None)


def test_traversal_strides_as_in_the_ptx_isas_third_example():
    """PTX ISA, Traversal Stride (figure 15): 64 images of 14 x 8 pixels, stride 2, 32 pixels of 16 channels.

    Strides leave their number, and the first pixel lies on the strides' grid from the lower corner.
    """
    window = PixelBox((-1, -1), (-1, -1), (1, 2, 2, 1))
    cut = Boxes((32, 16), (32, 16), (32, 16), 1, 1)
    tensor = Descriptor(1 << 20, (64, 14, 8, 64), (14 * 8 * 64, 8 * 64, 64, 1), pixels=window)

    def read(row, offsets):
        tally = BulkTally(4)
        why = count_pixels(tally, tensor, window, PixelCopy((7, row, 5, 0), offsets, cut, 1))
        return why, tally.traffic.bytes // (16 * 4)

    assert read(7, (1, 1)) == ("", 32)
    # without offsets row -1 and column -1 lie outside: of the 9 pixels of image 7 two are at column -1; of the
    # 23 of image 8 the 4 of row -1, and the first of each of the five rows behind it
    assert read(7, (0, 0)) == ("", 32 - 2 - (4 + 5))
    assert read(8, (1, 1))[0]


@pytest.mark.parametrize("first", [0, 32, 40, 96, 104])
def test_copies_at_several_channels_are_counted_like_each_alone(first):
    """Whole lines apart, beside a line's start, and cut by the tensor's end."""
    several = np.array([0, 32, 40, 96, 104])
    _, together = traffic(1, WHOLE, (0, 0, 0, several), channels=128, count=5)
    alone = [traffic(1, WHOLE, (0, 0, 0, int(each)), channels=128)[1] for each in several]
    assert (together.sectors, together.lines, together.bytes) == tuple(
        sum(getattr(each, name) for each in alone) for name in ("sectors", "lines", "bytes")
    )
    _, one = traffic(1, WHOLE, (0, 0, 0, first), channels=128)
    assert one.bytes == 16 * min(32, 128 - first) * 4
    assert one.sectors == 16 * -(-(min(32, 128 - first) * 4) // 32)
