# SPDX-License-Identifier: GPL-2.0-or-later
"""H.264 of several views (Annex H) by GStreamer and i965. Decoded: every frame of two views equals FFmpeg's of the plain stream with the same macroblocks (syntax_mvc).
Encoded, by the driver's non-free build: GStreamer's views do not refer to each other, so each is a plain stream in other NAL units, which FFmpeg decodes."""
import re
import subprocess

import syntax_mvc
from driver import GStreamerTest, drivers_with_kernels, need_driver, psnr
from syntax_bits import Bits, escaped

WIDTH, HEIGHT = 96, 64
LUMA = WIDTH * HEIGHT
FRAME = LUMA * 3 // 2
STRUCTURES = {"frame": ["frame"], "tb": ["tb"], "mix": ["frame", "tb", "frame", "bt"]}
LONG = "IPBBPBBPBBPBBA"  # frames and fields of each structure, and an anchor at the end


class ViewTest(GStreamerTest):
    def ffmpeg(self, *words):
        words = ["ffmpeg", "-v", "error", "-nostdin", "-threads", "1", *words, "-fps_mode", "passthrough", "-pix_fmt", "nv12", "-f", "rawvideo", "-"]
        return split(subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE, check=True, timeout=60).stdout)

    def software(self, stream):
        (self.folder / "plain.h264").write_bytes(stream)
        return self.ffmpeg("-f", "h264", "-i", "plain.h264", "-vf", "setpts=N")


class Multiview(ViewTest):
    def setUp(self):
        super().setUp()
        need_driver(self, "i965")

    def by_software(self, plain):
        """The frames of both views by turns."""
        frames = self.software(plain)
        self.assertEqual(len(frames) % syntax_mvc.SHOWN, 0)
        return [frame for i in range(0, len(frames), syntax_mvc.SHOWN) for frame in (frames[i], frames[i + syntax_mvc.SHOWN - 1])]

    def compare(self, name, cabac=0, **options):
        with self.subTest(name, cabac=cabac, **options):
            stereo, plain = syntax_mvc.streams(structures=STRUCTURES[name], cabac=cabac, **options)
            (self.folder / "stereo.h264").write_bytes(stereo)
            work = self.gstreamer("i965", "filesrc location=stereo.h264 ! typefind ! vaapih264dec base-only=false ! video/x-raw,format=NV12 ! filesink location=out.nv12")
            ours, theirs = split((self.folder / "out.nv12").read_bytes()), self.by_software(plain)
            self.assertEqual(len(ours), len(theirs))
            self.assertEqual([i for i, both in enumerate(zip(ours, theirs)) if both[0] != both[1]], [])
            # The views are not the same, or the second one would show nothing.
            self.assertTrue(all(base != second for base, second in zip(theirs[::2], theirs[1::2])))
            pictures = sum(1 if STRUCTURES[name][i % len(STRUCTURES[name])] == "frame" else 2 for i in range(len(theirs) // 2))
            self.assertEqual((work["video_pictures"], work["video_concealed"]), (2 * pictures, 0))

    def test_spatial(self):
        """Each list has the other view's picture, which may be the co-located one."""
        for cabac in (0, 1):
            for name in STRUCTURES:
                self.compare(name, cabac, pictures=LONG)

    def test_resting(self):
        """Most macroblocks are skipped, many without motion: that of a co-located picture of the other view must not count."""
        for name in STRUCTURES:
            self.compare(name, 1, pictures="IPMPMMMPMBM", skips=75)

    def test_temporal(self):
        for cabac, name in enumerate(("frame", "tb")):
            self.compare(name, cabac, pictures=LONG, spatial=0)
        self.compare("mix", 1, pictures=LONG, spatial=0)

    def test_profiles(self):
        """VAProfileH264MultiviewHigh and VAProfileH264StereoHigh."""
        for profile in (syntax_mvc.MULTIVIEW_HIGH, syntax_mvc.STEREO_HIGH):
            self.compare("frame", 1, profiles=(profile, profile))
        self.compare("mix", 1, profiles=(profile, profile))

    def test_weights(self):
        self.compare("frame", 0, weights=1, pictures="IPPPPBBA")
        self.compare("tb", 1, weights=1, pictures="IPBBA")

    def test_implicit_weights(self):
        self.compare("frame", 1, weights=2)
        self.compare("mix", 0, weights=2, spatial=0, pictures="IPBBPBBPBB")

    def test_slices(self):
        self.compare("frame", 1, slices=3, deblock=2)
        self.compare("mix", 0, slices=2)


class MultiviewEncode(ViewTest):
    FRAMES, MIN_DECIBEL = 6, 38  # of each view; of luma

    def setUp(self):
        super().setUp()
        if "i965" not in drivers_with_kernels():
            self.skipTest("the free i965 has no kernels for encoding")

    def encoded(self, views):
        """PSNR of each view's frames. With two it is the profile Stereo High, else Multiview High."""
        source = self.ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={WIDTH}x{HEIGHT}", "-frames:v", str(views * self.FRAMES))
        (self.folder / "source").write_bytes(b"".join(source))
        work = self.gstreamer("i965", f"filesrc location=source ! rawvideoparse format=nv12 width={WIDTH} height={HEIGHT} ! "
                              f"vaapih264enc num-views={views} rate-control=cqp init-qp=26 max-bframes=0 ! filesink location=coded.h264")
        self.assertEqual(work["video_pictures"], len(source))
        units = re.split(b"\0\0\0?\1", (self.folder / "coded.h264").read_bytes())[1:]
        self.assertEqual([unit[1] for unit in units if unit[0] & 31 == 15], (views - 1) * [syntax_mvc.STEREO_HIGH if views == 2 else syntax_mvc.MULTIVIEW_HIGH])
        for view in range(views):
            frames = self.software(view_of(units, view, views))
            self.assertEqual(len(frames), self.FRAMES)
            for ours, theirs in zip(frames, source[view::views]):
                self.assertGreater(psnr(ours[:LUMA], theirs[:LUMA]), self.MIN_DECIBEL, f"view {view} of {views}")

    def test_stereo_high(self):
        self.encoded(2)

    def test_multiview_high(self):
        self.encoded(3)


def view_of(units, view, views):
    """A plain stream of a view."""
    by_kind = {kind: [unit for unit in units if unit[0] & 31 in kinds] for kind, kinds in {"sequence": (7,), "picture": (8,), "base": (1, 5), "other": (20,)}.items()}
    slices = by_kind["base"] if not view else [bytes([unit[0] & 0x60 | (1 if unit[1] & 0x40 else 5)]) + unit[4:] for unit in by_kind["other"][view - 1::views - 1]]
    parameters = [sequence_with(by_kind["sequence"][0], number) for number in range(views)]  # whichever of them GStreamer names
    return b"".join(b"\0\0\0\1" + unit for unit in [*parameters, by_kind["picture"][view], *slices])


def sequence_with(unit, number):
    """The base view's sequence parameter set, with another number than 0."""
    digits = "".join(format(byte, "08b") for byte in unit.replace(b"\0\0\3", b"\0\0"))
    bits = Bits()
    bits.code(digits[8:32])
    bits.ue(number)
    bits.code(digits[33:].rstrip("0"))
    bits.align()
    return unit[:1] + escaped(bits.bytes())


def split(data):
    return [data[at:at + FRAME] for at in range(0, len(data), FRAME)]
