// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/defs/command.h"

#include <random>
#include <set>
#include <string>

#include "hw/defs/gen11/set.h"
#include "hw/defs/gen12/set.h"
#include "hw/defs/gen5/set.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/gen9/set.h"
#include "tests/catch.h"

using namespace softgen::defs;

TEST_CASE("headers that drivers emit find their commands") {
  struct Row {
    EngineClass engine;
    uint32_t header;
    const char* name;
    uint32_t length;
  };
  // Headers as i915 (gt/intel_gpu_commands.h), the captures and the iHD driver write them.
  const Row rows[] = {
      {EngineClass::render, 0x00000000, "MI_NOOP", 1},
      {EngineClass::copy, 0x05000000, "MI_BATCH_BUFFER_END", 1},
      {EngineClass::render, 0x18800101, "MI_BATCH_BUFFER_START", 3},
      {EngineClass::render, 0x1100101b, "MI_LOAD_REGISTER_IMM", 29},
      {EngineClass::video, 0x13000003, "MI_FLUSH_DW", 5},
      {EngineClass::render, 0x7a000004, "PIPE_CONTROL", 6},
      {EngineClass::render, 0x69040300, "PIPELINE_SELECT", 1},
      {EngineClass::render, 0x680b0001, "3DSTATE_VF_STATISTICS", 1},
      {EngineClass::render, 0x61010011, "STATE_BASE_ADDRESS", 19},
      {EngineClass::render, 0x78080003, "3DSTATE_VERTEX_BUFFERS", 5},
      {EngineClass::render, 0x791b0002, "3DSTATE_DX9_CONSTANT_BUFFER_POOL_ALLOC", 4},
      {EngineClass::render, 0x7105000d, "GPGPU_WALKER", 15},
      {EngineClass::render, 0x70000007, "MEDIA_VFE_STATE", 9},
      {EngineClass::copy, 0x50800008, "XY_FAST_COPY_BLT", 10},
      {EngineClass::copy, 0x54000005, "XY_COLOR_BLT", 7},
      {EngineClass::video, 0x70020042, "MFX_PIPE_BUF_ADDR_STATE", 68},
      {EngineClass::video, 0x73820066, "HCP_PIPE_BUF_ADDR_STATE", 104},
      {EngineClass::video, 0x74000024, "MFX_VP8_PIC_STATE", 38},
      {EngineClass::video, 0x68000000, "MFX_WAIT", 1},
      {EngineClass::video, 0x70880001, "VDENC_WEIGHTSOFFSETS_STATE", 3},
      {EngineClass::video_enhance, 0x74000007, "VEBOX_SURFACE_STATE", 9},
      {EngineClass::video_enhance, 0x7402000e, "VEBOX_STATE", 16},
      {EngineClass::video_enhance, 0x74030016, "VEB_DI_IECP", 24},
      {EngineClass::video_enhance, 0x75010020, "SFC_STATE", 34},
      {EngineClass::render, 0x11800002, "MI_UPDATE_GTT", 4},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    const Command* command = gen9::commands.find(row.engine, row.header);
    REQUIRE(command);
    CHECK(command->name == std::string(row.name));
    CHECK(command_length(*command, row.header) == row.length);
  }
}

TEST_CASE("an opcode belongs to its engines only") {
  CHECK_FALSE(gen9::commands.find(EngineClass::copy, 0x78100007));
  CHECK_FALSE(gen9::commands.find(EngineClass::render, 0x50800008));
  const Command* vp8 = gen9::commands.find(EngineClass::video, 0x74000024);
  CHECK(gen9::commands.find(EngineClass::video_enhance, 0x74000024) != vp8);
}

TEST_CASE("every declared command is found by its own header only") {
  for (const CommandSet* set : {&gen9::commands, &gen11::commands, &gen12::commands, &gen5::commands}) {
    std::set<std::string> names;
    for (const Command& command : set->commands) {
      INFO(command.name);
      CHECK(names.insert(command.name).second);
      CHECK(command.engines != 0);
      CHECK(set->find(command.name) == &command);
      for (unsigned engine = 0; engine < 4; engine++)
        if (command.engines >> engine & 1) CHECK(set->find(static_cast<EngineClass>(engine), command.match) == &command);
    }
  }
}

TEST_CASE("lengths of hostile headers stay in bounds") {
  std::mt19937 random(20261121);
  for (int i = 0; i < 200000; i++) {
    const uint32_t header = random();
    for (unsigned engine = 0; engine < 4; engine++) {
      const uint32_t length = command_length(gen9::commands.find(static_cast<EngineClass>(engine), header), header);
      if (length < 1 || length > 65537) FAIL("header " << header << " has length " << length);
    }
  }
}

TEST_CASE("a field beyond the packet's dwords reads as zero") {
  const Command* command = gen9::commands.find("3DSTATE_VS");
  REQUIRE(command);
  const uint32_t header[] = {0x78100007};
  for (const Field& field : command->fields)
    if (field.start >= 32 && field.type != FieldType::structure) CHECK(field_value(field, header) == 0);
}

TEST_CASE("field values: in place, sign-extended, plain") {
  const Field offset{"Kernel Start Pointer", 38, 95, FieldType::offset};
  const uint32_t dwords[] = {0, 0x0001'2345, 0xffff, 0x80};
  CHECK(field_value(offset, dwords) == 0xffff'0001'2340);
  const Field negative{"Delta", 100, 103, FieldType::sint, 0, true};
  CHECK(static_cast<int64_t>(field_value(negative, dwords)) == -8);
  CHECK(field_value(negative, dwords, 32) == 0);
  const Field plain{"Low", 32, 39, FieldType::uint};
  CHECK(field_value(plain, dwords) == 0x45);
}

TEST_CASE("video packets have the lengths that drivers emit") {
  struct Row {
    const char* name;
    unsigned dwords;
  };
  // dwSize of each in mhw_vdbox_{mfx,hcp,vdenc,huc}_hwcmd_g9_kbl.h and mhw_{sfc,vebox}_hwcmd_g9_X.h; genxml differs for many.
  // Three that i965-va-driver sends longer when it encodes VP9 have its lengths (gen9_vp9_encoder.c).
  const Row rows[] = {{"MFX_PIPE_MODE_SELECT", 5},
                      {"MFX_SURFACE_STATE", 6},
                      {"MFX_PIPE_BUF_ADDR_STATE", 68},
                      {"MFX_IND_OBJ_BASE_ADDR_STATE", 26},
                      {"MFX_BSP_BUF_BASE_ADDR_STATE", 10},
                      {"MFX_QM_STATE", 18},
                      {"MFX_FQM_STATE", 34},
                      {"MFX_AVC_IMG_STATE", 21},
                      {"MFX_AVC_DIRECTMODE_STATE", 71},
                      {"MFX_AVC_SLICE_STATE", 11},
                      {"MFX_AVC_REF_IDX_STATE", 10},
                      {"MFX_AVC_WEIGHTOFFSET_STATE", 98},
                      {"MFD_AVC_PICID_STATE", 10},
                      {"MFD_AVC_DPB_STATE", 27},
                      {"MFD_AVC_SLICEADDR", 4},
                      {"MFD_AVC_BSD_OBJECT", 7},
                      {"MFX_MPEG2_PIC_STATE", 13},
                      {"MFD_MPEG2_BSD_OBJECT", 5},
                      {"MFX_VP8_PIC_STATE", 38},
                      {"MFD_VP8_BSD_OBJECT", 22},
                      {"MFX_JPEG_PIC_STATE", 3},
                      {"MFX_JPEG_HUFF_TABLE_STATE", 53},
                      {"MFD_JPEG_BSD_OBJECT", 6},
                      {"MFC_JPEG_HUFF_TABLE_STATE", 176},
                      {"HCP_PIPE_MODE_SELECT", 6},
                      {"HCP_SURFACE_STATE", 3},
                      {"HCP_PIPE_BUF_ADDR_STATE", 104},
                      {"HCP_IND_OBJ_BASE_ADDR_STATE", 29},
                      {"HCP_QM_STATE", 18},
                      {"HCP_FQM_STATE", 34},
                      {"HCP_PIC_STATE", 32},
                      {"HCP_TILE_STATE", 13},
                      {"HCP_REF_IDX_STATE", 18},
                      {"HCP_WEIGHTOFFSET_STATE", 34},
                      {"HCP_SLICE_STATE", 11},
                      {"HCP_BSD_OBJECT", 3},
                      {"HCP_VP9_PIC_STATE", 33},
                      {"HCP_VP9_SEGMENT_STATE", 8},
                      {"HEVC_VP9_RDOQ_STATE", 130},
                      {"VDENC_PIPE_MODE_SELECT", 2},
                      {"VDENC_PIPE_BUF_ADDR_STATE", 37},
                      {"VDENC_IMG_STATE", 35},
                      {"VDENC_CONST_QPT_STATE", 61},
                      {"VDENC_WALKER_STATE", 4},
                      {"HUC_IMEM_STATE", 5},
                      {"HUC_DMEM_STATE", 6},
                      {"HUC_VIRTUAL_ADDR_STATE", 49},
                      {"HUC_IND_OBJ_BASE_ADDR_STATE", 11},
                      {"SFC_STATE", 34},
                      {"SFC_AVS_LUMA_COEFF_TABLE", 129},
                      {"SFC_IEF_STATE", 24},
                      {"VEBOX_STATE", 16},
                      {"VEB_DI_IECP", 24},
                      {"VEBOX_SURFACE_STATE", 9}};
  for (const Row& row : rows) {
    INFO(row.name);
    const Command* command = gen9::commands.find(row.name);
    REQUIRE(command);
    CHECK(command->dwords == row.dwords);
    CHECK_FALSE(command->variable);
  }
}

TEST_CASE("lengths of Gen11's and Gen12's VEBOX and SFC packets, as the iHD media driver sends them") {
  struct Row {
    const char* name;
    uint32_t header, dwords;
  };
  // mhw_vebox_hwcmd_g11_X.h, mhw_sfc_hwcmd_g11_X.h; Gen12's SFC_STATE is longer.
  const Row rows[] = {{"VEBOX_SURFACE_STATE", 0x74000007, 9}, {"VEBOX_STATE", 0x74020011, 19},
                      {"VEB_DI_IECP", 0x74030016, 24},        {"SFC_LOCK", 0x75000000, 2},
                      {"SFC_STATE", 0x75010020, 34},          {"SFC_AVS_STATE", 0x75020002, 4}};
  for (const Row& row : rows)
    for (const CommandSet* set : {&gen11::commands, &gen12::commands}) {
      INFO(row.name);
      const Command* command = set->find(EngineClass::video_enhance, row.header);
      REQUIRE(command);
      CHECK(command->name == std::string(row.name));
      const bool longer = set == &gen12::commands && command->id == CommandId::SFC_STATE;
      CHECK(command->dwords == (longer ? 50 : row.dwords));
    }
  const Structure* const states[] = {gen11::commands.find_structure("VEBOX_DNDI_STATE"), gen12::commands.find_structure("VEBOX_DNDI_STATE"),
                                     gen11::commands.find_structure("VEBOX_IECP_STATE"),
                                     gen12::commands.find_structure("VEBOX_IECP_STATE")};
  constexpr uint32_t dwords[] = {45, 49, 115, 133};
  for (size_t i = 0; i < std::size(states); ++i) CHECK(states[i]->dwords == dwords[i]);
}

TEST_CASE("lengths of Gen12's video packets") {
  struct Row {
    const char* name;
    uint32_t header, dwords;
  };
  // Headers as Mesa 25.0.7's packers write them (genxml/gen120.xml), of MFX, tiles and SFC as the iHD media driver (mhw_vdbox_*_hwcmd_g12_X.h,
  // mhw_sfc_hwcmd_g12_X.h).
  const Row rows[] = {{"HCP_PIPE_MODE_SELECT", 0x73800005, 7},
                      {"HCP_SURFACE_STATE", 0x73810003, 5},
                      {"HCP_PIPE_BUF_ADDR_STATE", 0x73820077, 121},
                      {"HCP_IND_OBJ_BASE_ADDR_STATE", 0x7383001b, 29},
                      {"HCP_QM_STATE", 0x73840010, 18},
                      {"HCP_PIC_STATE", 0x73900027, 41},
                      {"HCP_WEIGHTOFFSET_STATE", 0x73930028, 42},
                      {"HCP_SLICE_STATE", 0x7394000b, 13},
                      {"MFX_PIPE_BUF_ADDR_STATE", 0x70020042, 68},
                      {"HCP_TILE_CODING", 0x73950012, 20},
                      {"VDENC_PIPE_BUF_ADDR_STATE", 0x70840045, 71},
                      {"VDENC_WALKER_STATE", 0x70870019, 27},
                      {"VDENC_CMD1", 0x708a001d, 31},
                      {"VDENC_CMD2", 0x70890031, 51},
                      {"AVP_PIC_STATE", 0x71b00031, 51},
                      {"AVP_PIPE_BUF_ADDR_STATE", 0x718200ba, 188},
                      {"AVP_INTER_PRED_STATE", 0x7192000d, 15},
                      {"VD_CONTROL_STATE", 0x738a0001, 3},
                      {"HCP_SFC_LOCK", 0x74800000, 2},
                      {"HCP_SFC_STATE", 0x74810030, 50},
                      {"HCP_SFC_AVS_STATE", 0x74820002, 4},
                      {"HCP_SFC_FRAME_START", 0x74840000, 2},
                      {"SFC_STATE", 0x75010030, 50}};
  for (const Row& row : rows) {
    INFO(row.name);
    const Command* command = gen12::commands.find(EngineClass::video, row.header);
    REQUIRE(command);
    CHECK(command->name == std::string(row.name));
    CHECK(command->dwords == row.dwords);
    CHECK(command_length(*command, row.header) == row.dwords);
  }
}

TEST_CASE("lengths of Gen11's video packets") {
  struct Row {
    const char* name;
    unsigned dwords;
  };
  // dwSize of each in mhw_vdbox_{mfx,hcp,vdenc}_hwcmd_g11_X.h.
  const Row rows[] = {{"MFX_PIPE_MODE_SELECT", 5},
                      {"MFX_PIPE_BUF_ADDR_STATE", 68},
                      {"MFX_AVC_IMG_STATE", 21},
                      {"MFD_AVC_BSD_OBJECT", 7},
                      {"MFX_MPEG2_PIC_STATE", 13},
                      {"MFX_VP8_PIC_STATE", 38},
                      {"VDENC_PIPE_MODE_SELECT", 2},
                      {"VDENC_DS_REF_SURFACE_STATE", 10},
                      {"VDENC_PIPE_BUF_ADDR_STATE", 62},
                      {"VDENC_IMG_STATE", 35},
                      {"VDENC_WALKER_STATE", 10},
                      {"VDENC_WEIGHTSOFFSETS_STATE", 5},
                      {"HCP_PIPE_MODE_SELECT", 6},
                      {"HCP_SURFACE_STATE", 4},
                      {"HCP_PIPE_BUF_ADDR_STATE", 121},
                      {"HCP_IND_OBJ_BASE_ADDR_STATE", 29},
                      {"HCP_QM_STATE", 18},
                      {"HCP_PIC_STATE", 38},
                      {"HCP_TILE_STATE", 17},
                      {"HCP_REF_IDX_STATE", 18},
                      {"HCP_WEIGHTOFFSET_STATE", 42},
                      {"HCP_SLICE_STATE", 11},
                      {"HCP_BSD_OBJECT", 3},
                      {"HCP_VP9_PIC_STATE", 42},
                      {"HCP_VP9_SEGMENT_STATE", 8},
                      {"HCP_TILE_CODING", 16}};
  for (const Row& row : rows) {
    INFO(row.name);
    const Command* command = gen11::commands.find(row.name);
    REQUIRE(command);
    CHECK(command->dwords == row.dwords);
  }
}
