// SPDX-License-Identifier: GPL-2.0-or-later
// Latency of submission through the whole device (register write, engine thread, context restore and save, CSB), for scripts/bench: one
// JSON object on stdout, {"rows": [{"name", "softgen", "peer", "ratio", "unit", "spread"}]}. softgen and peer are medians in us;
// the peer is what the host needs to wake a sleeping thread that writes one word back. spread is (p95 - p5) / median of ours.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "hw/base/log.h"
#include "hw/cs/context_image.h"
#include "hw/gt/device.h"
#include "hw/iface/quiet_host.h"
#include "tests/engine_register.h"
#include "tests/quiet_log.h"

using namespace softgen;

namespace {

constexpr int rounds = 2000;
constexpr uint64_t ram_bytes = 64 << 20;
constexpr uint32_t status_page = 0x10'0000, scratch = 0x18'0000, ring_bytes = 16384;
constexpr uint64_t pml4 = 0x300'0000, user_base = 0x7f00'0000'0000, user_gpa = 0x240'0000;
constexpr uint32_t batch_end = 0x0500'0000;  // MI_BATCH_BUFFER_END

struct ClockHost final : QuietHost {
  int64_t clock_ns() override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};

double now_us() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Sample {
  double median, spread;
};

Sample summarize(std::vector<double> us) {
  std::sort(us.begin(), us.end());
  const double median = us[us.size() / 2];
  return {median, (us[us.size() * 95 / 100] - us[us.size() * 5 / 100]) / median};
}

// Between rounds the other thread goes to sleep for good, as an idle engine's does.
void rest() { std::this_thread::sleep_for(std::chrono::microseconds(100)); }

Sample wake_up() {
  std::mutex mutex;
  std::condition_variable wake;
  int asked = 0;
  std::atomic<int> answered{0};
  std::thread other([&] {
    std::unique_lock lock(mutex);
    for (int i = 1; i <= rounds; ++i) {
      wake.wait(lock, [&] { return asked >= i; });
      answered.store(i, std::memory_order_release);
    }
  });
  std::vector<double> us;
  for (int i = 1; i <= rounds; ++i) {
    rest();
    const double start = now_us();
    {
      std::scoped_lock lock(mutex);
      asked = i;
    }
    wake.notify_one();
    while (answered.load(std::memory_order_acquire) != i) {}
    us.push_back(now_us() - start);
  }
  other.join();
  return summarize(us);
}

/// The device with 64 MiB of RAM at 0, mapped one to one in the GGTT.
class Bench {
 public:
  explicit Bench(unsigned threads) : threaded_(threads != 0), ram_(static_cast<std::byte*>(std::aligned_alloc(4096, ram_bytes))) {
    std::memset(ram_, 0, ram_bytes);
    device_ = std::make_unique<gt::Device>(gt::Config{.platform = defs::find_platform("kbl"), .threads = threads}, host_);
    device_->memory_begin();
    device_->memory_add(0, ram_bytes, ram_, false);
    device_->memory_commit();
    for (uint64_t page = 0; page < ram_bytes / 4096; ++page) device_->ggtt().set_pte(page, page << 12 | 1);
    const auto entry = [&](uint64_t table, unsigned high, uint64_t to) {
      at<uint64_t>(table + bits(user_base, high, high - 8) * 8) = to | 3;
    };
    entry(pml4, 47, pml4 + 0x1000), entry(pml4 + 0x1000, 38, pml4 + 0x2000), entry(pml4 + 0x2000, 29, pml4 + 0x3000);
    entry(pml4 + 0x3000, 20, user_gpa);
    at<uint32_t>(user_gpa) = batch_end;
    // XY_COLOR_BLT of one pixel, after the batch.
    const uint32_t blit[] = {
        0x5430'0005, 0x03f0'0040, 0, 0x0001'0001, static_cast<uint32_t>(user_base) + 1024, static_cast<uint32_t>(user_base >> 32),
        0x1234'5678, batch_end};
    std::memcpy(&at<uint32_t>(user_gpa + 2048), blit, sizeof blit);
  }
  ~Bench() {
    device_.reset();
    std::free(ram_);
  }

  template <typename T>
  T& at(uint64_t gpa) {
    return *reinterpret_cast<T*>(ram_ + gpa);
  }
  gt::Device& device() { return *device_; }
  Sample run(EngineId id, bool blit);

 private:
  void emit(uint32_t ring, uint32_t& tail, const std::vector<uint32_t>& dwords) {
    for (const uint32_t dword : dwords) at<uint32_t>(ring + tail) = dword, tail = (tail + 4) % ring_bytes;
  }
  std::vector<uint32_t> request(EngineId id, uint32_t seqno, uint64_t batch) const;

  const bool threaded_;
  std::byte* ram_;
  ClockHost host_;
  std::unique_ptr<gt::Device> device_;
};

// A request as i915 writes it around a user's batch (gt/gen8_engine_cs.c).
std::vector<uint32_t> Bench::request(EngineId id, uint32_t seqno, uint64_t batch) const {
  const bool render = id == EngineId::rcs;
  std::vector<uint32_t> dw{0x1040'0002, scratch, 0, seqno - 1, 0, 0x0280'0000};
  const auto add = [&](std::initializer_list<uint32_t> more) { dw.insert(dw.end(), more); };
  if (render) add({0x7a00'0004, 0, 0, 0, 0, 0, 0x7a00'0004, 0x0034'4c1c, 0xd0, 0, 0, 0});
  else add({0x1320'4002, 0xd0, 0, 0});
  add({0x0400'0001, 0x1880'0101, static_cast<uint32_t>(batch), static_cast<uint32_t>(batch >> 32), 0x0400'0000, 0});
  if (render) add({0x7a00'0004, 0x1021, 0, 0, 0, 0, 0x7a00'0004, 0x0110'4080, scratch, 0, seqno, 0});
  else add({0x1300'4002, scratch | 4, 0, seqno});
  add({0x0100'0000, 0x0400'0001, 0x0280'0000, 0x0e40'c002, 0, status_page + 0xc8, 0, 0, 0x0280'0000, 0});
  return dw;
}

Sample Bench::run(EngineId id, bool blit) {
  mmio::RegisterFile& registers = device_->registers();
  const auto engine = [&](uint32_t relative, uint32_t value) {
    device_->bar0_write(softgen::test::engine_register(id, relative), value, 4);
  };
  engine(reg::RING_MODE, 0x8000'8000);
  engine(reg::RING_MI_MODE, 0x0100'0000);
  engine(reg::RING_HWS_PGA, status_page);
  engine(reg::RING_CONTEXT_STATUS_PTR, 0xffff'0505);
  at<uint32_t>(status_page + 0x7c) = 5;

  const uint32_t lrca = 0x20'0000, ring = 0x24'0000;
  std::memset(&at<std::byte>(lrca), 0, 22 * 4096);
  uint32_t* page = &at<uint32_t>(lrca + 0x1000);
  cs::write_image_frame({page, 1024}, defs::gen9::context_images.of(class_of(id)), softgen::test::engine_register(id, 0));
  page[0x03] = 0x0009'0009;
  page[0x09] = ring;
  page[0x0b] = (ring_bytes - 4096) | 1;
  page[0x33] = static_cast<uint32_t>(pml4);

  std::vector<double> us;
  uint32_t tail = 0, csb = 5;
  for (int i = 1; i <= rounds; ++i) {
    emit(ring, tail, request(id, static_cast<uint32_t>(i), user_base + (blit ? 2048 : 0)));
    __atomic_store_n(&page[0x07], tail, __ATOMIC_RELEASE);
    csb = (csb + 2) % 6;
    if (threaded_) rest();
    const double start = now_us();
    for (const uint32_t dword : {0u, 0u, 0x20u, lrca | 0x119u}) engine(reg::RING_ELSP, dword);
    while (__atomic_load_n(&at<uint32_t>(status_page + 0x7c), __ATOMIC_ACQUIRE) != csb) {
      if (now_us() - start > 1e6) {
        fmt::print(stderr, "bench_submit: no completion after 1 s (ESR {:#x}, IPEHR {:#x})\n", registers.peek(id, reg::RING_ESR),
                   registers.peek(id, reg::RING_IPEHR));
        std::exit(1);
      }
    }
    us.push_back(now_us() - start);
    if (at<uint32_t>(scratch) != static_cast<uint32_t>(i)) {
      fmt::print(stderr, "bench_submit: the request did not write its seqno\n");
      std::exit(1);
    }
  }
  return summarize(us);
}

}  // namespace

int main() {
  quiet_log();
  const Sample floor = wake_up();
  std::string rows;
  for (const unsigned threads : {1u, 0u}) {
    Bench bench(threads);
    struct Row {
      const char* name;
      EngineId id;
      bool blit;
    };
    for (const auto& [name, id, blit] : {Row{"empty batch, rcs", EngineId::rcs, false}, Row{"empty batch, bcs", EngineId::bcs, false},
                                         Row{"one pixel, bcs", EngineId::bcs, true}}) {
      const Sample ours = bench.run(id, blit);
      rows += fmt::format(
          "{}{{\"name\": \"submit/{}{}\", \"softgen\": {:.2f}, \"peer\": {:.2f}, \"ratio\": {:.2f}, \"unit\": \"us\", "
          "\"spread\": {:.2f}}}",
          rows.empty() ? "" : ",\n  ", name, threads ? "" : ", threads=0", ours.median, floor.median, floor.median / ours.median,
          ours.spread);
    }
  }
  fmt::print("{{\"rows\": [\n  {}\n]}}\n", rows);
}
