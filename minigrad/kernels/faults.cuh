// An index that chooses no element is noted for the host: see minigrad/faults.py.
enum Kind { BAD_INDEX = 1, BAD_TARGET = 2 };

// Does i choose one of `size` elements? If not, it is noted for the host.
__device__ bool chooses(long long i, long long size, Kind what, long long* fault) {
    if (i >= 0 && i < size) return true;
    fault[1] = i;
    fault[2] = size;
    fault[0] = what;
    return false;
}
