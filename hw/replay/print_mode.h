// SPDX-License-Identifier: GPL-2.0-or-later
// softgen-replay --print, --json and --list: what a capture holds, without running it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "hw/debug/byte_source.h"
#include "hw/debug/state_follower.h"

namespace softgen::replay {

struct PrintOptions {
  enum class Form : uint8_t { text, json, list };
  Form form = Form::text;
  bool colour = false;
  std::string platform;  ///< empty: the one whose PCI id the capture names, or the first there is
  uint64_t memory_limit = uint64_t{4} << 30;
  debug::BatchWalker::Limits limits;  ///< of one submission
  debug::FollowOptions follow;        ///< but for `platform`, which follows from the above
};

struct PrintResult {
  uint64_t submissions = 0, commands = 0, draws = 0, walkers = 0;
  uint64_t unknown = 0;               ///< commands that no table names
  uint64_t unknown_instructions = 0;  ///< illegal instructions and messages without a name, each time they are printed
  uint64_t problems = 0;              ///< places where a walk could not go on
  std::string error;                  ///< empty: the file was read to its end
};

/// Reads `source` and writes to `out`.
PrintResult print_capture(debug::ByteSource& source, const PrintOptions& options, std::FILE* out);
/// The same for a file ("-": standard input).
PrintResult print_capture(const std::string& path, const PrintOptions& options, std::FILE* out);

}  // namespace softgen::replay
