# SPDX-License-Identifier: GPL-2.0-or-later
"""OpenCL by Debian 12's unmodified intel-opencl-icd (compute-runtime and IGC); later versions do not support Gen9."""
from driver import PIGLIT, RunTest

from app_rows import INTEL_OPENCL

PROGRAMS = "/usr/lib/x86_64-linux-gnu/piglit/tests/cl/program/execute"
# Ids, memories, images, 64-bit arithmetic, stacks and branches.
KERNELS = ("get-global-id", "get-local-id", "global-memory", "local-memory", "image-read-2d", "image-write-2d", "sampler", "scalar-arithmetic-long",
           "scalar-arithmetic-double", "vector-conversion", "mad-mix", "i32-stack-array", "sha256-Ch", "switch-case")


class OpenCL(RunTest):
    def setUp(self):
        super().setUp()
        if not self.mesa.has("clinfo"):
            self.skipTest("clinfo and intel-opencl-icd are installed on Debian 12 only")

    def test_clinfo(self):
        self.assertIn("Intel(R) HD Graphics 630", self.ok("clinfo", "-l", **INTEL_OPENCL))

    def test_kernels(self):
        for kernel in KERNELS:
            with self.subTest(kernel):
                out = self.run_on_gpu(PIGLIT + "cl-program-tester", f"{PROGRAMS}/{kernel}.cl", **INTEL_OPENCL).stdout
                self.assertIn('PIGLIT: {"result": "pass" }', out)
