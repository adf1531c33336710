"""torch with cuda tensors on a machine without a GPU: shapes, strides and addresses are true, data mostly not."""
