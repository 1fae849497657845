// SPDX-License-Identifier: GPL-2.0-or-later
// What clients of VA-API share. PROGRAM: the name that errors begin with.
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <va/va.h>
#include <va/va_drm.h>
#include <va/va_vpp.h>

static _Noreturn void fail(const char* what) {
  fprintf(stderr, PROGRAM ": %s\n", what);
  exit(1);
}

static void check(VAStatus status, const char* what) {
  if (status == VA_STATUS_SUCCESS) return;
  fprintf(stderr, PROGRAM ": %s: %s\n", what, vaErrorStr(status));
  exit(1);
}

static VADisplay open_display(void) {
  const VADisplay display = vaGetDisplayDRM(open("/dev/dri/renderD128", O_RDWR));
  int major, minor;
  check(vaInitialize(display, &major, &minor), "vaInitialize");
  return display;
}

static void write_surface(VADisplay display, VASurfaceID surface, unsigned width, unsigned height, const char* path) {
  VAImage image;
  void* mapped;
  check(vaSyncSurface(display, surface), "vaSyncSurface");
  check(vaDeriveImage(display, surface, &image), "vaDeriveImage");
  check(vaMapBuffer(display, image.buf, &mapped), "vaMapBuffer");
  FILE* out = fopen(path, "wb");
  if (!out) fail("an output cannot be made");
  const int is_wide = image.format.fourcc == VA_FOURCC_P010, is_planar = is_wide || image.format.fourcc == VA_FOURCC_NV12;
  const size_t bytes = is_planar ? (size_t)width << is_wide : (size_t)width * image.format.bits_per_pixel / 8;
  for (unsigned plane = 0; plane < (is_planar ? 2u : 1u); plane++)
    for (unsigned y = 0; y < (plane ? height / 2 : height); y++)
      if (fwrite((uint8_t*)mapped + image.offsets[plane] + (size_t)y * image.pitches[plane], 1, bytes, out) != bytes)
        fail("an output cannot be written");
  if (fclose(out)) fail("an output cannot be written");
  vaUnmapBuffer(display, image.buf);
  vaDestroyImage(display, image.image_id);
}

static VASurfaceID make_surface(VADisplay display, unsigned fourcc, unsigned width, unsigned height) {
  VASurfaceAttrib format = {
      .type = VASurfaceAttribPixelFormat, .flags = VA_SURFACE_ATTRIB_SETTABLE, .value = {.type = VAGenericValueTypeInteger}};
  format.value.value.i = (int)fourcc;
  VASurfaceID surface;
  const unsigned kind = fourcc == VA_FOURCC_NV12   ? VA_RT_FORMAT_YUV420
                        : fourcc == VA_FOURCC_P010 ? VA_RT_FORMAT_YUV420_10
                        : fourcc == VA_FOURCC_YUY2 ? VA_RT_FORMAT_YUV422
                                                   : VA_RT_FORMAT_RGB32;
  check(vaCreateSurfaces(display, kind, width, height, &surface, 1, &format, 1), "vaCreateSurfaces");
  return surface;
}

static VABufferID buffer(VADisplay display, VAContextID context, VABufferType type, size_t bytes, void* data) {
  VABufferID id;
  check(vaCreateBuffer(display, context, type, (unsigned)bytes, 1, data, &id), "vaCreateBuffer");
  return id;
}
