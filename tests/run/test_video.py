# SPDX-License-Identifier: GPL-2.0-or-later
"""The quick streams of scripts/video: every frame that a VA-API driver decodes on our GPU equals software's. Ice Lake and Tiger Lake: one per codec."""
import json
import subprocess

import video_run
from driver import RunTest, drivers_with_kernels, need_driver, psnr, refusals
from video_streams import STREAMS


class Video(RunTest):
    def compare(self, driver, platform="kbl", first_of_each=False, **options):
        codecs = set()
        need_driver(self, driver)
        for stream in STREAMS:
            if not stream.quick or driver in refusals(stream, drivers_with_kernels()) or (first_of_each and stream.codec in codecs):
                continue
            codecs.add(stream.codec)
            with self.subTest(stream.name):
                for _, verdict, _, _ in video_run.compare(stream, [driver], video_run.Host(platform=platform, **options)):
                    self.assertEqual(verdict.wrong, "")

    def test_ihd(self):
        self.compare("iHD")

    def test_i965(self):
        self.compare("i965")

    def test_icl(self):
        self.compare("iHD", "icl", first_of_each=True)

    def test_tgl(self):
        self.compare("iHD", "tgl", first_of_each=True)

    def test_preempted(self):
        """Contexts go through their images between pictures; that they do is part of the comparison."""
        for driver, platform, threads in (("iHD", "kbl", 0), ("iHD", "tgl", 2), ("i965", "kbl", 2)):
            self.compare(driver, platform, first_of_each=True, preempt=3, threads=threads)


class Pictures(RunTest):
    """softgen-run --png, --timeline and --stats of a decoder: its pictures, a row per slice, macroblocks."""
    FRAMES, MIN_DECIBEL = 3, 30  # of colours: chroma is not interpolated

    def test_h264(self):
        need_driver(self, "iHD")
        video, pictures, timeline = self.folder / "a.mkv", self.folder / "pictures", self.folder / "timeline.json"
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=320x240", "-frames:v", str(self.FRAMES), "-pix_fmt", "yuv420p",
                        "-c:v", "libx264", "-slices", "2", "-bf", "0", str(video)], stdin=subprocess.DEVNULL, check=True)
        stats = self.folder / "stats.json"
        self.ok("ffmpeg", "-v", "error", "-nostdin", "-hwaccel", "vaapi", "-hwaccel_device", video_run.NODE, "-i", str(video), "-f", "null", "-",
                options=["--png", str(pictures), "--timeline", str(timeline), "--stats", str(stats)], LIBVA_DRIVER_NAME="iHD")
        work = json.loads(stats.read_text())["work"]
        self.assertEqual((work["video_pictures"], work["video_blocks"], work["video_concealed"]), (self.FRAMES, self.FRAMES * 20 * 15, 0))
        self.assertGreater(work["video_bytes"], 1000)
        found = sorted(pictures.glob("video*.png"))
        self.assertEqual(len(found), self.FRAMES)
        for number, path in enumerate(found):
            ours = self.rgb("-i", path, "-frames:v", "1", "-vf", "crop=320:240:0:0")
            theirs = self.rgb("-i", video, "-vf", f"select=eq(n\\,{number})", "-frames:v", "1")
            self.assertGreater(psnr(ours, theirs), self.MIN_DECIBEL)
        names = [event["name"] for event in json.loads(timeline.read_text())["traceEvents"] if event["ph"] == "X"]
        self.assertEqual(names.count("MFD_AVC_BSD_OBJECT"), 2 * self.FRAMES)

    def rgb(self, *words):
        return subprocess.run(["ffmpeg", "-v", "error", "-nostdin", *map(str, words), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                              stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
