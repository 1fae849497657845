// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile MPEG-2 pictures, decoded and encoded: parameters, addresses, streams and macroblocks.
#include "tests/fuzz/video_target.h"

namespace {

using namespace softgen;

class EncodeTarget final : public fuzz::VideoTarget {
 public:
  EncodeTarget()
      : VideoTarget(0,
                    {"MFX_SURFACE_STATE", "MFX_PIPE_BUF_ADDR_STATE", "MFX_IND_OBJ_BASE_ADDR_STATE", "MFX_MPEG2_PIC_STATE", "MFX_QM_STATE",
                     "MFX_FQM_STATE"},
                    "MFC_MPEG2_PAK_OBJECT") {
    object_state_ = {"MFC_MPEG2_SLICEGROUP_STATE", "MFX_PAK_INSERT_OBJECT"};
  }

 private:
  using Select = defs::gen9::MFX_PIPE_MODE_SELECT;

  const defs::Command& select(fuzz::StateSource& in, std::vector<uint32_t>& packet) override {
    const defs::Command& one = VideoTarget::select(in, packet);
    Select fields = Select::unpack(packet);
    fields.codec_select = Select::CodecSelect::ENCODE;
    const auto dwords = fields.pack();
    packet.assign(dwords.begin(), dwords.end());
    return one;
  }
  /// Macroblocks within a small picture, often one behind the other.
  void adjust(fuzz::StateSource& in, const defs::Command& one, std::vector<uint32_t>& packet) override {
    if (one.id != defs::CommandId::MFC_MPEG2_PAK_OBJECT) return;
    place_ = in.one_in(3) ? in.below(6) | in.below(6) << 16 : place_ + 1;
    packet[2] = place_;
  }
  uint32_t place_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static softgen::fuzz::VideoTarget decode(
      0, {"MFX_SURFACE_STATE", "MFX_PIPE_BUF_ADDR_STATE", "MFX_IND_OBJ_BASE_ADDR_STATE", "MFX_MPEG2_PIC_STATE", "MFX_QM_STATE"},
      "MFD_MPEG2_BSD_OBJECT");
  static EncodeTarget encode;
  softgen::fuzz::VideoTarget& target = size && data[0] & 1 ? encode : decode;
  target.run({data, size});
  return 0;
}
