# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/video --guest: a VA-API driver decodes through the guest's own i915, on the video engine's rings."""
from driver import CONFIG, Failure, GuestTest, only_on

import video_ilk
import video_run
from video_guest import VideoGuest
from video_streams import STREAMS


class Video(GuestTest):
    platform, driver = "kbl", "iHD"
    names = ("h264-high", "hevc-main", "vp9-plain")

    def setUp(self):
        """Without the shared guest."""
        if CONFIG["guest"] != "bookworm" and not CONFIG.get("full"):
            self.skipTest("downloads FFmpeg for each guest: with --full")

    def missing(self, _):
        """What a stream needs and this machine has not, or ""."""
        return ""

    @only_on("softgen", "QEMU's VGA has no video engine")
    def test_frames(self):
        streams = [stream for stream in STREAMS if stream.name in self.names]
        self.assertEqual(len(streams), len(self.names))
        with VideoGuest(CONFIG["guest"], self.platform) as where:
            for stream in streams:
                with self.subTest(stream.name):
                    if missing := self.missing(stream):
                        self.skipTest(missing)
                    for _, verdict, _, _ in video_run.compare(stream, [self.driver], where):
                        self.assertEqual(verdict.wrong, "")


class Ironlake(Video):
    """i965's kernels behind VFE, with records of the bit stream decoder for H.264. MPEG-2 is within the bounds of video_ilk.py."""

    platform, driver = "ilk", "i965"
    names = ("mpeg2-p", "mpeg2-interlaced", "mpeg2-size-130x66-frame", "h264-baseline", "h264-high", "h264-mbaff-slices", "h264-syntax-paff-b-temporal-mix-cabac",
             "h264-size-16x16-cavlc")

    def missing(self, stream):
        if stream.codec == "mpeg2":
            try:
                video_ilk.program()
            except Failure as failure:
                return str(failure)
        return video_ilk.refusal(stream, CONFIG["guest"])
