"""What each pass is for, in a few words; for readers who meet its name in a timeline.

Read from the pass descriptions and sources of triton-lang/triton (include/triton/**/Passes.td, 3.6 to 3.9).
"""

from gluon_inspect.passes.states import PassRun

_PURPOSES = {
    "convert-triton-to-tritongpu": "gives every tensor a first layout, one element a thread, whatever its use",
    "tritongpu-coalesce": "gives each global access a layout that follows its contiguous addresses",
    "tritongpu-coalesce-async-copy": "narrows the layout of a copy to vectors that it can move",
    "tritongpu-remove-layout-conversions": "moves layouts along uses, so that conversions fall away",
    "tritongpu-accelerate-matmul": "turns dots into matrix-unit instructions and lays them out for these",
    "tritonamdgpu-accelerate-matmul": "turns dots into matrix-core instructions and lays them out for these",
    "tritongpu-optimize-dot-operands": "moves conversions of dot operands to where they cost less",
    "tritonamdgpu-optimize-dot-operands": "moves conversions of dot operands to where they cost less",
    "tritongpu-optimize-thread-locality": "lays reductions out so that a thread reduces its own elements first",
    "tritongpu-pipeline": "makes loads of later iterations asynchronous copies into buffers in shared memory",
    "tritonamdgpu-pipeline": "makes loads of later iterations copies into buffers in shared memory",
    "tritongpu-prefetch": "loads dot operands from shared memory one step ahead",
    "tritongpu-reduce-data-duplication": "sends conversions to dot operands through shared memory, without copies",
    "tritongpu-reorder-instructions": "moves operations so that fewer values live at once",
    "tritonamdgpu-convert-buffer-ops": "turns pointer accesses into buffer instructions where offsets fit",
    "tritonamdgpu-coalesce-async-copy": "narrows the layout of a copy to what it can write",
    "tritonamdgpu-optimize-epilogue": "stores the accumulator in its own layout and saves the conversion",
    "tritonamdgpu-hoist-layout-conversions": "moves conversions out of loops",
    "tritonamdgpu-sink-layout-conversions": "moves conversions down to their uses",
    "tritonamdgpu-in-thread-transpose": "transposes within threads before elements go to LDS",
    "tritongpu-combine-tensor-select-and-if": "merges selects into the branch on the same condition",
    "triton-nvidia-optimize-descriptor-encoding": "chooses the shared layout of each tensor descriptor",
    "triton-nvidia-tma-lowering": "turns descriptor loads and stores into TMA copies with barriers",
    "triton-nvidia-optimize-tmem-layouts": "chooses register layouts that tensor memory can be read into directly",
    "triton-nvidia-mma-lowering": "makes the waits of asynchronous matrix instructions explicit",
    "tritongpu-hoist-tmem-alloc": "keeps accumulators in tensor memory over a loop",
    "triton-combine": "folds patterns of operations into simpler ones",
    "triton-reorder-broadcast": "computes before broadcasting",
    "triton-loop-aware-cse": "merges equal operations, also what loops carry",
    "triton-licm": "moves what does not change out of loops",
    "triton-loop-unroll": "unrolls loops that ask for it",
    "gluon-inline": "puts the bodies of called functions in place of the calls",
    "inline": "puts the bodies of called functions in place of the calls",
    "gluon-infer-coalesced-encodings": "chooses the layouts for CoalescedLayout from the addresses' contiguity",
    "gluon-resolve-auto-encodings": "carries layouts to every AutoLayout from where they are set",
    "gluon-canonicalize": "simplifies without touching layouts",
    "canonicalize": "simplifies and removes what is not used",
    "cse": "merges equal operations",
    "sccp": "computes constants",
    "symbol-dce": "removes functions that are not called",
    "convert-scf-to-cf": "turns loops and ifs into branches",
    "allocate-shared-memory": "gives every buffer and scratch space its place in shared memory",
    "allocate-shared-memory-nv": "gives every buffer and scratch space its place in shared memory",
    "allocate-amdgpu-shared-memory": "gives every buffer and scratch space its place in LDS",
    "convert-triton-gpu-to-llvm": "turns tensors into registers and instructions",
    "convert-triton-amdgpu-to-llvm": "turns tensors into registers and instructions",
}


def purpose(run: PassRun) -> str:
    """What the pass of a run is for; empty where the table does not say."""
    return _PURPOSES.get(run.argument, "")
