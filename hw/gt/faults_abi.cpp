// SPDX-License-Identifier: GPL-2.0-or-later
// Fault plans in the C ABI (softgen.h).
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "hw/faults/vocabulary.h"
#include "hw/gt/abi.h"
#include "hw/gt/guard.h"

namespace {

using softgen::faults::Plan;

/// A plan is text of a bounded size. Throws PlanError.
std::string read_plan(const char* path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(Plan::max_text + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.eof() && !file) throw softgen::faults::PlanError(fmt::format("cannot read '{}': {}", path, std::strerror(errno ? errno : EIO)));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

/// False, with the sentence of what `change` throws.
template <typename Change>
bool changes(sg_device* dev, const char* entry, char** error, const std::string& prefix, Change change) {
  const softgen::LogScope scope(softgen::gt::log_of(dev));
  std::string why = "the host failed, see the log";
  const bool done = softgen::gt::guarded(entry, false, [&] {
    try {
      change(softgen::gt::device_of(dev).fault_plan());
      return true;
    } catch (const softgen::faults::PlanError& wrong) { why = prefix + wrong.what(); }
    return false;
  });
  if (!done && error) *error = strdup(why.c_str());
  return done;
}

}  // namespace

extern "C" {

bool sg_faults_load(sg_device* dev, const char* path, char** error) {
  return changes(dev, "sg_faults_load", error, fmt::format("{}: ", path), [&](Plan& plan) { plan.load(read_plan(path)); });
}

bool sg_faults_set(sg_device* dev, const char* text, char** error) {
  return changes(dev, "sg_faults_set", error, "", [&](Plan& plan) { plan.load(text); });
}

bool sg_faults_add(sg_device* dev, const char* line, char** error) {
  return changes(dev, "sg_faults_add", error, "", [&](Plan& plan) { plan.add(line); });
}

void sg_faults_clear(sg_device* dev) {
  changes(dev, "sg_faults_clear", nullptr, "", [](Plan& plan) { plan.clear(); });
}

uint32_t sg_faults_config_read(sg_device* dev, uint32_t offset, uint32_t value) {
  const softgen::FaultSite site{.point = softgen::FaultPoint::config_read, .what = offset, .value = value};
  softgen::FaultAnswer answer;
  changes(dev, "sg_faults_config_read", nullptr, "", [&](Plan& plan) { answer = softgen::ask(&plan, site); });
  return softgen::changed(answer, value);
}

char* sg_faults_log(sg_device* dev) {
  char* text = nullptr;
  changes(dev, "sg_faults_log", nullptr, "", [&](const Plan& plan) { text = strdup(plan.log().c_str()); });
  return text;
}

char* sg_faults_vocabulary(sg_device* dev) {
  char* text = nullptr;
  changes(dev, "sg_faults_vocabulary", nullptr, "",
          [&](const Plan&) { text = strdup(softgen::faults::vocabulary(softgen::gt::device_of(dev).platform()).c_str()); });
  return text;
}

void sg_faults_census_begin(sg_device* dev) {
  changes(dev, "sg_faults_census_begin", nullptr, "", [](Plan& plan) { plan.begin_census(); });
}

char* sg_faults_census_end(sg_device* dev) {
  char* text = nullptr;
  changes(dev, "sg_faults_census_end", nullptr, "",
          [&](Plan& plan) { text = strdup(softgen::faults::census_text(plan.end_census()).c_str()); });
  return text;
}

}  // extern "C"
