// SPDX-License-Identifier: GPL-2.0-or-later
// Which context workaround batches a context's registers name (SKL PRM vol 2c, INDIRECT_CTX, INDIRECT_CTX_OFFSET, BB_PER_CTX_PTR).
#pragma once

#include <cstdint>

#include "hw/cs/parser.h"
#include "hw/defs/registers/registers.h"

namespace softgen::cs {

constexpr uint32_t cacheline = 64;  ///< bytes

struct WorkaroundBatch {
  uint64_t address = 0;  ///< in the GGTT
  uint64_t bytes = 0;    ///< 0: to its MI_BATCH_BUFFER_END
  bool named = false;

  Cursor::Batch start() const { return {.address = address, .active = true, .limit = bytes ? address + bytes : 0}; }
};

constexpr WorkaroundBatch indirect_batch(uint32_t indirect_ctx) {
  namespace field = softgen::reg::field;
  const uint32_t lines = field::RING_INDIRECT_CTX_CACHELINES.of(indirect_ctx);
  return {field::RING_INDIRECT_CTX_ADDRESS.in_place(indirect_ctx), uint64_t{lines} * cacheline, lines != 0};
}

constexpr WorkaroundBatch per_context_batch(uint32_t bb_per_ctx_ptr) {
  namespace field = softgen::reg::field;
  return {field::RING_BB_PER_CTX_PTR_ADDRESS.in_place(bb_per_ctx_ptr), 0, field::RING_BB_PER_CTX_PTR_VALID.of(bb_per_ctx_ptr) != 0};
}

/// The dword of the image at which a restore runs INDIRECT_CTX.
constexpr uint32_t indirect_dword(uint32_t indirect_ctx_offset) {
  return softgen::reg::field::RING_INDIRECT_CTX_OFFSET_CACHELINES.of(indirect_ctx_offset) * (cacheline / 4);
}

}  // namespace softgen::cs
