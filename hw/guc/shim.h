// SPDX-License-Identifier: GPL-2.0-or-later
// What is around the micro-controller's processor (TGL PRM vol 13, "GuC Shim", "Guc DMA"): status, the partition of WOPCM, the DMA that copies firmware,
// interrupts from the host. The boot ROM is modelled by what it leaves in GUC_STATUS.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "hw/base/mutex.h"
#include "hw/guc/core.h"
#include "hw/guc/layout.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/view.h"
#include "hw/mmio/register_file.h"

namespace softgen::guc {

class Shim {
 public:
  /// Registers its hooks. `timestamp`: RING_TIMESTAMP's counter, now, with all bits.
  Shim(mmio::RegisterFile& registers, HostMemory& memory, memory::Ggtt& ggtt, GucCore& core, const Layout& layout,
       const std::function<uint64_t()>& timestamp);

  /// Power or function level reset, with the registers at their reset values.
  void reset();
  /// After the registers have been loaded.
  void state(Archive& archive);

 private:
  struct Copy;
  /// Where the GuC's part of WOPCM is.
  struct Partition {
    uint32_t base, size;  ///< bytes
    bool locked;
  };

  void attach_wopcm();
  void attach_timestamps(const std::function<uint64_t()>& timestamp);
  Partition partition() const;
  /// The GuC's bit of GDRST.
  void reset_core() SG_REQUIRES(mutex_);
  void start_dma() SG_REQUIRES(mutex_);
  Copy requested_copy() const;
  /// Why the hardware does not do it; empty: it does.
  std::string_view refusal(const Copy& copy) const SG_REQUIRES(mutex_);
  void load_kernel(const Copy& copy) SG_REQUIRES(mutex_);
  void load_huc(const Copy& copy) SG_REQUIRES(mutex_);
  CssHeader header_at(uint64_t address) SG_REQUIRES(mutex_);
  bool has_signature() const;
  void show(uint32_t authentication, uint32_t bootrom, uint32_t kernel, uint32_t mia);

  mmio::RegisterFile& registers_;
  GucCore& core_;
  const Layout& layout_;
  Mutex mutex_;
  memory::View view_ SG_GUARDED_BY(mutex_);
  bool kernel_loaded_ SG_GUARDED_BY(mutex_) = false;  ///< a micro-kernel is in WOPCM, whether it runs or not
  bool huc_loaded_ SG_GUARDED_BY(mutex_) = false;
};

}  // namespace softgen::guc
