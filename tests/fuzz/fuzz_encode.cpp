// SPDX-License-Identifier: GPL-2.0-or-later
// The video encoders by packets: H.264 by PAK objects and by VDEnc, HEVC, MPEG-2, JPEG, VP8 and VP9. A third of the inputs are hostile in each field; the others are
// pictures as drivers send them, in some of them a few fields changed.
#include "tests/fuzz/encode_avc.h"
#include "tests/fuzz/encode_hevc.h"
#include "tests/fuzz/encode_jpeg.h"
#include "tests/fuzz/encode_mpeg2.h"
#include "tests/fuzz/encode_vp8.h"
#include "tests/fuzz/encode_vp9.h"
#include "tests/fuzz/video_target.h"

namespace softgen::fuzz {
namespace {

/// Hostile pictures: all fields of all packets are chosen.
class HostileEncoding final : public VideoTarget {
 public:
  /// `select`: MFX_PIPE_MODE_SELECT, or HCP_PIPE_MODE_SELECT.
  HostileEncoding(const char* select, uint32_t standard, const std::vector<const char*>& state,
                  const std::vector<const char*>& object_state, const char* object, bool vdenc = false)
      : VideoTarget(standard, state, object), select_(VideoTarget::command(select)), hcp_standard_(standard), vdenc_(vdenc) {
    quiet_log();
    object_state_ = commands(object_state);
    max_objects_ = 12;
  }

 private:
  using Select = defs::gen9::MFX_PIPE_MODE_SELECT;
  using HcpSelect = defs::gen9::HCP_PIPE_MODE_SELECT;

  const defs::Command& select(StateSource& in, std::vector<uint32_t>& packet) override {
    if (select_.id == defs::CommandId::HCP_PIPE_MODE_SELECT) {
      HcpSelect fields{};
      fields.codec_select = HcpSelect::CodecSelect::ENCODE;
      fields.codec_standard_select = static_cast<HcpSelect::CodecStandardSelect>(hcp_standard_);
      const auto dwords = fields.pack();
      packet.assign(dwords.begin(), dwords.end());
      return select_;
    }
    VideoTarget::select(in, packet);
    Select fields = Select::unpack(packet);
    fields.codec_select = Select::CodecSelect::ENCODE;
    if (vdenc_) fields.vdenc_mode = Select::VDEncMode::VM_VDENC_MODE;
    fields.scaled_surface_enable = in.one_in(4);
    const auto dwords = fields.pack();
    packet.assign(dwords.begin(), dwords.end());
    return select_;
  }

  /// Blocks within a small picture, often one behind the other; sources that an encoder takes.
  void adjust(StateSource& in, const defs::Command& one, std::vector<uint32_t>& packet) override {
    const auto put = [&](std::string_view name, uint64_t value) { StateSource::put(one, packet, name, value); };
    switch (one.id) {
      case defs::CommandId::MFC_AVC_PAK_OBJECT:
      case defs::CommandId::MFC_MPEG2_PAK_OBJECT:
        next_ = in.one_in(3) ? in.below(6) | in.below(6) << 8 : next_ + 1;
        put("MB X", next_ & 0xff), put("MB Y", next_ >> 8);
        break;
      // Its macroblocks come in order: those of a row, or of a column.
      case defs::CommandId::MFX_VP8_ENCODER_CFG:
        next_ = 0, in_row_ = in.one_in(2);
        if (!in.one_in(3)) put("Frame Header Bit Count", in.below(3000));
        break;
      case defs::CommandId::MFX_VP8_PIC_STATE: put(in_row_ ? "Frame Width" : "Frame Height", 11); break;
      case defs::CommandId::MFX_VP8_PAK_OBJECT:
        put("MB X", in_row_ ? next_ : 0), put("MB Y", in_row_ ? 0 : next_);
        next_ += !in.one_in(8);
        break;
      case defs::CommandId::HCP_PAK_OBJECT:
        next_ = in.one_in(3) ? 0 : next_ + 1;
        put("Current LCU X Address", in.one_in(2) ? 0 : next_), put("Current LCU Y Address", in.one_in(2) ? 0 : next_);
        break;
      case defs::CommandId::HCP_VP9_PAK_OBJECT:
        next_ = in.one_in(3) ? 0 : next_ + 1;
        put("Current SB X Address", in.one_in(2) ? 0 : next_), put("Current SB Y Address", in.one_in(2) ? 0 : next_);
        break;
      case defs::CommandId::HCP_VP9_PIC_STATE: put("Bit Depth", 0), put("Chroma Sampling Format", 0); break;
      case defs::CommandId::MFX_SURFACE_STATE:
        put("Surface ID", in.one_in(2) ? 4 : 0), put("Surface Format", 4), put("Interleave Chroma", 1);
        break;
      case defs::CommandId::MFX_AVC_IMG_STATE: put("MBAFF Mode", 0), put("Image Structure", 0), put("Chroma Format IDC", 1); break;
      case defs::CommandId::MFX_AVC_REF_IDX_STATE: put("Reference Picture List Select", list_ = !list_); break;
      case defs::CommandId::HCP_REF_IDX_STATE:
      case defs::CommandId::HCP_WEIGHTOFFSET_STATE: put("Reference Picture List Select", list_ = !list_); break;
      case defs::CommandId::HCP_SURFACE_STATE:
        put("Surface ID", list_ = !list_), put("Surface Format", 4), put("Surface Pitch", 127);
        break;
      case defs::CommandId::HCP_PIC_STATE:
        put("Luma Bit Depth", 0), put("Chroma Bit Depth", 0), put("Tiling Enable", 0), put("Entropy Coding Sync Enable", 0);
        break;
      case defs::CommandId::VDENC_WALKER_STATE:
        for (const char* name : {"MB/LCU Start X Position", "MB/LCU Start Y Position", "Next Slice MB/LCU Start X Position"})
          put(name, in.below(4));
        break;
      case defs::CommandId::MFX_JPEG_PIC_STATE: {
        const uint32_t layout = 1 + in.below(5);
        static constexpr uint8_t structures[] = {1, 2, 2, 0, 3};
        put("Input Surface Format YUV", layout), put("Output MCU Structure", structures[layout - 1]);
        put("Frame Height In Blocks", in.below(12)), put("Frame Width In Blocks", in.below(12));
        break;
      }
      case defs::CommandId::MFX_PAK_INSERT_OBJECT:
      case defs::CommandId::HCP_PAK_INSERT_OBJECT:
        for (unsigned words = in.below(5); words; --words) packet.push_back(in.take<uint32_t>());
        break;
      default: break;
    }
  }

  const defs::Command& select_;
  const uint32_t hcp_standard_;
  const bool vdenc_;
  bool list_ = false, in_row_ = false;
  uint32_t next_ = 0;
};

enum Codec : uint8_t { avc_pak, avc_vdenc, hevc, mpeg2, jpeg, vp8, vp9, codecs };
constexpr uint8_t first_vp9_kind = 192, first_vp8_kind = 224;

HostileEncoding& hostile(Codec codec) {
  static constexpr const char *mfx = "MFX_PIPE_MODE_SELECT", *hcp = "HCP_PIPE_MODE_SELECT";
  static const std::vector<const char*> shared = {"MFX_SURFACE_STATE", "MFX_SURFACE_STATE", "MFX_PIPE_BUF_ADDR_STATE",
                                                  "MFX_IND_OBJ_BASE_ADDR_STATE"};
  const auto with = [](std::vector<const char*> names) {
    names.insert(names.begin(), shared.begin(), shared.end());
    return names;
  };
  static const std::vector<const char*> slice = {"MFX_AVC_SLICE_STATE", "MFX_AVC_REF_IDX_STATE", "MFX_AVC_REF_IDX_STATE",
                                                 "MFX_AVC_WEIGHTOFFSET_STATE", "MFX_PAK_INSERT_OBJECT"};
  static HostileEncoding targets[codecs] = {
      {mfx, 2, with({"MFX_AVC_IMG_STATE", "MFX_QM_STATE", "MFX_AVC_DIRECTMODE_STATE"}), slice, "MFC_AVC_PAK_OBJECT"},
      {mfx, 2, with({"MFX_AVC_IMG_STATE", "MFX_QM_STATE", "MFX_AVC_DIRECTMODE_STATE", "VDENC_IMG_STATE"}), slice, "VDENC_WALKER_STATE",
       true},
      {hcp,
       0,
       {"HCP_SURFACE_STATE", "HCP_SURFACE_STATE", "HCP_PIPE_BUF_ADDR_STATE", "HCP_IND_OBJ_BASE_ADDR_STATE", "HCP_QM_STATE", "HCP_FQM_STATE",
        "HCP_PIC_STATE"},
       {"HCP_SLICE_STATE", "HCP_REF_IDX_STATE", "HCP_WEIGHTOFFSET_STATE", "HCP_PAK_INSERT_OBJECT"},
       "HCP_PAK_OBJECT"},
      {mfx,
       0,
       with({"MFX_MPEG2_PIC_STATE", "MFX_QM_STATE", "MFX_FQM_STATE"}),
       {"MFC_MPEG2_SLICEGROUP_STATE", "MFX_PAK_INSERT_OBJECT"},
       "MFC_MPEG2_PAK_OBJECT"},
      {mfx,
       3,
       with({"MFX_JPEG_PIC_STATE", "MFX_FQM_STATE", "MFC_JPEG_HUFF_TABLE_STATE"}),
       {"MFX_PAK_INSERT_OBJECT"},
       "MFC_JPEG_SCAN_OBJECT"},
      {mfx, 5, with({"MFX_VP8_ENCODER_CFG", "MFX_VP8_PIC_STATE", "MFX_VP8_BSP_BUF_BASE_ADDR_STATE"}), {}, "MFX_VP8_PAK_OBJECT"},
      {hcp,
       1,
       {"HCP_SURFACE_STATE", "HCP_SURFACE_STATE", "HCP_PIPE_BUF_ADDR_STATE", "HCP_IND_OBJ_BASE_ADDR_STATE", "HCP_VP9_PIC_STATE",
        "HCP_VP9_SEGMENT_STATE"},
       {"HCP_PAK_INSERT_OBJECT"},
       "HCP_VP9_PAK_OBJECT"}};
  return targets[codec];
}

void run_pictures(StateSource& in, Codec codec) {
  // Under ASan the largest of these pictures take a second on a busy host. With changes a packet may make one of any size (64 MiB of a stream: 0.4 s, a
  // sixth of all time).
  static constexpr int64_t enough_ms = 5000, changed_ms = 40 * LimitedRun::run_ms;
  static EncodeRig rig;
  rig.begin(in);
  LimitedRun limit(rig.stop(), rig.is_legal() ? enough_ms : changed_ms);
  switch (codec) {
    case hevc: HevcPictures(rig).run(); break;
    case mpeg2: Mpeg2Pictures(rig).run(); break;
    case jpeg: JpegPictures(rig).run(); break;
    case vp8: Vp8Pictures(rig).run(); break;
    case vp9: Vp9Pictures(rig).run(); break;
    default: AvcPictures(rig, codec == avc_vdenc).run(); break;
  }
  rig.end();
}

}  // namespace
}  // namespace softgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softgen::fuzz;
  StateSource in({data, size});
  const uint8_t kind = in.take<uint8_t>();
  // The last kinds are VP9's and VP8's; the others are as the corpus has them.
  constexpr uint8_t others = vp8;
  const auto codec = kind >= first_vp8_kind ? vp8 : kind >= first_vp9_kind ? vp9 : static_cast<Codec>(kind % others);
  if ((codec >= others ? kind : kind / others) % 3 == 0) hostile(codec).run({data, size});
  else run_pictures(in, codec);
  return 0;
}
