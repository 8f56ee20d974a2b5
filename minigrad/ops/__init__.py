"""The operators: what each means in NumPy, and which kernels compute it on a device."""
