/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One graphic console a connector. The first shows the VGA core until the driver takes over; then each shows
 * the pipe that feeds its connector, drawn by the core into the console's surface where it differs from the
 * picture before.
 */
#include "qemu/osdep.h"

#include "intel_gpu.h"
#include "ui/console.h"
#include "ui/surface.h"

static int pipe_of_connector(IntelGpuState* s, unsigned connector, sg_pipe_mode* mode) {
  for (unsigned pipe = 0; pipe < s->platform->pipes; pipe++) {
    sg_display_mode(s->core, pipe, mode);
    if (mode->active && mode->connector == (int)connector && mode->width > 0 && mode->height > 0) return pipe;
  }
  return SHOWN_NOTHING;
}

static void show_vga(IntelGpuMonitor* monitor) {
  IntelGpuState* s = monitor->gpu;
  if (monitor->shown != SHOWN_VGA) {
    /* The VGA core resizes the console only when it believes the mode changed. */
    qemu_console_resize(monitor->console, 720, 400);
    s->vga.hw_ops->invalidate(&s->vga);
    monitor->shown = SHOWN_VGA;
  }
  s->vga.hw_ops->gfx_update(&s->vga);
}

static void show_nothing(IntelGpuMonitor* monitor) {
  if (monitor->shown == SHOWN_NOTHING) return;
  monitor->shown = SHOWN_NOTHING;
  dpy_gfx_replace_surface(monitor->console, NULL); /* QEMU's "Display output is not active" */
}

static void show_pipe(IntelGpuMonitor* monitor, int pipe, const sg_pipe_mode* mode) {
  DisplaySurface* surface = qemu_console_surface(monitor->console);
  bool fits = monitor->shown >= 0 && surface && surface_width(surface) == (int)mode->width &&
              surface_height(surface) == (int)mode->height && surface_format(surface) == PIXMAN_x8r8g8b8;
  if (!fits) {
    surface = qemu_create_displaysurface(mode->width, mode->height);
    dpy_gfx_replace_surface(monitor->console, surface);
  }
  bool full = !fits || monitor->shown != pipe || monitor->redraw;
  monitor->shown = pipe;
  monitor->redraw = false;

  sg_dirty_rect dirty = {0};
  sg_display_draw(monitor->gpu->core, pipe, surface_data(surface), surface_stride(surface), full, &dirty);
  if (full) {
    dpy_gfx_update_full(monitor->console);
  } else if (dirty.width > 0 && dirty.height > 0) {
    dpy_gfx_update(monitor->console, dirty.x, dirty.y, dirty.width, dirty.height);
  }
}

static void console_update(void* opaque) {
  IntelGpuMonitor* monitor = opaque;
  sg_pipe_mode mode;
  if (monitor->index == 0 && sg_display_is_vga(monitor->gpu->core)) {
    show_vga(monitor);
    return;
  }
  int pipe = pipe_of_connector(monitor->gpu, monitor->index, &mode);
  if (pipe < 0) {
    show_nothing(monitor);
  } else {
    show_pipe(monitor, pipe, &mode);
  }
}

static void console_invalidate(void* opaque) {
  IntelGpuMonitor* monitor = opaque;
  monitor->redraw = true;
  if (monitor->shown == SHOWN_VGA) monitor->gpu->vga.hw_ops->invalidate(&monitor->gpu->vga);
}

static void console_text_update(void* opaque, console_ch_t* text) {
  IntelGpuMonitor* monitor = opaque;
  if (monitor->shown == SHOWN_VGA) monitor->gpu->vga.hw_ops->text_update(&monitor->gpu->vga, text);
}

static const GraphicHwOps console_ops = {
    .invalidate = console_invalidate,
    .gfx_update = console_update,
    .text_update = console_text_update,
};

void intel_gpu_consoles_init(IntelGpuState* s) {
  for (unsigned i = 0; i < s->connectors; i++) {
    IntelGpuMonitor* monitor = &s->monitors[i];
    monitor->shown = SHOWN_UNDECIDED;
    monitor->console = graphic_console_init(DEVICE(s), i, &console_ops, monitor);
  }
  s->vga.con = s->monitors[0].console;
}

void intel_gpu_consoles_exit(IntelGpuState* s) {
  for (unsigned i = 0; i < SG_MAX_CONNECTORS; i++) {
    if (s->monitors[i].console) graphic_console_close(s->monitors[i].console);
    s->monitors[i].console = NULL;
  }
}

void intel_gpu_consoles_reset(IntelGpuState* s) {
  for (unsigned i = 0; i < s->connectors; i++) s->monitors[i].shown = SHOWN_UNDECIDED;
}
