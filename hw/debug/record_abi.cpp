// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "hw/debug/recorder.h"
#include "hw/gt/abi.h"
#include "hw/gt/guard.h"

bool sg_record_start(sg_device* dev, const char* path, bool check, char** error) {
  const softgen::LogScope scope(softgen::gt::log_of(dev));
  try {
    softgen::gt::Device& device = softgen::gt::device_of(dev);
    device.set_observer(nullptr);  // an earlier recording ends first: it may be the same file
    device.set_observer(std::make_unique<softgen::debug::Recorder>(device, path, check));
    return true;
  } catch (const std::exception& e) {
    *error = strdup(e.what());
    return false;
  }
}

void sg_record_stop(sg_device* dev) {
  const softgen::LogScope scope(softgen::gt::log_of(dev));
  softgen::gt::guarded("sg_record_stop", [&] { softgen::gt::device_of(dev).set_observer(nullptr); });
}
