// SPDX-License-Identifier: GPL-2.0-or-later
// SFC behind VCS, with packets in iHD's order (codechal_decode_avc.cpp, AddPictureCmds). Pictures have I_PCM macroblocks alone, so their samples are the stream's.
#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "hw/base/log.h"
#include "hw/media/sfc/decoded.h"
#include "tests/unit/media/hevc_encode_rig.h"
#include "tests/unit/media/sfc_rig.h"
#include "tests/unit/media/vebox_rig.h"
#include "tests/unit/media/video_rig.h"

using namespace softgen;
using namespace softgen::media;
using G = defs::Gen9;

namespace {

constexpr uint64_t stream = 0x1'0000, decoded = 0x3'0000, output = 0x4'0000, end = 0xa'0000;
constexpr uint32_t columns = 6, rows = 5, width = columns * 16, height = rows * 16, pitch = 128, out_pitch = 1024, chroma_row = 96,
                   out_chroma_row = 192;

using State = G::SFC_STATE;
using Format = State::OutputSurfaceFormatType;

uint8_t luma_at(uint32_t x, uint32_t y) { return static_cast<uint8_t>((x * 37 + y * 101 + x * y) % 220 + 16); }
uint8_t chroma_at(uint32_t x, uint32_t y, uint32_t c) { return static_cast<uint8_t>((x * 11 + y * 59 + c * 31 + 3 * x * y) % 224 + 16); }

using test::SfcPackets;

template <class Rig>
void start(const SfcPackets& sfc, Rig& rig) {
  sfc.send_to(rig), rig.send(G::SFC_FRAME_START{});
}

template <class Rig>
std::vector<uint8_t> bytes_of(Rig& rig, uint64_t from, uint64_t to) {
  std::vector<uint8_t> all(to - from);
  rig.view.read(from, all.data(), all.size());
  return all;
}

struct Fixture : test::VideoRig {
  Fixture() : VideoRig(stream, end) {
    std::vector<uint8_t> slice;
    for (uint32_t y = 0; y < rows; ++y)
      for (uint32_t x = 0; x < columns; ++x) {
        slice.insert(slice.end(), {0x0d, 0x00});  // mb_type 25, and zeros up to a byte
        for (uint32_t i = 0; i < 256; ++i) slice.push_back(luma_at(x * 16 + i % 16, y * 16 + i / 16));
        for (uint32_t i = 0; i < 128; ++i) slice.push_back(chroma_at(x * 8 + i % 8, y * 8 + i % 64 / 8, i / 64));
      }
    slice.push_back(0x80);
    view.write(stream, slice.data(), slice.size());
    object.indirect_bsd_data_length = static_cast<uint32_t>(slice.size());
    mode.standard_select = G::MFX_PIPE_MODE_SELECT::StandardSelect::SS_AVC;
    mode.decoder_short_format_mode = G::MFX_PIPE_MODE_SELECT::DecoderShortFormatMode::LONG_FORMAT_DRIVER_INTERFACE;
    mode.pre_deblocking_output_enable = true;
    image.frame_width = columns - 1, image.frame_height = rows - 1, image.frame_mb_only = true;
    image.chroma_format_idc = static_cast<decltype(image.chroma_format_idc)>(1);
    surface.surface_format = G::MFX_SURFACE_STATE::SurfaceFormat::MFX_PLANAR_420_8;
    surface.interleave_chroma = true;
    surface.width = width - 1, surface.height = height - 1, surface.surface_pitch = pitch - 1, surface.y_offset_for_u_cb = chroma_row;
    sfc.lock.sfc_lock_body.pre_scaled_output_surface_output_enable = true;
  }
  void send_picture_states() {
    G::MFX_PIPE_BUF_ADDR_STATE buffers;
    buffers.pre_deblocking_destination_address = decoded;
    G::MFX_IND_OBJ_BASE_ADDR_STATE base;
    base.mfx_indirect_bitstream_object_address = stream;
    G::MFX_AVC_SLICE_STATE slice;
    slice.slice_type = G::MFX_AVC_SLICE_STATE::SliceType::AVC_ST_I_SLICE;
    slice.disable_deblocking_filter_indicator = 1;
    send(surface), send(buffers), send(base), send(image), send(slice);
  }
  void decode(bool scales = true) {
    send(mode);
    if (scales) start(sfc, *this);
    send_picture_states(), send(object);
    REQUIRE(video.flush({}, env) == ExecResult::done);
  }
  unsigned wrong(uint64_t at, uint32_t row_bytes, uint32_t first_chroma_row) {
    unsigned count = 0;
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x) {
        count += view.load<uint8_t>(at + y * row_bytes + x) != luma_at(x, y);
        count += view.load<uint8_t>(at + (first_chroma_row + y / 2) * row_bytes + x) != chroma_at(x / 2, y / 2, x % 2);
      }
    return count;
  }
  bool is_untouched(uint64_t from, uint64_t to) {
    const std::vector<uint8_t> all = bytes_of(*this, from, to);
    return std::ranges::all_of(all, [](uint8_t byte) { return byte == 0; });
  }

  G::MFX_PIPE_MODE_SELECT mode;
  G::MFX_AVC_IMG_STATE image;
  G::MFX_SURFACE_STATE surface;
  G::MFD_AVC_BSD_OBJECT object;
  SfcPackets sfc{SfcClient::mfx, width, height, output, out_pitch, out_chroma_row};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "sfc behind vcs: without scaling the frame is the decoder's, whose surface is written where SFC_LOCK says so") {
  const bool keeps = sfc.lock.sfc_lock_body.pre_scaled_output_surface_output_enable = GENERATE(false, true);
  decode();
  CHECK(wrong(output, out_pitch, out_chroma_row) == 0);
  if (keeps) CHECK(wrong(decoded, pitch, chroma_row) == 0);
  else CHECK(is_untouched(decoded, output));
  // The frame is over: the next picture goes to its surface alone.
  view.fill(output, 0, end - output);
  decode(false);
  CHECK(wrong(decoded, pitch, chroma_row) == 0);
  CHECK(is_untouched(output, end));
}

TEST_CASE_METHOD(Fixture, "sfc behind vcs: frames are those that VEBOX's pictures become") {
  std::mt19937 random(7);
  const auto tap = [&] { return (static_cast<float>(random() % 64) - 24) / 64; };
  auto& l = sfc.luma.avs_luma_coefficient_table_body;
  auto& c = sfc.chroma.avs_chroma_coefficient_table_body;
  for (auto* taps : {&l.table_0x_filter_coefficient_2, &l.table_0x_filter_coefficient_3, &l.table_0x_filter_coefficient_4,
                     &l.table_0y_filter_coefficient_3, &l.table_0y_filter_coefficient_5, &c.table_1x_filter_coefficient_3,
                     &c.table_1x_filter_coefficient_4, &c.table_1y_filter_coefficient_3})
    std::ranges::generate(*taps, tap);
  sfc.avs.avs_state_body.sharpness_level = 200;
  auto& f = sfc.ief.sfc_ief_state_body;
  f.transform_enable = true, f.c0 = f.c3 = f.c6 = 1.164f, f.c2 = 1.596f, f.c4 = -0.391f, f.c5 = -0.812f, f.c7 = 2.017f;
  f.offset_in_1 = -16, f.offset_in_2 = f.offset_in_3 = -128;
  struct Row {
    Format format;
    uint32_t wide, high;
  };
  const Row row =
      GENERATE(Row{Format::NV12, 64, 120}, Row{Format::A8B8G8R8, width, height}, Row{Format::A8B8G8R8, 150, 50}, Row{Format::YUYV, 96, 44});
  sfc.state.csc_enable = row.format == Format::A8B8G8R8;
  sfc.state.chroma_upsampling_enable = true;
  sfc.become(row.format, row.wide, row.high);
  decode();
  test::VeboxRig vebox(stream, end);
  const std::vector<uint8_t> picture = bytes_of(*this, decoded, output);
  vebox.view.write(decoded, picture.data(), picture.size());
  G::VEBOX_SURFACE_STATE source;
  source.width = width - 1, source.height = height - 1, source.surface_pitch = source.derived_surface_pitch = pitch - 1;
  source.surface_format = G::VEBOX_SURFACE_STATE::SurfaceFormat::PLANAR_420_8;
  source.interleave_chroma = true, source.y_offset_for_u = chroma_row;
  G::VEB_DI_IECP veb;
  veb.ending_x = width - 1, veb.current_frame_input_address = decoded;
  vebox.send(G::VEBOX_STATE{}), vebox.send(source);
  sfc.set_client(SfcClient::vebox);
  start(sfc, vebox);
  REQUIRE(vebox.send(veb) == ExecResult::done);
  CHECK_FALSE(is_untouched(output, output + out_pitch));
  CHECK(bytes_of(*this, output, end) == vebox.bytes(output, end));
}

TEST_CASE_METHOD(Fixture, "sfc behind vcs: packets are kept in the context image; a reset drops the work") {
  start(sfc, *this);
  std::vector<std::byte> context(video.context_size());
  video.save_context(context), video.reset_context();
  const std::vector<std::byte> saved = context;
  video.restore_context(saved);
  decode(false);
  CHECK(wrong(output, out_pitch, out_chroma_row) == 0);
  view.fill(output, 0, end - output);
  send(mode), start(sfc, *this), send_picture_states(), send(object);
  stop.request(StopFlag::reset);
  CHECK(video.flush({}, env) == ExecResult::aborted);
  CHECK(is_untouched(output, end));
  stop.clear(StopFlag::reset);
  decode(false);
  CHECK(is_untouched(output, end));
}

TEST_CASE_METHOD(Fixture, "sfc behind vcs: what does not fit changes nothing but the decoder's surface") {
  const std::vector<std::function<void()>> mistakes = {
      [&] { sfc.set_client(SfcClient::vebox); },
      [&] { sfc.lock.sfc_lock_body.ve_sfc_pipe_select = G::SFC_LOCK_BODY::VESFCPipeSelect::VEBOX; },
      [&] { sfc.state.sfc_pipe_mode = State::SFCPipeMode::VE_TO_SFC; },
      [&] { sfc.state.input_frame_resolution_width = width; },
      [&] { sfc.state.input_frame_resolution_height = height; },
      [&] { sfc.state.sfc_input_chroma_sub_sampling = State::SFCInputChromaSubSampling::_4_2_2_HORIZONATAL; },
      [&] { sfc.state.sfc_input_chroma_sub_sampling = State::SFCInputChromaSubSampling::_4_0_0; },
      [&] { sfc.state.source_region_height = height; },
      [&] { sfc.state.output_surface_format_type = Format::INTEGRAL_32; }};
  for (size_t i = 0; i < mistakes.size(); ++i) {
    const SfcPackets good = sfc;
    mistakes[i]();
    view.fill(decoded, 0, output - decoded);
    decode();
    CAPTURE(i);
    CHECK(wrong(decoded, pitch, chroma_row) == 0);
    CHECK(is_untouched(output, end));
    sfc = good;
  }
  SECTION("a field is not a picture of SFC's") {
    image.image_structure = G::MFX_AVC_IMG_STATE::ImageStructure::TOP_FIELD_PICTURE, image.field_picture = true;
    decode();
    CHECK(is_untouched(output, end));
  }
}

// Gen9's SFC has no pipe mode for it, and iHD sends HEVC's pictures through VEBOX.
TEST_CASE("sfc behind vcs: a picture of HCP's goes to its surface alone, and the frame is counted") {
  using Rig = test::HevcEncodeRig;
  Rig rig;
  SfcPackets sfc(SfcClient::mfx, Rig::width, Rig::height, Rig::coded, out_pitch, out_chroma_row);
  clear_failure_counts();
  rig.begin(0, true);
  start(sfc, rig);
  rig.slice.slice_type = G::HCP_SLICE_STATE::SliceType::HCP_ST_I_SLICE;
  rig.send_slice(0, 0, true);
  rig.send(G::HCP_BSD_OBJECT{});
  REQUIRE(rig.video.flush({}, rig.env) == ExecResult::done);
  CHECK(failure_count(Failure::unsupported, "SFC behind HCP") == 1);
  // Without a slice's bytes all of it is grey.
  CHECK(rig.view.load<uint8_t>(Rig::picture_at(0, true)) == 128);
  const std::vector<uint8_t> all = bytes_of(rig, Rig::coded, Rig::coded_end);
  CHECK(std::ranges::all_of(all, [](uint8_t byte) { return byte == 0; }));
}

TEST_CASE_METHOD(Fixture, "sfc behind a decoder: planes of all samplings, and pictures without chroma") {
  struct Row {
    vebox::Sampling sampling;
    unsigned step_x, step_y;
    bool grey;
  };
  const Row row = GENERATE(Row{vebox::Sampling::s420, 2, 2, false}, Row{vebox::Sampling::s422, 2, 1, false},
                           Row{vebox::Sampling::s444, 1, 1, false}, Row{vebox::Sampling::s420, 2, 2, true});
  const uint32_t stride = width + 5, half = (width + row.step_x - 1) / row.step_x;
  std::vector<std::vector<uint8_t>> planes(3, std::vector<uint8_t>(stride * height));
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x) {
      planes[0][y * stride + x] = luma_at(x, y);
      if (x < half)
        for (uint32_t c = 0; c < 2; ++c) planes[1 + c][y * stride + x] = static_cast<uint8_t>(80 + 60 * c);
    }
  HostPicture picture{.width = width, .height = height, .chroma_step_x = row.step_x, .chroma_step_y = row.step_y, .planes = {}};
  for (size_t c = 0; c < (row.grey ? 1u : 3u); ++c) picture.planes[c] = {planes[c].data(), stride, 1};
  sfc::Job job;
  job.width = width, job.height = height - 6;  // not all of the picture
  job.input = row.sampling;
  if (row.grey) job.grey = std::array<uint16_t, 2>{80 << 8, 140 << 8};
  job.x.count = job.x.scaled = width, job.y.count = job.y.scaled = height - 6;
  job.output.format = {vebox::Sampling::s444, false, 1, {0, 1, 2, 3}};
  job.output.planes[0] = {.base = output, .pitch = out_pitch, .element = 4, .width = width, .height = height};
  WorkerPool pool(2);
  sfc::DecodedFrame frame(GENERATE(false, true) ? &pool : nullptr);
  frame.begin(job);
  CHECK_FALSE(frame.keeps_surface());
  frame.take(picture, env);
  CHECK_FALSE(frame.is_awaiting());
  unsigned wrong = 0;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x)
      wrong +=
          view.load<uint32_t>(output + y * out_pitch + 4 * x) != (y < job.height ? luma_at(x, y) | 80u << 8 | 140u << 16 | 255u << 24 : 0);
  CHECK(wrong == 0);
}

// A streamer switches contexts wherever in_picture() is false, and MI_ARB_CHECK may be anywhere in a batch.
TEST_CASE_METHOD(Fixture, "a context that leaves wherever it may decodes the same picture") {
  std::vector<std::byte> saved(video.context_size());
  const auto save_and_restore = [&] {
    if (video.in_picture()) return;
    video.save_context(saved);
    video.reset_context();
    video.restore_context(saved);
  };
  send(mode), save_and_restore();
  send_picture_states(), save_and_restore();
  send(object), save_and_restore();
  REQUIRE(video.flush({}, env) == ExecResult::done);
  CHECK_FALSE(video.in_picture());
  CHECK(wrong(decoded, pitch, chroma_row) == 0);
}

TEST_CASE_METHOD(Fixture, "a flush ends a picture without objects, too") {
  send(mode), send_picture_states();
  CHECK(video.in_picture());
  REQUIRE(video.flush({}, env) == ExecResult::done);
  CHECK_FALSE(video.in_picture());
}
