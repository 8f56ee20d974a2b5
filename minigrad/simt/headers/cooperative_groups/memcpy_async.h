// Copies by the threads of a group, made at once: to wait is a barrier.
template <typename G, typename T, typename S, typename Size>
__device__ void __cg_memcpy_async(const G& group, T* to, const S* from, Size size) {
    size_t bytes = size;
    for (size_t i = group.thread_rank(); i * sizeof(T) < bytes; i += group.size()) to[i] = from[i];
}
template <typename G> __device__ void __cg_wait(const G& group) { group.sync(); }
template <unsigned stages, typename G> __device__ void __cg_wait_prior(const G& group) {
    group.sync();
}
