"""What `layout` is asked: every kind of layout drawn, and pairs compared."""

BLOCKED = {
    "row": "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])",
    "column": "BlockedLayout([4, 1], [32, 1], [1, 4], [0, 1])",
    "wide": "BlockedLayout([1, 8], [1, 32], [4, 1], [1, 0])",
    "wave": "BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0])",
}
DRAWN = {
    **{name: (text, "64x64") for name, text in BLOCKED.items()},
    "line": ("BlockedLayout([4], [32], [4], [0])", "1024"),
    "small": ("BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])", "16x4"),
    "cube": ("BlockedLayout([1, 1, 4], [2, 4, 4], [2, 2, 1], [2, 1, 0])", "8x16x32"),
    "slice": ("SliceLayout(1, BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))", "64"),
    "mma": (
        "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>",
        "64x64",
    ),
    "wgmma": ("NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])", "128x64"),
    "dot": ("DotOperandLayout(0, NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 2)", "64x64"),
    "mfma": ("AMDMFMALayout(3, [32, 32, 8], True, [2, 2])", "64x64"),
    "mfma_4": ("AMDMFMALayout(4, [16, 16, 32], True, [4, 1])", "64x64"),
    "wmma": ("#ttg.amd_wmma<{version = 2, isTranspose = false, warpsPerCTA = [2, 2]}>", "64x64"),
    "linear": (
        "DistributedLinearLayout([[0, 1], [0, 2]], [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], [[8, 0], [16, 0]], "
        "[], [32, 16])",
        "32x16",
    ),
    "swizzled": ("SwizzledSharedLayout(8, 2, 4, [1, 0])", "64x64"),
    "unswizzled": ("SwizzledSharedLayout(1, 1, 1, [1, 0])", "32x32"),
    "padded": ("#ttg.padded_shared<[64:+4] {order = [1, 0], shape = [64, 64]}>", "64x64"),
    "nvmma": ("NVMMASharedLayout(128, 16, 2)", "64x64"),
    "nvmma_transposed": ("NVMMASharedLayout(64, 8, 2, transposed=True)", "128x64"),
    "rank": ("BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])", "64"),
    "no_power": ("BlockedLayout([1, 3], [8, 4], [4, 1], [1, 0])", "64x64"),
    "noise": ("WhatLayout(", "64x64"),
}
"""By name: the layout and the shape."""
COMPARED = {
    **{f"{a}_{b}": (BLOCKED[a], BLOCKED[b], "64x64") for a in BLOCKED for b in BLOCKED},
    "mma_row": (DRAWN["mma"][0], BLOCKED["row"], "64x64"),
    "mma_dot": (DRAWN["mma"][0], DRAWN["dot"][0], "64x64"),
    "mfma_wave": (DRAWN["mfma"][0], BLOCKED["wave"], "64x64"),
    "slices": (DRAWN["slice"][0], "SliceLayout(0, BlockedLayout([4, 1], [4, 8], [1, 4], [0, 1]))", "64"),
    "shared": (DRAWN["swizzled"][0], DRAWN["unswizzled"][0], "64x64"),
}
"""By name: two layouts and the shape."""
