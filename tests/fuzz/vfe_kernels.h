// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels of Ironlake's media threads out of an input's bytes: what i965-va-driver's send (spawns, gateways, waits, writes), any messages, legal instructions,
// loops, and changed bits.
#pragma once

#include <cstring>
#include <vector>

#include "tests/fuzz/state_source.h"
#include "tests/ref/eu_fuzz.h"
#include "tests/unit/media/vfe_programs.h"

namespace softgen::fuzz {

class VfeKernels {
 public:
  /// At most this many instructions, of 16 bytes each.
  static constexpr size_t max_instructions = 250;

  std::vector<std::byte> make(StateSource& in) {
    code_.clear();
    for (unsigned parts = in.below(10); parts && code_.size() < max_instructions - max_part; --parts) add(in);
    if (in.one_in(16)) code_.push_back(media::vfe::test::jump_over(in.below(static_cast<uint32_t>(code_.size() + 2))));
    if (!in.one_in(16)) media::vfe::test::end(code_, in.one_in(8) ? keep_entry : 0);
    std::vector<std::byte> bytes = eu::test::assemble(code_, eu::gen5_isa());
    for (const Legal& one : legal_)
      if (const size_t at = one.index * sizeof one.native; at < bytes.size())
        std::memcpy(bytes.data() + at, &one.native, sizeof one.native);
    legal_.clear();
    if (in.one_in(8) && !bytes.empty())
      for (unsigned n = 1 + in.below(4); n; --n) bytes[in.below(static_cast<uint32_t>(bytes.size()))] ^= std::byte{1} << in.below(8);
    return bytes;
  }

 private:
  static constexpr size_t max_part = 16;
  static constexpr uint32_t keep_entry = 1u << 4;
  struct Legal {
    size_t index;
    eu::Native native;
  };

  void add(StateSource& in) {
    using namespace media::vfe::test;
    switch (in.below(12)) {
      case 0: open_gateway(code_, key_of(in)); break;
      case 1:
      case 2:
      case 3: spawn(code_, in.below(100), in.below(8) - 4); break;
      case 4: forward(code_, in.take<uint8_t>(), in.one_in(4), in.below(8), key_of(in), in.one_in(2) ? 1 << 15 : 0); break;
      case 5: wait(code_); break;
      case 6: send_registers(code_, in.below(100), 1 + in.below(12)); break;
      case 7: spin(code_, in.below(8)); break;
      case 8:
      case 9: add_message(in); break;
      case 10: set(code_, in.below(128), in.below(8), static_cast<uint32_t>(in.number(32))); break;
      default: add_legal(in); break;
    }
  }
  static uint32_t key_of(StateSource& in) { return in.one_in(8) ? in.take<uint16_t>() : media::vfe::test::key; }
  /// A header of small numbers, and any descriptor. The registers that it may name are there.
  void add_message(StateSource& in) {
    using namespace media::vfe::test;
    const unsigned reg = in.below(120), registers = 1 + in.below(8), answer = in.below(8);
    for (unsigned n = in.below(4); n; --n) set(code_, reg, in.below(8), in.one_in(2) ? in.below(512) : static_cast<uint32_t>(in.address()));
    const uint32_t function = in.one_in(2) ? in.take<uint32_t>() & 0xf'ffff : (in.take<uint32_t>() & 0xf'ff00) | in.below(8);
    code_.push_back(message(in.one_in(2) ? 8 : 16, grf(in.below(112), UD), in.below(8), grf(reg, UD), in.below(8),
                            registers << 25 | answer << 20 | function, in.one_in(16)));
  }
  /// Their places are kept, for assemble() takes decoded ones.
  void add_legal(StateSource& in) {
    static const std::vector<eu::Native> legal = eu::fuzz::legal_instructions(eu::gen5_isa(), 1, 8192);
    for (unsigned n = 1 + in.below(6); n; --n) {
      legal_.push_back({code_.size(), in.one_of(legal)});
      media::vfe::test::copy(code_, 0, 0);
    }
  }

  media::vfe::test::Code code_;
  std::vector<Legal> legal_;
};

}  // namespace softgen::fuzz
