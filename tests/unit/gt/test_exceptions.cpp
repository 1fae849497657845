// SPDX-License-Identifier: GPL-2.0-or-later
// C++ exceptions end at the C ABI and on engines' threads: here the host's callbacks throw.
#include <array>
#include <new>

#include "endless_work.h"
#include "hw/base/log.h"
#include "hw/base/worker_pool.h"
#include "hw/mmio/register_file.h"
#include "tests/unit/gt/fake_host.h"

using namespace softgen;
using namespace softgen::test;

namespace {

constexpr uint32_t rcs = 0x2000;

/// Puts work into memory that waits for RESULT + 8, which is set already, and ends with a user interrupt.
void submit(FakeHost& host) {
  for (const EndlessWork& work : endless_work) {
    if (work.name != std::string_view("semaphore")) continue;
    for (const auto& [address, dwords] : work.memory) std::memcpy(&host.ram<uint32_t>(address), dwords.data(), dwords.size_bytes());
  }
  host.ram<uint32_t>(work_result) = 0;
  host.ram<uint32_t>(work_result + 8) = 1;
  host.map(0, 0, work_bytes / 4096);
  host.write(rcs + reg::RING_HWSTAM, ~0u);
  host.write(rcs + reg::RING_IMR, ~1u);
  host.write(reg::GT_IMR(0), 0);
  host.write(reg::GT_IER(0), ~0u);
  host.write(reg::MASTER_INT_CTL, 1u << 31);
  for (const auto& [offset, value] : work_registers) host.write(offset, value);
}

}  // namespace

TEST_CASE("an exception does not leave the C ABI: the call returns nothing, and the device stays usable") {
  FakeHost host;
  host.clock_throws = true;
  CHECK(host.read(rcs + reg::RING_TIMESTAMP) == 0);
  CHECK(host.failures(Failure::unsupported, "exception at the C ABI") == 1);
  host.clock_throws = false;
  host.advance(1'000'000);
  CHECK(host.read(rcs + reg::RING_TIMESTAMP) != 0);
  CHECK(host.save().size() > 0);
}

TEST_CASE("an exception on an engine's thread hangs the engine until it is reset") {
  for (unsigned threads : {0u, 2u}) {
    CAPTURE(threads);
    FakeHost host(threads);
    host.interrupt_throws = true;
    submit(host);
    while ((host.read(rcs + reg::RING_ESR) & 1) == 0) std::this_thread::yield();
    host.interrupt_throws = false;
    host.write(reg::GDRST, 1u << 1);
    CHECK((host.read(rcs + reg::RING_ESR) & 1) == 0);
    submit(host);
    while (__atomic_load_n(&host.ram<uint32_t>(work_result), __ATOMIC_ACQUIRE) != work_finished) std::this_thread::yield();
  }
}

TEST_CASE("a worker's exception reaches the caller of for_each after all have returned") {
  for (unsigned workers : {0u, 3u}) {
    WorkerPool pool(workers);
    std::atomic<int> inside{0};
    const auto body = [&](size_t index, unsigned) {
      ++inside;
      if (index % 7 == 3) {
        --inside;
        throw std::bad_alloc();
      }
      --inside;
    };
    CHECK_THROWS_AS(pool.for_each(1000, body), std::bad_alloc);
    CHECK(inside == 0);
    int done = 0;
    pool.for_each(1, [&](size_t, unsigned) { ++done; });
    CHECK(done == 1);
  }
}
