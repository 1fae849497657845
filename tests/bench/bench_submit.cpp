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
#include "hw/defs/platform.h"
#include "hw/gt/device.h"
#include "hw/iface/quiet_host.h"
#include "tests/quiet_log.h"

using namespace softgen;

namespace {

constexpr int rounds = 2000;
constexpr uint64_t ram_bytes = 64 << 20;
constexpr uint32_t status_page = 0x10'0000, scratch = 0x18'0000, ring_bytes = 16384;
constexpr uint64_t pml4 = 0x300'0000, user_base = 0x7f00'0000'0000, user_gpa = 0x240'0000;
constexpr uint32_t batch_end = 0x0500'0000;  // MI_BATCH_BUFFER_END

/// How i915 submits to a platform, and reads its events (gt/intel_execlists_submission.c).
struct Port {
  const char* platform;
  uint32_t mode;               ///< RING_MODE
  uint32_t entries, index_at;  ///< of the status buffer; where its index is in the status page
  bool queue;                  ///< ELSQ
};
constexpr Port kaby_lake{"kbl", 0x8000'8000, 6, 0x7c, false}, ice_lake{"icl", 0x0008'0008, 12, 0xbc, true};

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
  Bench(const Port& port, unsigned threads)
      : port_(port), threaded_(threads != 0), ram_(static_cast<std::byte*>(std::aligned_alloc(4096, ram_bytes))) {
    std::memset(ram_, 0, ram_bytes);
    device_ = std::make_unique<gt::Device>(gt::Config{.platform = defs::find_platform(port_.platform), .threads = threads}, host_);
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
    // 3DSTATE_SCISSOR_STATE_POINTERS, of the second context alone.
    const uint32_t state[] = {0x780f'0000, 0x40, batch_end};
    std::memcpy(&at<uint32_t>(user_gpa + 3072), state, sizeof state);
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
  /// `contexts` take turns; `batch`: offset from user_base.
  Sample run(EngineId id, uint32_t batch, unsigned contexts = 1);

 private:
  void emit(uint32_t ring, uint32_t& tail, const std::vector<uint32_t>& dwords) {
    for (const uint32_t dword : dwords) at<uint32_t>(ring + tail) = dword, tail = (tail + 4) % ring_bytes;
  }
  std::vector<uint32_t> request(EngineId id, uint32_t seqno, uint64_t batch) const;
  uint32_t base(EngineId id) const { return defs::find_platform(port_.platform)->registers->engine(id)->mmio_base; }
  void write(EngineId id, uint32_t relative, uint32_t value) { device_->bar0_write(base(id) + relative, value, 4); }
  void enable(EngineId id);
  void make_image(EngineId id, uint32_t lrca, uint32_t ring);
  void submit(EngineId id, uint32_t lrca);

  const Port port_;
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

void Bench::enable(EngineId id) {
  write(id, reg::RING_MODE, port_.mode);
  write(id, reg::RING_MI_MODE, 0x0100'0000);
  write(id, reg::RING_HWS_PGA, status_page);
  write(id, reg::RING_CONTEXT_STATUS_PTR, 0xffff'0000 | (port_.entries - 1) * 0x101);
  at<uint32_t>(status_page + port_.index_at) = port_.entries - 1;
}

void Bench::make_image(EngineId id, uint32_t lrca, uint32_t ring) {
  const defs::ContextLayout& layout = defs::find_platform(port_.platform)->contexts->of(class_of(id));
  std::memset(&at<std::byte>(lrca), 0, layout.pages * size_t{defs::context_page});
  uint32_t* page = &at<uint32_t>(lrca + defs::context_page);
  cs::write_image_frame({page, 1024}, layout, base(id));
  page[0x03] = 0x0009'0009;
  page[0x09] = ring;
  page[0x0b] = (ring_bytes - 4096) | 1;
  page[0x33] = static_cast<uint32_t>(pml4);
}

void Bench::submit(EngineId id, uint32_t lrca) {
  if (!port_.queue) {
    for (const uint32_t dword : {0u, 0u, lrca, lrca | 0x119u}) write(id, reg::RING_ELSP, dword);
    return;
  }
  write(id, reg::RING_EXECLIST_SQ(0, 0), lrca | 0x119u);
  write(id, reg::RING_EXECLIST_SQ(0, 1), lrca);
  write(id, reg::RING_EXECLIST_CONTROL, 1);
}

Sample Bench::run(EngineId id, uint32_t batch, unsigned contexts) {
  constexpr uint32_t lrca = 0x20'0000, ring = 0x2c'0000, image_bytes = 0x2'0000;
  enable(id);
  for (unsigned i = 0; i < contexts; ++i) make_image(id, lrca + i * image_bytes, ring + i * ring_bytes);

  std::vector<double> us;
  uint32_t tails[2] = {}, csb = port_.entries - 1;
  for (int i = 1; i <= rounds; ++i) {
    const unsigned n = static_cast<unsigned>(i) % contexts;
    const uint32_t image = lrca + n * image_bytes, turn = static_cast<unsigned>(i) / contexts;
    emit(ring + n * ring_bytes, tails[n], request(id, static_cast<uint32_t>(i), user_base + (n && turn == 0 ? 3072 : batch)));
    __atomic_store_n(&at<uint32_t>(image + 0x101c), tails[n], __ATOMIC_RELEASE);
    csb = (csb + 2) % port_.entries;
    if (threaded_) rest();
    const double start = now_us();
    submit(id, image);
    while (__atomic_load_n(&at<uint32_t>(status_page + port_.index_at), __ATOMIC_ACQUIRE) != csb) {
      if (now_us() - start > 1e6) {
        fmt::print(stderr, "bench_submit: no completion after 1 s (ESR {:#x}, IPEHR {:#x})\n", device_->registers().peek(id, reg::RING_ESR),
                   device_->registers().peek(id, reg::RING_IPEHR));
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
  struct Row {
    const char* name;
    const Port& port;
    EngineId id;
    uint32_t batch = 0;
    unsigned contexts = 1;
  };
  const Row all[] = {{"empty batch, rcs", kaby_lake, EngineId::rcs},
                     {"empty batch, bcs", kaby_lake, EngineId::bcs},
                     {"one pixel, bcs", kaby_lake, EngineId::bcs, 2048},
                     {"empty batch, rcs, Ice Lake", ice_lake, EngineId::rcs},
                     {"two contexts in turn, rcs", kaby_lake, EngineId::rcs, 0, 2},
                     {"two contexts in turn, rcs, Ice Lake", ice_lake, EngineId::rcs, 0, 2}};
  for (const unsigned threads : {1u, 0u}) {
    for (const Row& row : all) {
      const Sample ours = Bench(row.port, threads).run(row.id, row.batch, row.contexts);
      rows += fmt::format(
          "{}{{\"name\": \"submit/{}{}\", \"softgen\": {:.2f}, \"peer\": {:.2f}, \"ratio\": {:.2f}, \"unit\": \"us\", "
          "\"spread\": {:.2f}}}",
          rows.empty() ? "" : ",\n  ", row.name, threads ? "" : ", threads=0", ours.median, floor.median, floor.median / ours.median,
          ours.spread);
    }
  }
  fmt::print("{{\"rows\": [\n  {}\n]}}\n", rows);
}
