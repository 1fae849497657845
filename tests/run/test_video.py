# SPDX-License-Identifier: GPL-2.0-or-later
"""The quick streams of scripts/video: every frame that a VA-API driver decodes on our GPU equals software's. Ice Lake and Tiger Lake: one per codec."""
import subprocess

import apt
import video_run
from driver import RunTest, psnr
from video_encoders import DRIVERS
from video_streams import STREAMS


class Video(RunTest):
    def compare(self, driver, platform="kbl"):
        codecs = set()
        if DRIVERS[driver] not in apt.installed([DRIVERS[driver]]):
            self.skipTest(f"{DRIVERS[driver]} is not installed")
        for stream in STREAMS:
            if not stream.quick or driver in stream.without or (platform != "kbl" and stream.codec in codecs):
                continue
            codecs.add(stream.codec)
            with self.subTest(stream.name):
                for _, verdict, _, _ in video_run.compare(stream, [driver], video_run.Host(platform=platform)):
                    self.assertEqual(verdict.wrong, "")

    def test_ihd(self):
        self.compare("iHD")

    def test_i965(self):
        self.compare("i965")

    def test_icl(self):
        self.compare("iHD", "icl")

    def test_tgl(self):
        self.compare("iHD", "tgl")


class JpegEncoding(RunTest):
    """mjpeg_vaapi: software decodes the pictures to what was encoded, and both drivers make the same ones (iHD uploads by a blit, i965 through a GTT
    mapping of a tiled buffer)."""
    SOURCE, SIZE, FRAMES, MIN_DECIBEL = "testsrc2=s=320x240", 320 * 240, 2, 34

    def encoded(self, driver):
        path = self.folder / f"{driver}.mjpeg"
        _, said = video_run.Host().run(
            ["ffmpeg", "-v", "error", "-nostdin", "-vaapi_device", video_run.NODE, "-f", "lavfi", "-i", self.SOURCE, "-frames:v", str(self.FRAMES),
             "-vf", "format=nv12,hwupload", "-c:v", "mjpeg_vaapi", "-global_quality", "90", "-f", "mjpeg", str(path)], driver, [], 100)[:2]
        self.assertTrue(path.is_file(), said)
        return path

    def luma(self, *words):
        done = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", *map(str, words), "-frames:v", str(self.FRAMES), "-f", "rawvideo", "-"],
                              stdin=subprocess.DEVNULL, capture_output=True, check=True)
        frame = self.SIZE * 3 // 2
        self.assertEqual(len(done.stdout), frame * self.FRAMES)
        return b"".join(done.stdout[i * frame:i * frame + self.SIZE] for i in range(self.FRAMES))

    def test_drivers(self):
        drivers = [driver for driver, package in DRIVERS.items() if package in apt.installed([package])]
        if len(drivers) < 2:
            self.skipTest(f"{' and '.join(DRIVERS.values())} are not installed")
        [first, *others] = map(self.encoded, drivers)
        for other in others:
            self.assertEqual(first.read_bytes(), other.read_bytes())
        expected = self.luma("-f", "lavfi", "-i", self.SOURCE, "-vf", "format=nv12")
        # Of the full range by its header, which FFmpeg would convert.
        self.assertGreater(psnr(self.luma("-i", first, "-vf", "format=yuvj420p"), expected), self.MIN_DECIBEL)


class AvcEncoding(RunTest):
    """h264_vaapi through VDEnc (low power): a decoder that stops at any error reads I and P pictures, of both entropy coders and of several slices. The
    picture is as near to the source as libx264's fastest preset is with the same quantizer: what is left of quality is the choice of modes, 1 dB is much."""
    SOURCE, SIZE, FRAMES, QP, MAX_LOSS = "testsrc2=s=352x288", 352 * 288, 6, "26", 1

    def encode(self, *words):
        path = self.folder / "out.h264"
        _, said = video_run.Host().run(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-vaapi_device", video_run.NODE, "-f", "lavfi", "-i", self.SOURCE, "-frames:v", str(self.FRAMES),
             "-vf", "format=nv12,hwupload", "-c:v", "h264_vaapi", "-low_power", "1", "-qp", self.QP, *words, str(path)], "iHD", [], 100)[:2]
        self.assertTrue(path.is_file(), said)
        return path

    def luma(self, *words):
        done = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-xerror", *map(str, words), "-vf", "format=nv12", "-frames:v", str(self.FRAMES),
                               "-f", "rawvideo", "-"], stdin=subprocess.DEVNULL, capture_output=True)
        frame = self.SIZE * 3 // 2
        self.assertEqual((done.returncode, done.stderr, len(done.stdout)), (0, b"", frame * self.FRAMES))
        return b"".join(done.stdout[i * frame:i * frame + self.SIZE] for i in range(self.FRAMES))

    def test_low_power(self):
        if DRIVERS["iHD"] not in apt.installed([DRIVERS["iHD"]]):
            self.skipTest(f"{DRIVERS['iHD']} is not installed")
        expected = self.luma("-f", "lavfi", "-i", self.SOURCE)
        model = self.folder / "model.h264"
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", self.SOURCE, "-frames:v", str(self.FRAMES), "-pix_fmt", "yuv420p",
                        "-c:v", "libx264", "-preset", "ultrafast", "-qp", self.QP, "-x264-params", "ipratio=1", str(model)], check=True)
        bound = psnr(self.luma("-i", model), expected) - self.MAX_LOSS
        for coder in ("cabac", "cavlc"):
            for slices in ("1", "4"):
                with self.subTest(coder=coder, slices=slices):
                    stream = self.encode("-coder", coder, "-slices", slices)
                    self.assertGreater(psnr(self.luma("-err_detect", "explode", "-i", stream), expected), bound)
