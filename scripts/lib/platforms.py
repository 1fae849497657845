# SPDX-License-Identifier: GPL-2.0-or-later
"""The platforms, as hw/defs/platform.cpp lists them."""
import pathlib
import re

_TABLE = pathlib.Path(__file__).resolve().parents[2] / "hw/defs/platform.cpp"


def names():
    """Their names in the order of the table: the first is the default."""
    return re.findall(r'^ +\.name = "(\w+)",', _TABLE.read_text(), re.MULTILINE)
