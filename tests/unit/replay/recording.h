// SPDX-License-Identifier: GPL-2.0-or-later
// Small AUB files in the form that dump_gpu writes: one context on one engine, a batch in PPGTT.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "hw/debug/aub_writer.h"
#include "hw/defs/register.h"
#include "tests/engine_register.h"

namespace softgen::test {

class Recording {
 public:
  static constexpr uint64_t batch = 0x10000, target = 0x20000;  ///< PPGTT addresses, 64 KiB each
  static constexpr uint32_t lrca = 0x2000, ring = 0x1000, status = 0x30000;

  Recording()
      : writer_([this](std::span<const std::byte> data) {
          file_.insert(file_.end(), data.begin(), data.end());
          return true;
        }) {
    writer_.version(0x5912, "test");
    for (uint32_t page = 0; page < 64; page++) {
      const uint64_t entry = (uint64_t{0x100} + page) << 12 | 1;
      writer_.memory(debug::aub::Space::ggtt_entry, uint64_t{page} * 8, std::as_bytes(std::span(&entry, 1)));
    }
    // PML4 at physical 0x1000, then PDP, PD, PT; VAs 0..1 MiB are physical 2 MiB..3 MiB.
    table(0x1000, 0, 0x2003), table(0x2000, 0, 0x3003), table(0x3000, 0, 0x4003);
    for (uint64_t page = 0; page < 256; page++) table(0x4000, page, (uint64_t{0x200} + page) << 12 | 3);
  }

  void table(uint64_t at, uint64_t index, uint64_t entry) {
    writer_.memory(debug::aub::Space::physical, at + index * 8, std::as_bytes(std::span(&entry, 1)));
  }
  void put(uint64_t va, std::span<const uint32_t> dwords) {
    writer_.memory(debug::aub::Space::physical, 0x200000 + va, std::as_bytes(dwords));
  }
  void submit(EngineId engine, std::span<const uint32_t> commands) {
    put(batch, commands);
    const uint32_t base = engine_register(engine, 0);
    const uint32_t start[] = {0x18800101, batch, 0, 0};
    ggtt(ring, start);
    std::vector<uint32_t> page(1024);
    const std::pair<uint32_t, uint32_t> low[] = {{0x244, 0x90009}, {0x34, 0}, {0x30, 16}, {0x38, ring}, {0x3c, 1}};
    page[1] = 0x1100101b;
    for (unsigned i = 0; i < 5; i++) page[2 + 2 * i] = base + low[i].first, page[3 + 2 * i] = low[i].second;
    page[0x21] = 0x11001011;
    page[0x30] = base + 0x274, page[0x32] = base + 0x270, page[0x33] = 0x1000;
    ggtt(lrca + 0x1000, page);
    writer_.register_write(base + 0x29c, 0x80008000);
    writer_.register_write(base + 0x80, status);
    for (const uint32_t value : {0u, 0u, 0u, lrca | 0x339}) writer_.register_write(base + 0x230, value);
    writer_.register_poll(base + 0x234, 0x10, 0);
  }
  void ggtt(uint64_t address, std::span<const uint32_t> dwords) { writer_.memory(debug::aub::Space::ggtt, address, std::as_bytes(dwords)); }
  debug::AubWriter& writer() { return writer_; }
  const std::vector<std::byte>& bytes() const { return file_; }

 private:
  std::vector<std::byte> file_;
  debug::AubWriter writer_;
};

/// A file that is deleted with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::byte> bytes) {
    char name[] = "/tmp/softgen-test-XXXXXX";
    const int fd = mkstemp(name);
    path_ = name;
    std::FILE* file = fdopen(fd, "wb");
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace softgen::test
