# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/piglit: which tests a chip of OpenGL 2.1 can run, and its lists."""
import sys
import tempfile
import unittest

from driver import ROOT, script

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import choice  # noqa: E402
import cmd_piglit  # noqa: E402
import piglit_needs  # noqa: E402

# As piglit's profiles have it, on one line.
PROFILE = (
    """<PiglitTestList count="2" name="quick"><Test type="gl" name="spec@arb_x@a &amp; b"><option name="command" value="['a', '-b']" />"""
    """<option name="require_platforms" value="['glx']" /></Test><Test type="shader" name="spec@glsl-1.10@s"><option name="shader_version" """
    """value="1.1" /><option name="api" value="'compat'" /><option name="extensions" value="{'GL_ARB_x'}" /></Test></PiglitTestList>""")
EGLINFO = "OpenGL compatibility profile extensions:\n    GL_ARB_x, GL_EXT_y\nOpenGL ES profile extensions:\n    GL_OES_z\n"


class Needs(unittest.TestCase):
    def fits(self, name, **options):
        return piglit_needs.fits(name, options, piglit_needs.extensions(EGLINFO), "gbm")

    def test_descriptions_are_values_by_name(self):
        self.assertEqual(piglit_needs.descriptions(PROFILE), {
            "spec@arb_x@a & b": {"command": ["a", "-b"], "require_platforms": ["glx"]},
            "spec@glsl-1.10@s": {"shader_version": 1.1, "api": "compat", "extensions": {"GL_ARB_x"}}})

    def test_programs_go_by_their_names(self):
        names = ["spec@arb_x@t", "spec@ext_y@t", "spec@oes_z@t", "spec@arb_w@t", "spec@!opengl 2.1@t", "spec@!opengl 3.0@t", "spec@!opengl es 2.0@t",
                 "spec@!opengl es 3.0@t", "spec@glsl-1.20@t", "spec@glsl-1.30@t", "spec@glsl-es-1.00@t", "shaders@t", "glx@t"]
        self.assertEqual([name for name in names if not self.fits(name)],
                         ["spec@arb_w@t", "spec@!opengl 3.0@t", "spec@!opengl es 3.0@t", "spec@glsl-1.30@t", "glx@t"])

    def test_shaders_go_by_what_they_ask_for(self):
        self.assertTrue(self.fits("s", api="compat", shader_version=1.2, extensions={"GL_ARB_x"}))
        self.assertFalse(self.fits("s", api="compat", shader_version=1.2, extensions={"GL_ARB_x", "GL_ARB_w"}))
        self.assertFalse(self.fits("s", api="core", shader_version=1.3))
        self.assertFalse(self.fits("s", api="gles3", shader_version=1.0))
        self.assertTrue(self.fits("s", api="gles2", shader_version=1.0))
        self.assertTrue(self.fits("s", api="compat", api_version=2.1))
        self.assertFalse(self.fits("s", api="compat", api_version=3.0, shader_version=1.1))

    def test_programs_of_other_window_systems_do_not_fit(self):
        self.assertFalse(self.fits("shaders@t", require_platforms=["glx", "x11_egl"]))
        self.assertTrue(self.fits("shaders@t", require_platforms=["glx", "gbm"]))
        self.assertFalse(self.fits("shaders@t", exclude_platforms=["gbm"]))


class Lists(unittest.TestCase):
    def test_ironlakes_list_has_2000_tests_and_no_pattern_twice(self):
        lines = (cmd_piglit.LISTS / "ilk.txt").read_text().splitlines()
        names = [line for line in lines if not line.startswith("#")]
        self.assertEqual((len(names), len(set(names))), (2000, 2000))
        self.assertEqual(cmd_piglit.read_list("ilk"), set(names))

    def test_ironlakes_reasons_are_of_ironlake_only(self):
        name = "spec@arb_clear_texture@arb_clear_texture-depth"
        self.assertTrue(choice.reason(name, choice.known_reasons(cmd_piglit.KNOWN, "ilk")))
        self.assertEqual(choice.reason(name, choice.known_reasons(cmd_piglit.KNOWN, "kbl")), "")


class Options(unittest.TestCase):
    def test_choose_requires_sample_and_excludes_list(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in (["--choose", f"{folder}/a"], ["--choose", f"{folder}/a", "--sample", "5", "--list", "ilk"]):
                with self.subTest(words=words):
                    done = script("piglit", "--no-setup", *words)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn("--choose requires --sample", done.stderr)


if __name__ == "__main__":
    unittest.main()
