// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/shim.h"

#include <utility>

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::guc {

using namespace defs::guc;
namespace field = reg::field;

namespace {

/// Source and destination have these bits of their addresses in common (TGL PRM vol 13, "The DMA Registers").
constexpr uint64_t dma_lane = 0x3f;
constexpr unsigned rsa_dwords = 64;

}  // namespace

/// What the DMA's registers ask for.
struct Shim::Copy {
  uint64_t from, to;  ///< of `to`: within WOPCM
  uint32_t from_space, to_space;
  uint32_t bytes;
  bool kernel, huc;
};

Shim::Shim(mmio::RegisterFile& registers, HostMemory& memory, memory::Ggtt& ggtt, GucCore& core, const Layout& layout,
           const std::function<uint64_t()>& timestamp)
    : registers_(registers), core_(core), layout_(layout), view_(memory, nullptr) {
  {
    MutexLock lock(mutex_);
    view_.set_space(memory::AddressSpace::ggtt(ggtt));
  }
  attach_wopcm();
  registers_.on_write(reg::GUC_DMA_CTRL, [this](uint32_t, uint32_t written) {
    if (!field::GUC_DMA_CTRL_START.of(masked_write(0, written))) return;
    MutexLock lock(mutex_);
    start_dma();
  });
  registers_.on_write(reg::GDRST, [this](uint32_t, uint32_t request) {
    if (!layout_.reset.of(request) && !field::GDRST_FULL.of(request)) return;
    MutexLock lock(mutex_);
    reset_core();
  });
  registers_.on_write(layout_.notify, [this](uint32_t offset, uint32_t written) {
    registers_.poke(offset, 0);
    if (!layout_.notify_bits || (written & layout_.notify_bits)) core_.notify();
  });
  registers_.on_write(layout_.tlb_invalidate, [this, &ggtt](uint32_t offset, uint32_t) {
    ggtt.invalidate();
    registers_.poke(offset, 0);
  });
  attach_timestamps(timestamp);
}

void Shim::attach_timestamps(const std::function<uint64_t()>& timestamp) {
  registers_.on_read(reg::PMTIMESTAMP, [timestamp](uint32_t) { return static_cast<uint32_t>(timestamp()); });
  if (!registers_.set().find(reg::MISC_STATUS(0))) return;
  const unsigned shift = 3 - field::RPM_CONFIG0_CTC_SHIFT_PARAMETER.of(registers_.peek(reg::RPM_CONFIG0));
  registers_.on_read(reg::MISC_STATUS(0), 8, [timestamp, shift](uint32_t offset) {
    const uint64_t ticks = timestamp() << shift;
    return static_cast<uint32_t>(offset == reg::MISC_STATUS(0) ? ticks : ticks >> 32);
  });
}

// Each is written once until the next full reset; the rows let nothing through by themselves. i915 writes what it reads back as locked again, and
// compares (gt/uc/intel_uc.c, uc_init_wopcm).
void Shim::attach_wopcm() {
  struct Once {
    uint32_t offset, values, lock;
  };
  const Once rows[] = {
      {reg::GUC_WOPCM_SIZE, field::GUC_WOPCM_SIZE_SIZE.mask(), field::GUC_WOPCM_SIZE_LOCKED.mask()},
      {reg::DMA_GUC_WOPCM_OFFSET, field::DMA_GUC_WOPCM_OFFSET_BASE.mask() | field::DMA_GUC_WOPCM_OFFSET_HUC_LOADED_BY_GUC.mask(),
       field::DMA_GUC_WOPCM_OFFSET_VALID.mask()}};
  for (const Once& row : rows) {
    registers_.on_write(row.offset, [this, row](uint32_t offset, uint32_t written) {
      MutexLock lock(mutex_);
      const uint32_t held = registers_.peek(offset), wanted = written & row.values;
      if (!(held & row.lock)) registers_.poke(offset, wanted | row.lock);
      else if (wanted != (held & row.values)) guest_error("WOPCM register written while locked", "0x{:x}", written);
    });
  }
}

Shim::Partition Shim::partition() const {
  const uint32_t size = registers_.peek(reg::GUC_WOPCM_SIZE), base = registers_.peek(reg::DMA_GUC_WOPCM_OFFSET);
  return {.base = field::DMA_GUC_WOPCM_OFFSET_BASE.in_place(base),
          .size = field::GUC_WOPCM_SIZE_SIZE.in_place(size),
          .locked = field::GUC_WOPCM_SIZE_LOCKED.of(size) && field::DMA_GUC_WOPCM_OFFSET_VALID.of(base)};
}

void Shim::reset() {
  MutexLock lock(mutex_);
  kernel_loaded_ = huc_loaded_ = false;
  core_.stop();
}

// The partition stays locked. That DMA and HuC's state go, too, is what i915 takes for granted: it loads both again (gt/uc/intel_uc.c, __uc_init_hw).
void Shim::reset_core() {
  core_.stop();
  kernel_loaded_ = huc_loaded_ = false;
  registers_.poke(reg::GUC_STATUS, field::GUC_STATUS_MIA_IN_RESET.mask());
  registers_.poke(reg::GUC_BOOT_HASH_CHECK, 0);
  registers_.poke(reg::GUC_DMA_CTRL, 0);
  registers_.clear_bits(layout_.huc_status, layout_.huc_verified.mask());
}

Shim::Copy Shim::requested_copy() const {
  const uint32_t control = registers_.peek(reg::GUC_DMA_CTRL);
  const unsigned source = field::GUC_DMA_CTRL_SWAPPED.of(control);
  const auto address = [&](unsigned i) {
    const uint32_t high = registers_.peek(reg::GUC_DMA_ADDRESS(i, 1));
    return registers_.peek(reg::GUC_DMA_ADDRESS(i, 0)) | uint64_t{field::GUC_DMA_ADDRESS_HIGH_ADDRESS.of(high)} << 32;
  };
  const auto space = [&](unsigned i) { return field::GUC_DMA_ADDRESS_HIGH_SPACE.of(registers_.peek(reg::GUC_DMA_ADDRESS(i, 1))); };
  return {.from = address(source),
          .to = address(source ^ 1),
          .from_space = space(source),
          .to_space = space(source ^ 1),
          .bytes = registers_.peek(reg::GUC_DMA_COPY_SIZE),
          .kernel = field::GUC_DMA_CTRL_MOVE_TO_WOPCM.of(control) != 0,
          .huc = field::GUC_DMA_CTRL_HUC_KERNEL.of(control) != 0};
}

// TGL PRM vol 13, "The DMA Registers": illegal cases, and restrictions.
std::string_view Shim::refusal(const Copy& copy) const {
  const Partition wopcm = partition();
  if (!copy.bytes) return "size 0";
  if ((copy.from ^ copy.to) & dma_lane) return "the low six bits of the addresses differ";
  if (copy.kernel == copy.huc) return "neither GuC's nor HuC's firmware";
  if ((copy.from_space != space_gtt && copy.from_space != space_unset) || copy.to_space != space_wopcm) return "not from the GGTT to WOPCM";
  if (!wopcm.locked) return "base or size of the GuC's WOPCM is not set";
  if (kernel_loaded_) return "a micro-kernel is loaded already";
  // HuC's image is below the GuC's part, from the beginning of WOPCM (i915 gt/uc/intel_wopcm.c); the GuC's address counts within its part.
  const uint64_t room = copy.kernel ? wopcm.size : wopcm.base;
  if (copy.to > room || copy.bytes > room - copy.to) return "outside the part of WOPCM";
  return {};
}

void Shim::start_dma() {
  const Copy copy = requested_copy();
  if (const std::string_view why = refusal(copy); !why.empty()) return guest_error("GuC DMA rejected", "{}", why);
  if (copy.kernel) load_kernel(copy);
  else load_huc(copy);
  registers_.clear_bits(reg::GUC_DMA_CTRL, field::GUC_DMA_CTRL_START.mask());
}

CssHeader Shim::header_at(uint64_t address) {
  CssHeader header;
  view_.read(address, header.data(), css_bytes);
  return header;
}

// The key that signatures are verified with is not public: any that is not zero passes.
bool Shim::has_signature() const {
  for (unsigned i = 0; i < rsa_dwords; ++i)
    if (registers_.peek(reg::UOS_RSA_SCRATCH(i))) return true;
  return false;
}

void Shim::show(uint32_t authentication, uint32_t bootrom, uint32_t kernel, uint32_t mia) {
  uint32_t status = field::GUC_STATUS_AUTHENTICATION.with(0, authentication);
  status = field::GUC_STATUS_BOOT_ROM.with(status, bootrom);
  status = field::GUC_STATUS_KERNEL.with(status, kernel);
  registers_.poke(reg::GUC_STATUS, field::GUC_STATUS_MIA.with(status, mia));
}

// The file's bytes are not kept: nothing executes them. A part of the file that is missing counts as a wrong signature.
void Shim::load_kernel(const Copy& copy) {
  kernel_loaded_ = true;
  const std::optional<FirmwareFile> file = read_header(header_at(copy.from));
  if (!file || file->copied_bytes != copy.bytes || !has_signature()) {
    guest_error("GuC firmware without a valid header or signature");
    return show(authentication_bad, bootrom_rsa_failed, 0, 0);
  }
  GucCore::Start start{.file = *file, .parameters = {}, .huc_loaded = huc_loaded_, .memory_bottom = partition().size};
  for (unsigned i = 0; i < parameters; ++i) start.parameters[i] = registers_.peek(reg::SOFT_SCRATCH(i + 1));
  show(authentication_good, bootrom_jump_passed, core_.start(start), mia_core);
}

void Shim::load_huc(const Copy& copy) {
  const std::optional<FirmwareFile> file = read_header(header_at(copy.from));
  huc_loaded_ = file && file->copied_bytes == copy.bytes;
  if (!huc_loaded_) guest_error("HuC firmware without a valid header");
  registers_.set_bits(reg::GUC_BOOT_HASH_CHECK, field::GUC_BOOT_HASH_CHECK_HUC_LOAD_TRIED.mask());
}

void Shim::state(Archive& archive) {
  MutexLock lock(mutex_);
  archive.value(kernel_loaded_);
  archive.value(huc_loaded_);
}

}  // namespace softgen::guc
