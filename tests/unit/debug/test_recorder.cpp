// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <unistd.h>

#include <fmt/format.h>

#include "hw/debug/aub_reader.h"
#include "hw/debug/page_results.h"
#include "hw/debug/ring_port.h"
#include "hw/mmio/register_file.h"
#include "tests/unit/gt/fake_host.h"
#include "tests/unit/gt/ring_driver.h"

using namespace softgen;
using softgen::test::FakeHost;

namespace {

// Guest physical addresses. The context runs a batch from its own PPGTT, where va is not the physical address.
constexpr uint64_t hwsp = 0x20000, image = 0x40000, ring = 0x60000, pml4 = 0x80000, batch = 0x90000, target = 0xa0000;
constexpr uint64_t batch_va = 0xffff'8000'0000, target_va = 0x1234'5000;
constexpr uint32_t store_dword = 0x20u << 23 | 2, batch_start = 0x31u << 23 | 1u << 8 | 1, batch_end = 0x0au << 23,
                   arb_on = 0x08u << 23 | 1;

class Driver {
 public:
  explicit Driver(FakeHost& host) : host_(host) {
    for (uint64_t page : {hwsp, ring, target}) host.map(page, page, 1);
    host.map(image, image, 22);
    host.write(0x2000 + reg::RING_MODE, 0x8000'8000);
    host.write(0x2000 + reg::RING_HWS_PGA, hwsp);
    uint32_t* state = &host.ram<uint32_t>(image + 0x1000);
    const std::pair<unsigned, std::pair<uint32_t, uint32_t>> rows[] = {
        {0x02, {0x2244, 0x90009}}, {0x04, {0x2034, 0}},      {0x06, {0x2030, 0}}, {0x08, {0x2038, ring}},
        {0x0a, {0x203c, 1}},       {0x10, {0x2110, 1 << 5}}, {0x30, {0x2274, 0}}, {0x32, {0x2270, pml4}}};
    for (const auto& [dword, row] : rows) state[dword] = row.first, state[dword + 1] = row.second;
    state[1] = 0x1100'101b;
    state[0x21] = 0x1100'1011;
    map(batch_va, batch);
    map(target_va, target);
  }

  /// A batch that stores `value` at `offset` of the target.
  void store(uint32_t offset, uint32_t value) {
    const uint32_t code[] = {store_dword, static_cast<uint32_t>(target_va) + offset, 0, value, batch_end, 0};
    std::memcpy(&host_.ram<uint32_t>(batch), code, sizeof code);
    const uint32_t call[] = {arb_on, batch_start, static_cast<uint32_t>(batch_va), static_cast<uint32_t>(batch_va >> 32)};
    std::memcpy(&host_.ram<uint32_t>(ring + tail_), call, sizeof call);
    tail_ += sizeof call;
    host_.ram<uint32_t>(image + 0x1000 + 7 * 4) = tail_;
    for (uint32_t dword : {0u, 0u, 1u, static_cast<uint32_t>(image) | 0x139}) host_.write(0x2000 + reg::RING_ELSP, dword);
  }

 private:
  void map(uint64_t va, uint64_t gpa) {
    uint64_t table = pml4;
    for (unsigned shift : {39u, 30u, 21u}) {
      uint64_t& entry = host_.ram<uint64_t>(table + 8 * (va >> shift & 511));
      if (!entry) entry = (next_ += 0x1000) | 3;
      table = entry & ~0xfffull;
    }
    host_.ram<uint64_t>(table + 8 * (va >> 12 & 511)) = gpa | 3;
  }

  FakeHost& host_;
  uint64_t next_ = pml4 + 0x100000;
  uint32_t tail_ = 0;
};

/// Feeds a recording into another device.
class Replay : public debug::AubVisitor {
 public:
  explicit Replay(FakeHost& host, uint64_t gtt_window = FakeHost::gtt_window) : host_(host), gtt_window_(gtt_window) {}
  void memory_write(debug::aub::Space space, uint64_t address, std::span<const std::byte> data) override {
    if (space == debug::aub::Space::physical) {
      REQUIRE(address + data.size() <= FakeHost::ram_size);
      std::memcpy(&host_.ram<std::byte>(address), data.data(), data.size());
      return;
    }
    REQUIRE(space == debug::aub::Space::ggtt_entry);
    for (size_t i = 0; i < data.size(); i += 4) {
      uint32_t dword;
      std::memcpy(&dword, data.data() + i, 4);
      host_.write(gtt_window_ + address + i, dword);
    }
  }
  void register_write(uint32_t offset, uint32_t value) override { host_.write(offset, value); }
  void register_poll(uint32_t, uint32_t, uint32_t) override { ++polls; }
  unsigned polls = 0;

 private:
  FakeHost& host_;
  const uint64_t gtt_window_;
};

/// The name of a file of its own, which is removed.
struct Recording {
  Recording() {
    const int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
  }
  ~Recording() { unlink(path); }
  void start(FakeHost& host, bool check) {
    char* error = nullptr;
    REQUIRE(sg_record_start(host.device(), path, check, &error));
  }
  void read(debug::AubVisitor& into) const {
    const auto source = debug::open_file(path);
    CHECK_FALSE(debug::read_aub(*source, into));
  }
  char path[32] = "/tmp/softgen-recorder.XXXXXX";
};

/// What a recording says of results.
struct Comments : Replay {
  using Replay::Replay;
  void comment(std::string_view text) override { all += text; }
  std::string all;
};

}  // namespace

TEST_CASE("a recording replays to the same memory") {
  Recording file;
  FakeHost host;
  Driver driver(host);
  driver.store(0, 0x11);  // before the recording: the page is then part of its first submission
  file.start(host, false);
  driver.store(4, 0x22);
  host.ram<uint32_t>(target + 12) = 0x44;  // the CPU writes between two submissions
  driver.store(8, 0x33);
  sg_record_stop(host.device());
  driver.store(16, 0x55);  // after it

  FakeHost other;
  Replay replay(other);
  file.read(replay);
  CHECK(replay.polls == 2);
  const uint32_t expected[] = {0x11, 0x22, 0x33, 0x44, 0};
  for (unsigned i = 0; i < 5; ++i) CHECK(other.ram<uint32_t>(target + 4 * i) == expected[i]);
}

TEST_CASE("a checked recording has the pages that a submission changed") {
  Recording file;
  FakeHost host;
  Driver driver(host);
  file.start(host, true);
  driver.store(4, 0x22);
  sg_record_stop(host.device());

  FakeHost other;
  Comments replay(other);
  file.read(replay);
  const auto page = std::as_bytes(std::span(&host.ram<uint32_t>(target), 1024));
  const std::string expected = fmt::format("{}{:x} {:016x}\n", debug::results_comment, target, debug::hash_page(page.first<4096>()));
  CHECK(replay.all == expected);
}

TEST_CASE("a recording of rings replays to the same memory, also where it begins between two requests") {
  namespace rings = softgen::test::ring;
  for (const rings::EngineUnderTest& engine : rings::engines) {
    CAPTURE(engine.base);
    Recording file;
    FakeHost host(0, 1, nullptr, "ilk");
    rings::Driver driver(host, engine);
    host.write(rings::gtt_window + 4 * 0x7ffff, 0xb0 | rings::target | 1);  // bits 35:32, which no memory here has
    const auto store = [&](uint32_t offset, uint32_t value) {
      driver.run({rings::mi_store_dword, 0, rings::target + offset, value, rings::mi_noop, rings::mi_noop});
    };
    store(0, 0x11);
    file.start(host, true);
    store(4, 0x22);
    host.ram<uint32_t>(rings::target + 12) = 0x44;  // the CPU writes between two requests
    store(8, 0x33);
    driver.start();  // another ring at the same place, as after a reset
    store(20, 0x66);
    sg_record_stop(host.device());
    store(16, 0x55);

    FakeHost other(0, 1, nullptr, "ilk");
    Comments replay(other, rings::gtt_window);
    file.read(replay);
    CHECK(replay.polls == 3);
    const uint32_t expected[] = {0x11, 0x22, 0x33, 0x44, 0, 0x66};
    for (unsigned i = 0; i < 6; ++i) CHECK(other.ram<uint32_t>(rings::target + 4 * i) == expected[i]);
    CHECK(other.read(rings::gtt_window + 4 * 0x7ffff) == (0xb0 | rings::target | 1));
    const auto page = std::as_bytes(std::span(&other.ram<uint32_t>(rings::target), 1024));
    CHECK(
        replay.all.ends_with(fmt::format("{}{:x} {:016x}\n", debug::results_comment, rings::target, debug::hash_page(page.first<4096>()))));
  }
}

TEST_CASE("a ring's submissions are the writes that give it commands") {
  debug::RingPort port;
  const auto write = [&](uint32_t reg, uint32_t value) { return port.write(reg, value).has_value(); };
  CHECK_FALSE(write(reg::RING_START, 0x8'0123));
  CHECK_FALSE(write(reg::RING_TAIL, 0x40));
  CHECK_FALSE(write(reg::RING_MI_MODE, 0x0100'0100));
  CHECK_FALSE(write(reg::RING_CTL, 0x1f001));
  const auto first = port.write(reg::RING_MI_MODE, 0x0100'0000);
  REQUIRE(first);
  CHECK((first->start == 0x8'0000 && first->size == 0x2'0000 && first->head == 0 && first->tail == 0x40));
  CHECK_FALSE(write(reg::RING_TAIL, 0x40));
  const auto second = port.write(reg::RING_TAIL, 0x10);  // it goes round
  REQUIRE(second);
  CHECK((second->head == 0x40 && second->tail == 0x10));
  CHECK_FALSE(write(reg::RING_HEAD, 0x10));
  CHECK(write(reg::RING_HEAD, 0x8));
  CHECK_FALSE(write(reg::RING_CTL, 0));
  CHECK_FALSE(write(reg::RING_TAIL, 0x20));
}

TEST_CASE("a recording that cannot be written is reported") {
  FakeHost host;
  char* error = nullptr;
  CHECK_FALSE(sg_record_start(host.device(), "/nonexistent/x.aub", false, &error));
  CHECK(std::string(error) == "/nonexistent/x.aub: No such file or directory");
  sg_free(error);
}
