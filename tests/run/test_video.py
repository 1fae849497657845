# SPDX-License-Identifier: GPL-2.0-or-later
"""The quick streams of scripts/video: every frame that a VA-API driver decodes on our GPU equals software's. Ice Lake and Tiger Lake: one per codec."""
import json
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


class Pictures(RunTest):
    """softgen-run --png, --timeline and --stats of a decoder: its pictures, a row per slice, macroblocks."""
    FRAMES, MIN_DECIBEL = 3, 30  # of colours: chroma is not interpolated

    def test_h264(self):
        if DRIVERS["iHD"] not in apt.installed([DRIVERS["iHD"]]):
            self.skipTest(f"{DRIVERS['iHD']} is not installed")
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


class Mpeg2Encoding(RunTest):
    """mpeg2_vaapi with i965: software decodes I, P and B pictures without a complaint, about as near to the source as those of FFmpeg's own encoder at the
    same quantiser. From scale 14 on the driver asks for the rounding of intra coefficients that FFmpeg has; below it asks for less."""
    SOURCE, WIDTH, HEIGHT, FRAMES, SCALE, LOSS = "testsrc2=s=352x288", 352, 288, 7, "20", 0.5

    def decoded(self, path):
        done = subprocess.run(["ffmpeg", "-v", "warning", "-nostdin", "-xerror", "-err_detect", "explode", "-i", str(path), "-f", "rawvideo",
                               "-pix_fmt", "yuv420p", "-"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
        self.assertEqual(done.stderr.decode(), "")
        return self.luma(done.stdout)

    def luma(self, video):
        size, frame = self.WIDTH * self.HEIGHT, self.WIDTH * self.HEIGHT * 3 // 2
        self.assertEqual(len(video), frame * self.FRAMES)
        return b"".join(video[i * frame:i * frame + size] for i in range(self.FRAMES))

    def test_i965(self):
        if DRIVERS["i965"] not in apt.installed([DRIVERS["i965"]]):
            self.skipTest(f"{DRIVERS['i965']} is not installed")
        source = ["-f", "lavfi", "-i", self.SOURCE, "-frames:v", str(self.FRAMES)]
        raw = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", *source, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"], stdin=subprocess.DEVNULL,
                             capture_output=True, check=True)
        expected = self.luma(raw.stdout)
        for name, options in {"I": ["-g", "1"], "P": ["-g", "7", "-bf", "0"], "B": ["-g", "7", "-bf", "2"]}.items():
            with self.subTest(name):
                ours, theirs = (self.folder / f"{name}-{encoder}.m2v" for encoder in ("vaapi", "software"))
                _, said = video_run.Host().run(
                    ["ffmpeg", "-v", "error", "-nostdin", "-vaapi_device", video_run.NODE, *source, "-vf", "format=nv12,hwupload", "-c:v", "mpeg2_vaapi",
                     "-global_quality", self.SCALE, *options, "-f", "mpeg2video", str(ours)], "i965", [], 100)[:2]
                self.assertTrue(ours.is_file(), said)
                subprocess.run(["ffmpeg", "-v", "error", "-nostdin", *source, "-pix_fmt", "yuv420p", "-c:v", "mpeg2video", "-q:v", self.SCALE, *options,
                                "-f", "mpeg2video", str(theirs)], stdin=subprocess.DEVNULL, check=True)
                self.assertGreater(psnr(self.decoded(ours), expected), psnr(self.decoded(theirs), expected) - self.LOSS)


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
