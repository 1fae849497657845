# SPDX-License-Identifier: GPL-2.0-or-later
"""Lights pipe A on DDI B the way i915 does, over HDMI. Registers: hw/defs/gen9/registers_display.def."""

PWR_WELL_CTL2, DPLL_CTRL1, DPLL_CTRL2, LCPLL1_CTL, LCPLL2_CTL = 0x45404, 0x6C058, 0x6C05C, 0x46010, 0x46014
DBUF_CTL, VGA_CONTROL, DPLL_CFGCR1, DPLL_CFGCR2 = 0x45008, 0x41400, 0x6C040, 0x6C044
TRANS_HTOTAL, TRANS_VTOTAL, TRANS_VBLANK, PIPE_SRCSZ, TRANS_DDI_FUNC_CTL, TRANS_CONF = 0x60000, 0x6000C, 0x60010, 0x6001C, 0x60400, 0x70008
DDI_BUF_CTL_B = 0x64100
PLANE_CTL, PLANE_STRIDE, PLANE_POS, PLANE_SIZE, PLANE_SURF = 0x70180, 0x70188, 0x7018C, 0x70190, 0x7019C
PIPE_CRC_CTL, PIPE_CRC_RES, PIPE_FRMCNT = 0x60050, 0x60064, 0x70040
DE_PIPE_IMR, DE_PIPE_IIR, DE_PIPE_IER, MASTER_INT_CTL = 0x44404, 0x44408, 0x4440C, 0x44200
VBLANK, CRC_DONE = 1 << 0, 1 << 28


def set_timing(machine, width, height, total_width=None, total_height=None):
    total_width, total_height = total_width or width + 280, total_height or height + 45
    machine.mmio_write(TRANS_HTOTAL, width - 1 | total_width - 1 << 16)
    machine.mmio_write(TRANS_VTOTAL, height - 1 | total_height - 1 << 16)
    machine.mmio_write(TRANS_VBLANK, height - 1 | total_height - 1 << 16)
    machine.mmio_write(PIPE_SRCSZ, width - 1 << 16 | height - 1)


def light(machine, width=1920, height=1080, **totals):
    """A pixel clock of 148.5 MHz: 60 Hz at 1920x1080."""
    for register, value in ((PWR_WELL_CTL2, 0xAAAAAAAA), (DPLL_CTRL1, 1 | 2 << 1 | 0x21 << 6), (LCPLL1_CTL, 1 << 31), (DBUF_CTL, 1 << 31),
                            (VGA_CONTROL, 1 << 31), (DPLL_CFGCR1, 1 << 31 | 8192 << 9 | 371),
                            (DPLL_CFGCR2, 3 << 8 | 1 << 7 | 1 << 5 | 1 << 2), (LCPLL2_CTL, 1 << 31),
                            (DPLL_CTRL2, 0x000F8000 & ~(1 << 16) | 3 << 3)):
        machine.mmio_write(register, value)
    set_timing(machine, width, height, **totals)
    for register, value in ((TRANS_DDI_FUNC_CTL, 1 << 31 | 1 << 28), (TRANS_CONF, 1 << 31), (DDI_BUF_CTL_B, 1 << 31)):
        machine.mmio_write(register, value)


def show_plane(machine, surface, width=1920, height=1080, stride=None):
    """A linear XRGB8888 plane at `surface` in the GTT's address space."""
    for register, value in ((PLANE_STRIDE, (stride or width * 4) // 64), (PLANE_POS, 0), (PLANE_SIZE, width - 1 | height - 1 << 16),
                            (PLANE_CTL, 1 << 31 | 4 << 24), (PLANE_SURF, surface)):
        machine.mmio_write(register, value)


def unmask(machine, events):
    machine.mmio_write(DE_PIPE_IER, 0xFFFFFFFF)
    machine.mmio_write(DE_PIPE_IMR, ~events & 0xFFFFFFFF)
    machine.mmio_write(MASTER_INT_CTL, 1 << 31)
