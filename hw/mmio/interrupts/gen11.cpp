// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/interrupts/gen11.h"

#include <algorithm>
#include <optional>

namespace softgen::mmio {

namespace field = reg::field;

/// `pending`: its bit of DISPLAY_INT_CTL, or (`beside_display`) of GFX_MSTR_IRQ.
struct Gen11Interrupts::BlockRow {
  uint32_t base;  ///< ISR; IMR, IIR, IER follow
  reg::Bits pending;
  bool beside_display = false;
};

constexpr std::array<Gen11Interrupts::BlockRow, Gen11Interrupts::block_count> Gen11Interrupts::block_rows = {{
    {reg::DE_PIPE_ISR(0), field::DISPLAY_INT_CTL_DE_PIPE_A_PENDING},
    {reg::DE_PIPE_ISR(1), field::DISPLAY_INT_CTL_DE_PIPE_B_PENDING},
    {reg::DE_PIPE_ISR(2), field::DISPLAY_INT_CTL_DE_PIPE_C_PENDING},
    {reg::DE_PORT_ISR, field::DISPLAY_INT_CTL_DE_PORT_PENDING},
    {reg::DE_MISC_ISR, field::DISPLAY_INT_CTL_DE_MISC_PENDING},
    {reg::DE_HPD_ISR, field::DISPLAY_INT_CTL_DE_HPD_PENDING},
    {reg::SDEISR, field::DISPLAY_INT_CTL_PCH_PENDING},
    {reg::GU_MISC_ISR, field::GFX_MSTR_IRQ_GU_MISC_PENDING, true},
    {reg::PCU_ISR, field::GFX_MSTR_IRQ_PCU_PENDING, true},
    {reg::DE_PIPE_ISR(3), field::DISPLAY_INT_CTL_DE_PIPE_D_PENDING},
}};

namespace {

namespace south = reg::gen11::field;

/// Bits of an identity for each of engine_event, of DE_PIPE_ISR for each of pipe_event: bit i of the events is row i.
constexpr std::array<uint32_t, engine_event::count> engine_rows = {
    field::INTR_IDENTITY_REG_USER_INTERRUPT.mask(),    field::INTR_IDENTITY_REG_MASTER_ERROR.mask(),
    field::INTR_IDENTITY_REG_FLUSH_NOTIFY.mask(),      field::INTR_IDENTITY_REG_CONTEXT_SWITCH.mask(),
    field::INTR_IDENTITY_REG_WAIT_ON_SEMAPHORE.mask(), field::INTR_IDENTITY_REG_TIMEOUT_COUNTER_EXPIRED.mask()};
// Ice Lake has no display state buffers (DSB), and none raises their events.
constexpr std::array<uint32_t, pipe_event::count> pipe_rows = {field::DE_PIPE_ISR_VERTICAL_BLANK.mask(),
                                                               field::DE_PIPE_ISR_VERTICAL_SYNC.mask(),
                                                               field::DE_PIPE_ISR_CRC_DONE.mask(),
                                                               field::DE_PIPE_ISR_PLANE_1_FLIP_DONE.mask(),
                                                               field::DE_PIPE_ISR_PLANE_2_FLIP_DONE.mask(),
                                                               field::DE_PIPE_ISR_PLANE_3_FLIP_DONE.mask(),
                                                               field::DE_PIPE_ISR_PLANE_4_FLIP_DONE.mask(),
                                                               field::DE_PIPE_ISR_PLANE_5_FLIP_DONE.mask(),
                                                               field::DE_PIPE_ISR_PLANE_6_FLIP_DONE.mask(),
                                                               field::DE_PIPE_ISR_PLANE_7_FLIP_DONE.mask(),
                                                               field::DE_PIPE_ISR_DSB_0.mask(),
                                                               field::DE_PIPE_ISR_DSB_1.mask(),
                                                               field::DE_PIPE_ISR_DSB_2.mask(),
                                                               field::DE_PIPE_ISR_FIFO_UNDERRUN.mask()};
// Ice Lake: DDI A to F; connectors: i915 hpd_icp. From DDI C on connectors are Type-C ports, which show a cable of their own kind in the PCH.
constexpr std::array<uint32_t, 6> gen11_aux_rows = {field::DE_PORT_ISR_AUX_CHANNEL_A.mask(), field::DE_PORT_ISR_AUX_CHANNEL_B.mask(),
                                                    field::DE_PORT_ISR_AUX_CHANNEL_C.mask(), field::DE_PORT_ISR_AUX_CHANNEL_D.mask(),
                                                    field::DE_PORT_ISR_AUX_CHANNEL_E.mask(), field::DE_PORT_ISR_AUX_CHANNEL_F.mask()};
constexpr std::array<uint32_t, 3> hot_plug_rows = {south::SDEISR_HOTPLUG_DDI_B.mask(), field::SDEISR_HOTPLUG_TC1.mask(),
                                                   field::SDEISR_HOTPLUG_TC2.mask()};
constexpr DisplayInterruptRows gen11_rows{.aux = gen11_aux_rows, .hot_plug = hot_plug_rows};

// Tiger Lake: DDI A to C, then the Type-C ports (i915 i915_reg.h, TGL_DE_PORT_AUX_*). The connectors and the PCH are as Ice Lake's.
constexpr std::array<uint32_t, 9> gen12_aux_rows = {
    field::DE_PORT_ISR_AUX_DDI_A.mask(), field::DE_PORT_ISR_AUX_DDI_B.mask(), field::DE_PORT_ISR_AUX_DDI_C.mask(),
    field::DE_PORT_ISR_AUX_TC1.mask(),   field::DE_PORT_ISR_AUX_TC2.mask(),   field::DE_PORT_ISR_AUX_TC3.mask(),
    field::DE_PORT_ISR_AUX_TC4.mask(),   field::DE_PORT_ISR_AUX_TC5.mask(),   field::DE_PORT_ISR_AUX_TC6.mask()};
constexpr DisplayInterruptRows gen12_rows{.aux = gen12_aux_rows, .hot_plug = hot_plug_rows};

/// How a class of engines is named in an identity, and what lets its events through.
struct ClassRow {
  defs::EngineClass cls;
  uint8_t number;  ///< i915 gt/intel_engine_types.h
  uint32_t enable;
  reg::Bits enable_half;
  uint32_t mask;  ///< of instances 0 and 1; the next two have the next dword
};
constexpr std::array<ClassRow, 4> class_rows = {{
    {defs::EngineClass::render, 0, reg::RENDER_COPY_INTR_ENABLE, field::RENDER_COPY_INTR_ENABLE_RENDER, reg::RCS0_RSVD_INTR_MASK},
    {defs::EngineClass::copy, 3, reg::RENDER_COPY_INTR_ENABLE, field::RENDER_COPY_INTR_ENABLE_COPY, reg::BCS_RSVD_INTR_MASK},
    {defs::EngineClass::video, 1, reg::VCS_VECS_INTR_ENABLE, field::VCS_VECS_INTR_ENABLE_VIDEO_DECODE, reg::VCS_INTR_MASK(0)},
    {defs::EngineClass::video_enhance, 2, reg::VCS_VECS_INTR_ENABLE, field::VCS_VECS_INTR_ENABLE_VIDEO_ENHANCEMENT, reg::VECS_INTR_MASK},
}};
constexpr const ClassRow& row_of(EngineId engine) { return class_rows[static_cast<size_t>(class_of(engine))]; }

/// The register with an engine's mask, and its half of it.
struct Mask {
  uint32_t offset;
  reg::Bits half;
};
constexpr Mask mask_of(const defs::EngineRow& engine) {
  constexpr uint32_t next = reg::VCS_INTR_MASK(1) - reg::VCS_INTR_MASK(0);
  return {row_of(engine.id).mask + engine.instance / 2 * next,
          engine.instance % 2 ? field::RCS0_RSVD_INTR_MASK_ODD_INSTANCE : field::RCS0_RSVD_INTR_MASK_EVEN_INSTANCE};
}
/// The word of GT_INTR_DW with the units that are no engines, and their class (i915 gt/intel_engine_types.h, OTHER_CLASS).
constexpr unsigned other_word = 0, other_class = 4;

constexpr uint32_t identity(unsigned cls, unsigned instance) {
  return field::INTR_IDENTITY_REG_ENGINE_INSTANCE.with(field::INTR_IDENTITY_REG_ENGINE_CLASS.with(0, cls), instance);
}

static_assert([] {
  for (size_t i = 0; i < class_rows.size(); ++i)
    if (static_cast<size_t>(class_rows[i].cls) != i) return false;
  return true;
}());

constexpr size_t at(auto value) { return static_cast<size_t>(value); }

}  // namespace

/// A unit that is no engine (TGL PRM vol 13, "GT Engine Interrupts": class 4).
struct Gen11Interrupts::OtherRow {
  unsigned source;  ///< bit of GT_INTR_DW
  unsigned instance;
  uint32_t enable;
  reg::Bits enable_half;
  uint32_t mask;
  reg::Bits mask_half;
  uint32_t event;  ///< of its identity
};
// i915 gt/intel_gt_irq.c, gen11_other_irq_handler(); gt/intel_gt_regs.h, OTHER_GUC_INSTANCE.
constexpr Gen11Interrupts::OtherRow Gen11Interrupts::guc_row{field::GT_INTR_DW_GUC.low,
                                                             0,
                                                             reg::GUC_SG_INTR_ENABLE,
                                                             field::GUC_SG_INTR_ENABLE_GUC,
                                                             reg::GUC_SG_INTR_MASK,
                                                             field::GUC_SG_INTR_MASK_GUC,
                                                             field::INTR_IDENTITY_REG_GUC_TO_HOST.mask()};
constexpr Gen11Interrupts::OtherRow Gen11Interrupts::observation_row{field::GT_INTR_DW_OBSERVATION.low,
                                                                     2,
                                                                     reg::GPM_WGBOXPERF_INTR_ENABLE,
                                                                     field::GPM_WGBOXPERF_INTR_ENABLE_OBSERVATION,
                                                                     reg::GPM_WGBOXPERF_INTR_MASK,
                                                                     field::GPM_WGBOXPERF_INTR_MASK_OBSERVATION,
                                                                     field::INTR_IDENTITY_REG_PERFORMANCE_BUFFER_HALF_FULL.mask()};

Gen11Interrupts::Gen11Interrupts(RegisterFile& registers, Host& host, const DisplayInterruptRows& rows)
    : registers_(registers), rows_(rows), line_(host, mutex_) {
  for (unsigned word = 0; word < words; ++word) attach_word(word);
  attach_masks();
  attach_display();
  registers_.on_read(reg::GFX_MSTR_IRQ, [this](uint32_t) {
    MutexLock lock(mutex_);
    return master();
  });
  registers_.on_write(reg::GFX_MSTR_IRQ, [this](uint32_t, uint32_t value) {
    MutexLock lock(mutex_);
    enabled_ = field::GFX_MSTR_IRQ_MASTER_INTERRUPT_ENABLE.of(value);
    update();
    line_.deliver(lock);
  });
}

void Gen11Interrupts::attach_word(unsigned word) {
  registers_.on_read(reg::GT_INTR_DW(word), [this, word](uint32_t) {
    MutexLock lock(mutex_);
    return banks_[word].read();
  });
  registers_.on_write(reg::GT_INTR_DW(word), [this, word](uint32_t, uint32_t value) {
    MutexLock lock(mutex_);
    update(banks_[word].clear(value));
    line_.deliver(lock);
  });
  registers_.on_write(reg::IIR_REG_SELECTOR(word), [this, word](uint32_t, uint32_t value) {
    MutexLock lock(mutex_);
    select(word, value);
  });
  registers_.on_read(reg::INTR_IDENTITY_REG(word), [this, word](uint32_t) {
    MutexLock lock(mutex_);
    return identities_[word];
  });
  registers_.on_write(reg::INTR_IDENTITY_REG(word), [this, word](uint32_t, uint32_t value) {
    if (!field::INTR_IDENTITY_REG_DATA_VALID.of(value)) return;
    MutexLock lock(mutex_);
    identities_[word] = 0;
    banks_[word].end_service();
    registers_.poke(reg::IIR_REG_SELECTOR(word), 0);
  });
}

void Gen11Interrupts::attach_masks() {
  const auto changed = [this](uint32_t, uint32_t) {
    MutexLock lock(mutex_);
    read_masks();
    update();
    line_.deliver(lock);
  };
  for (const defs::EngineRow& engine : registers_.set().engines)
    if (engine.interrupts()) registers_.on_write(mask_of(engine).offset, changed);
  for (const OtherRow* unit : {&guc_row, &observation_row}) registers_.on_write(unit->mask, changed);
}

void Gen11Interrupts::read_masks() {
  for (const defs::EngineRow& engine : registers_.set().engines) {
    if (!engine.interrupts()) continue;
    const Mask mask = mask_of(engine);
    const auto open = static_cast<InterruptBank::Events>(~mask.half.of(registers_.peek(mask.offset)));
    banks_[engine.interrupt_word].set_open(engine.interrupt_shift, open);
  }
  for (const OtherRow* unit : {&guc_row, &observation_row})
    banks_[other_word].set_open(unit->source, static_cast<InterruptBank::Events>(~unit->mask_half.of(registers_.peek(unit->mask))));
}

void Gen11Interrupts::attach_display() {
  for (unsigned i = 0; i < block_count; ++i) {
    const uint32_t base = block_rows[i].base;
    if (!registers_.set().find(base)) continue;
    registers_.on_read(base, InterruptBlock::size, [this, i, base](uint32_t offset) {
      MutexLock lock(mutex_);
      return blocks_[i].read(offset - base);
    });
    registers_.on_write(base, InterruptBlock::size, [this, i, base](uint32_t offset, uint32_t value) {
      MutexLock lock(mutex_);
      update(blocks_[i].write(offset - base, value));
      line_.deliver(lock);
    });
  }
  registers_.on_read(reg::DISPLAY_INT_CTL, [this](uint32_t) {
    MutexLock lock(mutex_);
    return display();
  });
  registers_.on_write(reg::DISPLAY_INT_CTL, [this](uint32_t, uint32_t value) {
    MutexLock lock(mutex_);
    display_enabled_ = field::DISPLAY_INT_CTL_DISPLAY_INTERRUPT_ENABLE.of(value);
    update();
    line_.deliver(lock);
  });
}

uint32_t Gen11Interrupts::engine_bits(EngineId engine, EngineEvents events) const {
  return registers_.set().engine(engine)->interrupts() ? bits_of(engine_rows, events) : 0;
}

// RING_IMR has no part in it: i915 leaves it closed from Gen11 on (gt/intel_execlists_submission.c, logical_ring_default_vfuncs).
void Gen11Interrupts::raise(EngineId engine, EngineEvents events) {
  const uint32_t bits = engine_bits(engine, events);
  if (!bits) return;
  {
    const ClassRow& cls = row_of(engine);
    const defs::EngineRow& row = *registers_.set().engine(engine);
    MutexLock lock(mutex_);
    post(row.interrupt_word, row.interrupt_shift, bits & cls.enable_half.of(registers_.peek(cls.enable)));
  }
  deliver();
}

void Gen11Interrupts::raise(const OtherRow& unit) {
  {
    MutexLock lock(mutex_);
    post(other_word, unit.source, unit.event & unit.enable_half.of(registers_.peek(unit.enable)));
  }
  deliver();
}

void Gen11Interrupts::raise_guc() { raise(guc_row); }

void Gen11Interrupts::raise_observation() { raise(observation_row); }

void Gen11Interrupts::post(unsigned word, unsigned source, uint32_t enabled) {
  banks_[word].post(source, static_cast<InterruptBank::Events>(enabled));
  update();
}

uint32_t Gen11Interrupts::identity_of(unsigned word, uint32_t selector) const {
  constexpr uint32_t valid = field::INTR_IDENTITY_REG_DATA_VALID.mask();
  for (const OtherRow* unit : {&guc_row, &observation_row})
    if (word == other_word && selector == 1u << unit->source) return valid | identity(other_class, unit->instance);
  for (const defs::EngineRow& row : registers_.set().engines)
    if (row.interrupt_word == word && selector == 1u << row.interrupt_shift) return valid | identity(row_of(row.id).number, row.instance);
  return 0;
}

void Gen11Interrupts::select(unsigned word, uint32_t selector) {
  const std::optional<InterruptBank::Events> events = banks_[word].select(selector);
  const uint32_t identity = identity_of(word, selector);
  if (events && identity) identities_[word] = identity | *events;
}

void Gen11Interrupts::raise(Block block, uint32_t bits) {
  {
    MutexLock lock(mutex_);
    blocks_[at(block)].post(bits);
    update();
  }
  deliver();
}

void Gen11Interrupts::post(unsigned pipe, PipeEvents events) {
  MutexLock lock(mutex_);
  blocks_[block_of(pipe)].post(bits_of(pipe_rows, events));
  update();
}

unsigned Gen11Interrupts::block_of(unsigned pipe) {
  return static_cast<unsigned>(pipe < at(Block::port) ? at(Block::pipe_a) + pipe : at(Block::pipe_d));
}

PipeEvents Gen11Interrupts::unmasked(unsigned pipe) const {
  MutexLock lock(mutex_);
  return events_with(pipe_rows, ~blocks_[block_of(pipe)].imr);
}

void Gen11Interrupts::raise_aux_done(unsigned port) {
  if (port < rows_.aux.size()) raise(Block::port, rows_.aux[port]);
}

void Gen11Interrupts::raise_gmbus() { raise(Block::pch, south::SDEISR_GMBUS.mask()); }

void Gen11Interrupts::raise_hot_plug(unsigned connector) { raise(Block::pch, rows_.hot_plug[connector]); }

void Gen11Interrupts::show_connected(unsigned connector, bool connected) {
  MutexLock lock(mutex_);
  blocks_[at(Block::pch)].show(rows_.hot_plug[connector], connected);
}

uint32_t Gen11Interrupts::display() const {
  uint32_t value = display_enabled_ ? field::DISPLAY_INT_CTL_DISPLAY_INTERRUPT_ENABLE.mask() : 0;
  for (unsigned i = 0; i < block_count; ++i)
    if (!block_rows[i].beside_display && blocks_[i].pending()) value |= block_rows[i].pending.mask();
  return value;
}

uint32_t Gen11Interrupts::master() const {
  constexpr uint32_t display_enable = field::DISPLAY_INT_CTL_DISPLAY_INTERRUPT_ENABLE.mask();
  uint32_t value = enabled_ ? field::GFX_MSTR_IRQ_MASTER_INTERRUPT_ENABLE.mask() : 0;
  if (banks_[0].pending()) value |= field::GFX_MSTR_IRQ_GT_DW0_PENDING.mask();
  if (banks_[1].pending()) value |= field::GFX_MSTR_IRQ_GT_DW1_PENDING.mask();
  if (display_enabled_ && (display() & ~display_enable)) value |= field::GFX_MSTR_IRQ_DISPLAY_PENDING.mask();
  for (unsigned i = 0; i < block_count; ++i)
    if (block_rows[i].beside_display && blocks_[i].pending()) value |= block_rows[i].pending.mask();
  return value;
}

void Gen11Interrupts::update(bool edge) { line_.set(enabled_ && (master() & ~field::GFX_MSTR_IRQ_MASTER_INTERRUPT_ENABLE.mask()), edge); }

void Gen11Interrupts::reset() {
  MutexLock lock(mutex_);
  blocks_.fill({});
  banks_ = {};
  read_masks();
  identities_ = {};
  enabled_ = display_enabled_ = false;
  update();
  line_.deliver(lock);
}

uint32_t Gen11Interrupts::sources(unsigned word) const {
  uint32_t bits = word == other_word ? 1u << guc_row.source | 1u << observation_row.source : 0;
  for (const defs::EngineRow& row : registers_.set().engines)
    if (row.interrupt_word == word) bits |= 1u << row.interrupt_shift;
  return bits;
}

void Gen11Interrupts::check_loaded(Archive& archive) {
  const uint32_t events = bits_of(engine_rows, ~0u) | guc_row.event | observation_row.event;
  const uint32_t identity = field::INTR_IDENTITY_REG_DATA_VALID.mask() | field::INTR_IDENTITY_REG_ENGINE_INSTANCE.mask() |
                            field::INTR_IDENTITY_REG_ENGINE_CLASS.mask() | events;
  for (unsigned word = 0; word < words; ++word)
    if (!banks_[word].has_only(sources(word), static_cast<InterruptBank::Events>(events)) || (identities_[word] & ~identity))
      return archive.fail("a source of interrupts in the saved state is unknown");
}

void Gen11Interrupts::load_shared(Archive& archive, unsigned engines) {
  std::array<uint32_t, words> pending{};
  for (unsigned i = 0; i < engines; ++i) {
    InterruptBank::Events events = 0;
    archive.value(events);
    const defs::EngineRow* row = registers_.set().engine(static_cast<EngineId>(i));
    if (!events) continue;
    if (!row || !row->interrupts()) return archive.fail("an engine's interrupts in the saved state are unknown");
    banks_[row->interrupt_word].post(row->interrupt_shift, events);
  }
  archive.value(pending);  // which the shared IIRs make again
}

// Version 1 is from before the position-only streamer, version 2 from before the banks and pipe D, version 3 from before snapshots of single bits.
void Gen11Interrupts::state(Archive& archive) {
  MutexLock lock(mutex_);
  const uint32_t version = archive.section("gen11 interrupts", 4);
  if (archive.reading()) {
    blocks_.fill({});
    banks_ = {};
    read_masks();
  }
  for (InterruptBlock& block : std::span(blocks_).first(version >= 3 ? block_count : at(Block::pipe_d))) archive.value(block);
  if (archive.reading() && version < 3) {
    load_shared(archive, version >= 2 ? engine_count : at(EngineId::pocs));
  } else {
    for (InterruptBank& bank : banks_) bank.state(archive, version);
  }
  archive.value(identities_);
  archive.value(enabled_);
  archive.value(display_enabled_);
  if (!archive.reading() || archive.failed()) return;
  check_loaded(archive);
  if (archive.failed()) return;
  update();
  line_.deliver(lock);
}

bool Gen11Interrupts::level() const {
  MutexLock lock(mutex_);
  return line_.level();
}

std::unique_ptr<Interrupts> gen11_interrupts(RegisterFile& registers, Host& host) {
  return std::make_unique<Gen11Interrupts>(registers, host, gen11_rows);
}

std::unique_ptr<Interrupts> gen12_interrupts(RegisterFile& registers, Host& host) {
  return std::make_unique<Gen11Interrupts>(registers, host, gen12_rows);
}

}  // namespace softgen::mmio
