// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/check/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace softgen::debug::check {
namespace {

std::string with(std::string_view name, char from, char to) {
  std::string text(name);
  std::ranges::replace(text, from, to);
  return text;
}

EngineId engine_named(const std::string& name) {
  for (unsigned i = 0; i < engine_count; ++i)
    if (name == name_of(static_cast<EngineId>(i))) return static_cast<EngineId>(i);
  throw BadOption(fmt::format("there is no engine '{}'", name));
}

/// The context before is left at the head where a known one goes on.
void read_entry(std::istringstream& words, Checker& checker, uint32_t& running) {
  std::string engine, kind;
  WatchedEntry entry{};
  if (!(words >> engine >> std::hex >> entry.address >> kind) || (kind != "new" && kind != "known"))
    throw BadOption("enter wants ENGINE ADDRESS new|known");
  entry.engine = engine_named(engine);
  const uint32_t bit = 1u << static_cast<unsigned>(entry.engine);
  if (running & bit) checker.context_left(entry.engine, entry.head, false);
  running |= bit;
  entry.blank = kind == "new";
  checker.context_entered(entry);
}

void read_packet(std::istringstream& words, const defs::Platform& platform, Checker& checker) {
  std::string engine, name;
  unsigned level = 0;
  uint64_t address = 0;
  if (!(words >> engine >> std::hex >> level >> address >> name)) throw BadOption("packet wants ENGINE LEVEL ADDRESS NAME DWORD...");
  const std::string plain = with(name, '_', ' ');
  const auto found =
      std::ranges::find_if(platform.commands->commands, [&](const defs::Command& c) { return plain == with(c.name, '_', ' '); });
  if (found == platform.commands->commands.end()) throw BadOption(fmt::format("{} has no command '{}'", platform.name, name));
  std::vector<uint32_t> dwords;
  for (uint32_t dword = 0; words >> dword;) dwords.push_back(dword);
  if (dwords.empty() || !words.eof()) throw BadOption("a packet wants its dwords, in hexadecimal");
  checker.packet({engine_named(engine), Packet{address, &*found, dwords}, level, level == 0, WatchedPacket::Outcome::executed});
}

}  // namespace

StreamWriter::StreamWriter(std::unique_ptr<Checker> checker, const std::string& path)
    : checker_(std::move(checker)), file_(std::fopen(path.c_str(), "w")) {
  if (!file_) throw BadOption("cannot write " + path);
}

void StreamWriter::packet(const WatchedPacket& packet) {
  if (packet.outcome == WatchedPacket::Outcome::executed) {
    std::string line = fmt::format("packet {} {} {:x} {}", name_of(packet.engine), packet.level, packet.packet.address,
                                   with(packet.packet.command->name, ' ', '_'));
    for (const uint32_t dword : packet.packet.dwords) line += fmt::format(" {:08x}", dword);
    fmt::print(file_.get(), "{}\n", line);
  }
  checker_->packet(packet);
}

void StreamWriter::context_entered(const WatchedEntry& entry) {
  fmt::print(file_.get(), "enter {} {:x} {}\n", name_of(entry.engine), entry.address, entry.blank ? "new" : "known");
  checker_->context_entered(entry);
}

void read_stream(std::istream& lines, const defs::Platform& platform, Checker& checker) {
  std::string line;
  uint32_t running = 0;  // bit i: EngineId i has a context
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string kind;
    if (!(words >> kind)) continue;
    try {
      if (kind == "enter") read_entry(words, checker, running);
      else if (kind == "packet") read_packet(words, platform, checker);
      else throw BadOption(fmt::format("'{}' is neither enter nor packet", kind));
    } catch (const BadOption& bad) { throw BadOption(fmt::format("line {}: {}", number, bad.what())); }
  }
}

}  // namespace softgen::debug::check
