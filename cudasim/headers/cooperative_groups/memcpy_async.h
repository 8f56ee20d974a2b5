// Copies by the threads of a group, made at once: to wait is a barrier.
template <typename G, typename T, typename S, typename Size>
__device__ void __cg_memcpy_async(const G& group, T* to, const S* from, Size size) {
    size_t bytes = size;
    __tile_async(0, 0);
    for (size_t i = group.thread_rank(); i * sizeof(T) < bytes; i += group.size()) to[i] = from[i];
    __tile_async(1, 0);
    __tile_async(2, 0);
}
template <typename G> __device__ void __cg_wait(const G& group) {
    __tile_async(4, 0);
    group.sync();
}
template <unsigned stages, typename G> __device__ void __cg_wait_prior(const G& group) {
    __tile_async(3, stages);
    group.sync();
}
