"""The exercises of each lab, in the order of their tasks in solutions/."""


def place(name):
    """(lab, number in it) of an exercise: ("03_strides", 1)."""
    for chapter, names in ORDER.items():
        if name in names:
            return chapter, names.index(name) + 1
    raise LookupError(
        f"{name} is in no lab yet: write its cells in the lab's text in solutions/, "
        f'the first of them marked task="{name}", then run `make build`'
    )


# What follows is written by `make build`.
ORDER = {
    "00_python_to_gpu": [
        "pick_launch",
        "roll",
        "needless_copies",
        "wheel_for",
    ],
    "01_threads": [
        "global_index",
        "tail_guard",
        "launch_config",
        "map_2d",
        "grid_stride",
        "outer_product",
        "test_tail_guard",
    ],
    "02_memory": [
        "shared_reverse",
        "block_sum",
        "fix_the_race",
        "coalesced_copy",
        "transpose_tiled",
        "bench",
        "test_block_sum",
    ],
    "03_strides": [
        "contiguous_strides",
        "offset_of",
        "index_of",
        "permute",
        "transpose",
        "slice_view",
        "broadcast_shapes",
        "expand",
        "view_or_copy",
        "contiguous_kernel",
        "test_permute",
    ],
    "04_elementwise": [
        "unary_kernel",
        "binary_broadcast",
        "where_compare",
        "result_type",
        "find_kernel",
        "test_broadcast",
    ],
    "05_reductions": [
        "sum_all",
        "warp_reduce",
        "sum_dim",
        "max_argmax",
        "softmax_rows",
        "online_softmax",
        "layer_norm",
        "test_max_argmax",
    ],
    "06_matmul": [
        "matmul_naive",
        "matmul_tiled",
        "matmul_register",
        "matmul_batched",
        "roofline",
        "test_matmul",
    ],
    "07_convolution": [
        "im2col",
        "col2im",
        "conv2d_gemm",
        "conv2d_direct",
        "conv2d_backward",
        "max_pool2d",
        "max_pool2d_backward",
        "test_col2im",
    ],
    "08_autograd": [
        "apply",
        "leaf_rules",
        "topological_order",
        "backward",
        "sum_to_size",
        "unpack",
        "tanh_backward",
        "matmul_right_backward",
        "sum_backward",
        "div_backward",
        "pow_backward",
        "relu_backward",
        "amax_backward",
        "permute_backward",
        "slice_backward",
        "numerical_jacobian",
        "test_div_backward",
    ],
    "09_nn": [
        "named_parameters",
        "state_dict",
        "linear",
        "conv2d",
        "batch_norm",
        "dropout",
        "kaiming_uniform_",
        "cross_entropy_forward",
        "cross_entropy_backward",
        "sgd",
        "adam",
        "clip_grad_norm_",
        "linear_regression",
        "test_dropout",
    ],
    "10_cnn": [
        "read_idx",
        "order",
        "train_step",
        "evaluate",
        "train_mnist",
        "test_order",
    ],
    "11_extending_pytorch": [
        "check_bias_gelu",
        "bias_gelu_cpu",
        "bias_gelu_backward",
        "bias_backward",
        "bias_gelu_autograd",
        "outer_shape",
        "verify",
    ],
    "12_graphs": [
        "execution_order",
        "pruned",
        "fold_constants",
        "gradients",
        "common_subexpressions",
        "can_fuse",
        "fused_kernel",
        "copy_inputs",
    ],
}
