"""The llvm, nvvm, rocdl and nvg dialects: only what their text does not say by itself."""

from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R
from gluon_inspect.ir.operations.rows import plain

PREFIX = "llvm."
FUNC = OperationRow("llvm.func", K.FUNCTION, symbol="sym_name", isolated=True, regions=True)
ICMP = OperationRow("llvm.icmp", K.ARITHMETIC, R.BOOLEAN, words=("predicate",))
ROWS = [
    OperationRow("llvm.mlir.global", K.CONSTANT, symbol="sym_name", regions=True, pure=False),
    OperationRow("llvm.mlir.constant", K.CONSTANT, R.LAST, literal="value"),
    OperationRow("llvm.mlir.addressof", K.CONSTANT, symbol="global_name"),
    *plain(K.CONSTANT, "llvm.mlir.undef llvm.mlir.poison llvm.mlir.zero"),
    *plain(K.CONTROL, "llvm.return llvm.br llvm.cond_br llvm.switch llvm.unreachable"),
    OperationRow("llvm.call", K.CALL),
    OperationRow("llvm.fcmp", K.ARITHMETIC, R.BOOLEAN, words=("predicate",)),
    OperationRow("llvm.select", K.ARITHMETIC, R.LAST),
    OperationRow("llvm.atomicrmw", K.GLOBAL_ATOMIC, R.LAST),
    *plain(K.ARITHMETIC, "llvm.extractelement llvm.extractvalue", R.ELEMENT),
    OperationRow("llvm.insertvalue", K.ARITHMETIC),
    OperationRow("llvm.insertelement", K.ARITHMETIC),
    OperationRow("llvm.inline_asm", K.ASSEMBLY),
    OperationRow("llvm.intr.assume", K.HINT),
    OperationRow("rocdl.make.buffer.rsrc", K.DESCRIPTOR, R.LAST, shorthand="!llvm.ptr"),
    OperationRow("rocdl.sched.barrier", K.HINT),
    OperationRow("rocdl.s.setprio", K.HINT),
    OperationRow("nvg.cluster_id", K.QUERY, R.FIXED, "i32"),
    OperationRow("nvg.tensor_memory_base", K.QUERY, R.FIXED, "!llvm.ptr<6>"),
    *plain(K.BARRIER, "rocdl.barrier rocdl.s.barrier nvvm.barrier nvvm.barrier0"),
]
