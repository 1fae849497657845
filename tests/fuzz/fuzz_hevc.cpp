// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile HEVC pictures: parameters, slices, addresses (surfaces, motion of other pictures) and streams. Of Tiger Lake, SFC takes some over.
#include "tests/fuzz/video_target.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::fuzz;

namespace {

class HevcTarget final : public VideoTarget {
 public:
  HevcTarget(const VideoChip& chip, media::SfcClient scaled)
      : VideoTarget(0,
                    {"HCP_SURFACE_STATE", "HCP_PIPE_BUF_ADDR_STATE", "HCP_IND_OBJ_BASE_ADDR_STATE", "HCP_QM_STATE", "HCP_PIC_STATE",
                     "HCP_TILE_STATE"},
                    "HCP_BSD_OBJECT", chip, scaled) {
    object_state_ = commands({"HCP_REF_IDX_STATE", "HCP_WEIGHTOFFSET_STATE", "HCP_SLICE_STATE"});
    quiet_log();
  }

 private:
  const defs::Command& select(StateSource&, std::vector<uint32_t>& packet) override {
    const defs::Command& one = command("HCP_PIPE_MODE_SELECT");
    packet.assign(one.dwords, 0);  // HEVC, decode
    return one;
  }

  /// Surfaces that fit the bit depths, lists for both directions, small blocks, short slice headers.
  void adjust(StateSource& in, const defs::Command& command, std::vector<uint32_t>& packet) override {
    const auto put = [&](std::string_view name, uint64_t value) { StateSource::put(command, packet, name, value); };
    switch (command.id) {
      case defs::CommandId::HCP_SURFACE_STATE:
        has_16_bits_ = in.one_in(3);
        put("Surface ID", 0);
        put("Surface Pitch", 128 * (1 + in.below(8)) - 1);
        put("Surface Format", has_16_bits_ ? 13 : 4);
        break;
      case defs::CommandId::HCP_PIC_STATE:
        put("Luma Bit Depth", has_16_bits_ ? in.below(3) : 0);
        put("Chroma Bit Depth", has_16_bits_ ? in.below(3) : 0);
        // Of Gen12, with what has no codec.
        put("Chroma Subsampling", in.one_in(16) ? in.below(4) : 1), put("SPS Range Extension Enable", in.one_in(16));
        for (const char* name : {"Palette Mode Enable", "Current Picture Reference Enable", "Residual Adaptive Colour Transform Enable"})
          put(name, in.one_in(16));
        put("Min CU Size", in.small_below(4));
        put("LCU Size", 1 + in.small_below(3));
        has_slices_ = false;
        break;
      case defs::CommandId::HCP_REF_IDX_STATE:
      case defs::CommandId::HCP_WEIGHTOFFSET_STATE: put("Reference Picture List Select", list_ = !list_); break;
      case defs::CommandId::HCP_SLICE_STATE:
        put("Slice Header Length", in.below(16));
        // Pictures have few CTBs, and the first slice none before it.
        for (const char* name : {"Slice Vertical Position", "Slice Horizontal Position"}) put(name, in.one_in(3) ? in.small_below(4) : 0);
        put("Dependent Slice", has_slices_ && in.one_in(4));
        has_slices_ = !in.one_in(16);
        put("Last Slice", in.one_in(4));
        break;
      default: break;
    }
  }

  bool has_16_bits_ = false, list_ = false, has_slices_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using media::SfcClient;
  static HevcTarget kbl(kbl_video, SfcClient::mfx), tgl(tgl_video, SfcClient::hcp);
  // The last byte says whose packets they are; the other ones are choices.
  (size && data[size - 1] % 2 ? tgl : kbl).run({data, size});
  return 0;
}
