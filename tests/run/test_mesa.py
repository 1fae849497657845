# SPDX-License-Identifier: GPL-2.0-or-later
"""Unmodified programs on unmodified Mesa find our GPU, draw with it and end: the host's Mesa, and Debian 13's (25.0)."""
import json
import pathlib
import re
import shutil

from driver import PIGLIT, Picture, RunTest, mesa_of

SHADERS = pathlib.Path(__file__).resolve().parent / "shaders"


class HostPrograms(RunTest):
    gpu = "HD Graphics 630 (KBL GT2)"

    def eglinfo(self):
        """Its status counts the platforms that it could not open, X11 and Wayland among them."""
        return self.run_on_gpu("eglinfo", "-B").stdout

    def test_eglinfo(self):
        out = self.eglinfo()
        if "OpenGL core profile" in out:
            self.assertTrue(re.search(rf"OpenGL core profile renderer: .*{re.escape(self.gpu)}", out))
            self.assertTrue(re.search(r"OpenGL core profile version: 4\.6 ", out))
        else:  # Debian 12's lists EGL only
            self.assertTrue(re.search(r"Surfaceless platform:\n(?:.+\n)*EGL driver name: iris", out))

    def test_vulkaninfo(self):
        self.assertRegex(self.ok("vulkaninfo", "--summary"), rf"Intel\(R\) .*{re.escape(self.gpu)}")

    def test_piglit_binaries(self):
        for platform in ("surfaceless_egl", "gbm"):
            # The fcc tests clear with one colour after the other: Mesa 25 gives a surface that is clear a new colour without clearing it
            # again.
            for test in ("fcc-read-after-clear copy tex", "fcc-read-after-clear sample tex", "fcc-read-after-clear blit rb", "fcc-blit-between-clears",
                         "fcc-write-after-clear", "fp-abs-01", "fbo-blit", "glsl-novertexdata", "clear-accum", "copyteximage 2D", "arb_gpu_shader5-interpolateAtSample"):
                with self.subTest(platform=platform, test=test):
                    program, *arguments = test.split()
                    out = self.run_on_gpu(PIGLIT + program, *arguments, "-auto", "-fbo", PIGLIT_PLATFORM=platform)
                    self.assertRegex(out.stdout, r'PIGLIT: \{"result": "(pass|skip|warn)"', out.stdout + out.stderr)

    def test_shaders(self):
        for shader in sorted(SHADERS.glob("*.shader_test")):
            with self.subTest(shader.stem):
                shutil.copy(shader, self.folder)
                out = self.run_on_gpu(PIGLIT + "shader_runner", f"{self.mesa.place(self.folder)}/{shader.name}", "-auto", "-fbo")
                self.assertIn('PIGLIT: {"result": "pass" }', out.stdout, out.stdout + out.stderr)

    def test_kmscube_by_legacy_and_atomic_calls(self):
        for name, arguments in (("legacy", []), ("atomic", ["--atomic"])):
            with self.subTest(name):
                self.ok("kmscube", "--count", "3", *arguments, options=["--frames", f"{self.mesa.place(self.folder)}/{name}", "--mode", "320x240@0"])
                frames = sorted((self.folder / name).glob("*.png"))
                self.assertGreaterEqual(len(frames), 2)
                picture = Picture(frames[-1])
                self.assertEqual((picture.width, picture.height), (320, 240))
                colours = {picture.pixel(x, y) for x in range(0, 320, 8) for y in range(0, 240, 8)}
                self.assertGreater(len(colours), 10, "there is no cube in the picture")

    def test_glmark2_on_kms(self):
        self.ok("glmark2-es2-drm", "-b", "build:nframes=2",
                options=["--frames", f"{self.mesa.place(self.folder)}/frames", "--mode", "320x240@0"])
        self.assertTrue(list((self.folder / "frames").glob("*.png")))


class Mesa25(HostPrograms):
    @classmethod
    def setUpClass(cls):
        cls.mesa = mesa_of("trixie")

    def test_eglinfo(self):
        super().test_eglinfo()
        self.assertTrue("Mesa 25." in self.eglinfo())

    def test_kernels_are_compiled_by_the_host(self):
        """The release's LLVM may be unsupported; here the library is disabled."""
        self.ok("glmark2-es2-drm", "-b", "build:nframes=2", SOFTGEN_CACHE="off", SOFTGEN_LLVM="99",
                options=["--engine", "jit", "--stats", f"{self.mesa.place(self.folder)}/stats.json", "--mode", "320x240@0"])
        eu = json.loads((self.folder / "stats.json").read_text())["eu"]
        self.assertRegex(eu["compiler"], "^LLVM ")
        self.assertGreater(eu["threads_compiled"], 0)


class IceLake(HostPrograms):
    platform, gpu = "icl", "Iris(R) Plus Graphics (ICL GT2)"

    def test_draws_without_colour(self):
        """Shadow maps: Gen11's shaders say in the message that there is no target, and the binding table has none."""
        self.ok("glmark2-es2-drm", "-b", "shadow:nframes=2", options=["--stats", f"{self.mesa.place(self.folder)}/stats.json", "--mode", "320x240@0"])
        failures = json.loads((self.folder / "stats.json").read_text())["failures"]
        self.assertEqual([f for f in failures if f["kind"] in ("unimplemented", "guest error")], [])


class IceLakeMesa25(Mesa25):
    platform, gpu = "icl", "Iris(R) Plus Graphics (ICL GT2)"


class TigerLake(HostPrograms):
    platform, gpu = "tgl", "Xe Graphics (TGL GT2)"


class TigerLakeMesa25(Mesa25):
    platform, gpu = "tgl", "Xe Graphics (TGL GT2)"
