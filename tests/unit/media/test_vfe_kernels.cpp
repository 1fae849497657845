// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels of i965-va-driver in VFE's generic mode, where SOFTGEN_VA_SHADERS names its src/shaders: planes are converted as its post processing does
// (i965_post_processing.c, pp_plx_load_save_plx_initialize), with the real data port.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "hw/dataport/dataport.h"
#include "hw/surface/surface.h"
#include "tests/unit/media/vfe_rig.h"

using namespace softgen;
using namespace softgen::media::vfe;
using namespace softgen::media::vfe::test;

namespace {

constexpr uint32_t width = 32, height = 8, surfaces_at = 0x14000, table_at = 0x15000, source_at = 0x20000, target_at = 0x30000;

/// The words of an assembler's output.
std::vector<uint32_t> words(const std::filesystem::path& path) {
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  std::vector<uint32_t> found;
  for (size_t at = 0; (at = text.find("0x", at)) != std::string::npos; at += 2)
    found.push_back(static_cast<uint32_t>(std::stoul(text.substr(at, 10), nullptr, 16)));
  return found;
}

struct PlaneRig : VfeRig {
  PlaneRig() {
    target.answer = [this](const Message& message, ThreadEnv& env) { return port.send(message, env); };
    vfe.number_of_urb_entries = 32, vfe.urb_entry_allocation_size = 0;
    fence.vfe_fence = 32, fence.cs_fence = 48;
    cs.urb_entry_allocation_size = 3;
  }
  /// A plane of bytes; width counts dwords, as in pp_set_media_rw_message_surface().
  void plane(unsigned index, uint32_t base, uint32_t row_bytes, uint32_t rows) {
    gen5::RENDER_SURFACE_STATE s;
    s.surface_type = gen5::RENDER_SURFACE_STATE::SurfaceType::SURFTYPE_2D;
    s.surface_format = gen5::SurfaceFormat::R8_UNORM;
    s.surface_base_address = base, s.width = row_bytes / 4 - 1, s.height = rows - 1, s.surface_pitch = row_bytes - 1;
    put(surfaces_at + index * 64, s);
    view.store<uint32_t>(table_at + index * 4, surfaces_at + index * 64);
  }
  dataport::DataPort port;
};

}  // namespace

TEST_CASE("vfe kernels: planar frames become NV12") {
  const char* folder = std::getenv("SOFTGEN_VA_SHADERS");
  if (!folder) {
    WARN("SOFTGEN_VA_SHADERS is not set: kernels of i965-va-driver are not run");
    return;
  }
  for (const uint32_t mask : {0xffffffu, 0u}) {
    PlaneRig rig;
    const auto code = words(std::filesystem::path(folder) / "post_processing/gen5_6/pl3_load_save_nv12.g4b.gen5");
    REQUIRE(code.size() > 100);
    rig.view.write(VfeRig::kernels_at, code.data(), code.size() * 4);
    gen5::INTERFACE_DESCRIPTOR d;
    d.kernel_start_pointer = VfeRig::kernels_at, d.binding_table_pointer = table_at;
    d.constant_urb_entry_read_length = 4;
    rig.put(VfeRig::descriptors_at, d);
    std::mt19937 random(3);
    std::vector<uint8_t> source(width * height * 3 / 2);
    for (uint8_t& byte : source) byte = static_cast<uint8_t>(random());
    rig.view.write(source_at, source.data(), source.size());
    constexpr uint32_t luma = width * height, chroma = luma / 4;
    rig.plane(1, source_at, width, height);
    rig.plane(2, source_at + luma, width / 2, height / 2), rig.plane(3, source_at + luma + chroma, width / 2, height / 2);
    rig.plane(7, target_at, width, height), rig.plane(8, target_at + luma, width, height / 2);
    rig.set_state();
    rig.set_constants(std::vector<uint32_t>(32));
    std::vector<uint32_t> inline_data(16);
    inline_data[5] = width / 16 << 24;                       // blocks of a row
    inline_data[6] = width / 16 << 24 | mask;                // and which samples of a block are written
    inline_data[9] = mask, inline_data[10] = mask & 0xffff;  // of the last one, and of those between
    CHECK(rig.object(gen5::MEDIA_OBJECT{}, inline_data) == ExecResult::done);
    std::vector<uint8_t> expected(source.size());
    if (mask) {
      std::copy_n(source.begin(), luma, expected.begin());
      for (uint32_t i = 0; i < chroma; ++i)
        expected[luma + 2 * i] = source[luma + i], expected[luma + 2 * i + 1] = source[luma + chroma + i];
    }
    std::vector<uint8_t> found(source.size());
    rig.view.read(target_at, found.data(), found.size());
    INFO("mask " << mask);
    CHECK(found == expected);
  }
}
