// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile VP8 pictures: parameters, addresses and streams.
#include "tests/fuzz/video_target.h"

namespace softgen::fuzz {
namespace {

class Vp8Target final : public VideoTarget {
 public:
  Vp8Target()
      : VideoTarget(5, {"MFX_SURFACE_STATE", "MFX_PIPE_BUF_ADDR_STATE", "MFX_IND_OBJ_BASE_ADDR_STATE", "MFX_VP8_PIC_STATE"},
                    "MFD_VP8_BSD_OBJECT") {
    max_objects_ = 2;  // each is a whole picture
  }
};

}  // namespace
}  // namespace softgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static softgen::fuzz::Vp8Target target;
  target.run({data, size});
  return 0;
}
