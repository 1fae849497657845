// SPDX-License-Identifier: GPL-2.0-or-later
// The micro-controller with input of any value from the driver and the engines: registers, firmware, messages by registers and by buffers, contexts,
// events, time, saved states.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "hw/guc/guc.h"
#include "hw/iface/quiet_host.h"
#include "hw/mmio/interrupts/gen11.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/isolated_memory.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::fuzz;

namespace {

constexpr uint32_t pages = 32, first_page = 0x1000, base = first_page * 4096;  // GGTT addresses of the guest's memory
constexpr uint32_t descriptors = base, to_guc = base + 0x1000, to_host = base + 0x2000, image = base + 0x4000, lists = base + 0x8000;
constexpr uint32_t wopcm_size = 0x80000, code_dwords = 64, ring_dwords = 1024;
constexpr uint32_t queue_bytes = 256;
/// Of a context: its image, version 69's descriptor of it, and, of a parent, its work queue's descriptor and the queue.
constexpr uint32_t image_of(uint32_t id) { return base + 0x10000 + id * 0x1000; }
constexpr uint32_t v69_descriptor_of(uint32_t id) { return base + 0x1c000 + id * 128; }
constexpr uint32_t descriptor_of(uint32_t id) { return base + 0xa000 + id * 0x200; }
constexpr uint32_t queue_of(uint32_t id) { return descriptor_of(id) + 0x100; }

class Clock final : public QuietHost {
 public:
  int64_t clock_ns() override { return now; }
  int64_t now = 1'000'000'000;
};

struct Engines final : guc::EnginePort {
  bool has(EngineId engine) const override { return takes_lists(engine); }
  void submit(EngineId engine, const cs::Execlist& list) override { waiting[static_cast<size_t>(engine)] = list.element[0]; }
  void reset(EngineId engine) override { running[static_cast<size_t>(engine)] = waiting[static_cast<size_t>(engine)] = {}; }
  void wake_at(int64_t) override {}
  std::array<cs::Descriptor, engine_count> waiting{}, running{};
};

class Target {
 public:
  Target() : memory_(pages), interrupts_(mmio::gen12_interrupts(registers_, host_)), view_(memory_, nullptr) {
    quiet_log();
    for (uint32_t i = 0; i < pages; ++i) ggtt_.set_pte(first_page + i, uint64_t{i} * 4096 | 1);
    view_.set_space(memory::AddressSpace::ggtt(ggtt_));
    guc_ = std::make_unique<guc::Guc>(guc::Guc::Environment{registers_, *interrupts_, memory_, ggtt_, host_, engines_,
                                                            mmio::TimestampClock(19'200'000), guc::gen12_layout, 0x9a49, tlb_});
    memory_.keep();
  }

  void run(std::span<const uint8_t> bytes) {
    Input in(bytes);
    memory_.restore();
    registers_.reset();
    engines_ = {};
    guc_->reset();
    start(in.take<uint8_t>());
    for (unsigned n = 0; n < 512 && !in.empty(); ++n) step(in);
  }

 private:
  void start(unsigned choice) {
    const unsigned how_far = std::min(choice % 8, 2u);
    is_v69_ = choice & 8;
    const uint32_t header[] = {6, 161, 0x10000, 0, 0x8086, 0, 161 + code_dwords, 64, 64, 1};
    view_.write(image, header, sizeof header);
    view_.store<uint32_t>(image + 64, is_v69_ ? 0x450003 : 0x460101);
    registers_.write(reg::GUC_WOPCM_SIZE, wopcm_size);
    registers_.write(reg::DMA_GUC_WOPCM_OFFSET, 0x60000);
    registers_.write(reg::UOS_RSA_SCRATCH(0), 1);
    registers_.write(reg::SOFT_SCRATCH(3), 1 << 2);
    registers_.write(reg::SOFT_SCRATCH(5), lists >> 12 << 1);
    registers_.write(reg::SOFT_SCRATCH(6), 0x9a490000);
    if (how_far >= 1) copy(1 << 4);
    if (how_far >= 2) open_buffers();
  }
  void copy(uint32_t flags) {
    const uint32_t values[] = {image, 0, 0x2000, 7 << 16, 128 + code_dwords * 4};
    for (uint32_t i = 0; i < std::size(values); ++i) registers_.write(reg::GUC_DMA_ADDRESS(0, 0) + 4 * i, values[i]);
    registers_.write(reg::GUC_DMA_CTRL, (flags | 1) << 16 | flags | 1);
  }
  void message(std::initializer_list<uint32_t> dwords) {
    uint32_t offset = reg::GUC_MESSAGE(0);
    for (const uint32_t dword : dwords) registers_.write(std::exchange(offset, offset + 4), dword);
    registers_.write(reg::GUC_HOST_INTERRUPT, 1);
  }
  void open_buffers() {
    tail_ = 0;
    for (uint32_t at = 0; at < 64; at += 4) view_.store(descriptors + at, 0), view_.store(descriptors + 0x800 + at, 0);
    message({0x508, 0x906 << 16 | 2, descriptors + 0x800, 0});
    message({0x508, 0x905 << 16 | 2, to_host, 0});
    message({0x508, 0x907 << 16 | 1, 4096, 0});
    message({0x508, 0x903 << 16 | 2, descriptors, 0});
    message({0x508, 0x902 << 16 | 2, to_guc, 0});
    message({0x508, 0x904 << 16 | 1, ring_dwords * 4, 0});
    message({0x4509, 1, 0, 0});
  }
  uint32_t number(Input& in) {
    const uint32_t kind = in.take<uint8_t>();
    if (kind < 160) return kind % 8;
    if (kind < 220) return base + in.take<uint16_t>() * 4u % (pages * 4096);
    return in.take<uint32_t>();
  }
  /// To the buffer, mostly of the actions that there are.
  void queue(Input& in) {
    static constexpr uint32_t actions[] = {0x30,   0x40,   0x302,  0x506,  0x509,  0x1000, 0x1000, 0x1001, 0x1001, 0x1001, 0x100b, 0x3003,
                                           0x3004, 0x4000, 0x4502, 0x4502, 0x4503, 0x4601, 0x4601, 0x550a, 0x7000, 0x1005, 0x1006, 0x1007};
    const uint8_t choice = in.take<uint8_t>();
    const uint32_t action = choice < 200 ? actions[choice % std::size(actions)] : choice < 240 ? 0x4601 : in.take<uint16_t>();
    std::vector<uint32_t> dwords = {action | uint32_t{in.take<uint8_t>()} % 4 << 28};
    unsigned count = action == 0x4502 ? 11 : action == 0x1001 ? 2 : 1;
    if (in.take<uint8_t>() < 32) count = in.take<uint8_t>() % 20;
    for (unsigned i = 0; i < count; ++i) dwords.push_back(number(in));
    if (action == 0x4502 && dwords.size() == 12) dwords[3] %= 4, dwords[4] |= 1, dwords[11] = 0;
    if (action == 0x4601 || (is_v69_ && action == 0x4502)) make_registration(in, action, dwords);
    const auto put = [&](uint32_t dword) {
      view_.store(to_guc + 4 * tail_, dword);
      tail_ = (tail_ + 1) % ring_dwords;
    };
    put(static_cast<uint32_t>(dwords.size()) | 7 << 16);
    for (const uint32_t dword : dwords) put(dword);
    view_.store(descriptors + 4, tail_);
    view_.store(descriptors + 0x800, view_.load<uint32_t>(descriptors + 0x804));  // the host has read all
  }
  /// Mostly as a driver has it, of ids from 0 to 7.
  void make_registration(Input& in, uint32_t action, std::vector<uint32_t>& message) {
    const uint8_t choice = in.take<uint8_t>();
    if (choice < 16) return;
    const uint32_t id = choice % 4 * 2 % 8, members = action == 0x4502 ? 1 : choice / 8 % 8 ? 2 : 1;
    std::vector<uint32_t> arguments;
    if (is_v69_) {
      for (uint32_t i = 0; i < members; ++i) describe(in, id + i);
      arguments = {id};
      if (action == 0x4601) arguments.push_back(members);
      for (uint32_t i = 0; i < members; ++i) arguments.push_back(v69_descriptor_of(id + i));
    } else {
      arguments = {1, id, 1, in.take<uint8_t>() % 4u | 1, descriptor_of(id), 0, queue_of(id), 0, queue_bytes, members};
      for (uint32_t i = 0; i < members; ++i) arguments.insert(arguments.end(), {image_of(id + i) | 0x119, 0});
    }
    message.resize(1);
    message.insert(message.end(), arguments.begin(), arguments.end());
    for (const uint32_t offset : {12, 36}) view_.store<uint32_t>(descriptor_of(id) + offset, 1);
    if (const uint8_t wrong = in.take<uint8_t>(); wrong < 16) message[1 + wrong % arguments.size()] = number(in);
  }
  void describe(Input& in, uint32_t id) {
    const uint32_t at = v69_descriptor_of(id);
    const uint32_t values[] = {image_of(id) | 0x119,
                               0,
                               0,
                               in.take<uint8_t>() % 4u | 1,
                               in.take<uint8_t>() % 4u,
                               in.take<uint8_t>() % 5u,
                               descriptor_of(id),
                               queue_of(id),
                               queue_bytes,
                               1,
                               1000,
                               1000};
    view_.write(at, values, sizeof values);
  }
  /// An item, mostly as a driver has it, and the request to take it.
  void work(Input& in) {
    const uint32_t id = in.take<uint8_t>() % 4 * 2, tail_at = descriptor_of(id) + (is_v69_ ? 16 : 4);
    uint32_t item[] = {5 | 4 << 16, image_of(id) | 0x119, id | in.take<uint16_t>() << 18, 0, in.take<uint16_t>()};
    if (const uint8_t wrong = in.take<uint8_t>(); wrong < 32) item[wrong % std::size(item)] = number(in);
    else if (wrong < 64) item[0] = 4 | wrong % 8u << 16;
    else if (wrong < 96) item[0] = 5 | 3 << 16;  // of a parent without children
    uint32_t tail = view_.load<uint32_t>(tail_at);
    for (uint32_t i = 0; i < 1 + (item[0] >> 16 & 0x7ff) && i < std::size(item); ++i, tail += 4)
      view_.store(queue_of(id) + tail % queue_bytes / 4 * 4, item[i]);
    view_.store(tail_at, tail % queue_bytes);
    const auto put = [&](std::initializer_list<uint32_t> dwords) {
      for (const uint32_t dword : dwords) {
        view_.store(to_guc + 4 * tail_, dword);
        tail_ = (tail_ + 1) % ring_dwords;
      }
    };
    if (in.take<uint8_t>() % 4) put({3u | 7 << 16, 0x1001u | 1u << 28, id, 1});
    put({2u | 7 << 16, 0x1000u | 1u << 28, id});
    view_.store(descriptors + 4, tail_);
    view_.store(descriptors + 0x800, view_.load<uint32_t>(descriptors + 0x804));  // the host has read all
  }
  void event(Input& in) {
    const uint8_t choice = in.take<uint8_t>();
    const auto id = choice < 128 ? choice % 2 ? EngineId::vcs0 : EngineId::vcs1 : static_cast<EngineId>(choice % engine_count);
    cs::Descriptor &running = engines_.running[static_cast<size_t>(id)], &waiting = engines_.waiting[static_cast<size_t>(id)];
    const cs::Descriptor left = running;
    running = in.take<uint8_t>() % 2 ? std::exchange(waiting, {}) : cs::Descriptor{};
    guc_->switched(id, {in.take<uint16_t>(), left, running});
  }
  void load_state(Input& in) {
    Archive saved;
    guc_->state(saved);
    std::vector<std::byte> bytes = saved.take();
    for (unsigned n = in.take<uint8_t>() % 4; n-- && !bytes.empty();)
      bytes[in.take<uint16_t>() % bytes.size()] = std::byte{in.take<uint8_t>()};
    Archive loaded(bytes);
    guc_->state(loaded);
    if (loaded.failed()) guc_->reset(), start(2);
  }
  void step(Input& in) {
    switch (in.take<uint8_t>() % 14) {
      case 0: registers_.write(0xc000 + in.take<uint16_t>() % 0x400 * 4, number(in)); break;
      case 1: view_.store(base + in.take<uint16_t>() * 4u % (pages * 4096), number(in)); break;
      case 2: message({in.take<uint16_t>(), number(in), number(in), number(in)}); break;
      case 3: host_.now += int64_t{in.take<uint16_t>()} * 1'000'000, guc_->look(); break;
      case 4: load_state(in); break;
      case 5:
        if (in.take<uint8_t>() % 8 == 0) registers_.write(reg::GDRST, 1 << 3), start(in.take<uint8_t>());
        break;
      case 6: copy(in.take<uint16_t>()); break;
      case 7:
      case 8: event(in); break;
      case 12:
      case 13: work(in), registers_.write(reg::GUC_HOST_INTERRUPT, 1); break;
      default: queue(in), registers_.write(reg::GUC_HOST_INTERRUPT, 1); break;
    }
  }

  IsolatedMemory memory_;
  Clock host_;
  mmio::RegisterFile registers_{defs::gen12::registers};
  std::unique_ptr<mmio::Interrupts> interrupts_;
  memory::Ggtt ggtt_;
  memory::TlbGeneration tlb_;
  memory::View view_;
  Engines engines_;
  std::unique_ptr<guc::Guc> guc_;
  uint32_t tail_ = 0;
  bool is_v69_ = false;  ///< firmware 69
};

/// An input of eight bytes (tests/fuzz/driver.cpp) is the seed of a long one.
std::vector<uint8_t> stretched(std::span<const uint8_t> bytes) {
  constexpr size_t length = 2048;
  std::vector<uint8_t> all(bytes.begin(), bytes.end());
  if (all.size() != sizeof(uint64_t)) return all;
  uint64_t state = 0;
  std::memcpy(&state, all.data(), sizeof state);
  for (all.clear(); all.size() < length; all.push_back(static_cast<uint8_t>(state >> 56)))
    state = state * 6364136223846793005 + 1442695040888963407;
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Target& target = *new Target;
  target.run(stretched({data, size}));
  return 0;
}
