# SPDX-License-Identifier: GPL-2.0-or-later
"""The platforms that hw/defs/platform.cpp lists."""
import pathlib
import re

_TABLE = pathlib.Path(__file__).resolve().parents[2] / "hw/defs/platform.cpp"


def names():
    """The platforms' names in the order of the table. The first is the default."""
    return re.findall(r'^ +\w*\.name = "(\w+)"[,;]', _TABLE.read_text(), re.MULTILINE)
