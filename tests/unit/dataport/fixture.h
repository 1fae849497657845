// SPDX-License-Identifier: GPL-2.0-or-later
// The data ports with one surface in binding table entry 0.
#pragma once

#include <array>

#include "hw/dataport/dataport.h"
#include "hw/eu/isa/gen9/isa.h"
#include "tests/unit/iface/thread_memory.h"

namespace softgen::dataport::test {

constexpr uint64_t table = 0x1000, state = 0x2000, pixels = 0x3000;

struct Fixture : iface::test::ThreadMemory {
  DataPort port;

  /// `surface`: RENDER_SURFACE_STATE; it should lie in the two pages from `pixels` on.
  explicit Fixture(const std::array<uint32_t, 16>& surface) : ThreadMemory({table, state, pixels, pixels + 0x1000}) {
    bind(table, state);
    view.write(state, surface.data(), sizeof surface);
  }
  /// A message of data cache port 1; `control`: descriptor [13:8]; payload [0] is a header where `header` says so.
  SendResult send(uint32_t type, uint32_t control, bool header, uint32_t exec_size, uint32_t exec_mask, std::span<const Grf> payload,
                  std::span<Grf> response) {
    const uint32_t descriptor = type << 14 | control << 8 | (header ? 1u : 0u) << 19 | static_cast<uint32_t>(response.size()) << 20 |
                                static_cast<uint32_t>(payload.size()) << 25;
    return port.send({eu::gen9_isa().message(static_cast<unsigned>(Sfid::dp_data1), descriptor),
                      exec_size,
                      exec_mask,
                      exec_mask,
                      payload,
                      {},
                      response,
                      false},
                     env);
  }
};

}  // namespace softgen::dataport::test
