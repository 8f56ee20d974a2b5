"""Sectors, bank passes and divergent branches, worked by hand for small kernels.

A case below is a title with the launch, the derivation, and the body of a kernel over
x, y (floats), b (bytes) and n = 40. Behind `//` stand the counts of that line: sectors
have 32 bytes, transactions are lines of 128.
"""

import re

import cudasim
import numpy as np
from table import table

HEAD = """__global__ void k(const float* x, float* y, const unsigned char* b, int n) {
int tid = threadIdx.x, tx = tid, ty = threadIdx.y, i = blockIdx.x * blockDim.x + tid;
float v = 0;
"""
CASES = """
= copy(1, 32)
# 32 lanes of 4 bytes, side by side: 128 bytes are 4 sectors of 32, one line of 128,
# read and written.
v = x[i];  // requests 1, sectors 4, transactions 1, reads 32
y[i] = v;  // requests 1, sectors 4, writes 32

= copy_in_blocks(5, 96)
# 3 warps in each of 5 blocks, each as above.
v = x[i];  // requests 15, sectors 60, reads 480

= offset(1, 32)
# Bytes 4 to 131: sectors 0 to 4, and the last of these is in the second line.
v = x[i + 1];  // requests 1, sectors 5, transactions 2

= offset_by_a_sector(1, 32)
# Bytes 32 to 159: sectors 1 to 4.
v = x[i + 8];  // requests 1, sectors 4

= stride_2(1, 32)
# Every second float: 256 bytes are touched in part, 8 sectors.
v = x[2 * i];  // requests 1, sectors 8, transactions 2

= stride_4(1, 32)
# 512 bytes: 16 sectors, of each of which 8 bytes are used.
v = x[4 * i];  // requests 1, sectors 16, transactions 4

= stride_8(1, 32)
# 8 floats are a sector: each lane has its own.
v = x[8 * i];  // requests 1, sectors 32, transactions 8

= stride_32(1, 32)
# No more than one sector for each lane, however far apart they are.
v = x[32 * i];  // requests 1, sectors 32, transactions 32

= three_of_three(1, 32)
# Structures of 12 bytes: 32 of them are 384 bytes, 12 sectors, and each of the three
# reads touches all of them (the field at byte 8 is in sector 11, too: 380 // 32).
v = x[3 * i];       // requests 1, sectors 12, transactions 3
v += x[3 * i + 1];  // requests 1, sectors 12
v += x[3 * i + 2];  // requests 1, sectors 12

= broadcast(1, 32)
# All lanes want the same 4 bytes.
v = x[n];  // requests 1, sectors 1, reads 32

= repeated(1, 32)
# 8 different floats, bytes 0 to 31.
v = x[tid % 8];  // requests 1, sectors 1

= reversed(1, 32)
# The order of the lanes does not matter.
v = x[31 - tid];  // requests 1, sectors 4

= shuffled(1, 32)
v = x[tid * 5 % 32];  // requests 1, sectors 4

= float2(1, 32)
# 8 bytes a lane: 256 bytes.
float2 p = reinterpret_cast<const float2*>(x)[i];  // requests 1, sectors 8
y[i] = p.x + p.y;  // requests 1, sectors 4

= float4(1, 32)
# 16 bytes a lane: 512 bytes in one request.
float4 p = reinterpret_cast<const float4*>(x)[i];  // requests 1, sectors 16, reads 32
reinterpret_cast<float4*>(y)[i] = p;  // requests 1, sectors 16, writes 32

= bytes(1, 32)
# 32 bytes are one sector.
v = b[i];  // requests 1, sectors 1

= doubles(1, 32)
double d = reinterpret_cast<const double*>(x)[i];  // requests 1, sectors 8
y[i] = d;  // sectors 4

= short_warp(1, 48)
# The second warp has 16 lanes: 4 + 2 sectors.
v = x[i];  // requests 2, sectors 6, reads 48

= guard(1, 64)
# n = 40: warp 0 is whole; 8 lanes of warp 1 read one sector, 24 do not.
if (i < n)  // branches 2, divergent_branches 1
    v = x[i];  // requests 2, sectors 5, reads 40

= guard_by_warps(1, 96)
# Both ends of the condition lie between warps: warps 0 and 2 make no request.
if (tid >= 32 && tid < 64)  // divergent_branches 0
    v = x[i];  // requests 1, sectors 4

= loop(1, 32)
# The condition is asked 6 times, always with one answer.
for (int k = 0; k < 5; k++)  // branches 6, divergent_branches 0
    v += x[32 * k + tid];  // requests 5, sectors 20, reads 160

= rows(1, (16, 16))
# A warp is two rows of 16 floats, 64 bytes each: 2 + 2 sectors; there are 8 warps.
v = x[ty * 64 + tx];  // requests 8, sectors 32

= columns(1, (16, 16))
# A warp has 16 columns, 256 bytes apart, and in each two floats side by side (rows 2w
# and 2w + 1, which never straddle a sector): 16 sectors for each of 8 warps.
v = x[tx * 64 + ty];  // requests 8, sectors 128

= four_rows(1, (8, 4))
# One warp: four rows of 32 bytes, each a sector.
v = x[ty * 64 + tx];  // requests 1, sectors 4

= update(1, 32)
# A read and a write.
y[i] += 1;  // requests 2, sectors 8, reads 32, writes 32

= atomic(1, 64)
# Each warp makes one request of one sector.
atomicAdd(y, 1.0f);  // requests 2, sectors 2, atomics 64

= pairs(1, 32)
# A sector holds 8 bytes of every 16: 32 lanes are 16 pairs in 16 groups of 16 bytes,
# so 256 bytes.
v = x[tid / 2 * 4 + tid % 2];  // requests 1, sectors 8

= shared_row(1, 64)
# Each lane its own bank; one pass for each of two warps.
__shared__ float s[64];
s[tid] = v;  // shared_requests 2, bank_passes 2

= shared_column(1, 32)
# Words 0, 32, 64, ...: all in bank 0.
__shared__ float s[32][32];
s[tid][3] = v;  // shared_requests 1, bank_passes 32

= shared_column_padded(1, 32)
# Words 0, 33, 66, ...: banks 0, 1, 2, ...
__shared__ float s[32][33];
s[tid][3] = v;  // shared_requests 1, bank_passes 1

= shared_stride_2(1, 32)
# Lanes t and t + 16 meet in bank 2t.
__shared__ float s[64];
s[2 * tid] = v;  // bank_passes 2

= shared_stride_3(1, 32)
# 3 and 32 have no common factor: 32 banks.
__shared__ float s[96];
s[3 * tid] = v;  // bank_passes 1

= shared_stride_12(1, 32)
# 12 t mod 32 is one of 8 multiples of 4: 4 lanes in each of these banks.
__shared__ float s[384];
s[12 * tid] = v;  // bank_passes 4

= shared_two_columns(1, 32)
# Lanes t and t + 16 want the same word, so 16 words of bank 0.
__shared__ float s[512];
if (tid == 0) for (int k = 0; k < 512; k++) s[k] = 0;
__syncthreads();
v = s[tid % 16 * 32];  // shared_requests 1, bank_passes 16

= shared_broadcast(1, 32)
# One word for all lanes, one word for each two lanes: a word goes to all at once.
__shared__ float s[32];
s[tid] = 0;
__syncthreads();
v = s[5];         // bank_passes 1
v += s[tid / 2];  // bank_passes 1

= shared_half_warp(1, 32)
# Only the 8 active lanes count: words 0, 32, ..., 224.
__shared__ float s[256];
if (tid < 8)  // branches 1, divergent_branches 1
    s[32 * tid] = v;  // shared_requests 1, bank_passes 8

= shared_transposed_tile(1, (16, 16))
# Word 16 tx + ty. A warp has two ty and 16 tx; even tx are in bank ty, odd ones in
# bank 16 + ty: 8 words in each of 4 banks, 8 passes for each of 8 warps.
__shared__ float s[16][16];
s[tx][ty] = v;  // shared_requests 8, bank_passes 64

= shared_tiled_matmul(1, (16, 16))
# A warp has two ty. A[ty][k]: words 16 ty + k, two words, in banks k and 16 + k.
# B[k][tx]: 16 words side by side, each for two lanes.
__shared__ float A[16][16], B[16][16];
A[ty][tx] = B[ty][tx] = 0;
__syncthreads();
for (int k = 0; k < 16; k++)  // branches 17 * 8, divergent_branches 0
    v += A[ty][k] * B[k][tx];  // shared_requests 2 * 16 * 8, bank_passes 2 * 16 * 8

= shared_float2(1, 32)
# 64 words in two halves of a warp: 32 banks each, so 2 passes.
__shared__ float2 s[32];
s[tid] = make_float2(v, v);  // shared_requests 1, bank_passes 2

= shared_float4(1, 32)
# 128 words in four quarters of a warp.
__shared__ float4 s[32];
s[tid] = make_float4(v, v, v, v);  // bank_passes 4

= shared_double_stride_2(1, 32)
# Half a warp: words 4t and 4t + 1 for 16 t: 8 t fill the banks 0, 1, 4, 5, ..., the
# other 8 the same ones: 2 passes for each half.
__shared__ double s[64];
s[2 * tid] = v;  // bank_passes 4

= shared_bytes(1, 32)
# 4 lanes to a word, 8 words in 8 banks.
__shared__ unsigned char s[32];
s[tid] = tid;  // shared_requests 1, bank_passes 1

= even_and_odd(1, 64)
# Every warp has both.
if (tid % 2)  // branches 2, divergent_branches 2
    y[i] = 1;  // requests 2, sectors 8, writes 32

= by_warp(3, 64)
# The condition is the same in all lanes of a warp.
if (tid / 32)  // branches 6, divergent_branches 0
    y[i] = 1;  // requests 3, sectors 12

= by_block(4, 64)
if (blockIdx.x % 2)  // branches 8, divergent_branches 0
    y[i] = 1;  // requests 4, sectors 16

= triangle(1, 32)
# At k the lanes tid >= k ask. Up to k = 30 lane k stops and others go on; at k = 31
# lane 31 is alone.
for (int k = 0; k < tid; k++)  // branches 32, divergent_branches 31
    v += 1;

= nested(1, 32)
# 8 lanes ask the second question, of which all say yes, and the third, of which half.
if (tid < 8) {  // branches 1, divergent_branches 1
    if (tid < 16)  // branches 1, divergent_branches 0
        v = 1;
    if (tid < 4)  // branches 1, divergent_branches 1
        v = 2;
}

= early_return(2, 64)
# i < 40: block 0 is whole in warp 0, torn in warp 1; block 1 leaves as a whole.
if (i >= n)  // branches 4, divergent_branches 1
    return;
y[i] = v;  // requests 2, sectors 5
"""


def cases():
    """(name, grid, block, body) of each."""
    for text in CASES.strip().split("\n\n"):
        head, *lines = text.split("\n")
        name, launch = re.fullmatch(r"= (\w+)(\(.*\))", head).groups()
        lines = [line for line in lines if not line.startswith("#")]
        yield name, *eval(launch), "\n".join(lines)


def counted(report, line):
    """The counts of a line, of all its places together."""
    sums = {}
    for (at, _), counts in report.counts["lines"].items():
        for name, number in counts.items():
            if at == line and not isinstance(number, str):
                sums[name] = sums.get(name, 0) + number
    return sums


def watched(grid, block, body):
    block = block if isinstance(block, tuple) else (block,)
    x, y = np.zeros(8192, np.float32), np.zeros(8192, np.float32)
    args = x, y, np.zeros(8192, np.uint8), np.int32(40)
    kernel = cudasim.RawKernel(f"{HEAD}{body}\n}}", "k")
    return cudasim.run(kernel, (grid,), block, args, tools="all")


@table("name, grid, block, body", cases(), ids=lambda case: case[0])
def test_counts_by_hand(name, grid, block, body):
    report = watched(grid, block, body)
    first, checked = HEAD.count("\n") + 1, 0
    for line, text in enumerate(body.split("\n"), first):
        if "//" not in text:
            continue
        got = counted(report, line)
        for item in text.partition("//")[2].split(","):
            name, number = item.split(maxsplit=1)
            assert got.get(name, 0) == eval(number), (text, got)
            checked += 1
    assert checked


def test_sums_are_those_of_the_lines():
    body = "v = x[i];\nif (tid % 2) y[2 * i] = v;"
    report = watched(2, 64, body)
    for name, number in (("requests", 8), ("sectors", 16 + 32), ("reads", 128)):
        assert report.counts[name] == number
        lines = range(1, 7)
        assert sum(counted(report, n).get(name, 0) for n in lines) == number
    assert report.counts["divergent_branches"] == 4


def test_the_busiest_thread():
    """Lane t reads t elements and writes one, so the last reads 31."""
    report = watched(1, 32, "for (int k = 0; k < tid; k++) v += x[k];\ny[i] = v;")
    assert report.counts["reads"] == sum(range(32))
    assert report.counts["reads_per_thread"] == 31
    assert report.counts["writes_per_thread"] == 1


def test_the_schedule_changes_no_count():
    body = "__shared__ float s[64];\ns[tid] = x[2 * i];\n__syncthreads();\n"
    body += "if (tid < 40) y[i] = s[63 - tid];"
    x, y = np.zeros(8192, np.float32), np.zeros(8192, np.float32)
    args = x, y, np.zeros(8192, np.uint8), np.int32(40)
    kernel = cudasim.RawKernel(f"{HEAD}{body}\n}}", "k")
    both = [
        cudasim.run(kernel, (5,), (64,), args, tools="all", schedule=schedule).counts
        for schedule in ("lockstep", "warps")
    ]
    assert both[0] == both[1]
