# SPDX-License-Identifier: GPL-2.0-or-later
"""Ironlake without a VM: crocus and i965-va-driver find it; its node by ioctls alone (ilk_node.c)."""
import json
import pathlib
import subprocess

import video_ilk
import video_run
from driver import BUILD, PIGLIT, Failure, Picture, RunTest, need_driver
from video_streams import STREAMS

HERE = pathlib.Path(__file__).resolve().parent


class Ironlake(RunTest):
    platform, gpu = "ilk", "Mesa Intel(R) HD Graphics (ILK)"

    def test_eglinfo(self):
        """Its status counts the platforms that it could not open."""
        out = self.run_on_gpu("eglinfo", "-B").stdout
        self.assertRegex(out, r"Surfaceless platform:\n(?:.+\n)*EGL driver name: crocus")

    def test_vainfo(self):
        need_driver(self, "i965")
        out = self.ok("vainfo", "--display", "drm", LIBVA_DRIVER_NAME="i965")
        for profile in ("VAProfileMPEG2Main", "VAProfileH264High"):
            self.assertRegex(out, rf"{profile} *:\s*VAEntrypointVLD")

    def test_mpeg2(self):
        """i965's kernels behind VFE: frame, field and dual prime prediction; frames within the bounds of video_ilk.py."""
        need_driver(self, "i965")
        try:
            video_ilk.program()
        except Failure as failure:
            self.skipTest(str(failure))
        names = {"mpeg2-p", "mpeg2-intra", "mpeg2-interlaced", "mpeg2-syntax-only-field-tb", "mpeg2-syntax-dual-frame", "mpeg2-crop"}
        streams = [stream for stream in STREAMS if stream.name in names]
        self.assertEqual(len(streams), len(names))
        for stream in streams:
            for threads in (None, 0) if stream.name == "mpeg2-p" else (None,):
                with self.subTest(stream.name, threads=threads):
                    for _, verdict, _, _ in video_run.compare(stream, ["i965"], video_run.Host(platform="ilk", threads=threads)):
                        self.assertEqual(verdict.wrong, "")
                        self.assertGreater(verdict.frames, 5)

    def test_h264(self):
        """i965's kernels behind BSD and VFE: every frame is FFmpeg's. Field pictures, MBAFF, B, CABAC, CAVLC; with no worker, too."""
        need_driver(self, "i965")
        names = {"h264-baseline", "h264-high", "h264-mbaff", "h264-mbaff-cavlc", "h264-syntax-paff-b-temporal-mix-cabac", "h264-syntax-paff-long-term-tb-cavlc"}
        streams = [stream for stream in STREAMS if stream.name in names]
        self.assertEqual(len(streams), len(names))
        for stream in streams:
            for threads in (None, 0) if stream.name == "h264-high" else (None,):
                with self.subTest(stream.name, threads=threads):
                    for _, verdict, _, _ in video_run.compare(stream, ["i965"], video_run.Host(platform="ilk", threads=threads)):
                        self.assertEqual(verdict.wrong, "")

    def test_programs_draw_and_end(self):
        """Each wait ends, whatever is drawn."""
        out = self.ok("glmark2-es2-drm", "-b", "build:nframes=2", "-b", "texture:nframes=2",
                      options=["--frames", str(self.folder / "frames"), "--mode", "320x240@0", "--stats", str(self.folder / "stats.json")])
        self.assertIn(self.gpu, out)
        self.assertTrue(list((self.folder / "frames").glob("*.png")))
        failures = json.loads((self.folder / "stats.json").read_text())["failures"]
        self.assertEqual([f for f in failures if f["kind"] == "guest error"], [])

    def test_piglit_binaries_end(self):
        for test in ("fcc-read-after-clear copy tex", "fbo-blit", "copyteximage 2D"):
            with self.subTest(test):
                program, *arguments = test.split()
                out = self.run_on_gpu(PIGLIT + program, *arguments, "-auto", "-fbo")
                self.assertRegex(out.stdout, 'PIGLIT: {"result": "', out.stdout + out.stderr)

    def test_a_recording_replays_to_the_same_picture(self):
        frames, pictures = self.folder / "frames", self.folder / "pictures"
        out = self.ok("glmark2-es2-drm", "-b", "build:nframes=2", "-b", "texture:nframes=2",
                      options=["--frames", str(frames), "--mode", "320x240@0", "--record", str(self.folder / "run.aub")])
        self.assertIn(self.gpu, out)
        for command in (["--png", str(pictures)], ["--list"], ["--check"]):
            subprocess.run([BUILD / "softgen-replay", self.folder / "run.aub", *command], check=True, capture_output=True)
        shown = {Picture(path).bytes() for path in frames.glob("*.png")}
        drawn = {Picture(path).bytes() for path in pictures.glob("*.png")}
        self.assertGreater(len(shown), 2)
        self.assertEqual(shown - drawn, set())


class IronlakeNode(RunTest):
    platform = "ilk"

    def node(self, what, *options):
        return self.run_on_gpu(self.compiled("ilk_node", HERE), what, options=options)

    def check_node(self, what, *options):
        done = self.node(what, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_answers(self):
        self.check_node("params")

    def test_relocations_and_rings(self):
        self.check_node("store")
        self.check_node("store", "--threads", "0")

    def test_buffers_larger_than_the_table_together(self):
        self.check_node("evict")

    def test_tiling_and_swizzle(self):
        self.check_node("tiling")

    def test_a_hang_is_recovered(self):
        for threads in ("1", "0"):
            with self.subTest(threads=threads):
                done = self.node("hang", "--hang-timeout", "2", "--threads", threads)
                self.assertEqual(done.returncode, 0, done.stderr[-2000:])
                for engine in ("rcs0", "vcs0"):
                    self.assertEqual(done.stderr.count(f"{engine} made no progress for 2 s"), 1)

    def test_a_reset_that_fails(self):
        plan = self.folder / "plan"
        plan.write_text("on gdrst do never\n")
        done = self.node("wedge", "--hang-timeout", "2", "--faults", str(plan))
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        self.assertIn("the GPU cannot be reset", done.stderr)
