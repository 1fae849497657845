# SPDX-License-Identifier: GPL-2.0-or-later
"""OpenCL by Debian 12's unmodified intel-opencl-icd (compute-runtime and IGC); Debian 13 has none, and unstable's does not support Gen9."""
import re

from driver import PIGLIT, RunTest

from app_rows import INTEL_OPENCL

PROGRAMS = "/usr/lib/x86_64-linux-gnu/piglit/tests/cl/program/execute"
# Ids, memories, images, 64-bit arithmetic, stacks and branches.
KERNELS = ("get-global-id", "get-local-id", "global-memory", "local-memory", "image-read-2d", "image-write-2d", "sampler", "scalar-arithmetic-long",
           "scalar-arithmetic-double", "vector-conversion", "mad-mix", "i32-stack-array", "sha256-Ch", "switch-case")


class OpenCL(RunTest):
    device, units = "Intel(R) HD Graphics 630", 24
    kernels = KERNELS

    def setUp(self):
        super().setUp()
        if not self.mesa.has("clinfo"):
            self.skipTest("clinfo and intel-opencl-icd are installed on Debian 12 only")

    def test_clinfo(self):
        out = self.ok("clinfo", **INTEL_OPENCL)
        self.assertRegex(out, rf"Device Name +{re.escape(self.device)}")
        self.assertRegex(out, rf"Max compute units +{self.units}\n")

    def test_kernels(self):
        for kernel in self.kernels:
            with self.subTest(kernel):
                out = self.run_on_gpu(PIGLIT + "cl-program-tester", f"{PROGRAMS}/{kernel}.cl", **INTEL_OPENCL).stdout
                self.assertIn('PIGLIT: {"result": "pass" }', out)


class TigerLakeOpenCL(OpenCL):
    platform = "tgl"
    device, units = "Intel(R) Iris(R) Xe Graphics", 96
    kernels = tuple(kernel for kernel in KERNELS if "double" not in kernel)  # the chip has no 64-bit floats
