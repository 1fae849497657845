// SPDX-License-Identifier: GPL-2.0-or-later
// What the guest does while the device fails by plan.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"

#define DEBUG_DIRECTORY "/sys/kernel/debug/dri/0"
#define DRIVER "/sys/bus/pci/drivers/i915"
#define ADDRESS "0000:00:02.0"
#define DEVICE "/sys/bus/pci/devices/" ADDRESS
#define SETTLE_US 300000

static void settle(void) { usleep(SETTLE_US); }

// The agent has loaded the module for another device.
static int run_probe(void) {
  write_text(DEVICE "/driver_override", "\n");
  int failed = write_text(DRIVER "/bind", ADDRESS);
  if (failed) tell("bind: %s\n", strerror(failed));
  settle();
  int bad = run_submit() + run_modeset();
  return failed ? failed : bad;
}

static void read_error_state(void) { tell("error state: %ld bytes\n", read_all("/sys/class/drm/card0/error")); }

static int run_hang(void) {
  submit_spinning();
  settle();
  read_error_state();
  return run_submit();
}

// A reset of all engines that software asks for, with a capture.
static int run_wedge(void) {
  write_text(DEBUG_DIRECTORY "/i915_wedged", "-1");
  settle();
  read_error_state();
  return run_submit();
}

static int run_suspend(void) {
  // Suspends devices, waits, and resumes them (Linux, kernel/power/suspend_test.c): the machine itself stays awake.
  write_text("/sys/module/suspend/parameters/pm_test_delay", "0");
  write_text("/sys/power/pm_test", "devices");
  int failed = write_text("/sys/power/state", "mem");
  if (failed) tell("suspend: %s\n", strerror(failed));
  settle();
  return run_submit() + run_modeset();
}

static int run_debugfs(void) {
  DIR* files = opendir(DEBUG_DIRECTORY);
  struct dirent* file;
  char path[512];
  while (files && (file = readdir(files))) {
    // Those with "crc" and "pipe" wait for frames.
    if (file->d_type != DT_REG || strstr(file->d_name, "crc")) continue;
    snprintf(path, sizeof path, DEBUG_DIRECTORY "/%s", file->d_name);
    read_all(path);
  }
  if (files) closedir(files);
  return files ? 0 : 1;
}

// Unbinds the driver and binds it again. The agent's files are of the old device.
static int run_rebind(void) {
  int failed = write_text(DRIVER "/unbind", ADDRESS);
  if (!failed) failed = write_text(DRIVER "/bind", ADDRESS);
  if (failed) tell("bind: %s\n", strerror(failed));
  settle();
  if (!failed) failed = prepare_submit();
  return failed ? failed : run_submit();
}

const Workload workloads[] = {{"probe", run_probe},     {"submit", run_submit},   {"modeset", run_modeset}, {"hotplug", run_hotplug}, {"hang", run_hang},
                              {"wedge", run_wedge},     {"suspend", run_suspend}, {"debugfs", run_debugfs}, {"rebind", run_rebind},   {0}};
