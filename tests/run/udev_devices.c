// SPDX-License-Identifier: GPL-2.0-or-later
// Asks libudev for the DRM nodes and for every property, tag and attribute of each, as libgudev does (GStreamer's GL elements), and prints that.
#include <stdio.h>
#include <string.h>

// libudev.h's, of which Debian's runtime package has only the library.
struct udev;
struct udev_device;
struct udev_enumerate;
struct udev_list_entry;
struct udev* udev_new(void);
struct udev_enumerate* udev_enumerate_new(struct udev*);
int udev_enumerate_add_match_subsystem(struct udev_enumerate*, const char*);
int udev_enumerate_add_match_tag(struct udev_enumerate*, const char*);
int udev_enumerate_add_match_parent(struct udev_enumerate*, struct udev_device*);
int udev_enumerate_scan_devices(struct udev_enumerate*);
struct udev_list_entry* udev_enumerate_get_list_entry(struct udev_enumerate*);
struct udev_enumerate* udev_enumerate_unref(struct udev_enumerate*);
struct udev_list_entry* udev_list_entry_get_next(struct udev_list_entry*);
struct udev_list_entry* udev_list_entry_get_by_name(struct udev_list_entry*, const char*);
const char* udev_list_entry_get_name(struct udev_list_entry*);
const char* udev_list_entry_get_value(struct udev_list_entry*);
struct udev_device* udev_device_new_from_syspath(struct udev*, const char*);
struct udev_device* udev_device_new_from_device_id(struct udev*, const char*);
struct udev_device* udev_device_get_parent(struct udev_device*);
struct udev_device* udev_device_unref(struct udev_device*);
struct udev* udev_device_get_udev(struct udev_device*);
const char* udev_device_get_devpath(struct udev_device*);
const char* udev_device_get_sysname(struct udev_device*);
const char* udev_device_get_driver(struct udev_device*);
const char* udev_device_get_action(struct udev_device*);
unsigned long long udev_device_get_seqnum(struct udev_device*);
unsigned long long udev_device_get_usec_since_initialized(struct udev_device*);
int udev_device_set_sysattr_value(struct udev_device*, const char*, const char*);
int udev_device_has_tag(struct udev_device*, const char*);
int udev_device_has_current_tag(struct udev_device*, const char*);
struct udev_list_entry* udev_device_get_devlinks_list_entry(struct udev_device*);
struct udev_list_entry* udev_device_get_properties_list_entry(struct udev_device*);
struct udev_list_entry* udev_device_get_tags_list_entry(struct udev_device*);
struct udev_list_entry* udev_device_get_current_tags_list_entry(struct udev_device*);
struct udev_list_entry* udev_device_get_sysattr_list_entry(struct udev_device*);

static void print_list(const char* what, struct udev_list_entry* entry) {
  for (; entry; entry = udev_list_entry_get_next(entry)) {
    const char* value = udev_list_entry_get_value(entry);
    printf("  %s %s%s%s\n", what, udev_list_entry_get_name(entry), value ? "=" : "", value ? value : "");
  }
}

static void print_device(struct udev* context, struct udev_device* device) {
  const char* driver = udev_device_get_driver(device);
  printf("%s at %s, driver %s, context %s\n", udev_device_get_sysname(device), udev_device_get_devpath(device), driver ? driver : "none",
         udev_device_get_udev(device) == context ? "same" : "other");
  print_list("tag", udev_device_get_tags_list_entry(device));
  print_list("current tag", udev_device_get_current_tags_list_entry(device));
  print_list("property", udev_device_get_properties_list_entry(device));
  print_list("attribute", udev_device_get_sysattr_list_entry(device));
  print_list("link", udev_device_get_devlinks_list_entry(device));
  printf("  event %s %llu %llu\n", udev_device_get_action(device) ? "some" : "none", udev_device_get_seqnum(device),
         udev_device_get_usec_since_initialized(device));
  printf("  seat tag %d %d, set %d\n", udev_device_has_tag(device, "seat"), udev_device_has_current_tag(device, "seat"),
         udev_device_set_sysattr_value(device, "enable", "0") < 0);
  struct udev_list_entry* found = udev_list_entry_get_by_name(udev_device_get_properties_list_entry(device), "DEVNAME");
  printf("  found %s\n", found ? udev_list_entry_get_value(found) : "none");
}

/// Prints all devices of an enumeration and ends it.
static void print_all(struct udev* context, const char* title, struct udev_enumerate* all) {
  const int status = udev_enumerate_scan_devices(all);
  printf("%s:\n", title);
  if (status) printf("  the scan failed: %d\n", status);
  for (struct udev_list_entry* entry = udev_enumerate_get_list_entry(all); entry; entry = udev_list_entry_get_next(entry)) {
    struct udev_device* device = udev_device_new_from_syspath(context, udev_list_entry_get_name(entry));
    print_device(context, device);
    udev_device_unref(device);
  }
  udev_enumerate_unref(all);
}

int main(void) {
  struct udev* context = udev_new();
  struct udev_enumerate* nodes = udev_enumerate_new(context);
  udev_enumerate_add_match_subsystem(nodes, "drm");
  print_all(context, "nodes", nodes);
  struct udev_enumerate* seats = udev_enumerate_new(context);
  udev_enumerate_add_match_subsystem(seats, "drm");
  udev_enumerate_add_match_tag(seats, "seat");
  print_all(context, "of a seat", seats);
  struct udev_device* card = udev_device_new_from_device_id(context, "+drm:card0");
  struct udev_enumerate* family = udev_enumerate_new(context);
  udev_enumerate_add_match_subsystem(family, "drm");
  udev_enumerate_add_match_parent(family, udev_device_get_parent(card));
  print_all(context, "of the PCI device", family);
  struct udev_device* node = udev_device_new_from_device_id(context, "c226:128");
  printf("by number: %s\n", udev_device_get_sysname(node));
  return 0;
}
