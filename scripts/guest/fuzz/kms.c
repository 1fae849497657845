// SPDX-License-Identifier: GPL-2.0-or-later
// Connectors, their monitors, and pictures on them, by KMS.
#include <drm.h>
#include <drm_mode.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent.h"

#define MAX_OBJECTS 16
#define MAX_MODES 64
#define FLIPS 3
#define FLIP_WAIT_MS 2000

typedef struct {
  uint32_t crtcs[MAX_OBJECTS], connectors[MAX_OBJECTS], encoders[MAX_OBJECTS], fbs[MAX_OBJECTS];
  uint32_t crtc_count, connector_count;
} Resources;

static struct drm_mode_modeinfo modes[MAX_MODES];

static int get_resources(int card, Resources* found) {
  struct drm_mode_card_res res = {.crtc_id_ptr = (uintptr_t)found->crtcs, .connector_id_ptr = (uintptr_t)found->connectors,
                                  .encoder_id_ptr = (uintptr_t)found->encoders, .fb_id_ptr = (uintptr_t)found->fbs,
                                  .count_crtcs = MAX_OBJECTS, .count_connectors = MAX_OBJECTS, .count_encoders = MAX_OBJECTS, .count_fbs = MAX_OBJECTS};
  if (ioctl(card, DRM_IOCTL_MODE_GETRESOURCES, &res)) return errno;
  found->crtc_count = res.count_crtcs < MAX_OBJECTS ? res.count_crtcs : MAX_OBJECTS;
  found->connector_count = res.count_connectors < MAX_OBJECTS ? res.count_connectors : MAX_OBJECTS;
  return 0;
}

// Opens the card and lists what it has. A negative number when it does not let us.
static int open_resources(Resources* found) {
  int card = open_card();
  if (card < 0 || get_resources(card, found) == 0) return card;
  close(card);
  return -1;
}

// Has the driver look at the connector: its `modes`. How many, 0 when nothing is connected.
static uint32_t probe_connector(int card, uint32_t id) {
  uint32_t properties[64], encoders[8];
  uint64_t values[64];
  // No room for modes: the driver then detects the monitor anew.
  struct drm_mode_get_connector get = {.connector_id = id};
  if (ioctl(card, DRM_IOCTL_MODE_GETCONNECTOR, &get)) return 0;
  const uint32_t connection = get.connection;
  get = (struct drm_mode_get_connector){.connector_id = id, .modes_ptr = (uintptr_t)modes, .count_modes = MAX_MODES, .props_ptr = (uintptr_t)properties,
                                        .prop_values_ptr = (uintptr_t)values, .count_props = 64, .encoders_ptr = (uintptr_t)encoders, .count_encoders = 8};
  if (ioctl(card, DRM_IOCTL_MODE_GETCONNECTOR, &get) || connection != 1) return 0;
  return get.count_modes < MAX_MODES ? get.count_modes : 0;
}

static void wait_for_flip(int card) {
  struct pollfd ready = {.fd = card, .events = POLLIN};
  char events[256];
  if (poll(&ready, 1, FLIP_WAIT_MS) == 1) {
    if (read(card, events, sizeof events) < 0) tell("flip event: %s\n", strerror(errno));
  } else {
    tell("no flip\n");
  }
}

static int show(int card, uint32_t crtc, uint32_t connector, const struct drm_mode_modeinfo* mode) {
  struct drm_mode_create_dumb dumb = {.width = mode->hdisplay, .height = mode->vdisplay, .bpp = 32};
  if (ioctl(card, DRM_IOCTL_MODE_CREATE_DUMB, &dumb)) return errno;
  struct drm_mode_fb_cmd fb = {.width = dumb.width, .height = dumb.height, .pitch = dumb.pitch, .bpp = 32, .depth = 24, .handle = dumb.handle};
  int failed = ioctl(card, DRM_IOCTL_MODE_ADDFB, &fb) ? errno : 0;
  struct drm_mode_crtc set = {.crtc_id = crtc, .fb_id = fb.fb_id, .set_connectors_ptr = (uintptr_t)&connector, .count_connectors = 1, .mode = *mode, .mode_valid = 1};
  if (!failed && ioctl(card, DRM_IOCTL_MODE_SETCRTC, &set)) failed = errno;
  for (int i = 0; !failed && i < FLIPS; i++) {
    struct drm_mode_crtc_page_flip flip = {.crtc_id = crtc, .fb_id = fb.fb_id, .flags = DRM_MODE_PAGE_FLIP_EVENT};
    if (ioctl(card, DRM_IOCTL_MODE_PAGE_FLIP, &flip)) failed = errno;
    else wait_for_flip(card);
  }
  struct drm_mode_crtc off = {.crtc_id = crtc};
  if (ioctl(card, DRM_IOCTL_MODE_SETCRTC, &off) && !failed) failed = errno;
  ioctl(card, DRM_IOCTL_MODE_RMFB, &fb.fb_id);
  struct drm_mode_destroy_dumb gone = {.handle = dumb.handle};
  ioctl(card, DRM_IOCTL_MODE_DESTROY_DUMB, &gone);
  return failed;
}

int run_modeset(void) {
  Resources found = {0};
  int card = open_resources(&found), bad = 0;
  if (card < 0) return 1;
  for (uint32_t i = 0; i < found.connector_count; i++) {
    if (!probe_connector(card, found.connectors[i])) continue;
    int shown = found.crtc_count ? show(card, found.crtcs[i % found.crtc_count], found.connectors[i], &modes[0]) : ENODEV;
    if (shown) tell("connector %u: %s\n", i, strerror(shown));
    bad += shown != 0;
  }
  close(card);
  return bad;
}

int run_hotplug(void) {
  Resources found = {0};
  int card = open_resources(&found);
  if (card < 0) return 1;
  for (uint32_t i = 0; i < found.connector_count; i++) tell("connector %u: %u modes\n", i, probe_connector(card, found.connectors[i]));
  // Storms and their end are handled by works that wait.
  usleep(500000);
  for (uint32_t i = 0; i < found.connector_count; i++) probe_connector(card, found.connectors[i]);
  close(card);
  return 0;
}
