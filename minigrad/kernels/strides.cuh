// A view: element (i, j, ...) lies i * stride[0] + j * stride[1] + ... elements after
// the first. A dimension of stride 0 is a broadcast one.
struct Strides { int dims; long long shape[8]; long long stride[8]; };

// Counts elements. With "#define INDEX long long" in front for 2^31 elements and more:
// a GPU has no instruction that divides, and division of 64 bits takes far longer.
#ifndef INDEX
#define INDEX int
#endif

// Where element i of the view lies, counted from the first: i is taken apart into an
// index for each dimension, from the last one on. What is left over is the first index.
__device__ long long offset_of(INDEX i, const Strides& view) {
    long long offset = 0;
    for (int d = view.dims - 1; d > 0; d--) {
        offset += i % (INDEX)view.shape[d] * view.stride[d];
        i /= (INDEX)view.shape[d];
    }
    return offset + i * view.stride[0];
}
