// SPDX-License-Identifier: GPL-2.0-or-later
#include <lzma.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "hw/debug/aub_reader.h"
#include "hw/debug/aub_writer.h"
#include "tests/catch.h"

using namespace softgen::debug;

namespace {

using Bytes = std::vector<std::byte>;

/// Everything a file said, as text a line a record; consecutive pieces of a write are put together.
struct Log : AubVisitor {
  std::vector<std::string> lines;
  Bytes written;
  size_t largest_piece = 0;
  void version(const AubVersion& v) override { lines.push_back("version " + std::to_string(v.pci_id) + " " + v.application); }
  void memory_write(aub::Space space, uint64_t address, std::span<const std::byte> data) override {
    lines.push_back("memory " + std::to_string(static_cast<unsigned>(space)) + " " + std::to_string(address) + " " +
                    std::to_string(data.size()));
    written.insert(written.end(), data.begin(), data.end());
    largest_piece = std::max(largest_piece, data.size());
  }
  void register_write(uint32_t offset, uint32_t value) override {
    lines.push_back("register " + std::to_string(offset) + " " + std::to_string(value));
  }
  void register_poll(uint32_t offset, uint32_t mask, uint32_t value) override {
    lines.push_back("poll " + std::to_string(offset) + " " + std::to_string(mask) + " " + std::to_string(value));
  }
  void ring_write(AubRing ring, std::span<const std::byte> commands) override {
    lines.push_back("ring " + std::to_string(static_cast<unsigned>(ring)) + " " + std::to_string(commands.size()));
  }
  void comment(std::string_view text) override { lines.push_back("comment " + std::string(text)); }
};

Bytes bytes_of(std::span<const uint32_t> dwords) {
  const auto view = std::as_bytes(dwords);
  return {view.begin(), view.end()};
}

std::optional<AubError> read(const Bytes& file, AubVisitor& visitor) {
  const auto source = open_bytes(file);
  return read_aub(*source, visitor);
}

Bytes sample() {
  Bytes file;
  AubWriter writer([&](std::span<const std::byte> data) {
    file.insert(file.end(), data.begin(), data.end());
    return true;
  });
  writer.version(0x5912, "sample");
  const uint64_t entries[] = {1, 0x2001};
  writer.memory(aub::Space::ggtt_entry, 8, std::as_bytes(std::span(entries)));
  Bytes data(5000, std::byte{7});
  writer.memory(aub::Space::physical, 0x1ff0, data);
  writer.comment("hello");
  writer.register_write(0x2230, 5);
  writer.register_poll(0x2234, 0x10, 0);
  return file;
}

Bytes compress(const Bytes& plain) {
  Bytes packed(lzma_stream_buffer_bound(plain.size()));
  size_t size = 0;
  REQUIRE(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const uint8_t*>(plain.data()), plain.size(),
                                  reinterpret_cast<uint8_t*>(packed.data()), &size, packed.size()) == LZMA_OK);
  packed.resize(size);
  return packed;
}

}  // namespace

TEST_CASE("the reader reads what the writer wrote") {
  Log log;
  const auto error = read(sample(), log);
  CHECK_FALSE(error);
  const std::vector<std::string> expected = {"version 22802 sample", "memory 4 8 16", "memory 2 8176 16", "memory 2 8192 4096",
                                             "memory 2 12288 888",   "comment hello", "register 8752 5",  "poll 8756 16 0"};
  CHECK(log.lines == expected);
}

TEST_CASE("a compressed file reads as the plain one") {
  Log plain, packed;
  read(sample(), plain);
  CHECK_FALSE(read(compress(sample()), packed));
  CHECK(plain.lines == packed.lines);
}

TEST_CASE("a truncated file ends in one error that names a byte, or at a record's end") {
  const Bytes file = sample();
  unsigned clean = 0;
  for (size_t size = 1; size < file.size(); size++) {
    Log log;
    const auto error = read(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(size)), log);
    if (!error) clean++;
    else if (error->offset > size || error->message.empty()) FAIL("cut at " << size << ": offset " << error->offset);
  }
  CHECK(clean == 7);  // after each record but the last
  const Bytes packed = compress(file);
  for (size_t size = 7; size < packed.size(); size++) {
    Log log;
    if (!read(Bytes(packed.begin(), packed.begin() + static_cast<ptrdiff_t>(size)), log)) FAIL("compressed, cut at " << size);
  }
}

TEST_CASE("a file that is no AUB file is reported as such") {
  Log log;
  const uint32_t words[] = {0x464c457f, 0, 0};
  const auto error = read(bytes_of(words), log);
  REQUIRE(error);
  CHECK(error->offset == 0);
  CHECK(error->message == "not an AUB file (first word 0x464c457f)");
  const auto empty = read({}, log);
  REQUIRE(empty);
  CHECK(empty->message == "not an AUB file (it is empty)");
}

TEST_CASE("a write larger than its record is refused") {
  Log log;
  const uint32_t words[] = {aub::header(aub::opcode_memtrace, 6, 5), 0, 0, 2u << 28, 0xffffffff, 0};
  const auto error = read(bytes_of(words), log);
  REQUIRE(error);
  CHECK(error->offset == 0);
  CHECK(error->message == "memory write of 4294967295 bytes in a record with 4");
  CHECK(log.lines.empty());
}

TEST_CASE("an unknown record is an error at its place") {
  Bytes file = sample();
  const size_t end = file.size();
  const uint32_t words[] = {aub::header(aub::opcode_memtrace, 0x55, 0)};
  const Bytes more = bytes_of(words);
  file.insert(file.end(), more.begin(), more.end());
  Log log;
  const auto error = read(file, log);
  REQUIRE(error);
  CHECK(error->offset == end);
  CHECK(error->message == "unknown memory trace record 0x55");
}

TEST_CASE("a discontiguous write is one write per part") {
  std::vector<uint32_t> words(2 + 63 * 3 + 3);
  words[0] = aub::header(aub::opcode_memtrace, 0x0b, static_cast<uint32_t>(words.size() - 1));
  words[1] = 2u << 28;
  words[2] = 0x1000, words[4] = 4;
  words[5] = 0x9000, words[7] = 8;
  words[191] = 0x11111111;
  Log log;
  CHECK_FALSE(read(bytes_of(words), log));
  CHECK(log.lines == std::vector<std::string>{"memory 2 4096 4", "memory 2 36864 8"});
  words[7] = 9;  // one byte more than the record has
  CHECK(read(bytes_of(words), log));
}

TEST_CASE("classic files: header, data block, ring write") {
  std::vector<uint32_t> words = {aub::header(aub::opcode_classic, 0x05, 11)};
  words.resize(13);
  std::memcpy(&words[2], "i965 app", 8);
  for (const uint32_t word : {aub::header(aub::opcode_classic, 0x41, 4), 1u, 0u, 0x3000u, 4u, 0u, 0xabcdu}) words.push_back(word);
  for (const uint32_t word : {aub::header(aub::opcode_classic, 0x41, 4), 2u | 2u << 8, 0u, 0u, 8u, 0u, 0u, 0x05000000u})
    words.push_back(word);
  Log log;
  CHECK_FALSE(read(bytes_of(words), log));
  CHECK(log.lines == std::vector<std::string>{"version 0 i965 app", "memory 0 12288 4", "ring 0 8"});
}

TEST_CASE("a huge classic block is read in pieces and ends with the file") {
  std::vector<uint32_t> words = {aub::header(aub::opcode_classic, 0x41, 4), 1, 0, 0x3000, 0xfffffff0, 0};
  words.resize(6 + 50000);
  Log log;
  const auto error = read(bytes_of(words), log);
  REQUIRE(error);
  CHECK(log.largest_piece <= 65536);
}

TEST_CASE("random damage at most ends the file with an error") {
  std::mt19937 random(42);
  const Bytes good = sample(), packed = compress(good);
  for (int i = 0; i < 3000; i++) {
    Bytes file = i % 2 ? good : packed;
    for (unsigned n = 1 + random() % 4; n; n--) file[random() % file.size()] = static_cast<std::byte>(random());
    Log log;
    if (const auto error = read(file, log); error && error->message.empty()) FAIL("an error without a sentence");
  }
  SUCCEED();
}
