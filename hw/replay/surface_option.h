// SPDX-License-Identifier: GPL-2.0-or-later
// Arguments of softgen-replay that name memory: --dump ADDR,LEN and --surface ADDR,FORMAT,WxH,PITCH,TILING.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "hw/debug/picture.h"
#include "hw/defs/command.h"

namespace softgen::replay {

/// One sentence about what is wrong with an argument.
class BadArgument : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct MemoryRange {
  uint64_t address, size;
};

/// Throw BadArgument. Addresses may be canonical. At most 1 GiB, 16384 x 16384.
MemoryRange parse_dump(const std::string& text);
debug::PictureSource parse_surface(const defs::CommandSet& commands, const std::string& text);

}  // namespace softgen::replay
