// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/sifter.h"

#include <fmt/format.h>

namespace softgen::replay {

void Sifter::packet(const WatchedPacket& packet) {
  const uint64_t number = number_++;
  if (trace_) {
    constexpr size_t most = 16;
    std::string line = fmt::format("{} {} {} {:#x}", number, name_of(packet.engine), packet.packet.command->name, packet.packet.address);
    for (const uint32_t dword : packet.packet.dwords.first(std::min(packet.packet.dwords.size(), most)))
      line += fmt::format(" {:08x}", dword);
    fmt::print(trace_, "{}\n", line);
  }
  if (!dropped_.contains(number)) checker_->packet(packet);
}

}  // namespace softgen::replay
