// SPDX-License-Identifier: GPL-2.0-or-later
// Gen12's packets, printed from its tables. The dwords come from Mesa 25.0.7's packers (genxml/gen120.xml), where not said otherwise, so that
// a wrong position in our tables is found.
#include <vector>

#include "hw/debug/printer.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "tests/catch.h"

using namespace softgen;
using debug::Json;
using defs::EngineClass;
using defs::Gen11;
using defs::Gen12;

namespace {

Json fields_of(EngineClass engine, const std::vector<uint32_t>& dwords, const defs::CommandSet& commands = Gen12::commands) {
  const defs::Command* command = commands.find(engine, dwords[0]);
  REQUIRE(command);
  REQUIRE(defs::command_length(*command, dwords[0]) == dwords.size());
  return debug::packet_json({0, debug::BatchLevel::first, true, command, dwords}, defs::gen12::registers)["fields"];
}
Json fields_of(const std::vector<uint32_t>& dwords) { return fields_of(EngineClass::render, dwords); }

}  // namespace

TEST_CASE("gen12: PIPE_CONTROL") {
  const std::vector<uint32_t> flush = {0x7a000604, 0x18004000, 0x12345678, 0, 0x55667788, 0x11223344};
  const Json fields = fields_of(flush);
  CHECK(fields["HDC Pipeline Flush Enable"] == true);
  CHECK(fields["L3 Read Only Cache Invalidation Enable"] == true);
  CHECK(fields["Protected Memory Disable"] == true);
  CHECK(fields["Tile Cache Flush Enable"] == true);
  CHECK(fields["Post Sync Operation"]["value"] == 1);
  CHECK(fields["Immediate Data"] == 0x1122334455667788);
  CHECK_FALSE(fields_of(EngineClass::render, flush, Gen11::commands).contains("Protected Memory Disable"));
  const Json other = fields_of({0x7a000004, 0x40400000, 0, 0, 0, 0});
  CHECK(other["L3 Fabric Flush"] == true);
  CHECK(other["Protected Memory Enable"] == true);
}

TEST_CASE("gen12: a semaphore wait polls a register, or has a token in a fifth dword") {
  const Json poll = fields_of({0xe01c002, 0x55, 0x4208, 0});
  CHECK(poll["Register Poll Mode"] == true);
  CHECK(poll["Wait Mode"]["name"] == "Polling Mode");
  CHECK(poll["Compare Operation"]["value"] == 4);
  // i915 gt/gen8_engine_cs.c, gen12_emit_preempt_busywait: MI_SEMAPHORE_WAIT_TOKEN, global, polling, equal; here with a token.
  const std::vector<uint32_t> token = {0xe40c003, 0, 0x10c8, 0, 0x140};
  CHECK(fields_of(token)["Wait Token Number"] == 10);
  CHECK(Gen12::MI_SEMAPHORE_WAIT::View(token).semaphore_address() == 0x10c8);
}

TEST_CASE("gen12: MI commands with bits of their own") {
  const Json arb = fields_of({0x2800101});
  CHECK((arb["Pre-Parser Disable"] == true && arb["Pre-Parser Disable Mask"] == true));
  CHECK(fields_of({0x2800100})["Pre-Parser Disable"] == false);
  const Json store = fields_of({0x10200403, 0x23456780, 1, 0x55667788, 0x11223344});
  CHECK(store["Force Write Completion Check"] == true);
  CHECK(store["Address"] == "0x123456780");
  const Json id = fields_of({0x70000c5});
  CHECK(id["Protected Memory Application ID"] == 0x45);
  CHECK(id["Protected Memory Application ID Type"]["value"] == 1);
  const Json wake = fields_of({0xe800000, 0x3000300});
  CHECK((wake["HEVC Power Well Control"] == true && wake["MFX Power Well Control"] == true && wake["Mask Bits"] == 0x300));
  // i915 gt/intel_gpu_commands.h: MI_LRI_MMIO_REMAP_EN, MI_FLUSH_DW_CCS.
  CHECK(fields_of({0x11020001, 0x4208, 1})["MMIO Remap Enable"] == true);
  CHECK(fields_of(EngineClass::copy, {0x13010002, 0, 0, 0})["Flush CCS"] == true);
}

TEST_CASE("gen12: the blitter's block copy and fast colour") {
  const Json copy = fields_of(EngineClass::copy, {0x5068000a, 0x4842abcd, 0x20001, 0x4000300, 0x23456000, 1, 0x20023001, 0x60005, 0x48001ff,
                                                  0x65432100, 7, 0x80007});
  CHECK(copy["Color Depth"]["name"] == "128_BIT");
  CHECK((copy["Destination Pitch"] == 0x2abcd && copy["Destination MOCS"] == 0x42 && copy["Destination Tiling"]["name"] == "Y"));
  CHECK((copy["Destination X1"] == 1 && copy["Destination Y1"] == 2 && copy["Destination X2"] == 0x300 && copy["Destination Y2"] == 0x400));
  CHECK((copy["Destination Base Address"] == "0x123456000" && copy["Destination X Offset"] == 0x3001 &&
         copy["Destination Y Offset"] == 0x2002));
  CHECK((copy["Source X1"] == 5 && copy["Source Y1"] == 6 && copy["Source Pitch"] == 0x1ff && copy["Source MOCS"] == 0x24));
  CHECK((copy["Source Tiling"]["name"] == "LINEAR" && copy["Source Base Address"] == "0x765432100"));
  CHECK((copy["Source X Offset"] == 7 && copy["Source Y Offset"] == 8));
  const std::vector<uint32_t> color = {0x51200009, 0x40c001ff, 0x2ffff, 0x400030, 0x23456000, 1, 0x40003, 1, 2, 3, 0xfffffffe};
  const Json fill = fields_of(EngineClass::copy, color);
  CHECK((fill["Color Depth"]["name"] == "96_BIT" && fill["Destination X1"] == -1 && fill["Destination X Offset"] == 3));
  const auto colors = Gen12::XY_FAST_COLOR_BLT::unpack(color).fill_color;
  CHECK((colors.size() == 4 && colors[0] == 1 && colors[3] == 0xfffffffe));
}

TEST_CASE("gen12: interface descriptors and sampler states") {
  const std::vector<uint32_t> descriptor = {0x1240, 0, 0x180000, 0x60, 0x80, 0, 0x270040, 3};
  const auto d = Gen12::INTERFACE_DESCRIPTOR_DATA::unpack(descriptor);
  CHECK((d.thread_preemption_disable && d.kernel_start_pointer == 0x1240 && d.binding_table_pointer == 0x80));
  CHECK((d.barrier_enable && d.cross_thread_constant_data_read_length == 3));
  const std::vector<uint32_t> sampler = {0x40000000, 0x38000, 0x87654300, 0x5100000};
  const auto s = Gen12::SAMPLER_STATE::unpack(sampler);
  CHECK((s.low_quality_filter && s.allow_low_quality_lod_calculation && s.cps_lod_compensation_enable));
  CHECK((s.border_color_pointer == 0x87654300 && s.max_lod == 3.5f));
  CHECK(Gen11::SAMPLER_STATE::unpack(sampler).border_color_pointer == 0x654300);
}

// intel/compute-runtime, hw_cmds_generated_gen12lp.inl: OpenCL's batches begin with the first, and those that may stop within threads have the second.
TEST_CASE("gen12: what OpenCL alone sets") {
  const Json mode = fields_of({0x61050000, 0x3018'3010});
  CHECK((mode["Mask"] == 0x3018 && mode["Force Non Coherent"]["value"] == 2 && mode["Coherent Access L1 Cache Disable"] == true));
  CHECK((mode["Disable L1 Invalidate For Non L1 Cacheable Writes"] == true && mode["Binding Table Alignment"] == false));
  CHECK(fields_of({0x61040001, 0x0012'3000, 0x45})["GPGPU CSR Base Address"] == "0x4500123000");
}

TEST_CASE("gen12: video packets") {
  const Json mode = fields_of(EngineClass::video, {0x73800005, 0x22, 0, 0, 0, 0, 0});
  CHECK((mode["Codec Standard Select"]["value"] == 1 && mode["Deblocker Stream-Out Enable"] == true));
  const Json surface = fields_of(EngineClass::video, {0x73810003, 0x500007ff, 0x120, 0, 0});
  CHECK((surface["Surface Pitch"] == 0x7ff && surface["Surface ID"]["value"] == 5 && surface["Y Offset for U(Cb)"] == 0x120));
  const Json control = fields_of(EngineClass::video, {0x738a0001, 1, 4});
  CHECK((control["Pipeline Initialization"] == true && control["Memory Implicit Flush"] == true));
  const Json flush = fields_of(EngineClass::video, {0x77800000, 0x100020});
  CHECK((flush["AVP Pipeline Done"] == true && flush["AVP Pipeline Command Flush"] == true));
  const Json tile = fields_of(EngineClass::video, {0x71950004, 0x21123, 0, 0, 0, 0});
  CHECK((tile["Frame Tile ID"] == 0x123 && tile["TG Tile Num"] == 0x21));
  std::vector<uint32_t> lambdas(154);
  lambdas[0] = 0x73880098, lambdas[153] = 0x20001;
  CHECK(fields_of(EngineClass::video, lambdas)["Inter Chroma Lambda of 12 Bits"][5]["Lambda Value 1"] == 2);
}

// Lengths and places: iHD's mhw_vebox_hwcmd_g12_X.h.
TEST_CASE("gen12: VEBOX's packets") {
  const auto of = [](std::vector<uint32_t> dwords, size_t length) {
    dwords.resize(length);
    return fields_of(EngineClass::video_enhance, dwords);
  };
  const Json state = of({0x74020011, 0x7fu << 25 | 1 << 23 | 1 << 3, 0, 0, 0, 0, 0x12345000, 1}, 19);
  CHECK((state["HDR Enable"] == true && state["DN Enable"] == true && state["Gamut/HDR State Pointer"] == "0x112345000"));
  CHECK_FALSE(state.contains("Single Slice Vebox Enable"));
  const Json surface = of({0x74000007, 1, 0, 12u << 27 | 1 << 20 | 511 << 3}, 9);
  CHECK((surface["Surface Format"]["name"] == "PLANAR_420_16" && surface["Interleave Chroma"] == true && surface["Surface Pitch"] == 511));
  const Json run = of({0x74030016, 63, 0x12345000}, 24);
  CHECK((run["Ending X"] == 63 && run["Current Frame Input Address"] == "0x12345000"));
  CHECK(Gen12::commands.find(EngineClass::video_enhance, 0x74010003)->name == std::string("VEBOX_TILING_CONVERT"));
}

TEST_CASE("gen12: what is gone is unknown, not misread") {
  for (const char* name : {"STATE_PREFETCH", "3DSTATE_PTBR_MARKER", "3DSTATE_PTBR_TILE_PASS_INFO"}) {
    CAPTURE(name);
    REQUIRE(Gen11::commands.find(name));
    CHECK_FALSE(Gen12::commands.find(name));
    CHECK_FALSE(Gen12::commands.find(EngineClass::render, Gen11::commands.find(name)->match));
  }
  CHECK_FALSE(fields_of({0x18b00001, 0x1000, 0}).contains("POSH Start"));
}
