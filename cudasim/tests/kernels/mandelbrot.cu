extern "C" __global__ void mandelbrot(int* out, int w, int h, float x0, float y0, float step) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float cx = x0 + px * step, cy = y0 + py * step, x = 0, y = 0;
    int i = 0;
    while (i < 256 && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++i;
    }
    out[py * w + px] = i;
}
