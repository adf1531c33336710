"""The field's words as they are used here, one line each: `gluon-inspect rules WORD`, and docs/words.md."""

WORDS = {
    "access": "One IR operation that touches one memory in one direction, counted over the whole launch.",
    "alias": "A name (`#blocked`) that the compiler gives an attribute at the top of a module.",
    "atomic": "A read-modify-write of memory; its own direction, counted neither as a load nor as a store.",
    "bank conflict": "Wavefronts beyond the ideal, because lanes want different words of one shared-memory bank.",
    "basis": "Where one bit of a layout's input goes; a linear layout is its bases, combined by exclusive or.",
    "blame": "The pass, or the operand of an address, that spoiled a layout or a vector width.",
    "block": "The input of a linear layout that names the CTA in a cluster; elsewhere a CTA is called CTA.",
    "broadcast": "Several lanes that read the same word of a bank: one wavefront, no conflict.",
    "bulk copy": "An instruction that moves a box or tile as a whole (TMA, `cp.async.bulk`): it has no lanes.",
    "capture": "Kernels as compiled and launches as made, recorded from a script or read from files.",
    "cluster": "CTAs that run at once and reach each other's shared memory.",
    "coalesced": "Said of a request whose lanes touch the fewest sectors that hold their bytes.",
    "confidence": "How a number was found: exact, sampled, assumed or unknown.",
    "consumer": "The operation or partition that uses what another one makes.",
    "contiguity": "How many neighbouring elements have addresses in a row, as far as the compiler knows.",
    "conversion": "A change of a tensor's layout, explicit (`ttg.convert_layout`) or inside another operation.",
    "CTA": "A program: the warps that one grid position runs (AMD: workgroup).",
    "descriptor": "A tensor's address, shape, strides and box, made for TMA or for buffer loads.",
    "divisibility": "The largest power of two that an address or offset is known to be a multiple of.",
    "efficiency": "Ideal sectors over sectors: the share of what is moved that was needed.",
    "encoding": "The attribute in the IR that says how a tensor is laid out; it lowers to a linear layout.",
    "ideal": "The fewest sectors or wavefronts with which the same bytes could be moved.",
    "lane": "A thread's number in its warp; the input of a layout that names it.",
    "launch": "One set of arguments and grid that a compiled kernel was called with, and how often.",
    "layout": "Which register of which lane of which warp holds which element.",
    "line": "128 bytes of global memory that L1 tags together; where a place is meant, a source line.",
    "lowering": "From an encoding to its linear layout, or from an operation to its instructions.",
    "mask": "Which lanes take part; its alignment limits the vector width as addresses do.",
    "model": "What stands behind a hardware number: validated against counters, documented, or unvalidated.",
    "occupancy": "Warps that an SM holds at once, as a share of the most that it could hold.",
    "order": "A tensor's dimensions, the one that is walked first in front.",
    "padding": "Bytes left out between rows of shared memory so that columns fall on different banks.",
    "partition": "Warps of a CTA that run their own code (`ttg.warp_specialize`).",
    "producer": "The operation or partition that makes what another one uses.",
    "register": "The input of a layout that names an element of a thread; or the machine's 32-bit register.",
    "replication": "Copies of an element that a layout holds in several registers, lanes or warps.",
    "request": "One memory instruction of one warp with an active lane.",
    "scratch": "Shared memory that the compiler takes for conversions, reductions and scans.",
    "sector": "32 bytes of global memory, always moved whole (the counts keep 32 on AMD too).",
    "spill": "Registers that did not fit and went to memory of the thread's own (local memory, scratch on AMD).",
    "stage": "One of the compiler's texts (ttir, ttgir, llir, ptx, sass, amdgcn), or a slot of a pipelined loop.",
    "swizzle": "Column numbers changed by exclusive or with the row, so that columns fall on different banks.",
    "vector width": "Bits that one lane moves with one instruction.",
    "warp": "Lanes that execute one instruction together: 32, or 64 on AMD's gfx9 (there called wave).",
    "wavefront": "One cycle's worth of serialised work in shared memory or L1; a conflict makes more of them.",
}


def as_markdown() -> str:
    """The page of the words."""
    head = ("# Words", "", "Written by `make docs`; `gluon-inspect rules WORD` prints one.", "")
    rows = (f"| {word} | {text} |" for word, text in WORDS.items())
    return "\n".join((*head, "| word | what it means here |", "|---|---|", *rows, ""))


def meaning(word: str) -> str | None:
    """What a word means here, plural or upper case too; None for a word that is none of these."""
    wanted = word.lower().replace("-", " ")
    return next((text for each, text in WORDS.items() if wanted in (each.lower(), f"{each.lower()}s")), None)
