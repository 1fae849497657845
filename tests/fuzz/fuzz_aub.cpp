// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a capture, plain or xz: read, followed, decoded and printed as text and JSON. Corpus: tests/golden/captures.
#include <cstdio>
#include <cstdlib>

#include "hw/base/log.h"
#include "hw/replay/print_mode.h"
#include "tests/quiet_log.h"

using namespace softgen;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static std::FILE* const nowhere = [] {
    quiet_log();
    return std::fopen("/dev/null", "w");
  }();
  using Form = replay::PrintOptions::Form;
  for (const Form form : {Form::list, Form::text, Form::json}) {
    replay::PrintOptions options;
    options.form = form;
    options.memory_limit = 64u << 20;
    options.limits.packets = 5000;
    const auto source = debug::open_bytes(std::as_bytes(std::span(data, size)));
    const replay::PrintResult result = replay::print_capture(*source, options, nowhere);
    // One clear error, or none.
    if (result.error.find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
