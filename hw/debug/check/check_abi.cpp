// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdlib>
#include <cstring>
#include <exception>

#include "hw/debug/check/checker.h"
#include "hw/gt/abi.h"
#include "hw/gt/guard.h"
#include "hw/gt/parts.h"

namespace check = softgen::debug::check;

bool sg_check_start(sg_device* dev, const char* what, sg_check_found found, void* opaque, char** error) {
  const softgen::LogScope scope(softgen::gt::log_of(dev));
  try {
    softgen::gt::Device& device = softgen::gt::device_of(dev);
    check::Findings::Sink sink = check::print_finding;
    if (found)
      sink = [=](const std::string& text, const check::Finding& finding) {
        found(opaque, text.c_str(), check::json_of(finding).dump().c_str());
      };
    device.set_watch(std::make_unique<check::Checker>(device.platform(), check::parse_options(what ? what : ""), std::move(sink)));
    return true;
  } catch (const std::exception& e) {
    *error = strdup(e.what());
    return false;
  }
}

void sg_check_stop(sg_device* dev) {
  const softgen::LogScope scope(softgen::gt::log_of(dev));
  softgen::gt::guarded("sg_check_stop", [&] { softgen::gt::device_of(dev).set_watch(nullptr); });
}

char* sg_check_report(sg_device* dev) {
  const softgen::LogScope scope(softgen::gt::log_of(dev));
  return softgen::gt::guarded("sg_check_report", static_cast<char*>(nullptr), [&] {
    const auto* checker = dynamic_cast<const check::Checker*>(softgen::gt::device_of(dev).watch());
    return strdup(checker ? checker->findings().json().dump().c_str() : "{}");
  });
}
