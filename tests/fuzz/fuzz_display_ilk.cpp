// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's display: display_target.h.
#include "tests/fuzz/display_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static softgen::fuzz::DisplayTarget<softgen::fuzz::Ironlake> target;
  target.run({data, size});
  return 0;
}
