// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile VC-1 pictures: parameters, addresses, bitplanes, stored motion and streams.
#include "tests/fuzz/video_target.h"

namespace softgen::fuzz {
namespace {

class Vc1Target final : public VideoTarget {
 public:
  Vc1Target()
      : VideoTarget(1,
                    {"MFX_SURFACE_STATE", "MFX_PIPE_BUF_ADDR_STATE", "MFX_BSP_BUF_BASE_ADDR_STATE", "MFX_IND_OBJ_BASE_ADDR_STATE",
                     "MFX_VC1_PRED_PIPE_STATE", "MFX_VC1_DIRECTMODE_STATE", "MFD_VC1_LONG_PIC_STATE"},
                    "MFD_VC1_BSD_OBJECT") {}

 private:
  /// Of the picture's size a few macroblocks; progressive, an interlaced frame or a field.
  void adjust(StateSource& in, const defs::Command& one, std::vector<uint32_t>& packet) override {
    if (one.id == defs::CommandId::MFD_VC1_LONG_PIC_STATE) {
      packet[1] = in.small_below(6) << 16 | in.small_below(6);
      // Frame coding mode; types beyond BI are of pairs of fields.
      const uint32_t coding = in.below(4);
      packet[3] = (packet[3] & ~(3u << 24)) | coding << 24;
      if (coding < 2) packet[3] &= ~(1u << 28);
    }
    if (one.id == defs::CommandId::MFD_VC1_BSD_OBJECT && !in.one_in(8))
      packet[3] = in.below(3) << 16 | (1 + in.below(6)), packet[4] &= 0x17;
  }
};

}  // namespace
}  // namespace softgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static softgen::fuzz::Vc1Target target;
  target.run({data, size});
  return 0;
}
