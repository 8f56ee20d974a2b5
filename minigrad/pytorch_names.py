"""PyTorch's names that minigrad has not, though it has names much like them.

Such a name is no misspelling: another one that looks alike would mislead.
"""

NAMES = """
ASGD Adamax AdaptiveAvgPool1d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
AdaptiveMaxPool3d AlphaDropout Argument AvgPool1d AvgPool3d BFloat16Tensor
BatchNorm3d Bilinear BoolStorage BoolTensor ByteStorage ByteTensor CELU CTCLoss
CallStack Capsule CharStorage CharTensor Container Conv3d ConvTranspose1d
ConvTranspose3d CosineAnnealingWarmRestarts DictType DispatchKey DispatchKeySet
DoubleStorage Dropout1d Dropout2d Dropout3d EmbeddingBag FileCheck FloatStorage
FloatTensor FloatType FunctionSchema GLU Gradient Graph HalfStorage HalfTensor
Hardsigmoid HuberLoss InstanceNorm1d InstanceNorm3d IntStorage IntTensor L1Loss
LPPool2d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d
LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d
LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear LinearCrossEntropyLoss LogSigmoid
LongStorage LongTensor MaxPool1d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d
ModuleDict MultiStepLR NAdam NLLLoss2d PReLU ParameterDict ParameterList
QInt32Storage QInt8Storage QUInt8Storage RAdam RReLU ReflectionPad1d ReflectionPad3d
ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU SUM ShortStorage ShortTensor
Softmax2d Softmin Storage StorageBase SymBool SymFloat SyncBatchNorm Tensor
TensorType Type TypedStorage Unflatten ZeroPad1d ZeroPad3d adaptive_avg_pool1d
adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
addbmm addbmm_ addmv addmv_ addr addr_ adjoint alpha_dropout aminmax amp angle
arctan2_ argwhere as_strided_copy as_strided_scatter as_tensor asarray atan2_
avg_pool1d avg_pool3d baddbmm baddbmm_ bilinear bits16 cdouble celu celu_ cfloat
chalf clamp_max clamp_max_ clamp_min clamp_min_ compile compiler conv3d
conv_transpose1d conv_transpose2d conv_transpose3d copysign_ count_nonzero cross
deg2rad detach_copy diagonal_copy dropout1d dropout2d dropout3d dsplit dstack dtype
embedding_bag erfc erfc_ erfinv_ expand_as fill fill_diagonal_ fliplr flipud fmax
fmin frexp geqrf ger get_buffer get_device glu gradient greater greater_ grouped_mm
gumbel_softmax hardsigmoid hash_tensor hsplit hstack iinfo imag inf int1 int2 int3
int4 int5 int6 int7 is_anomaly_enabled is_autocast_enabled is_cuda is_meta
is_nonzero is_storage is_tensor is_warn_always_enabled is_xla isin isneginf isposinf
l1_loss ldexp ldexp_ linear_cross_entropy logical_xor logical_xor_ logit logit_
logsigmoid logspace lp_pool2d lu_solve masked max_pool1d max_pool3d max_unpool1d
max_unpool2d max_unpool3d median mode modules msort nan nanmean ne_ new new_ones
normal normal_ not_equal permute_copy pin_memory prelu qint32 qint8 quasirandom
quint8 randint_like range real register_backward_hook
register_full_backward_pre_hook register_load_state_dict_pre_hook
register_state_dict_pre_hook renorm renorm_ reshape_as resize resize_ retains_grad
row_stack rrelu rrelu_ rsub saddmm scatter_reduce scatter_reduce_ selu selu_
set_anomaly_enabled set_autocast_enabled set_submodule sgn sgn_ short signal signbit
sinc sinc_ slice_scatter smm softmin solve squeeze_copy sspaddmm storage_type
strided sym_float tensordot transpose_copy trunc_normal_ type uint1 uint16 uint2
uint3 uint32 uint4 uint5 uint6 uint64 uint7 unbind_copy unflatten unsqueeze_copy
vander vdot view_as vsplit vstack xlogy xlogy_ zero_
trace is_floating_point repeat_interleave
"""
ABSENT = frozenset(NAMES.split())
# What to write where there is a way.
INSTEAD = {
    "type": "x.dtype is the type, and x.to(dtype) converts",
    "is_cuda": 'x.device == "cuda"',
    "get_device": "x.device",
    "trace": "x.diagonal().sum() is the sum of the diagonal",
    "expand_as": "x.expand(other.shape)",
    "view_as": "x.view(other.shape)",
    "reshape_as": "x.reshape(other.shape)",
    "unflatten": "x.reshape(shape)",
    "clamp_min": "x.clamp(min=low)",
    "clamp_max": "x.clamp(max=high)",
    "fmax": "x.maximum(other)",
    "fmin": "x.minimum(other)",
    "argwhere": "x.nonzero()",
    "count_nonzero": "(x != 0).sum()",
    "fliplr": "x.flip(1)",
    "flipud": "x.flip(0)",
    "greater": "x > y",
    "not_equal": "x != y",
    "new_ones": "minigrad.ones(shape, dtype=x.dtype, device=x.device)",
    "as_tensor": "minigrad.tensor(data)",
    "asarray": "minigrad.tensor(data)",
    "FloatTensor": "minigrad.tensor(data)",
    "LongTensor": "minigrad.tensor(data, dtype=minigrad.int64)",
    "hstack": "minigrad.cat(tensors, dim=1)",
    "vstack": "minigrad.stack(tensors)",
    "inf": 'float("inf")',
    "nan": 'float("nan")',
    "is_tensor": "isinstance(x, minigrad.Tensor)",
    "tensordot": "minigrad.einsum",
    "vdot": "minigrad.dot(x, y)",
    "ger": "minigrad.outer(x, y)",
    "randint_like": "minigrad.randint(low, high, x.shape)",
    "compile": "minigrad.jit(function)",
}
