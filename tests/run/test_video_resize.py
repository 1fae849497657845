# SPDX-License-Identifier: GPL-2.0-or-later
"""VP9 whose frames get smaller without a key frame: references of another size are scaled. By GStreamer, which keeps the VA context; FFmpeg makes a new one and
fails, as on real chips (intel/media-driver's issue 629)."""
import subprocess

import video_files
from driver import GStreamerTest, need_driver
from video_streams import STREAMS


class Resize(GStreamerTest):
    STREAM = next(stream for stream in STREAMS if stream.name == "vp9-resize")

    def compare(self, driver, platform="kbl"):
        need_driver(self, driver)
        self.platform = platform
        path = video_files.ensure(self.STREAM)
        shown = video_files.run(["ffprobe", "-v", "error", "-show_entries", "frame=width,height", "-of", "csv=p=0", path], stdout=subprocess.PIPE)
        sizes = [tuple(map(int, line.split(","))) for line in shown.decode().split()]
        self.assertGreater(len(set(sizes)), 2)
        theirs = video_files.run(["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-autoscale", "0", "-fps_mode", "passthrough", "-pix_fmt", "nv12", "-f", "rawvideo", "-"],
                                 stdout=subprocess.PIPE)
        work = self.gstreamer(driver, f"filesrc location={path} ! matroskademux ! vaapivp9dec ! video/x-raw,format=NV12 ! filesink location=out.nv12")
        ours = (self.folder / "out.nv12").read_bytes()
        # With i965 GStreamer writes whole surfaces, which keep the first size.
        whole = max(sizes) if driver == "i965" else None
        differ, ours_at, theirs_at = [], 0, 0
        for number, size in enumerate(sizes):
            if picture(ours, ours_at, whole or size, size) != picture(theirs, theirs_at, size, size):
                differ.append(number)
            ours_at += bytes_of(whole or size)
            theirs_at += bytes_of(size)
        self.assertEqual((differ, ours_at, theirs_at), ([], len(ours), len(theirs)))
        self.assertEqual((work["video_pictures"], work["video_concealed"]), (len(sizes), 0))

    def test_ihd(self):
        self.compare("iHD")

    def test_i965(self):
        self.compare("i965")

    def test_later_platforms(self):
        for platform in ("icl", "tgl"):
            with self.subTest(platform):
                self.compare("iHD", platform)


def pitch_of(size):
    return size[0] + size[0] % 2


def bytes_of(size):
    """Of NV12."""
    return pitch_of(size) * (size[1] + (size[1] + 1) // 2)


def picture(data, at, stored, size):
    """The rows of a picture of SIZE in the upper left of one of STORED size in NV12: luma's, then chroma's."""
    pitch = pitch_of(stored)
    rows = [*range(size[1]), *(stored[1] + y for y in range((size[1] + 1) // 2))]
    return [data[at + y * pitch:at + y * pitch + size[0]] for y in rows]
