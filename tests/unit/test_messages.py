"""What is said of each mistake, by the library and by the course's own solutions.

An export does not take these along: a learner says it in other words.
"""

import math
import re

import numpy as np
import pytest
from answers import filled  # noqa: F401  every exercise has an answer
from table import table
from test_tensor import plain, tensors

import minigrad

# what is written | error | words of its message, .. between them
MISTAKES = """
x[1.0]                     | IndexError   | only integers, slices .. got float
x["a"]                     | IndexError   | only integers, slices .. got str
x[[0, 2]]                  | IndexError   | index 2 is out of bounds .. size 2
x[np.array([0.5])]         | IndexError   | must be long, int, byte or bool tensors
x[m.tensor([True])]        | IndexError   | mask [1] at index 0 does not match .. [2, 3]
x[..., ...]                | IndexError   | can only have a single ellipsis
x[2]                       | IndexError   | index 2 is out of bounds .. size 2
x[0, -4]                   | IndexError   | index -4 is out of bounds for dimension 1
x[0, 0, 0]                 | IndexError   | too many indices for tensor of dimension 2
x[10**30]                  | IndexError   | out of bounds for dimension 0
z[0]                       | IndexError   | invalid index of a 0-dim tensor .. item
x[::0]                     | ValueError   | step cannot be zero
x[::-1]                    | ValueError   | step must be greater than zero
x[1.0:2]                   | TypeError    | slice indices must be integers
x[::10**30].numpy()        | RuntimeError | out of bounds
x.float() @ x.float()      | RuntimeError | cannot be multiplied (2x3 and 2x3)
-(x > 1)                   | RuntimeError | Negation, the `-` operator, on a bool
x.view()                   | TypeError    | ints or a tuple of ints, got nothing
x.view(None)               | TypeError    | expected ints .. None
x.view(2.0, 3)             | TypeError    | expected ints .. 2.0
x.view(True, 6)            | TypeError    | expected ints .. True
x.view("6")                | TypeError    | expected ints .. '6'
x.view(4)                  | RuntimeError | shape '[4]' is invalid for input of size 6
x.view(-1, -1)             | RuntimeError | only one dimension can be inferred
x.view(-2, 3)              | RuntimeError | invalid shape dimension -2
x.T.view(6)                | RuntimeError | not compatible .. Use .reshape
e.view(0, -1)              | RuntimeError | -1 can be any value and is ambiguous
x.reshape()                | TypeError    | got nothing
x.reshape(5)               | RuntimeError | invalid for input of size 6
x.permute()                | RuntimeError | 2 dimensions needs as many, got 0
x.permute(0)               | RuntimeError | 2 dimensions needs as many, got 1
x.permute(0, 0)            | RuntimeError | duplicate dims are not allowed
x.permute(0, 5)            | IndexError   | out of range .. [-2, 1], but got 5
x.transpose(0)             | TypeError    | missing 1 required .. 'dim1'
x.transpose(0, 2)          | IndexError   | Dimension out of range
x.transpose(True, 0)       | TypeError    | a dimension is an int, not bool
x.expand(3)                | RuntimeError | sizes provided (1) must be greater
x.expand(2, 4)             | RuntimeError | size of the tensor (4) .. size (3) .. 1.
x.expand(-1, 2, 3)         | RuntimeError | size of the tensor (-1) .. size (none)
x.flatten(1, 0)            | RuntimeError | start_dim cannot come after end_dim
x.flatten("a")             | TypeError    | a dimension is an int, not str
x.squeeze((0, 0))          | RuntimeError | appears multiple times
x.unsqueeze(4)             | IndexError   | Dimension out of range .. [-3, 2]
x.size(2)                  | IndexError   | Dimension out of range
z.stride(0)                | IndexError   | tensor has no dimensions
x.as_strided((7,), (1,))   | RuntimeError | out of bounds: they need 7 cells .. has 6
x.as_strided((1,), (-1,))  | RuntimeError | Negative strides are not supported
x.as_strided((1,), (1, 1)) | RuntimeError | mismatch in length of strides and shape
x.as_strided((1,), (1,), -1) | RuntimeError | invalid storage offset -1
x.as_strided((1,), (1,), .5) | TypeError    | expected ints .. 0.5
len(z)                     | TypeError    | len() of a 0-d tensor
iter(z)                    | TypeError    | iteration over a 0-d tensor
x.item()                   | RuntimeError | 6 elements cannot be converted to Scalar
bool(x)                    | RuntimeError | more than one value is ambiguous
bool(e)                    | RuntimeError | no values is ambiguous
x + "1"                    | TypeError    | expected a tensor or a number, got str
x + [1, 2, 3]              | TypeError    | got list: tensor(x) makes a tensor of lists
x + m.ones(4)              | RuntimeError | 4
m.zeros()                  | TypeError    | got nothing
m.zeros(2.0)               | TypeError    | expected ints .. 2.0
m.zeros(-1)                | RuntimeError | must not be negative
m.zeros(10**30)            | MemoryError  | fits into no memory
m.zeros(10**8, 10**8)      | MemoryError  | Unable to allocate
m.zeros(2, dtype=complex)  | TypeError    | no tensor of complex128; the types are
m.zeros(2, dtype="float9") | TypeError    | float9
m.ones(2, device=0)        | RuntimeError | no device 0: a tensor is on one of 'cpu'
m.arange(5, 0)             | RuntimeError | inconsistent with step sign
m.arange(0, 5, 0)          | RuntimeError | step must be nonzero
m.arange("a")              | TypeError    | takes numbers
m.arange(math.nan)         | RuntimeError | unsupported range
m.arange(10**30)           | MemoryError  | fits into no memory
m.tensor([[1, 2], [3]])    | ValueError   | sequence of length 2 at dim 1 (got 1)
m.tensor([[[1], [2, 3]]])  | ValueError   | sequence of length 1 at dim 2 (got 2)
m.tensor([[1, 2], 3])      | ValueError   | numbers only or sequences only at dim 1
m.tensor("abc")            | TypeError    | a tensor holds numbers, not str
m.tensor([1, "2"])         | TypeError    | not str
m.tensor([z, x])           | ValueError   | got both
m.tensor(None)             | TypeError    | not NoneType
m.tensor([1, None])        | TypeError    | not NoneType
m.tensor({1})              | TypeError    | not set
m.tensor(1j)               | TypeError    | not complex
m.tensor(2**63)            | RuntimeError | too large
m.tensor(2**70)            | RuntimeError | too large
m.tensor(300, dtype="u1")  | RuntimeError | cannot be converted to type uint8 .. 300
m.tensor(math.nan, dtype=m.int64) | RuntimeError | cannot be converted to type int64
m.from_numpy([1])          | TypeError    | expected np.ndarray (got list)
m.from_numpy(np.float32(1)) | TypeError    | expected np.ndarray (got float32)
m.from_numpy(np.array(["a"])) | TypeError    | no tensor of str
m.from_numpy(np.array([1j])) | TypeError    | no tensor of complex128
m.Tensor([1, 2])           | TypeError    | tensor() takes numbers
y[0] = [1, 2]              | TypeError    | can't assign a list .. a number or a tensor
y[0] = np.ones(4)          | TypeError    | can't assign a ndarray
y[0] = 'a'                 | TypeError    | can't assign a str
y[0] = None                | TypeError    | can't assign a NoneType
y[0] = m.ones(3)           | RuntimeError | of shape [3] .. result of shape [3, 4]
y[0] = m.ones(2, 3, 4)     | RuntimeError | of shape [2, 3, 4]
y[0, 0, 0] = m.ones(2)     | RuntimeError | shape mismatch
y[:0] = m.ones(5)          | RuntimeError | shape mismatch
y[9] = 1                   | IndexError   | index 9 is out of bounds
x[0] = math.nan            | RuntimeError | cannot be converted to type int64
m.zeros(2, dtype='u1')[0] = 300 | RuntimeError | type uint8
z.expand(3)[:] = 1         | RuntimeError | refers to a single memory location
x.shape = (3, 2)           | AttributeError | shape
x.name = 'x'               | AttributeError | name
"""


@table("line", MISTAKES.strip().split("\n"))
def test_messages(line):
    text, error, words = re.split(r"\s+\|\s+", line)
    names = tensors(minigrad)
    with pytest.raises(Exception) as caught:
        exec(text, {"np": np, "math": math, **names})
    assert caught.type.__name__ == error
    for piece in words.split(" .. "):
        assert piece in str(caught.value)
    for name, tensor in tensors(minigrad).items():
        if name != "m":  # nothing was changed
            assert plain(names[name]) == plain(tensor)
