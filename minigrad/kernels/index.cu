// Elements chosen by index: read, written, added up.
#include "strides.cuh"
#include "faults.cuh"

// y[i] = the element of x that element i of `index` chooses: its other indices are
// those of the view `rest`, which has a stride of 0 where the index stands.
template <typename T>
__global__ void gather(const T* x, Strides rest, long long step, long long size,
                       const long long* index, Strides view, T* y,
                       long long* fault, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long chosen = index[offset_of(i, view)];
    if (!chooses(chosen, size, BAD_INDEX, fault)) return;
    y[i] = x[offset_of(i, rest) + chosen * step];
}

// offsets[i] = the cells from an element to the one that element i of `index` chooses,
// in a dimension of `size` elements that lie `step` cells apart. Of several dimensions
// each adds its own: `before` says that some have.
__global__ void locate(const long long* index, Strides view, long long size,
                       long long step, long long* offsets, int before,
                       long long* fault, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long chosen = index[offset_of(i, view)];
    if (chosen < 0) chosen += size;
    if (!chooses(chosen, size, BAD_INDEX, fault)) chosen = 0;
    offsets[i] = (before ? offsets[i] : 0) + chosen * step;
}

// The reverse of `gather`: the chosen element of x = element i of the view of values.
template <typename T>
__global__ void put(T* x, Strides rest, const long long* offsets, Strides view,
                    const T* values, Strides value_view, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T value = values[offset_of(i, value_view)];
    x[offset_of(i, rest) + offsets[offset_of(i, view)]] = value;
}

// The element of y that element i of `index` chooses = element i of src, for each i;
// `view`, `places` and `rest` are the views of src, index and y for such i.
template <typename T>
__global__ void scatter(const T* src, Strides view, const long long* index,
                        Strides places, T* y, Strides rest, long long step,
                        long long size, long long* fault, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long chosen = index[offset_of(i, places)];
    if (!chooses(chosen, size, BAD_INDEX, fault)) return;
    y[offset_of(i, rest) + chosen * step] = src[offset_of(i, view)];
}

// The same, but added to what is there, in A: float, double, or long long, which is
// added as an unsigned number, with the same bits.
template <typename T, typename A>
__global__ void scatter_add(const T* src, Strides view, const long long* index,
                            Strides places, A* y, Strides rest, long long step,
                            long long size, long long* fault, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long chosen = index[offset_of(i, places)];
    if (!chooses(chosen, size, BAD_INDEX, fault)) return;
    A* place = y + offset_of(i, rest) + chosen * step;
    A value = (A)src[offset_of(i, view)];
    if constexpr ((A)0.5 != (A)0) atomicAdd(place, value);
    else atomicAdd((unsigned long long*)place, (unsigned long long)value);
}
