"""Where an NVIDIA GPU is: what set-up chooses and the doctor says holds there."""

import numpy as np
import pytest

from minigrad.cli import doctor, install

pytestmark = pytest.mark.gpu


@pytest.fixture
def cupy():
    if install.driver_cuda() is None:
        pytest.skip("not run: GPU tests (no NVIDIA driver)")
    return pytest.importorskip("cupy", reason="not run: GPU tests (no CuPy)")


def test_the_wheel_that_set_up_chooses_runs_on_this_driver(cupy):
    extra = f"cuda{install.driver_cuda()[0]}"
    wheels = doctor.cupy_wheels()
    assert wheels == [f"cupy-{extra}x"]
    assert cupy.cuda.is_available()
    source = """
    extern "C" __global__ void twice(const float* x, float* y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = 2 * x[i];
    }"""
    x = cupy.arange(100, dtype=np.float32)
    y = cupy.zeros_like(x)
    cupy.RawKernel(source, "twice")((4,), (32,), (x, y, np.int32(100)))
    assert cupy.asnumpy(y).tolist() == [2.0 * i for i in range(100)]


def test_the_doctor_names_every_gpu(cupy):
    findings = doctor.gpu()
    assert not [finding for finding in findings if finding.mend]
    devices = [f for f in findings if f.what.startswith("GPU ")]
    assert len(devices) == cupy.cuda.runtime.getDeviceCount() > 0
    assert all("compute capability" in device.value for device in devices)
