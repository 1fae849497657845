/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Video BIOS Table: what outputs the board has. Layout by i915 display/intel_vbt_defs.h; version 209 as
 * Kaby Lake boards carry it, whose child devices have 38 bytes (intel_bios.c, parse_general_definitions). i915
 * takes it for Ice Lake and Tiger Lake, too: a Type-C port without the Type-C flags is one that leads to an HDMI socket.
 */
#include "qemu/osdep.h"

#include "intel_gpu.h"
#include "qemu/bswap.h"

enum {
  VBT_HEADER_SIZE = 48,
  SIGNATURE_SIZE = 20,
  BDB_HEADER_SIZE = 22,
  BDB_VERSION = 209,
  BLOCK_GENERAL_FEATURES = 1,
  BLOCK_GENERAL_DEFINITIONS = 2,
  GENERAL_FEATURES_SIZE = 5,
  GENERAL_DEFINITIONS_SIZE = 5, /* before the child devices */
  CHILD_SIZE = 38,
  DEVICE_TYPE_HDMI = 0x60d2,
  CRT_DDC_PIN = 2,
};

/* EFP1..3 */
static const uint16_t handles[SG_MAX_CONNECTORS] = {0x0004, 0x0040, 0x0020};

/* struct child_device_config: offsets of the fields an HDMI port uses; the rest is zero. */
static void build_child(uint8_t* child, const sg_platform_info* platform, unsigned connector) {
  stw_le_p(child, handles[connector]);
  stw_le_p(child + 2, DEVICE_TYPE_HDMI);
  child[16] = platform->ddc[connector].dvo_port;
  child[19] = platform->ddc[connector].in_vbt;
  child[24] = 1 << 0; /* hdmi_support */
  child[25] = platform->ddc[connector].aux_channel;
  child[27] = 1 << 5; /* integrated_encoder */
}

static uint8_t* begin_block(uint8_t* at, uint8_t id, uint16_t size) {
  at[0] = id;
  stw_le_p(at + 1, size);
  return at + 3;
}

static uint8_t* build_blocks(uint8_t* at, const sg_platform_info* platform, unsigned connectors) {
  at = begin_block(at, BLOCK_GENERAL_FEATURES, GENERAL_FEATURES_SIZE);
  at[4] = 1 << 2; /* int_efp_support, and neither CRT nor TV */
  at += GENERAL_FEATURES_SIZE;

  at = begin_block(at, BLOCK_GENERAL_DEFINITIONS, GENERAL_DEFINITIONS_SIZE + connectors * CHILD_SIZE);
  at[0] = CRT_DDC_PIN;
  at[4] = CHILD_SIZE;
  at += GENERAL_DEFINITIONS_SIZE;
  for (unsigned i = 0; i < connectors; i++, at += CHILD_SIZE) build_child(at, platform, i);
  return at;
}

size_t intel_gpu_vbt_build(uint8_t* out, size_t room, const sg_platform_info* platform, unsigned connectors) {
  memset(out, 0, room);
  uint8_t* bdb = out + VBT_HEADER_SIZE;
  uint8_t* end = build_blocks(bdb + BDB_HEADER_SIZE, platform, connectors);
  size_t size = end - out;
  g_assert(size <= room);

  memcpy(bdb, "BIOS_DATA_BLOCK ", 16);
  stw_le_p(bdb + 16, BDB_VERSION);
  stw_le_p(bdb + 18, BDB_HEADER_SIZE);
  stw_le_p(bdb + 20, end - bdb);

  g_autofree char* signature = g_strdup_printf("$VBT %-15.15s", platform->vbt_name);
  memcpy(out, signature, SIGNATURE_SIZE);
  stw_le_p(out + 20, 100);
  stw_le_p(out + 22, VBT_HEADER_SIZE);
  stw_le_p(out + 24, size);
  stl_le_p(out + 28, VBT_HEADER_SIZE); /* bdb_offset */
  uint8_t sum = 0;
  for (size_t i = 0; i < size; i++) sum += out[i];
  out[26] = -sum;
  return size;
}
