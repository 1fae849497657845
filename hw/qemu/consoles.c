/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One graphic console a connector. The first shows the VGA core until the driver takes over; then each shows
 * the pipe that feeds its connector. The core composes a pipe's picture on a thread of its own, outside the
 * big lock; what differs from the picture before is then copied into the console's surface here.
 *
 * An update is therefore asynchronous (GraphicHwOps.gfx_update_async): its caller, a screendump for
 * one, waits for graphic_hw_update_done(). That comes after a picture that was begun after the call.
 */
#include "qemu/osdep.h"

#include "intel_gpu.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "ui/console.h"
#include "ui/surface.h"

enum {
  /* The core compares a picture that seems unchanged less often, as long as it is asked this often. */
  LOOK_MS = 150,
  /* Pictures after which an update is done, however many more were asked for meanwhile. */
  MAX_ROUNDS = 2,
};

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

static bool fits(IntelGpuMonitor* monitor, uint32_t width, uint32_t height) {
  DisplaySurface* surface = qemu_console_surface(monitor->console);
  return monitor->shown >= 0 && surface && surface_width(surface) == (int)width && surface_height(surface) == (int)height &&
         surface_format(surface) == PIXMAN_x8r8g8b8;
}

/* The finished picture of `pipe` onto the console. */
static void show_pipe(IntelGpuMonitor* monitor, int pipe) {
  uint32_t width, height;
  sg_display_picture(monitor->gpu->core, pipe, &width, &height);
  if (width == 0 || height == 0) return;
  bool full = monitor->shown != pipe || monitor->redraw;
  if (!fits(monitor, width, height)) {
    full = true;
    dpy_gfx_replace_surface(monitor->console, qemu_create_displaysurface(width, height));
  }
  monitor->shown = pipe;
  monitor->redraw = false;

  DisplaySurface* surface = qemu_console_surface(monitor->console);
  sg_dirty_rect dirty = {0};
  sg_display_draw(monitor->gpu->core, pipe, surface_data(surface), surface_width(surface), surface_height(surface), surface_stride(surface),
                  full, &dirty);
  if (full) {
    dpy_gfx_update_full(monitor->console);
  } else if (dirty.width > 0 && dirty.height > 0) {
    dpy_gfx_update(monitor->console, dirty.x, dirty.y, dirty.width, dirty.height);
  }
}

static void update_done(IntelGpuMonitor* monitor) {
  monitor->rounds = 0;
  graphic_hw_update_done(monitor->console);
}

static void begin_update(IntelGpuMonitor* monitor) {
  IntelGpuState* s = monitor->gpu;
  sg_pipe_mode mode;
  monitor->again = false;
  if (monitor->index == 0 && sg_display_is_vga(s->core)) {
    show_vga(monitor);
    update_done(monitor);
    return;
  }
  int pipe = pipe_of_connector(s, monitor->index, &mode);
  if (pipe < 0) {
    show_nothing(monitor);
    update_done(monitor);
    return;
  }
  int64_t now = qemu_clock_get_ms(QEMU_CLOCK_REALTIME);
  bool look = monitor->shown != pipe || monitor->redraw || now - monitor->looked_ms > LOOK_MS;
  monitor->looked_ms = now;
  monitor->composing = pipe;
  sg_display_refresh(s->core, pipe, look);
}

static void finish_update(IntelGpuMonitor* monitor) {
  IntelGpuState* s = monitor->gpu;
  sg_pipe_mode mode;
  int pipe = monitor->composing;
  monitor->composing = SHOWN_NOTHING;
  if (pipe_of_connector(s, monitor->index, &mode) == pipe) {
    show_pipe(monitor, pipe);
  } else {
    monitor->again = true; /* the guest has moved on */
  }
  bool current = !monitor->again;
  if (current || ++monitor->rounds >= MAX_ROUNDS) update_done(monitor);
  if (!current) begin_update(monitor);
}

static void console_update(void* opaque) {
  IntelGpuMonitor* monitor = opaque;
  if (monitor->composing >= 0) {
    monitor->again = true; /* the picture under way may have been begun before what is asked for now */
  } else {
    begin_update(monitor);
  }
}

static void pictures_ready(void* opaque) {
  IntelGpuState* s = opaque;
  uint32_t ready = qatomic_xchg(&s->pictures.ready, 0);
  for (unsigned i = 0; i < s->property.connectors; i++) {
    IntelGpuMonitor* monitor = &s->monitors[i];
    if (monitor->console && monitor->composing >= 0 && ready & 1u << monitor->composing) finish_update(monitor);
  }
}

/* Any thread. */
void intel_gpu_picture_ready(IntelGpuState* s, unsigned pipe) {
  qatomic_or(&s->pictures.ready, 1u << pipe);
  qemu_bh_schedule(s->pictures.bh);
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
    .gfx_update_async = true,
    .text_update = console_text_update,
};

void intel_gpu_consoles_init(IntelGpuState* s) {
  s->pictures.bh = qemu_bh_new_guarded(pictures_ready, s, &DEVICE(s)->mem_reentrancy_guard);
  for (unsigned i = 0; i < s->property.connectors; i++) {
    IntelGpuMonitor* monitor = &s->monitors[i];
    monitor->shown = SHOWN_UNDECIDED;
    monitor->composing = SHOWN_NOTHING;
    monitor->console = graphic_console_init(DEVICE(s), i, &console_ops, monitor);
  }
  s->vga.con = s->monitors[0].console;
}

void intel_gpu_consoles_exit(IntelGpuState* s) {
  for (unsigned i = 0; i < SG_MAX_CONNECTORS; i++) {
    IntelGpuMonitor* monitor = &s->monitors[i];
    if (!monitor->console) continue;
    if (monitor->composing >= 0) update_done(monitor); /* the device is gone: its waiters must not hang */
    graphic_console_close(monitor->console);
    monitor->console = NULL;
  }
}

void intel_gpu_consoles_reset(IntelGpuState* s) {
  for (unsigned i = 0; i < s->property.connectors; i++) s->monitors[i].shown = SHOWN_UNDECIDED;
}
