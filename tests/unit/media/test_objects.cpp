// SPDX-License-Identifier: GPL-2.0-or-later
// Objects of another standard or direction than the picture's: counted by name, without effect. Their bytes: the copy of many can be stopped.
#include <string>
#include <vector>

#include "hw/base/log.h"
#include "tests/unit/media/video_rig.h"

using namespace softgen;
using namespace softgen::media;
using G = defs::Gen9;

namespace {

using Mfx = G::MFX_PIPE_MODE_SELECT;
using Hcp = G::HCP_PIPE_MODE_SELECT;

struct Object {
  std::string name;
  std::vector<uint32_t> dwords;
  std::vector<PipeMode> modes;  ///< whose pictures it is part of
};

template <class Packet>
Object object(std::string name, std::vector<PipeMode> modes) {
  const auto dwords = Packet{}.pack();
  return {std::move(name), {dwords.begin(), dwords.end()}, std::move(modes)};
}

std::vector<Object> objects() {
  using enum Standard;
  return {
      object<G::MFD_AVC_BSD_OBJECT>("MFD_AVC_BSD_OBJECT", {{avc}}),
      object<G::MFD_MPEG2_BSD_OBJECT>("MFD_MPEG2_BSD_OBJECT", {{mpeg2}}),
      object<G::MFD_VC1_BSD_OBJECT>("MFD_VC1_BSD_OBJECT", {{vc1}}),
      object<G::MFD_VP8_BSD_OBJECT>("MFD_VP8_BSD_OBJECT", {{vp8}}),
      object<G::MFD_JPEG_BSD_OBJECT>("MFD_JPEG_BSD_OBJECT", {{jpeg}}),
      object<G::HCP_BSD_OBJECT>("HCP_BSD_OBJECT", {{hevc}, {vp9}}),
      object<G::MFC_AVC_PAK_OBJECT>("MFC_AVC_PAK_OBJECT", {{avc, true}}),
      object<G::VDENC_WALKER_STATE>("VDENC_WALKER_STATE", {{avc, true}}),
      object<G::MFC_MPEG2_PAK_OBJECT>("MFC_MPEG2_PAK_OBJECT", {{mpeg2, true}}),
      object<G::MFX_VP8_PAK_OBJECT>("MFX_VP8_PAK_OBJECT", {{vp8, true}}),
      object<G::MFC_JPEG_SCAN_OBJECT>("MFC_JPEG_SCAN_OBJECT", {{jpeg, true}}),
      object<G::MFX_PAK_INSERT_OBJECT>("MFX_PAK_INSERT_OBJECT", {{avc, true}, {mpeg2, true}, {jpeg, true}}),
      object<G::HCP_PAK_OBJECT>("HCP_PAK_OBJECT", {{hevc, true}}),
      object<G::HCP_PAK_INSERT_OBJECT>("HCP_PAK_INSERT_OBJECT", {{hevc, true}}),
  };
}

struct Fixture : test::VideoRig {
  Fixture() : VideoRig(0x1'0000, 0x2'0000) {}

  void select(PipeMode mode) {
    using enum Standard;
    if (mode.standard == hevc || mode.standard == vp9) {
      Hcp select{};
      select.codec_standard_select = mode.standard == hevc ? Hcp::CodecStandardSelect::HEVC : Hcp::CodecStandardSelect::VP9;
      if (mode.encode) select.codec_select = Hcp::CodecSelect::ENCODE;
      return send(select);
    }
    Mfx select{};
    using Of = Mfx::StandardSelect;
    select.standard_select = mode.standard == mpeg2  ? Of::SS_MPEG2
                             : mode.standard == vc1  ? Of::SS_VC1
                             : mode.standard == avc  ? Of::SS_AVC
                             : mode.standard == jpeg ? Of::SS_JPEG
                                                     : Of::SS_VP8;
    if (mode.encode) select.codec_select = Mfx::CodecSelect::ENCODE;
    send(select);
  }
};

bool is_of(const Object& object, PipeMode mode) {
  for (const PipeMode& own : object.modes)
    if (own.standard == mode.standard && own.encode == mode.encode) return true;
  return false;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "objects of other pictures are counted by name, and begin nothing") {
  using enum Standard;
  const PipeMode modes[] = {{mpeg2}, {vc1},         {avc},       {jpeg},       {vp8},       {hevc},
                            {vp9},   {mpeg2, true}, {avc, true}, {jpeg, true}, {vp8, true}, {hevc, true}};
  for (const PipeMode mode : modes)
    for (const Object& object : objects()) {
      if (is_of(object, mode)) continue;
      INFO(object.name << " in standard " << static_cast<unsigned>(mode.standard) << (mode.encode ? ", encoded" : ", decoded"));
      clear_failure_counts();
      select(mode);
      send_dwords(object.dwords);
      CHECK(failure_count(Failure::guest_error, object.name) == 1);
      // As after the selection: no object has come.
      CHECK(video.in_picture());
      REQUIRE(video.flush({}, env) == ExecResult::done);
      CHECK_FALSE(video.in_picture());
    }
}

TEST_CASE_METHOD(Fixture, "the copy of an object's bytes ends when work is to be dropped") {
  std::vector<uint8_t> buffer;
  CHECK(read_object(env, 0x1'0000, max_object_bytes, 0, buffer).size() == max_object_bytes);
  stop.request(StopFlag::reset);
  CHECK(read_object(env, 0x1'0000, max_object_bytes, 0, buffer).size() < max_object_bytes / 16);
  CHECK(read_object(env, 0x1'0000, 1000, 0, buffer).size() == 1000);
}
