# SPDX-License-Identifier: GPL-2.0-or-later
"""The quick streams of scripts/video: every frame that a VA-API driver decodes on our GPU equals software's. Ice Lake and Tiger Lake: one per codec."""
import apt
import video_run
from driver import RunTest
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
