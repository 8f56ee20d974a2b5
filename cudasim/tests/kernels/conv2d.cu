struct Shape { int n, c, h, w; };
extern "C" __global__ void conv2d(const float* x, const float* w, float* y, Shape s,
                                  int out_channels) {
    int ox = threadIdx.x + blockIdx.x * blockDim.x, oy = threadIdx.y + blockIdx.y * blockDim.y;
    int oc = blockIdx.z % out_channels, b = blockIdx.z / out_channels;
    if (ox >= s.w || oy >= s.h) return;
    float acc = 0.f;
    for (int c = 0; c < s.c; ++c)
        for (int ky = -1; ky <= 1; ++ky)
            for (int kx = -1; kx <= 1; ++kx) {
                int ix = ox + kx, iy = oy + ky;
                if (ix < 0 || iy < 0 || ix >= s.w || iy >= s.h) continue;
                acc += x[((b * s.c + c) * s.h + iy) * s.w + ix] *
                       w[((oc * s.c + c) * 3 + ky + 1) * 3 + kx + 1];
            }
    y[((b * out_channels + oc) * s.h + oy) * s.w + ox] = acc;
}
