"""Kernels are taken out of files with what they need, and nothing else."""

from cudasim.benchmarks.kernel_texts import kernels

FILE = """
#include <stdio.h>
#include "own.h"
#include <cuda_fp16.h>
#define N 4 // threads
#define AREA(x) (width * (x))
const int width = 3;
static float unused = 1;
struct P { float a[N]; };
struct Q { int b; };
__device__ float helper(P p) { return p.a[0] * AREA(2); }
template <typename T, int M>
__global__ void k(T* y) { P p; y[0] = helper(p) + from_header(); }
__global__ void other(Q* q) { q->b = 1; }
int main() { k<float, 8><<<1, 1>>>(nullptr); printf("}{"); }
"""


def test_what_a_kernel_brings():
    headers = {"own.h": "__device__ int from_header() { return 1; }\nint host();"}
    first, second = kernels(FILE, headers.get)
    assert (first.name, second.name) == ("k", "other")
    assert first.names[0] == "k<float, 8>" and second.names == ()
    for part in ("#define N 4", "width = 3", "struct P", "helper", "from_header()"):
        assert part in first.text
    for part in ("main", "unused", "struct Q", "stdio", "host", "other", "//"):
        assert part not in first.text
    assert "struct Q" in second.text and "helper" not in second.text
