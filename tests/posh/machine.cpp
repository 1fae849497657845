// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/posh/machine.h"

#include <chrono>
#include <thread>

#include "hw/cs/execlists.h"
#include "hw/defs/registers/registers.h"
#include "softgen/softgen.h"

namespace softgen::posh::test {
namespace {

namespace field = reg::field;
constexpr uint64_t memory_limit = 256 << 20;
constexpr uint32_t page_bytes = defs::context_page;

}  // namespace

Machine::Machine(How how) : how_(how), host_(how.threads == 0) {
  auto memory = std::make_unique<memory::SparseMemory>(memory_limit);
  memory_ = memory.get();
  gt::Config config;
  config.platform = defs::find_platform("icl");
  config.threads = how.threads;
  config.preempt_always = how.preempted;
  config.compiler = eu::make_compiler({.engine = eu::Engine::interp});
  device_ = std::make_unique<gt::Device>(config, host_, std::move(memory));
  root_ = pages_.take();
  tables_ = std::make_unique<PageTables>(
      *memory_, [this](uint64_t address, std::span<const std::byte> data) { memory_->write(address, data.data(), data.size()); }, pages_,
      root_, *platform().ppgtt);
  view_ = std::make_unique<memory::View>(*memory_, nullptr);
  view_->set_space(memory::AddressSpace::ppgtt48(root_, generation_, *platform().ppgtt));
  const uint32_t base = base_of(EngineId::rcs);
  device_->bar0_write(base + reg::RING_MI_MODE, field::RING_MI_MODE_STOP_RINGS.mask() << 16, 4);
  constexpr uint32_t execlists = field::RING_MODE_DISABLE_LEGACY_MODE.mask();
  device_->bar0_write(base + reg::RING_MODE, execlists << 16 | execlists, 4);
  device_->bar0_write(base + reg::RING_HWS_PGA, map_ggtt(1), 4);
}

void Machine::write(uint64_t va, std::span<const std::byte> data) {
  generation_.bump();
  view_->write(va, data.data(), data.size());
}

std::vector<std::byte> Machine::read(uint64_t va, uint64_t bytes) {
  std::vector<std::byte> data(bytes);
  view_->read(va, data.data(), bytes);
  return data;
}

void Machine::store(uint64_t va, uint32_t value) { view_->store_release(va, value); }
uint32_t Machine::load(uint64_t va) { return view_->load_acquire<uint32_t>(va); }

uint64_t Machine::place(const Stream& stream) {
  const uint64_t va = next_batch_;
  map(va, stream.bytes());
  write(va, stream.dwords());
  next_batch_ += (stream.bytes() + page_bytes - 1) / page_bytes * page_bytes;
  return va;
}

uint32_t Machine::map_ggtt(unsigned pages) {
  const uint32_t address = next_ggtt_;
  for (unsigned i = 0; i < pages; ++i, next_ggtt_ += page_bytes)
    device_->ggtt().set_pte(next_ggtt_ / page_bytes, pages_.take() | platform().ggtt->present);
  return address;
}

void Machine::write_ggtt(uint64_t address, std::span<const uint32_t> dwords) {
  for (const uint32_t dword : dwords) {
    const uint64_t page = device_->ggtt().pte(address / page_bytes) & platform().ggtt->address;
    memory_->write(page + address % page_bytes, &dword, sizeof dword);
    address += sizeof dword;
  }
}

Context Machine::new_context(bool position) {
  Context context;
  context.ring = map_ggtt(1);
  context.lrca = map_ggtt(layout(EngineId::rcs).pages);
  const uint32_t base = base_of(EngineId::rcs);
  const Ring ring{.start = context.ring, .bytes = page_bytes};
  std::vector<uint32_t> image = new_image(layout(EngineId::rcs), base, ring);
  image[layout(EngineId::rcs).value_dword(reg::RING_PDP(0))] = static_cast<uint32_t>(root_);
  image[layout(EngineId::rcs).value_dword(reg::RING_PDP(1))] = static_cast<uint32_t>(root_ >> 32);
  if (position) {
    context.position_lrca = map_ggtt(layout(EngineId::pocs).pages);
    write_ggtt(context.position_lrca + page_bytes, new_image(layout(EngineId::pocs), base_of(EngineId::pocs), ring));
    enable_position(image, layout(EngineId::rcs), base, context.position_lrca);
  }
  write_ggtt(context.lrca + page_bytes, image);
  return context;
}

void Machine::set_ring(const Context& context, const Stream& ring) {
  std::vector<uint32_t> dwords(ring.dwords().begin(), ring.dwords().end());
  if (dwords.size() % 2) dwords.push_back(gen11::MI_NOOP().pack()[0]);  // RING_TAIL counts qwords
  write_ggtt(context.ring, dwords);
  const auto set = [&](EngineId engine, uint32_t lrca, uint32_t reg, uint32_t value) {
    write_ggtt(lrca + page_bytes + layout(engine).value_dword(reg) * sizeof(uint32_t), std::span(&value, 1));
  };
  set(EngineId::rcs, context.lrca, reg::RING_HEAD, 0);
  set(EngineId::rcs, context.lrca, reg::RING_TAIL, static_cast<uint32_t>(dwords.size() * sizeof(uint32_t)));
  if (context.position_lrca) set(EngineId::pocs, context.position_lrca, reg::RING_HEAD, 0);
}

void Machine::submit(std::initializer_list<Context> contexts) {
  const uint32_t base = base_of(EngineId::rcs);
  const uint32_t flags =
      field::RING_ELSP_VALID.mask() | field::RING_ELSP_PPGTT_ENABLE.mask() | field::RING_ELSP_ADDRESSING_MODE.with(0, cs::addressing_48b);
  unsigned element = 0;
  for (const Context& context : contexts) {
    device_->bar0_write(base + reg::RING_EXECLIST_SQ(element, 0), context.lrca | flags, 4);
    device_->bar0_write(base + reg::RING_EXECLIST_SQ(element, 1), context.lrca, 4);  // the context's id
    ++element;
  }
  for (; element < cs::max_elements; ++element) device_->bar0_write(base + reg::RING_EXECLIST_SQ(element, 0), 0, 4);
  device_->bar0_write(base + reg::RING_EXECLIST_CONTROL, field::RING_EXECLIST_CONTROL_LOAD.mask(), 4);
}

bool Machine::wait(const std::function<bool()>& condition) {
  constexpr unsigned polls = 100'000;
  if (how_.threads == 0) {
    for (unsigned i = 0; i < polls && !condition(); ++i) device_->timer_expired(SG_TIMER_MISC);
    return condition();
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

std::string Machine::save_and_load() {
  device_->pause();
  Archive writer;
  device_->state(writer);
  const std::vector<std::byte> saved = writer.take();
  Archive reader{std::span(saved)};
  device_->state(reader);
  device_->resume();
  return reader.error();
}

bool Machine::sound() {
  const auto error = [this](EngineId engine) { return device_->registers().peek(engine, reg::RING_ESR) != 0; };
  return !error(EngineId::rcs) && device_->faults().count() == 0;
}

}  // namespace softgen::posh::test
