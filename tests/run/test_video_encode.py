# SPDX-License-Identifier: GPL-2.0-or-later
"""What VA-API drivers encode on our GPU: software decodes it without a complaint, and it is as near to the source as that of software's own encoder."""
import subprocess

import apt
import video_run
from driver import RunTest, drivers_with_kernels, need_driver, psnr
from video_encoders import DRIVERS, PLATFORMS


class EncodingTest(RunTest):
    """Encodes FRAMES frames of testsrc2. On a later chip than Kaby Lake what a driver makes is beside what it makes there, too: so many dB, so large."""
    WIDTH, HEIGHT, FRAMES, MAX_DECIBEL_LESS, MAX_SIZE_MORE = 352, 288, 6, 0.1, 0.05

    def source(self):
        return ["-f", "lavfi", "-i", f"testsrc2=s={self.WIDTH}x{self.HEIGHT},trim=end_frame={self.FRAMES}"]

    def encoded(self, driver, name, *words, platform=None, pixels="nv12"):
        """The file that FFmpeg's encoder of `words` and DRIVER make on a chip."""
        path = self.folder / name
        _, said = video_run.Host(platform or self.platform).run(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-vaapi_device", video_run.NODE, *self.source(), "-vf", f"format={pixels},hwupload", *words, str(path)],
            driver, [], 100)[:2]
        self.assertTrue(path.is_file(), said)
        return path

    def software(self, name, *words):
        """The file that one of FFmpeg's own encoders makes."""
        path = self.folder / name
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", *self.source(), "-pix_fmt", "yuv420p", *words, str(path)], stdin=subprocess.DEVNULL, check=True)
        return path

    def luma(self, *words, form="nv12"):
        """Of all frames of an input, 4:2:0 in the format FORM; a complaint of FFmpeg's is a failure."""
        done = subprocess.run(["ffmpeg", "-v", "warning", "-nostdin", "-xerror", *map(str, words), "-vf", f"format={form}", "-f", "rawvideo", "-"],
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        size, frame = self.WIDTH * self.HEIGHT, self.WIDTH * self.HEIGHT * 3 // 2
        self.assertEqual((done.returncode, done.stderr.decode(), len(done.stdout)), (0, "", frame * self.FRAMES))
        return b"".join(done.stdout[i * frame:i * frame + size] for i in range(self.FRAMES))

    def decibel(self, path, *words, form="nv12"):
        """How near a file's luma is to the source; the decoder, with options WORDS, stops at any error."""
        return psnr(self.luma("-err_detect", "explode", *words, "-i", path, form=form), self.luma(*self.source()))

    def check(self, driver, name, bound, *words, pixels="nv12"):
        """A file is nearer to the source than BOUND dB, and not far from Kaby Lake's."""
        ours = self.encoded(driver, name, *words, pixels=pixels)
        decibel = self.decibel(ours)
        self.assertGreater(decibel, bound)
        if self.platform != "kbl":
            theirs = self.encoded(driver, f"kbl-{name}", *words, platform="kbl", pixels=pixels)
            self.assertGreaterEqual(decibel, self.decibel(theirs) - self.MAX_DECIBEL_LESS)
            self.assertLessEqual(ours.stat().st_size, theirs.stat().st_size * (1 + self.MAX_SIZE_MORE))


class Jpeg(EncodingTest):
    """Both drivers make the same pictures (iHD uploads by a blit, i965 through a GTT mapping of a tiled buffer)."""
    WIDTH, HEIGHT, FRAMES, MIN_DECIBEL = 320, 240, 2, 34

    def test_drivers(self):
        drivers = [driver for driver, package in DRIVERS.items() if package in apt.installed([package])]
        if len(drivers) < 2:
            self.skipTest(f"{' and '.join(DRIVERS.values())} are not installed")
        [first, *others] = [self.encoded(driver, f"{driver}.mjpeg", "-c:v", "mjpeg_vaapi", "-global_quality", "90", "-f", "mjpeg") for driver in drivers]
        for other in others:
            self.assertEqual(first.read_bytes(), other.read_bytes())
        # Of the full range by its header, which FFmpeg would convert.
        self.assertGreater(self.decibel(first, "-f", "mjpeg", form="yuvj420p"), self.MIN_DECIBEL)

    def test_later_chips(self):
        need_driver(self, "iHD")
        [first, *others] = [self.encoded("iHD", f"{chip}.mjpeg", "-c:v", "mjpeg_vaapi", "-global_quality", "90", "-f", "mjpeg", platform=chip)
                            for chip, drivers in PLATFORMS.items() if "iHD" in drivers]
        for other in others:
            self.assertEqual(first.read_bytes(), other.read_bytes())


class Mpeg2(EncodingTest):
    """I, P and B pictures, about as near to the source as those of FFmpeg's own encoder at the same quantiser. From scale 14 on the driver asks for the
    rounding of intra coefficients that FFmpeg has; below it asks for less."""
    FRAMES, SCALE, MAX_LOSS = 7, "20", 0.5

    def test_i965(self):
        need_driver(self, "i965")
        for name, options in {"I": ["-g", "1"], "P": ["-g", "7", "-bf", "0"], "B": ["-g", "7", "-bf", "2"]}.items():
            with self.subTest(name):
                ours = self.encoded("i965", f"{name}-vaapi.m2v", "-c:v", "mpeg2_vaapi", "-global_quality", self.SCALE, *options, "-f", "mpeg2video")
                theirs = self.software(f"{name}.m2v", "-c:v", "mpeg2video", "-q:v", self.SCALE, *options, "-f", "mpeg2video")
                self.assertGreater(self.decibel(ours), self.decibel(theirs) - self.MAX_LOSS)


class Avc(EncodingTest):
    """VDEnc (low power): I and P pictures, of both entropy coders and of several slices, as near to the source as libx264's fastest preset is with the same
    quantizer: what is left of quality is the choice of modes, 1 dB is much."""
    QP, MAX_LOSS = "26", 1

    def test_low_power(self):
        need_driver(self, "iHD")
        bound = self.decibel(self.software("model.h264", "-c:v", "libx264", "-preset", "ultrafast", "-qp", self.QP, "-x264-params", "ipratio=1")) - self.MAX_LOSS
        for coder in ("cabac", "cavlc"):
            for slices in ("1", "4"):
                with self.subTest(coder=coder, slices=slices):
                    self.check("iHD", "out.h264", bound, "-c:v", "h264_vaapi", "-low_power", "1", "-qp", self.QP, "-coder", coder, "-slices", slices)


class AvcIceLake(Avc):
    platform = "icl"


class AvcTigerLake(Avc):
    platform = "tgl"


class ObjectsTest(EncodingTest):
    """Encoding by PAK objects that the kernels of the non-free drivers write."""

    def setUp(self):
        super().setUp()
        self.drivers = [driver for driver in drivers_with_kernels() if driver in PLATFORMS[self.platform]]
        if not self.drivers:
            self.skipTest("the free drivers have no kernels for this codec: the non-free ones are not installed")


class AvcByObjects(ObjectsTest):
    """P pictures are as near to the source as libx264's, and stay so."""
    QP, MAX_LOSS, FRAMES = "26", 1, 9
    RUNS = {"P": ["-bf", "0"], "B": ["-bf", "2"], "CAVLC": ["-bf", "2", "-coder", "cavlc"], "baseline": ["-bf", "0", "-profile:v", "constrained_baseline"],
            "slices": ["-bf", "2", "-slices", "4"], "rate": ["-bf", "0", "-b:v", "1M", "-maxrate", "1M"]}

    def test_drivers(self):
        bound = self.decibel(self.software("model.h264", "-c:v", "libx264", "-preset", "ultrafast", "-qp", self.QP, "-x264-params", "ipratio=1")) - self.MAX_LOSS
        for driver in self.drivers:
            for name, options in self.RUNS.items():
                with self.subTest(driver=driver, name=name):
                    quantizer = [] if name == "rate" else ["-qp", self.QP]
                    self.check(driver, f"{driver}-{name}.h264", bound, "-c:v", "h264_vaapi", "-low_power", "0", *quantizer, "-i_qfactor", "1", "-b_qfactor", "1", *options)


class AvcByObjectsIceLake(AvcByObjects):
    platform = "icl"
    RUNS = {name: AvcByObjects.RUNS[name] for name in ("B", "CAVLC", "slices")}


class AvcByObjectsTigerLake(AvcByObjectsIceLake):
    platform = "tgl"


class Mpeg2ByObjects(ObjectsTest):
    """iHD's kernels: I, P and B pictures."""
    SCALE, MAX_LOSS, FRAMES = "20", 0.5, 7

    def test_ihd(self):
        if "iHD" not in self.drivers:
            self.skipTest("intel-media-va-driver-non-free is not installed")
        for name, options in {"I": ["-g", "1"], "P": ["-g", "7", "-bf", "0"], "B": ["-g", "7", "-bf", "2"]}.items():
            with self.subTest(name):
                bound = self.decibel(self.software(f"{name}.m2v", "-c:v", "mpeg2video", "-q:v", self.SCALE, *options, "-f", "mpeg2video")) - self.MAX_LOSS
                self.check("iHD", f"{name}-vaapi.m2v", bound, "-c:v", "mpeg2_vaapi", "-global_quality", self.SCALE, *options, "-f", "mpeg2video")


class Mpeg2ByObjectsIceLake(Mpeg2ByObjects):
    platform = "icl"


class Mpeg2ByObjectsTigerLake(Mpeg2ByObjects):
    platform = "tgl"


class Hevc(ObjectsTest):
    """I, P and B pictures, of 8 and 10 bits, near to the source for their quantizer."""
    QP, MIN_DECIBEL = "26", 36
    RUNS = {"I": ["-g", "1"], "P": ["-bf", "0"], "B": ["-bf", "2"], "main10": ["-bf", "0", "-profile:v", "main10"]}

    def test_drivers(self):
        for driver in self.drivers:
            for name, options in self.RUNS.items():
                with self.subTest(driver=driver, name=name):
                    self.check(driver, f"{driver}-{name}.h265", self.MIN_DECIBEL, "-c:v", "hevc_vaapi", "-low_power", "0", "-qp", self.QP, *options, "-f", "hevc",
                               pixels="p010le" if name == "main10" else "nv12")


class HevcIceLake(Hevc):
    """Its kernels ask CRE what no public source describes, and take the zeros that are the answer for the best choice: intra blocks of 8x8 (docs/vme.md)."""
    platform, MAX_DECIBEL_LESS, MAX_SIZE_MORE = "icl", 3, 1.5


class HevcTigerLake(HevcIceLake):
    platform = "tgl"


class Vp8(ObjectsTest):
    """Key and inter frames, as near to the source as libvpx's with about the same quantizer, from the first to the last: the reference does not drift from what
    decoders make. libvpx decodes the same frames."""
    QINDEX, LIBVPX_QUANTIZER, MAX_LOSS, MAX_FALL, FRAMES = "40", "30", 1, 1, 12
    RUNS = {"key": ["-g", "1"], "inter": [], "sharp": ["-loop_filter_sharpness", "7", "-loop_filter_level", "50"],
            "constant": ["-rc_mode", "CBR", "-b:v", "1M", "-maxrate", "1M"], "variable": ["-rc_mode", "VBR", "-b:v", "1M", "-maxrate", "2M"]}

    def test_drivers(self):
        model = self.software("model.ivf", "-c:v", "libvpx", "-qmin", self.LIBVPX_QUANTIZER, "-qmax", self.LIBVPX_QUANTIZER, "-b:v", "50M", "-deadline", "realtime")
        bound, size, source = self.decibel(model) - self.MAX_LOSS, self.WIDTH * self.HEIGHT, self.luma(*self.source())
        for driver in self.drivers:
            for name, options in self.RUNS.items():
                with self.subTest(driver=driver, name=name):
                    quantizer = [] if "-rc_mode" in options else ["-global_quality", self.QINDEX]
                    ours = self.encoded(driver, f"{driver}-{name}.ivf", "-c:v", "vp8_vaapi", *quantizer, *options)
                    decoded = self.luma("-err_detect", "explode", "-i", ours)
                    self.assertEqual(decoded, self.luma("-c:v", "libvpx", "-i", ours))
                    values = [psnr(decoded[i * size:(i + 1) * size], source[i * size:(i + 1) * size]) for i in range(self.FRAMES)]
                    self.assertGreater(min(values), bound - self.MAX_FALL)


class Vp8IceLake(Vp8):
    platform = "icl"
    RUNS = {name: Vp8.RUNS[name] for name in ("key", "inter", "variable")}


class Vp9(ObjectsTest):
    """A key frame and inter frames that stay as near to the source, by fixed quantizer and by rate, of a size that ends within blocks. libvpx and FFmpeg's
    own decoder take them for the same frames."""
    WIDTH, HEIGHT, FRAMES, MIN_DECIBEL, MAX_LOSS = 338, 270, 9, 40, 2
    RUNS = {"P": ["-global_quality", "60"], "fine": ["-global_quality", "4"], "rate": ["-b:v", "1M", "-maxrate", "1M"]}

    def test_i965(self):
        if "i965" not in self.drivers:
            self.skipTest("i965-va-driver-shaders is not installed")
        for name, options in self.RUNS.items():
            with self.subTest(name):
                ours = self.encoded("i965", f"{name}.ivf", "-c:v", "vp9_vaapi", "-g", "30", *options, "-f", "ivf")
                size = self.WIDTH * self.HEIGHT
                source, decoded = self.luma(*self.source()), self.luma("-err_detect", "explode", "-c:v", "vp9", "-i", ours)
                self.assertEqual(decoded, self.luma("-c:v", "libvpx-vp9", "-i", ours))
                each = [psnr(decoded[i:i + size], source[i:i + size]) for i in range(0, len(source), size)]
                # The key frame is rounded otherwise; a rate has its own quantizers.
                self.assertGreater(min(each), self.MIN_DECIBEL if name == "rate" else max(self.MIN_DECIBEL, each[1] - self.MAX_LOSS))
