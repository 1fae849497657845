# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that the generators of hw/defs write."""


def write_changed(path, text):
    """Leaves a file alone that has TEXT already: by its time ninja knows then (restat) that what depends on it need not be built again."""
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)
