# SPDX-License-Identifier: GPL-2.0-or-later
"""i915's performance interface: through descriptors and files, and as Mesa uses it for GL_INTEL_performance_query and VK_KHR_performance_query."""
import json
import pathlib
import subprocess

from driver import RunTest, mesa_of

HERE = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT, DRAWS, GROUPS = 64, 32, 3, 10
# Counters of a metric set with the counts of --stats that they equal; Mesa multiplies those of the pixel pipeline by 4.
SAME = {"VS Threads Dispatched": ("vs_threads", 1), "FS Threads Dispatched": ("ps_threads", 1), "CS Threads Dispatched": ("cs_threads", 1),
        "Rasterized Pixels": ("samples_rasterized", 4), "Samples Written": ("samples_written", 4), "Samples Blended": ("samples_blended", 4),
        "Sampler Texels": ("pixels_sampled", 4)}


class KabyLake(RunTest):
    platform = "kbl"
    # Mesa 25.0 reads the reports of chips before Tiger Lake as if they were Haswell's (intel_perf_setup.h, intel_query_alloc).
    reads_reports = True

    def run_counted(self, program, *arguments):
        """The counters that the program printed, and the work of the whole run (--stats)."""
        place = self.mesa.place(self.folder)
        out = self.ok("env", f"{place}/{program}", *map(str, arguments), options=["--stats", f"{place}/stats.json"])
        stats = json.loads((self.folder / "stats.json").read_text())
        self.assertEqual([f for f in stats["failures"] if f["kind"] == "unimplemented"], [])
        return {name: float(value) for name, value in (line.split("\t") for line in out.splitlines())}, stats["work"]

    def counters(self, query, draws):
        self.compiled("perf_query", HERE, ["-lEGL", "-lGLESv2"])
        return self.run_counted("perf_query", query, WIDTH, HEIGHT, draws)

    def test_stream(self):
        self.compiled("perf_stream", HERE)
        self.assertEqual(self.ok("env", f"{self.mesa.place(self.folder)}/perf_stream"), "done\n")

    def test_pipeline_statistics(self):
        counted, _ = self.counters("Pipeline Statistics Registers", DRAWS)
        self.assertEqual(counted["N fragment shader invocations"], WIDTH * HEIGHT * DRAWS)
        self.assertEqual(counted["N vertices submitted"], 4 * DRAWS)
        self.assertEqual(counted["N primitives leaving clipping"], 2 * DRAWS)

    def test_metric_set(self):
        """It counts the draws in the query, and nothing else."""
        if not self.reads_reports:
            self.skipTest("this Mesa misreads the chip's reports")
        (none, before), (counted, after) = self.counters("Render Metrics Basic set", 0), self.counters("Render Metrics Basic set", DRAWS)
        for name, (work, factor) in SAME.items():
            if name not in counted:
                continue
            self.assertEqual(none[name], 0, name)
            self.assertEqual(counted[name], (after[work] - before[work]) * factor, name)
        self.assertEqual(counted["Rasterized Pixels"], WIDTH * HEIGHT * DRAWS * 4)
        threads = counted["VS Threads Dispatched"] + counted["FS Threads Dispatched"]
        self.assertEqual(threads, after["threads"] - before["threads"])
        self.assertGreater(counted["GPU Core Clocks"], 0)
        self.assertGreater(counted["GPU Time Elapsed"], 0)

    def test_vulkan(self):
        """Counters of several metric sets, with one submission per set. Of TestOa's B counters one counts clocks and one stays 0."""
        self.compiled("perf_counters", HERE, ["-lvulkan"])
        subprocess.run(["glslangValidator", "-V", "--quiet", HERE / "shaders" / "perf_counters.comp", "-o", self.folder / "shader.spv"], check=True)
        names = ["GPU Time Elapsed", "CS Threads Dispatched", "Clipper Bottleneck", "TestCounter0", "TestCounter1"]
        (none, before), (counted, after) = (self.run_counted("perf_counters", f"{self.mesa.place(self.folder)}/shader.spv", groups, *names)
                                            for groups in (0, GROUPS))
        self.assertGreater(counted["passes"], 1)
        self.assertGreater(counted["GPU Time Elapsed"], 0)
        self.assertEqual(counted["TestCounter0"], 0)
        self.assertGreater(counted["TestCounter1"], 0)
        if self.reads_reports:
            self.assertEqual(none["CS Threads Dispatched"], 0)
            self.assertGreater(counted["CS Threads Dispatched"], 0)
            self.assertEqual(counted["CS Threads Dispatched"] * counted["passes"], after["cs_threads"] - before["cs_threads"])


class IceLake(KabyLake):
    platform = "icl"


class TigerLake(KabyLake):
    platform = "tgl"


class KabyLakeMesa25(KabyLake):
    reads_reports = False

    @classmethod
    def setUpClass(cls):
        cls.mesa = mesa_of("trixie")


class IceLakeMesa25(KabyLakeMesa25):
    platform = "icl"


class TigerLakeMesa25(KabyLakeMesa25):
    platform = "tgl"
    reads_reports = True
