"""What a kernel means: each body gives every thread a number that Python knows too."""

import cudasim
import numpy as np
import pytest
from table import table

THREADS = 70
BODIES = []


def body(expected, text, before=""):
    """A body that sets `r` from `i`, the thread's number; `before` stands above."""
    BODIES.append((before, text, expected))


# fmt: off
PAIR = "struct Pair { int a; int b[3]; float c; };\n"
body(lambda i: i + 5, "Pair p = {i, {1, 2, 3}, 2.5f}; r = p.a + p.b[1] + p.b[2];", PAIR)
body(lambda i: i * 3,
     "Pair p = {i, {2, 1}, 0}; r = f(p);",
     PAIR + "__device__ int f(Pair p){ p.a = p.a * (p.b[0] + p.b[1]); return p.a; }")
body(lambda i: i,
     "Pair p; p.a = i; g(p); r = p.a;",
     PAIR + "__device__ void g(Pair p) { p.a = 7; }")
body(lambda i: i + 7,
     "Pair p; p.a = i; g(p); r = p.a;",
     PAIR + "__device__ void g(Pair& p) { p.a += 7; }")
body(lambda i: i + 8,
     "Pair p; p.a = i; g(&p); r = p.a + (*&p).b[2];",
     PAIR + "__device__ void g(Pair* p) { p->a += 7; p->b[2] = 1; }")
body(lambda i: [10, 20, 30][i % 3],
     "int a[3] = {10, 20, 30}; int* p = a + i % 3; r = *p;")
body(lambda i: i + 60 if i % 3 == 0 else 60,
     "int a[3] = {10, 20, 30}; int* p = &a[i % 3];*p += i % 3 == 0 ? i : 0; for "
     "(int* q = a; q != a + 3; q++) r += *q;")
body(lambda i: 1 if i % 2 else 2,
     "int a[2] = {1, 1}, b[2] = {2, 2};int* p = i % 2 ? a : b; r = p[1];")
body(lambda i: 8 if i % 2 else 2,
     "int a[2] = {1, 1}, b[2] = {2, 2};int* p = b; if (i % 2) p = a; p[1] += i %"
     " 2 ? 7 : 0; r = p[1];")
body(lambda i: [3, 4][i % 2],
     "__shared__ int s[4]; __shared__ int t[4]; if (i < 4){ s[i] = 3; t[i] = 4; "
     "} __syncthreads(); int* p = i % 2 ? t : s; r = p[i % 4];")
body(lambda i: [1, 2, 3][i % 3],
     "int a = 1, b = 2, c = 3; int* t[3] = {&a, &b, &c};r = *t[i % 3];")
body(lambda i: i + 1,
     "struct Node { int v; int* p; }; int x = i; Node m = {1, &x};r = m.v + "
     "*m.p;")
body(lambda i: i,
     "struct Node { int v; Node* next; }; Node b = {i, 0}; Node a = {1, &b};r = "
     "a.next->v + (b.next == 0 ? 0 : 100);")
body(lambda i: i % 9 * (i % 9 + 1) // 2, "r = f(i % 9);",
     "__device__ int f(int n) { if (n < 1) return 0; return n + f(n - 1); }")
body(lambda i: i % 7 % 2, "r = odd(i % 7);",
     "__device__ int odd(int n);"
     "__device__ int even(int n) { int a[2] = {n, 1};"
     " return a[0] ? odd(n - 1) : a[1]; }"
     "__device__ int odd(int n) { return n ? even(n - 1) : 0; }")
body(lambda i: i + 4, "const int& x = i + 4; r = x;")
body(lambda i: i + 4, "const int a = 4; const int& x = a; r = i + x; a;")
body(lambda i: 6,
     "const int a = 4; r = f(a) + 2;",
     "__device__ int f(const int& x){ return x; }")
body(lambda i: [4, 5][i % 2],
     "const int a = 4, b = 5; const int& x = i % 2 ? b : a; r = x;")
body(lambda i: i + 4, "r = f(i + 4);", "__device__ int f(const int& x) { return x; }")
body(lambda i: i + 5,
     "int x = i; f(x) += 5; r = x;",
     "__device__ int& f(int& x) { return x; }")
body(lambda i: 9 if i % 2 else 1,
     "int a[2] = {1, 1}; at(a, i % 2) = 9; r = a[1];",
     "__device__ int& at(int* a, int i) { return a[i]; }")
body(lambda i: i + 100, "int& x = r; x = i; x += 100;")
body(lambda i: {0: 111, 1: 11, 2: 10}.get(i % 5, 1000),
     "switch (i % 5) { case 0: r += 100; case 1: r += 1; case 2: r += 10; "
     "break;default: r = 1000; }")
body(lambda i: {0: 6, 1: 6}.get(i % 4, 40 + i % 4),
     "switch (i % 4) { case 0: case 1: { int t = 6; r = t; break; }default: int "
     "u; u = 40; r = u + i % 4; }")
body(lambda i: {0: 3, 1: 8}.get(i % 3, 50),
     "switch (i % 3) { case 0: int t; t = 3; r = t;break; case 1: t = 8; r = t; "
     "break; default: r = 50; }")
body(lambda i: [5, 5, 7, 9][i % 4],
     "switch (i % 4) { default: r = 5; break; case 2: r = 7;break; case 3: r = "
     "9; }")
body(lambda i: i % 3, "switch (i % 3) { case 1: r = 1; } if (i % 3 == 2) r = 2;")
body(lambda i: sum(k for k in range(i % 7 + 1) if k % 2 == 0),
     "int k = 0; do { if (k % 2) continue; r += k; } while (k++ < i % 7);")
body(lambda i: sum(1 for a in range(i % 5) for b in range(min(a + 1, 3))),
     "for (int a = 0; a < i % 5; a++) for (int b = 0; ; b++){ if (b > a || b == "
     "3) break; r++; }")
body(lambda i: sum(a * 10 + b for a in range(6) for b in range(3)
     if a not in (b, i % 6)),
     "for (int a = 0; a < 6; a++) { if (a == i % 6) continue; for (int b = 0; b "
     "< 3; b++){ if (b == a) continue; r += a * 10 + b; } }")
body(lambda i: i % 10 + (100 if i % 10 < 5 else 0),
     "for (int k = 0; ; k++) { switch (k % 3) { case 0: if (k >= i % 10) break; "
     "}if (k == i % 10) { r = k; break; } } if (r < 5) r += 100;")
body(lambda i: i % 10,
     "int k = 0; while (true) { switch (k == i % 10) { case 1: r = k; break; "
     "default: k++; continue; } break; }")
body(lambda i: 1 if i < 10 else 2 if i < 20 else 3,
     "r = f(i);",
     "__device__ int f(int i) { if (i < 10) return 1; for (;;) { if (i < 20) "
     "return 2;i--; if (i < 40) return 3; } }")
body(lambda i: i if i < 5 else -1, "r = -1; o[i] = r; if (i >= 5) return; r = i;")
body(lambda i: (i + 1) * 10 if i % 2 else i,
     "int a = i, b = i; (i % 2 ? a : b) += 1;r = i % 2 ? a * 10 : b - 1;")
body(lambda i: 2 * i + 3, "int a; r = (a = i, a += 1, a * 2 + 1);")
body(lambda i: 7, "int a, b, c; a = b = c = 7; r = (a + b + c) / 3;")
body(lambda i: i + 3, "int a = i; int b = (a += 2) + 1; r = b;")
body(lambda i: i * 2 + 1, "int a = i; r = a++ + a;")
body(lambda i: (i + 1) * 2, "int a = i; r = ++a + a;")
body(lambda i: 3, "float a = 1.5f; a++; ++a; r = (int)(a - 0.5f);")
body(lambda i: 255, "unsigned char a = 0; a--; r = a;")
body(lambda i: -128, "signed char a = 127; a++; r = a;")
body(lambda i: -32768, "short a = 32767; ++a; r = a;")
body(lambda i: 1, "unsigned a = 0; a--; r = a == 4294967295u;")
body(lambda i: 1,
     "long long a = -1; a++; unsigned long long b = 0; b--; double d = 0; d--;r "
     "= a == 0 && b == ~0ull && d == -1.0;")
body(lambda i: 0 if i % 5 == 0 else 100 // (i % 5),
     "int d = i % 5; r = d != 0 ?100 / d : 0;")
body(lambda i: 1 if i % 5 and 100 // (i % 5) > 30 else 0,
     "int d = i % 5; if (d != 0 && 100 / d > 30) r = 1;")
body(lambda i: 1 if i % 5 == 0 or 100 // (i % 5) > 30 else 0,
     "int d = i % 5; if (d == 0 || 100 % d == 200 || 100 / d > 30) r = 1;")
body(lambda i: i + 1 if i < 40 else 0,
     "if (i < 40 && big[i] == i + 1) r = big[i];",
     "__device__ int big[40];")
body(lambda i: i if i < 16 else -1,
     "r = i < 16 ? table[i] : -1;",
     "__constant__ int table[16] = {0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15};")
body(lambda i: 3 if i < 3 else 0,
     "int a[3] = {0, 0, 0}; if (i < 3) a[i] = 3;r = i < 3 ? a[i] : 0;")
body(lambda i: 5, "int x = 5; while (i < 0) x = x / (i * 0); r = x;")
body(lambda i: 12,
     "typedef int Row[3]; Row m[2] = {{1, 2, 3}, {4, 5, 6}}; r = m[1][2] * "
     "m[0][1];")
body(lambda i: (i % 2) * 3 + i % 3 + 1,
     "int m[2][3] = {{1, 2, 3}, {4, 5, 6}};r = m[i % 2][i % 3];")
body(lambda i: i % 3 + 1,
     "struct A { float v[2]; int n; }; A a[3] = {{{1, 2}, 1},{{3, 4}, 2}, {{5, "
     "6}, 3}}; r = a[i % 3].n;")
body(lambda i: [1, 3, 5][i % 3],
     "struct A { float v[2]; int n; }; A a[3] = {{{1, 2}, 1},{{3, 4}, 2}, {{5, "
     "6}, 3}}; r = (int)a[i % 3].v[0];")
body(lambda i: i + 6,
     "float4 v = make_float4(i, 1, 2, 3); v.x += v.y + v.z + v.w;r = (int)v.x;")
body(lambda i: i if i % 2 else 0,
     "float2 v = {0, 0}; if (i % 2) v = make_float2(i, 1);r = (int)v.x;")
body(lambda i: i // 2, "int x = i; r = x >> 1; ;;; {} {;}")
body(lambda i: 6,
     "r = sum<3>();",
     "template <int N> __device__ int sum() { int s = 0;for (int i = 1; i <= N; "
     "i++) s += i; return s; }")
body(lambda i: 120,
     "r = factor(5);",
     "template <int N> __device__ int f() { return N; }__device__ int factor(int"
     " n) { int p = 1; while (n > 1) p *= n--; return p; }")
body(lambda i: i + 2, "auto add = 2; auto x = i; r = x + add;")
body(lambda i: 10, "int a[4] = {1, 2, 3, 4}; for (int i = 0; i < 4; ++i) r += a[i];")
body(lambda i: i + 1, "int a = i; { int a = 1; r = a; } r += a;")
body(lambda i: 97 + i % 3, 'const char* s = "abc"; r = s[i % 3];')
body(lambda i: i, "int x = i; int* p = &x; int** q = &p; r = **q;")
body(lambda i: 4, "int a[5]; int *p = a + 1, *q = a + 5; r = q - p;")
body(lambda i: i % 2, "int a[2]; int *p = a + i % 2, *q = a; r = p > q ? 1 : 0;")
body(lambda i: i, "int x = i; void* p = &x; r = *(int*)p;")
body(lambda i: 0x3F800000, "float x = 1; r = *(int*)&x;")
body(lambda i: 3, "unsigned char b[4] = {3, 0, 0, 0}; r = *(int*)b;")
body(lambda i: i, "long long h = (long long)o; int* p = (int*)h; p[i] = i; r = p[i];")
# fmt: on


def source(before, text):
    return (
        f"{before}\n__global__ void k(int* o, int n) {{\n"
        f"  int i = threadIdx.x; int r = 0;\n{text}\n  o[i] = r;\n}}"
    )


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "steps"])
@table("before, text, expected", BODIES, ids=lambda row: " ".join(row[:2]))
def test_bodies(before, text, expected, schedule):
    module = cudasim.RawModule(source(before, text))
    kernel = module.get_function("k")
    if "big[" in before:
        module.get_global("big")[:] = np.arange(1, 41)
    out = np.full(THREADS, -77, np.int32)
    if schedule == "steps":
        report = cudasim.trace(kernel, 1, THREADS, (out, np.int32(3))).report
    else:
        report = cudasim.run(kernel, 1, THREADS, (out, np.int32(3)), schedule=schedule)
    assert report.findings == []
    np.testing.assert_array_equal(out, [expected(i) for i in range(THREADS)])
