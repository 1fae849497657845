# SPDX-License-Identifier: GPL-2.0-or-later
"""Which tests of a piglit profile a driver of OpenGL 2.1 and ES 2 can run, as far as their descriptions and names tell."""
import ast
import html
import re

# What piglit's names have in front of a specification's name: no version or extension follows.
FREE = ("fast_color_clear", "hiz", "object namespace pollution", "security", "shaders")
VERSION = {"!opengl": 2.1, "!opengl es": 2.0, "glsl": 1.2, "glsl-es": 1.0}  # the newest of each
SHADERS = {"compat": 1.2, "core": 1.2, "gles2": 1.0}  # the newest language of each API


def descriptions(text):
    """name -> options of a profile (the text of its XML), as Python's values."""
    found = re.findall(r'<Test type="[^"]*" name="([^"]*)">(.*?)</Test>', text, re.S)
    options = {name: re.findall(r'<option name="([^"]*)" value="([^"]*)"', inner) for name, inner in found}
    return {html.unescape(name): {key: ast.literal_eval(html.unescape(value)) for key, value in pairs} for name, pairs in options.items()}


def extensions(text):
    """The extensions of GL and GLES that eglinfo prints, in lower case and without GL_."""
    return {name.lower() for name in re.findall(r"\bGL_(\w+)", text)}


def _named(name, offered):
    """The specification in a test's name is one of those offered."""
    parts = name.split("@")
    if parts[0] != "spec":
        return parts[0] in FREE
    versioned = re.fullmatch(r"(!opengl(?: es)?|glsl(?:-es)?)[ -](\d+\.\d+)", parts[1])
    return float(versioned[2]) <= VERSION[versioned[1]] if versioned else parts[1] in offered


def fits(name, options, offered, waffle):
    """A test may run with the extensions `offered` on `waffle`'s platform; that it does shows when it is run."""
    platforms, without = options.get("require_platforms"), options.get("exclude_platforms") or ()
    if (platforms and waffle not in platforms) or waffle in without:
        return False
    if "api" not in options:
        return _named(name, offered)
    newest = SHADERS.get(options["api"], -1)
    needs = {extension.lower().removeprefix("gl_") for extension in options.get("extensions", ())}
    return options.get("shader_version", 0) <= newest and options.get("api_version", 0) <= VERSION["!opengl"] and needs <= offered
