# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts/bench reads from the programs that it runs."""
import unittest

import bench_apps
import bench_vkmark
from common import Failure

VKMARK = """    vkmark 2025.01
    Device Name:    Intel(R) HD Graphics 630 (KBL GT2)
    Driver Version: 104857607
[vertex] device-local=true: FPS: 249 FrameTime: 4.000 ms
[effect2d] kernel=edge: FPS: 49 FrameTime: 20.000 ms
[clear] <default>: FPS: 5230 FrameTime: 0.200 ms
                                   vkmark Score: 781
"""
OPENARENA = """GL_RENDERER: {}
GL_VERSION: 4.6 (Compatibility Profile) Mesa 25.0.7-2
3398 frames 116.6 seconds 29.1 fps 6.0/34.3/115.0/12.3 ms
"""


class Vkmark(unittest.TestCase):
    def test_frames(self):
        self.assertEqual(bench_vkmark.frames(VKMARK, peer=False), {"vertex:device-local=true": 250, "effect2d:kernel=edge": 50, "clear:<default>": 5000})

    def test_wrong_driver(self):
        with self.assertRaisesRegex(Failure, "runs on Intel"):
            bench_vkmark.frames(VKMARK, peer=True)
        with self.assertRaisesRegex(Failure, "runs on nothing"):
            bench_vkmark.frames("", peer=False)

    def test_frameless_scene(self):
        with self.assertRaisesRegex(Failure, "no frame of clear:<default> on Intel"):
            bench_vkmark.frames(VKMARK.replace("0.200", "inf"), peer=False)

    def test_driver(self):
        self.assertEqual(bench_vkmark.driver(VKMARK), "Mesa 25.0.7")


class OpenArena(unittest.TestCase):
    def test_rate(self):
        self.assertEqual(bench_apps.rate(OPENARENA.format("Mesa Intel(R) HD Graphics 630"), peer=False), (29.1, "Mesa 25.0.7"))
        self.assertEqual(bench_apps.rate(OPENARENA.format("llvmpipe (LLVM 19.1.7)"), peer=True), (29.1, "Mesa 25.0.7"))

    def test_wrong_driver(self):
        with self.assertRaisesRegex(Failure, "runs on llvmpipe"):
            bench_apps.rate(OPENARENA.format("llvmpipe (LLVM 19.1.7)"), peer=False)

    def test_incomplete_demo(self):
        with self.assertRaisesRegex(Failure, "did not play"):
            bench_apps.rate("GL_RENDERER: llvmpipe\n", peer=True)
