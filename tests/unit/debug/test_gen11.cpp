// SPDX-License-Identifier: GPL-2.0-or-later
// Gen11's packets, printed from its tables. The dwords come from Mesa 25.0.7's packers (genxml/gen110.xml), so that a wrong position in
// our tables is found.
#include <type_traits>
#include <vector>

#include "hw/debug/printer.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen9/all.h"
#include "tests/catch.h"

using namespace softgen;
using debug::Json;
using defs::EngineClass;
using defs::Gen11;
using defs::Gen9;

namespace {

Json fields_of(const defs::CommandSet& commands, const std::vector<uint32_t>& dwords) {
  const defs::Command* command = commands.find(EngineClass::render, dwords[0]);
  REQUIRE(command);
  REQUIRE(defs::command_length(*command, dwords[0]) == dwords.size());
  return debug::packet_json({0, debug::BatchLevel::first, true, command, dwords}, softgen::defs::gen9::registers)["fields"];
}
Json fields_of(const std::vector<uint32_t>& dwords) { return fields_of(Gen11::commands, dwords); }

}  // namespace

TEST_CASE("gen11: bases, with one of bindless samplers") {
  const Json fields = fields_of({0x61010014, 0, 0, 0, 0x23456001, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x543212a1, 0x76, 0x345000});
  CHECK(fields["Surface State Base Address"] == "0x123456000");
  CHECK(fields["Surface State Base Address Modify Enable"] == true);
  CHECK(fields["Bindless Sampler State Base Address"] == "0x7654321000");
  CHECK(fields["Bindless Sampler State MOCS"] == 0x2a);
  CHECK(fields["Bindless Sampler State Buffer Size"] == 0x345);
  CHECK(Gen9::commands.find("STATE_BASE_ADDRESS")->dwords == 19);
}

TEST_CASE("gen11: PIPE_CONTROL") {
  const Json fields = fields_of({0x7a000004, 0x20024000, 0x01234560, 0, 0x55667788, 0x11223344});
  CHECK(fields["Command Cache Invalidate Enable"] == true);
  CHECK(fields["PSD Sync Enable"] == true);
  CHECK(fields["Post Sync Operation"]["value"] == 1);
  CHECK(fields["Immediate Data"] == 0x1122334455667788);
  CHECK_FALSE(fields_of(Gen9::commands, {0x7a000004, 0x20024000, 0, 0, 0, 0}).contains("PSD Sync Enable"));
}

TEST_CASE("gen11: the vertex shader's wider field of threads") {
  const std::vector<uint32_t> vs = {0x78100007, 0x98765400, 0, 0, 0, 0, 0, 0x88400201, 0};
  CHECK(fields_of(vs)["Maximum Number of Threads"] == 545);
  CHECK(fields_of(vs)["SIMD8 Single Instance Dispatch Enable"] == true);
  CHECK(Gen11::_3DSTATE_VS::View(vs).maximum_number_of_threads() == 545);
  CHECK(Gen9::_3DSTATE_VS::View(vs).maximum_number_of_threads() == 272);
}

TEST_CASE("gen11: packets that Gen9 lacks, such as coarse pixels") {
  const Json cps = fields_of({0x78220007, 0x10c0, 0x06e00000, 0, 0, 0, 0x3f000000, 0, 0});
  CHECK(cps["Min CP Size X"] == 1.5);
  CHECK(cps["Max CP Size Y"] == -2.25);
  CHECK(cps["Coarse Pixel Shading Mode"]["name"] == "CPS_MODE_CONSTANT");
  CHECK(cps["M x"] == 0.5);
  const Json extra = fields_of({0x784f0000, 0x80040210});
  CHECK(extra["Pixel Shader Is Per Coarse Pixel"] == true);
  CHECK(extra["Pixel Shader Requires Subpixel Sample Offsets"] == true);
  CHECK(extra["Simple PS Hint"] == true);
  const Json sgvs = fields_of({0x78560001, 0x9005, 0xc007});
  CHECK(sgvs["XP0 Source Select"]["name"] == "VERTEX_LOCATION");
  CHECK(sgvs["XP0 Element Offset"] == 5);
  CHECK(sgvs["XP2 Component Number"] == 2);
  for (const uint32_t header : {0x78220007u, 0x78560001u}) CHECK_FALSE(Gen9::commands.find(EngineClass::render, header));
}

TEST_CASE("gen11: a draw with extended parameters") {
  const std::vector<uint32_t> draw = {0x7b000808, 0, 3, 0, 1, 0, 0, 11, 12, 13};
  const Json fields = fields_of(draw);
  CHECK(fields["Extended Parameters Present"] == true);
  CHECK(fields["Vertex Count Per Instance"] == 3);
  const Gen11::_3DPRIMITIVE::View view(draw);
  REQUIRE(view.elements() == 3);
  for (size_t i = 0; i < 3; ++i) CHECK(view.extended_parameter(i) == 11 + i);
  CHECK(Gen11::commands.find(EngineClass::render, draw[0])->draws);
}

TEST_CASE("gen11: the bits of position-only shading, and its packets") {
  const Json start = fields_of({0x18b00001, 0x1000, 0});
  CHECK(start["POSH Start"] == true);
  CHECK(start["POSH Enable"] == true);
  CHECK(fields_of({0x7b002005, 0, 0, 0, 0, 0, 0})["POSH Enable"] == true);
  CHECK(fields_of({0x79220002, 0x00531f0f, 0x40, 0})["Tile Columns"] == 3);
  CHECK(Gen11::commands.find("3DSTATE_VS")->position);
  CHECK_FALSE(Gen11::commands.find("3DSTATE_PS")->position);
  for (const defs::Command& command : Gen9::commands.commands) CHECK_FALSE(command.position);
}

TEST_CASE("gen11: registers relative to the engine's base, and opcodes that were removed") {
  CHECK(fields_of({0x11080001, 0x600, 0xabcd})["Add CS MMIO Start Offset"] == true);
  const Json copy = fields_of({0x15080001, 0x2358, 0x608});
  CHECK(copy["Add CS MMIO Start Offset Destination"] == true);
  CHECK(copy["Add CS MMIO Start Offset Source"] == false);
  CHECK_FALSE(Gen11::commands.find(EngineClass::render, 0x2cu << 23));  // Gen9's MI_LOAD_URB_MEM
  CHECK(std::string_view(Gen11::commands.find(EngineClass::render, 0x04u << 23)->name) == "MI_WAIT_FOR_EVENT_2");
  CHECK(std::string_view(Gen9::commands.find(EngineClass::render, 0x04u << 23)->name) == "MI_FLUSH");
}

TEST_CASE("gen11: a surface whose clear colour is in memory") {
  const std::vector<uint32_t> surface = {0x231c0000, 0x80000000, 0x001f003f, 0, 0, 0, 0, 0, 0, 0, 0x400, 0, 0x32100040, 0x54, 0, 0};
  const auto state = Gen11::RENDER_SURFACE_STATE::unpack(surface);
  CHECK(state.clear_value_address_enable);
  CHECK(state.clear_value_address == 0x5432100040);
  CHECK(state.enable_unorm_path_in_color_pipe);
  CHECK((state.width == 63 && state.height == 31));
  STATIC_REQUIRE(std::is_same_v<Gen11::_3DSTATE_CLIP, Gen9::_3DSTATE_CLIP>);
  STATIC_REQUIRE_FALSE(std::is_same_v<Gen11::SAMPLER_STATE, Gen9::SAMPLER_STATE>);
}
