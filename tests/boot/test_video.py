# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/video --guest: a VA-API driver decodes through the guest's own i915, on the video engine's rings."""
from driver import CONFIG, GuestTest, only_on

import video_run
from video_guest import VideoGuest
from video_streams import STREAMS

NAMES = ("h264-high", "hevc-main", "vp9-plain")


class Video(GuestTest):
    def setUp(self):
        """Without the shared guest."""
        if CONFIG["guest"] != "bookworm" and not CONFIG.get("full"):
            self.skipTest("downloads FFmpeg for each guest: with --full")

    @only_on("softgen", "QEMU's VGA has no video engine")
    def test_frames(self):
        streams = [stream for stream in STREAMS if stream.name in NAMES]
        self.assertEqual(len(streams), len(NAMES))
        with VideoGuest(CONFIG["guest"], "kbl") as where:
            for stream in streams:
                with self.subTest(stream.name):
                    for _, verdict, _, _ in video_run.compare(stream, ["iHD"], where):
                        self.assertEqual(verdict.wrong, "")
