"""The gluon dialect, and nvws and tti beside it."""

from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.ir.operations.kinds import ResultRule as R
from gluon_inspect.ir.operations.rows import plain, roles

SET_AUTO_LAYOUT = OperationRow("gluon.set_auto_layout", K.CONVERSION, roles=roles("src"))
ROWS = [
    OperationRow("nvws.aref.create", K.SHARED_VIEW, shorthand="!nvws.aref"),
    OperationRow("nvws.aref.buffer", K.SHARED_VIEW),
    *plain(K.MBARRIER, "nvws.aref.get.enter nvws.aref.get.exit nvws.aref.put.enter nvws.aref.put.exit"),
    OperationRow("nvws.aref.phi", K.CONTROL),
    *plain(K.MBARRIER, "nvws.create_token nvws.producer_acquire nvws.producer_commit"),
    *plain(K.MBARRIER, "nvws.consumer_wait nvws.consumer_release nvws.clc_try_cancel"),
    *plain(K.BULK_LOAD, "nvws.descriptor_load nvws.descriptor_gather"),
    OperationRow("nvws.warp_group", K.CONTROL, regions=True),
    OperationRow("nvws.warp_group.return", K.CONTROL),
    OperationRow("tti.dot_i8", K.MMA, roles=roles("a b c"), pure=True),
    OperationRow("tti.experimental_memdesc_to_i32", K.QUERY, R.FIXED, "i32"),
    OperationRow("tti.experimental_memory_offset_to_i32", K.QUERY, R.FIXED, "i32", words=("offset", "memType")),
    OperationRow("tti.experimental_cluster_cta_id", K.QUERY),
    OperationRow("tti.experimental_assert_uniform", K.DEBUG),
    OperationRow("tti.experimental_fpsan_embed", K.ARITHMETIC),
    OperationRow("tti.experimental_fpsan_unembed", K.ARITHMETIC),
    OperationRow("tti.experimental_local_gather", K.SHARED_LOAD),
    *plain(
        K.GLOBAL_ATOMIC,
        "tti.experimental_gsan_atomic_cas tti.experimental_gsan_atomic_rmw tti.experimental_gsan_atomic_poll",
    ),
    *plain(
        K.DEBUG,
        "tti.experimental_buffer_descriptors tti.experimental_gsan_init tti.experimental_gsan_kernel_exit "
        "tti.experimental_gsan_grid_dependency_wait tti.experimental_gsan_cluster_barrier_init "
        "tti.experimental_gsan_cluster_barrier_sync tti.experimental_gsan_mbarrier_table_init "
        "tti.experimental_gsan_mbarrier_init tti.experimental_gsan_mbarrier_arrive "
        "tti.experimental_gsan_mbarrier_wait tti.experimental_gsan_tensordesc_access "
        "tti.experimental_gsan_indexed_tensordesc_access tti.experimental_gsan_atomic_tensordesc_access "
        "tti.experimental_gsan_tensor_access",
    ),
    *plain(K.GLOBAL_ATOMIC, "tti.experimental_lock_acquire tti.experimental_lock_release"),
]
