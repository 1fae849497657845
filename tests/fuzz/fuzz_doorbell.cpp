// SPDX-License-Identifier: GPL-2.0-or-later
// Doorbells and firmware 9 against a hostile driver: clients' descriptors, queues and lines anywhere, messages, engines that say what they like, time,
// saved states.
#include <cstdlib>
#include <memory>
#include <vector>

#include "hw/guc/guc.h"
#include "hw/iface/quiet_host.h"
#include "hw/mmio/interrupts/gen8.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/isolated_memory.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::fuzz;

namespace {

constexpr uint32_t pages = 96, first_page = 0x1000, base = first_page * 4096;  // GGTT addresses of the guest's memory
constexpr uint32_t image = base, ads = base + 0x1000, shared = base + 0x2000, log_page = base + 0x3000, pool = base + 0x4000,
                   pool_pages = 72;
constexpr uint32_t clients_at = base + 0x4000 + pool_pages * 4096, code_dwords = 64, stages = 4;

class Clock final : public QuietHost {
 public:
  int64_t clock_ns() override { return now; }
  int64_t now = 1'000'000'000;
};

struct Engines final : guc::EnginePort {
  bool has(EngineId engine) const override { return takes_lists(engine) && engine != EngineId::vcs1; }
  void submit(EngineId engine, const cs::Execlist& list) override { waiting[static_cast<size_t>(engine)] = list.element[0]; }
  void reset(EngineId engine) override { running[static_cast<size_t>(engine)] = waiting[static_cast<size_t>(engine)] = {}; }
  void wake_at(int64_t) override {}
  std::array<cs::Descriptor, engine_count> waiting{}, running{};
};

class Target {
 public:
  Target() : memory_(pages), interrupts_(mmio::gen8_interrupts(registers_, host_)), view_(memory_, nullptr) {
    quiet_log();
    for (uint32_t i = 0; i < pages; ++i) ggtt_.set_pte(first_page + i, uint64_t{i} * 4096 | 1);
    view_.set_space(memory::AddressSpace::ggtt(ggtt_));
    guc_ = std::make_unique<guc::Guc>(guc::Guc::Environment{registers_, *interrupts_, memory_, ggtt_, host_, engines_,
                                                            mmio::TimestampClock(12'000'000), guc::gen9_layout, 0x5912, tlb_});
    memory_.keep();
  }

  void run(std::span<const uint8_t> bytes) {
    Input in(bytes);
    memory_.restore();
    registers_.reset();
    engines_ = {};
    guc_->reset();
    start();
    if ((registers_.read(reg::GUC_STATUS) >> 8 & 0xff) != 0xf0) std::abort();  // else nothing behind it would be reached
    for (uint32_t stage = 0; stage < stages; ++stage) make_client(stage, in.take<uint8_t>());
    for (unsigned n = 0; n < 512 && !in.empty(); ++n) step(in);
  }

 private:
  static uint32_t client(uint32_t stage) { return clients_at + stage * 0x3000; }
  static uint32_t process(uint32_t stage) { return client(stage) + 2048; }
  static uint32_t descriptor(uint32_t stage) { return pool + stage * 274; }

  void start() {
    const uint32_t header[] = {6, 161, 0x10000, 0, 0x8086, 0, 161 + code_dwords, 64, 64, 1};
    view_.write(image, header, sizeof header);
    view_.store<uint32_t>(image + 68, 9 << 16 | 39);
    registers_.write(reg::GUC_WOPCM_SIZE, 0x80000);
    registers_.write(reg::DMA_GUC_WOPCM_OFFSET, 0x60000);
    registers_.write(reg::UOS_RSA_SCRATCH(0), 1);
    const uint32_t parameters[] = {pool | 64, 0, 0, 12 << 7, log_page | 1, 0, 0, 3, (ads >> 12) << 11 | 1 << 9};
    for (uint32_t i = 0; i < std::size(parameters); ++i) registers_.write(reg::SOFT_SCRATCH(1 + i), parameters[i]);
    const uint32_t copy[] = {image, 0, 0x2000, 7 << 16, 128 + code_dwords * 4};
    for (uint32_t i = 0; i < std::size(copy); ++i) registers_.write(reg::GUC_DMA_ADDRESS(0, 0) + 4 * i, copy[i]);
    registers_.write(reg::GUC_DMA_CTRL, (1u << 4 | 1) << 16 | 1 << 4 | 1);
  }
  template <typename T>
  void put(uint32_t stage, uint32_t offset, T value) {
    view_.write(descriptor(stage) + offset, &value, sizeof value);
  }
  void make_client(uint32_t stage, uint8_t bell) {
    put(stage, 4, stage);
    put(stage, 12, uint8_t{0x1f});
    put(stage, 25, uint64_t{client(stage) - base});
    put(stage, 33, uint16_t{bell});
    put(stage, 225, uint8_t{5});
    put(stage, 226, stage % 4);
    put(stage, 238, process(stage));
    put(stage, 242, client(stage) + 4096);
    put(stage, 246, 8192u);
    view_.store(process(stage) + 36, 1u);
    view_.store(client(stage), uint64_t{1});
    message({0x10, stage});
  }
  void message(std::initializer_list<uint32_t> dwords) {
    uint32_t offset = reg::SOFT_SCRATCH(0);
    for (const uint32_t dword : dwords) registers_.write(std::exchange(offset, offset + 4), dword);
    registers_.write(reg::GUC_SEND_INTERRUPT, 1);
  }
  uint32_t number(Input& in) {
    const uint32_t kind = in.take<uint8_t>();
    if (kind < 160) return kind % 8;
    if (kind < 220) return base + in.take<uint16_t>() * 4u % (pages * 4096);
    return in.take<uint32_t>();
  }
  void append(Input& in) {
    const uint32_t stage = in.take<uint8_t>() % stages, at = client(stage) + 4096;
    for (unsigned n = 1 + in.take<uint8_t>() % 8; n--;) {
      const uint8_t odd = in.take<uint8_t>();
      uint32_t tail = view_.load<uint32_t>(process(stage) + 16) % 8192;
      const uint32_t dwords[] = {3 | uint32_t{odd} % 5 << 10 | 3 << 16, (number(in) & ~0xfffu) | 0x119, in.take<uint32_t>(), 0};
      for (const uint32_t dword : dwords) view_.store(at + std::exchange(tail, (tail + 4) % 8192), odd > 250 ? number(in) : dword);
      view_.store(process(stage) + 16, tail);
    }
    ring(stage, in);
  }
  void ring(uint32_t stage, Input& in) {
    view_.store(client(stage) + 4, view_.load<uint32_t>(client(stage) + 4) + in.take<uint8_t>() % 3);
    if (in.take<uint8_t>() < 16) view_.store(client(stage), uint32_t{in.take<uint8_t>()});
    registers_.read(reg::GUC_STATUS);
  }
  void act(Input& in) {
    static constexpr uint32_t actions[] = {0x2, 0x2, 0x3, 0x6, 0x10, 0x10, 0x20, 0x30, 0x302, 0x501, 0x502, 0x502, 0x4000};
    const uint32_t action = actions[in.take<uint8_t>() % std::size(actions)];
    if (action == 0x2)
      return message({2, number(in), in.take<uint8_t>(), number(in), 2, number(in), in.take<uint8_t>() ? shared : number(in)});
    if (action == 0x3) return message({3, number(in), 0, 0, 0, number(in), shared});
    message({action, number(in), number(in)});
  }
  void event(Input& in) {
    const auto id = static_cast<EngineId>(in.take<uint8_t>() % engine_count);
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
    if (loaded.failed()) guc_->reset();
  }
  void step(Input& in) {
    switch (in.take<uint8_t>() % 16) {
      case 0: registers_.write(0xc000 + in.take<uint16_t>() % 0x400 * 4, number(in)); break;
      case 1: view_.store(base + in.take<uint16_t>() * 4u % (pages * 4096), number(in)); break;
      case 2: view_.store(descriptor(in.take<uint8_t>() % stages) + in.take<uint16_t>() % 274, number(in)); break;
      case 3: view_.store(process(in.take<uint8_t>() % stages) + in.take<uint8_t>() % 12 * 4, number(in)); break;
      case 4: host_.now += int64_t{in.take<uint16_t>()} * 1000, guc_->look(); break;
      case 5: load_state(in); break;
      case 6: registers_.write(reg::GDRST, in.take<uint8_t>() % 4 ? 1 << 5 : 1), start(); break;
      case 7: registers_.read(0x1000 + in.take<uint8_t>() * 8 + in.take<uint8_t>() % 2 * 4); break;
      case 8:
      case 9:
      case 10: event(in); break;
      case 11:
      case 12: act(in); break;
      default: append(in); break;
    }
  }

  IsolatedMemory memory_;
  Clock host_;
  mmio::RegisterFile registers_{defs::gen9::registers};
  std::unique_ptr<mmio::Interrupts> interrupts_;
  memory::Ggtt ggtt_;
  memory::TlbGeneration tlb_;
  memory::View view_;
  Engines engines_;
  std::unique_ptr<guc::Guc> guc_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Target& target = *new Target;
  target.run({data, size});
  return 0;
}
