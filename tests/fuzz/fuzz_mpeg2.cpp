// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile MPEG-2 pictures: parameters, addresses and streams. Encoding is fuzz_encode's.
#include "tests/fuzz/video_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static softgen::fuzz::VideoTarget target(
      0, {"MFX_SURFACE_STATE", "MFX_PIPE_BUF_ADDR_STATE", "MFX_IND_OBJ_BASE_ADDR_STATE", "MFX_MPEG2_PIC_STATE", "MFX_QM_STATE"},
      "MFD_MPEG2_BSD_OBJECT");
  target.run({data, size});
  return 0;
}
