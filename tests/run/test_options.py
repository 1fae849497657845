# SPDX-License-Identifier: GPL-2.0-or-later
"""softgen-run's options, and what it guarantees beside running the program."""
import json
import pathlib
import signal
import subprocess

from driver import BUILD, ROOT, RunTest


class Options(RunTest):
    def setUp(self):
        super().setUp()
        self.store = self.compiled("gpu_exec")

    def test_status_is_the_programs(self):
        for script, status in (("exit 42", 42), ("kill -SEGV $$", -signal.SIGSEGV)):
            self.assertEqual(self.run_on_gpu("sh", "-c", script).returncode, status)
        done = subprocess.run([BUILD / "softgen-run", "--", "/nonexistent"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (127, 1))

    def test_a_program_with_an_allocator_of_its_own(self):
        """A program that opens files before it can allocate: Blender's jemalloc deadlocked."""
        program = self.compiled("own_malloc", pathlib.Path(__file__).resolve().parent)
        self.assertEqual(self.ok(program), "runs\n")

    def test_looks_at_the_recording_afterwards(self):
        out = self.ok(self.store, "store", options=["--list"])
        self.assertIn("rcs0 ok", out)
        self.assertIn("submission 3 on vecs", out)
        self.assertIn("MI_STORE_DATA_IMM", self.ok(self.store, "store", options=["--print"]))
        out = self.ok(self.store, "store", options=["--json"])
        document = json.loads(out[out.index("{"):])
        self.assertEqual(len(document["submissions"]), 4)
        self.ok(self.store, "store", options=["--timeline", "trace.json"])
        json.loads((self.folder / "trace.json").read_text())
        done = self.run_on_gpu("true", options=["--list"])
        self.assertIn("used no GPU", done.stderr)

    def test_every_process_has_its_recording(self):
        self.ok("sh", "-c", f"{self.store} store; {self.store} store", options=["--record", "a.aub", "--stats", "s.json"])
        recordings = sorted(path.name for path in self.folder.glob("a.aub*"))
        self.assertEqual(len(recordings), 2, recordings)
        self.assertEqual(recordings[0], "a.aub")
        for name in recordings:
            subprocess.run([BUILD / "softgen-replay", self.folder / name], check=True)
        for path in self.folder.glob("s.json*"):
            self.assertEqual(json.loads(path.read_text())["platform"], "kbl")

    def test_results_of_a_program_without_exit_handlers(self):
        """A program that a signal ends, and one that calls _exit(), like Chromium's GPU process."""
        ends = {-number: f"signal.signal({number:d}, signal.SIG_DFL); use(); os.kill(os.getpid(), {number:d}); signal.pause()"
                for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}
        ends[7] = "use(); os._exit(7)"
        ends[8] = "use(); child = os.fork(); child or os._exit(1); os.waitpid(child, 0); os._exit(8)"
        for status, end in ends.items():
            program = f"import os, signal\ndef use(): os.open('/dev/dri/renderD128', os.O_RDWR)\n{end}"
            done = self.run_on_gpu("/usr/bin/python3", "-c", program, options=["--stats", "s.json", "--record", "a.aub"])
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(json.loads((self.folder / "s.json").read_text())["platform"], "kbl")
            subprocess.run([BUILD / "softgen-replay", self.folder / "a.aub"], check=True)

    def test_every_engine_and_exit_while_it_compiles(self):
        """Without input kmscube exits after its first frame, while kernels are being compiled."""
        for number, engine in enumerate(["interp", "jit", "jit", "jit", "tiers"]):
            done = self.run_on_gpu("sh", "-c", "kmscube --count 20 </dev/null", options=["--engine", engine, "--threads", "2", "--mode", "320x240@0"],
                                   XDG_CACHE_HOME=str(self.folder / f"cache{number}"))
            self.assertEqual(done.returncode, 0, f"{engine}: {done.stderr}")

    def test_pictures_go_to_a_new_folder(self):
        self.ok("kmscube", "--count", "2", options=["--png", "new/pictures", "--mode", "320x240@0"])
        self.assertTrue(list((self.folder / "new" / "pictures").glob("draw*.png")))

    def test_preempted_contexts_are_restored(self):
        """--stats says how often: never without --preempt. With threads the program's own thread does what is as short as this."""
        for options in ([], ["--preempt", "1"], ["--preempt", "5"]):
            self.ok(self.store, "store", options=["--stats", "s.json", "--threads", "0", *options])
            engines = json.loads((self.folder / "s.json").read_text())["engines"]
            self.assertEqual({name: engine["preemptions"] > 0 for name, engine in engines.items()}, dict.fromkeys(engines, bool(options)))

    def test_stats_say_what_was_done(self):
        self.ok("kmscube", "--count", "2", options=["--stats", "s.json", "--mode", "320x240@0"])
        work = json.loads((self.folder / "s.json").read_text())["work"]
        self.assertGreater(work["draws"], 1)
        self.assertGreater(work["messages"]["render"]["RT write"], 0)
        self.assertGreater(work["stage_milliseconds"]["pixels"], 0)

    def test_a_hang_is_told_and_reset(self):
        done = self.run_on_gpu(self.store, "hang", options=["--hang-timeout", "1"])
        self.assertIn("guilty of 1 reset", done.stdout)
        self.assertIn("rcs stands at 0x00200000  MI_BATCH_BUFFER_START", done.stderr)

    def test_two_buffers_over_one_page_of_the_program(self):
        out = self.ok(self.store, "userptr")
        self.assertEqual(out.count("ok"), 3, out)

    def test_a_node_that_another_process_opened(self):
        program = self.compiled("node_from_elsewhere", ROOT / "tests" / "run", ["-ldrm"])
        self.assertEqual(self.ok(program), "the node works\n")

    def test_nothing_is_left_behind(self):
        self.ok(self.store, "store")
        places = [pathlib.Path("/dev/shm"), pathlib.Path("/tmp")]
        before = {path.name for place in places for path in place.glob("softgen-run*")}
        self.ok(self.store, "store", options=["--list"])
        self.run_on_gpu("sh", "-c", f"{self.store} store; kill -KILL $$")
        self.assertEqual({path.name for place in places for path in place.glob("softgen-run*")} - before, set())

    def test_frames_go_to_a_viewer(self):
        self.ok("kmscube", "--count", "2", options=["--show=cat >shown", "--mode", "320x240@0"])
        size = (self.folder / "shown").stat().st_size
        self.assertEqual(size % (320 * 240 * 4), 0)
        self.assertGreater(size, 0)

    def test_an_unknown_platform_is_refused(self):
        done = subprocess.run([BUILD / "softgen-run", "--platform=nv50", "true"], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nv50", done.stderr)
        self.assertIn("kbl", done.stderr, "the platforms that there are")

    def test_missing_paths_are_refused(self):
        for option in ("--record", "--stats", "--frames", "--png", "--timeline"):
            done = subprocess.run([BUILD / "softgen-run", option, "--", "true"], cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0, option)
            self.assertIn(f"{option}: takes a path, which is missing before --", done.stderr)
        self.assertEqual(list(self.folder.glob("--*")), [])

    def test_invalid_modes_are_refused(self):
        for mode in ("", "640", "640x", "640x480@", "640x480@60Hz", "640x480x", "-640x480", " 640x480", "63x480", "640x8193", "640x480@1001", "4294967936x480"):
            with self.subTest(mode):
                done = subprocess.run([BUILD / "softgen-run", "--mode", mode, "true"], capture_output=True, text=True, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("--mode: takes WIDTHxHEIGHT[@HZ] of 64 to 8192 pixels", done.stderr)
        for mode in ("64x8192", "640x480@0", "640x480@1000"):
            self.assertEqual(subprocess.run([BUILD / "softgen-run", "--mode", mode, "true"], check=False).returncode, 0, mode)

    def test_help_names_every_option(self):
        text = subprocess.run([BUILD / "softgen-run", "--help"], capture_output=True, text=True, check=True).stdout
        for option in ("--platform", "--threads", "--engine", "--record", "--print", "--json", "--list", "--png", "--until", "--timeline",
                       "--stats", "--frames", "--show", "--mode", "--hang-timeout"):
            self.assertIn(option, text)
