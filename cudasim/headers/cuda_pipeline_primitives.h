// Asynchronous copies of a thread: they are made at once.
__device__ inline void __pipeline_memcpy_async(void* to, const void* from, size_t size,
                                               size_t zeros = 0) {
    __tile_async(0, 0);
    for (size_t i = 0; i < size; i += size == 16 ? 16 : size == 8 ? 8 : 4) {
        char* target = (char*)to + i;
        const char* source = (const char*)from + i;
        if (zeros == size) {
            if (size == 16) *(uint4*)target = make_uint4(0, 0, 0, 0);
            else if (size == 8) *(uint2*)target = make_uint2(0, 0);
            else *(unsigned*)target = 0;
        } else if (size == 16) *(uint4*)target = *(const uint4*)source;
        else if (size == 8) *(uint2*)target = *(const uint2*)source;
        else *(unsigned*)target = *(const unsigned*)source;
    }
    __tile_async(1, 0);
}
__device__ inline void __pipeline_commit() { __tile_async(2, 0); }
__device__ inline void __pipeline_wait_prior(size_t n) { __tile_async(3, n); }
