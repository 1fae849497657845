// SPDX-License-Identifier: GPL-2.0-or-later
// kms_cursor FRAMES: the cursor, gamma and properties by legacy and atomic calls on a monitor of 320x240. Each step makes one frame, and the
// next one begins when its file is in FRAMES; test_kms.py looks at them. What a call has to refuse is checked here.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#define WIDTH 320
#define HEIGHT 240
#define CURSOR 64
#define BACKGROUND 0x00204060u
#define LIMIT_SECONDS 60

static int card;
static const char* folder;
static unsigned frames;

static void check(int ok, const char* what) {
  if (ok) return;
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

// libdrm's legacy calls return -errno or -1 with errno, by release.
static void refused(int result, int error, const char* what) {
  if (result < 0 && (result == -error || errno == error)) return;
  fprintf(stderr, "%s: %d (%s) instead of %s\n", what, result, strerror(errno), strerror(error));
  exit(1);
}

// Waits for the frame of the step that was done.
static void shown(int result, const char* what) {
  check(result == 0, what);
  char path[4096];
  snprintf(path, sizeof path, "%s/frame%05u.png", folder, frames++);
  for (time_t end = time(0) + LIMIT_SECONDS; access(path, F_OK) != 0; usleep(1000)) check(time(0) < end, path);
  printf("%u %s\n", frames - 1, what);
}

static uint32_t new_buffer(uint32_t width, uint32_t height, uint32_t** pixels) {
  struct drm_mode_create_dumb create = {.width = width, .height = height, .bpp = 32};
  check(drmIoctl(card, DRM_IOCTL_MODE_CREATE_DUMB, &create) == 0 && create.pitch == 4 * width, "CREATE_DUMB");
  struct drm_mode_map_dumb offset = {.handle = create.handle};
  check(drmIoctl(card, DRM_IOCTL_MODE_MAP_DUMB, &offset) == 0, "MAP_DUMB");
  *pixels = mmap(0, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)offset.offset);
  check(*pixels != MAP_FAILED, "mmap");
  return create.handle;
}

static uint32_t property(uint32_t object, uint32_t type, const char* name) {
  drmModeObjectProperties* list = drmModeObjectGetProperties(card, object, type);
  check(list != 0, "OBJ_GETPROPERTIES");
  uint32_t found = 0;
  for (unsigned i = 0; i < list->count_props; i++) {
    drmModePropertyRes* p = drmModeGetProperty(card, list->props[i]);
    if (p && !strcmp(p->name, name)) found = p->prop_id;
    drmModeFreeProperty(p);
  }
  drmModeFreeObjectProperties(list);
  return found;
}

static uint32_t cursor_plane(void) {
  drmModePlaneRes* planes = drmModeGetPlaneResources(card);
  check(planes && planes->count_planes == 2, "a primary and a cursor plane");
  const uint32_t id = planes->planes[1];
  drmModeObjectProperties* list = drmModeObjectGetProperties(card, id, DRM_MODE_OBJECT_PLANE);
  const uint32_t type = property(id, DRM_MODE_OBJECT_PLANE, "type");
  for (unsigned i = 0; i < list->count_props; i++) check(list->props[i] != type || list->prop_values[i] == 2, "it is a cursor");
  drmModeFreeObjectProperties(list);
  drmModeFreePlaneResources(planes);
  return id;
}

static void set_gamma(uint32_t crtc, int inverted, const char* what) {
  uint16_t ramp[256], read[3][256];
  for (int i = 0; i < 256; i++) ramp[i] = (uint16_t)((inverted ? 255 - i : i) << 8);
  shown(drmModeCrtcSetGamma(card, crtc, 256, ramp, ramp, ramp), what);
  check(drmModeCrtcGetGamma(card, crtc, 256, read[0], read[1], read[2]) == 0 && !memcmp(read[2], ramp, sizeof ramp), "GETGAMMA");
  refused(drmModeCrtcSetGamma(card, crtc, 255, ramp, ramp, ramp), EINVAL, "a ramp of another size");
}

static void legacy_cursor(uint32_t crtc, uint32_t cursor, uint32_t framebuffer) {
  shown(drmModeSetCursor2(card, crtc, cursor, CURSOR, CURSOR, 5, 7), "cursor at 0, 0");
  shown(drmModeMoveCursor(card, crtc, -32, -32), "cursor at -32, -32");
  shown(drmModeMoveCursor(card, crtc, WIDTH - 32, HEIGHT - 16), "cursor at the lower right");
  shown(drmModePageFlip(card, crtc, framebuffer, 0, 0), "page flip");
  refused(drmModeSetCursor(card, crtc, cursor, 24, 24), EINVAL, "a cursor of 24x24");
  refused(drmModeSetCursor(card, crtc, 12345, CURSOR, CURSOR), ENOENT, "an unknown buffer");
  refused(drmModeMoveCursor(card, 12345, 0, 0), ENOENT, "an unknown pipe");
  shown(drmModeMoveCursor(card, crtc, -CURSOR, 0), "cursor left of the screen");
  shown(drmModeMoveCursor(card, crtc, INT32_MIN, INT32_MIN), "cursor far away");
  shown(drmModeMoveCursor(card, crtc, 100, 100), "cursor at 100, 100");
  set_gamma(crtc, 1, "inverted");
  set_gamma(crtc, 0, "as it was");
  shown(drmModeSetCursor(card, crtc, 0, 0, 0), "no cursor");
}

static void properties(uint32_t crtc, uint32_t connector, uint32_t encoder) {
  const uint32_t dpms = property(connector, DRM_MODE_OBJECT_CONNECTOR, "DPMS"), vrr = property(crtc, DRM_MODE_OBJECT_CRTC, "VRR_ENABLED");
  check(dpms && vrr, "DPMS and VRR_ENABLED are seen by a client of legacy calls");
  refused(drmModeObjectSetProperty(card, 12345, DRM_MODE_OBJECT_CRTC, vrr, 0), ENOENT, "an unknown object");
  refused(drmModeObjectSetProperty(card, crtc, DRM_MODE_OBJECT_PLANE, vrr, 0), ENOENT, "an object of another type");
  refused(drmModeObjectSetProperty(card, crtc, DRM_MODE_OBJECT_CRTC, 0, 0), EINVAL, "an unknown property");
  refused(drmModeObjectSetProperty(card, crtc, DRM_MODE_OBJECT_CRTC, dpms, 0), EINVAL, "a property of another object");
  refused(drmModeObjectSetProperty(card, crtc, DRM_MODE_OBJECT_CRTC, vrr, 2), EINVAL, "a value out of range");
  refused(drmModeObjectSetProperty(card, encoder, DRM_MODE_OBJECT_ENCODER, vrr, 0), EINVAL, "an object without properties");
  refused(drmModeConnectorSetProperty(card, connector, dpms, 4), EINVAL, "an unknown value");
  shown(drmModeObjectSetProperty(card, crtc, DRM_MODE_OBJECT_CRTC, vrr, 1), "VRR_ENABLED");
  shown(drmModeConnectorSetProperty(card, connector, dpms, DRM_MODE_DPMS_OFF), "off");
  shown(drmModeConnectorSetProperty(card, connector, dpms, DRM_MODE_DPMS_ON), "on");
}

static int commit_cursor(uint32_t plane, uint32_t crtc, uint32_t framebuffer, int x, int y, uint32_t size) {
  const struct {
    const char* name;
    uint64_t value;
  } rows[] = {{"FB_ID", framebuffer},
              {"CRTC_ID", framebuffer ? crtc : 0},
              {"CRTC_X", (uint64_t)x},
              {"CRTC_Y", (uint64_t)y},
              {"CRTC_W", size},
              {"CRTC_H", size},
              {"SRC_X", 0},
              {"SRC_Y", 0},
              {"SRC_W", (uint64_t)size << 16},
              {"SRC_H", (uint64_t)size << 16}};
  drmModeAtomicReq* request = drmModeAtomicAlloc();
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    drmModeAtomicAddProperty(request, plane, property(plane, DRM_MODE_OBJECT_PLANE, rows[i].name), rows[i].value);
  const int result = drmModeAtomicCommit(card, request, 0, 0);
  drmModeAtomicFree(request);
  return result;
}

static void atomic_cursor(uint32_t crtc, uint32_t cursor) {
  drmModePlaneRes* planes = drmModeGetPlaneResources(card);
  check(planes && planes->count_planes == 0, "a client without the universal-planes capability sees none of ours");
  drmModeFreePlaneResources(planes);
  check(drmSetClientCap(card, DRM_CLIENT_CAP_ATOMIC, 1) == 0, "CAP_ATOMIC");
  const uint32_t plane = cursor_plane();
  const uint32_t handles[4] = {cursor}, pitches[4] = {4 * CURSOR}, offsets[4] = {0};
  uint32_t framebuffer = 0, opaque = 0;
  check(drmModeAddFB2(card, CURSOR, CURSOR, 0x34325241 /* AR24 */, handles, pitches, offsets, &framebuffer, 0) == 0, "ADDFB2");
  check(drmModeAddFB2(card, CURSOR, CURSOR, 0x34325258 /* XR24 */, handles, pitches, offsets, &opaque, 0) == 0, "ADDFB2");
  shown(commit_cursor(plane, crtc, framebuffer, -10, HEIGHT - 20, CURSOR), "cursor plane at the lower left");
  shown(commit_cursor(plane, crtc, framebuffer, WIDTH - 20, -10, CURSOR), "cursor plane at the upper right");
  refused(commit_cursor(plane, crtc, opaque, 0, 0, CURSOR), EINVAL, "a cursor without alpha");
  refused(commit_cursor(plane, crtc, framebuffer, 0, 0, CURSOR / 2), EINVAL, "a part of the buffer");
  shown(drmModeObjectSetProperty(card, plane, DRM_MODE_OBJECT_PLANE, property(plane, DRM_MODE_OBJECT_PLANE, "CRTC_X"), 50),
        "one property of it");
  shown(drmModeRmFB(card, framebuffer), "its framebuffer goes");
}

int main(int count, char** arguments) {
  if (count != 2) return fprintf(stderr, "usage: kms_cursor FRAMES\n"), 2;
  folder = arguments[1];
  card = open("/dev/dri/card0", O_RDWR);
  check(card >= 0, "/dev/dri/card0");
  drmModeRes* resources = drmModeGetResources(card);
  check(resources && resources->count_crtcs == 1 && resources->count_connectors == 1, "GETRESOURCES");
  drmModeConnector* connector = drmModeGetConnector(card, resources->connectors[0]);
  check(connector && connector->count_modes > 0, "GETCONNECTOR");
  const uint32_t crtc = resources->crtcs[0];

  uint32_t *pixels, *arrow, framebuffer = 0;
  const uint32_t screen = new_buffer(WIDTH, HEIGHT, &pixels), cursor = new_buffer(CURSOR, CURSOR, &arrow);
  for (unsigned i = 0; i < WIDTH * HEIGHT; i++) pixels[i] = BACKGROUND;
  // Quarters: opaque red, half white; half green, nothing (premultiplied).
  for (unsigned i = 0; i < CURSOR * CURSOR; i++)
    arrow[i] = (const uint32_t[]){0xffff0000, 0x80808080, 0x80008000, 0}[(i / CURSOR >= CURSOR / 2) * 2 + (i % CURSOR >= CURSOR / 2)];
  check(drmModeAddFB(card, WIDTH, HEIGHT, 24, 32, 4 * WIDTH, screen, &framebuffer) == 0, "ADDFB");
  shown(drmModeSetCrtc(card, crtc, framebuffer, 0, 0, &connector->connector_id, 1, &connector->modes[0]), "no cursor yet");
  pixels[0] = 0xffffff;
  shown(drmModeDirtyFB(card, framebuffer, 0, 0), "drawn without a flip");
  pixels[0] = BACKGROUND;
  refused(drmModeDirtyFB(card, 12345, 0, 0), ENOENT, "an unknown framebuffer");
  legacy_cursor(crtc, cursor, framebuffer);
  properties(crtc, connector->connector_id, connector->encoders[0]);
  atomic_cursor(crtc, cursor);
  check(drmModeSetCrtc(card, crtc, 0, 0, 0, 0, 0, 0) == 0, "SETCRTC");
  shown(drmModeObjectSetProperty(card, crtc, DRM_MODE_OBJECT_CRTC, property(crtc, DRM_MODE_OBJECT_CRTC, "VRR_ENABLED"), 0),
        "without a mode");
  puts("ok");
  return 0;
}
