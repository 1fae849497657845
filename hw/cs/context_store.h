// SPDX-License-Identifier: GPL-2.0-or-later
// The streamer's context switch: state to the image and back. All that belongs to a context is in the image's bytes, since i915 clones
// and edits images (gt/intel_gt.c, __engines_record_defaults).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hw/cs/engine_core.h"
#include "hw/cs/image_layout.h"
#include "hw/cs/parser.h"
#include "hw/cs/workaround_batch.h"

namespace softgen::cs {

class ContextStore {
 public:
  /// What a context has besides registers and the Engine's state.
  struct Walk {
    Cursor& cursor;
    uint32_t& predicate_mode;  ///< MI_SET_PREDICATE's
  };
  /// `run` runs a workaround batch amid a restore.
  ContextStore(EngineCore& core, Walk walk, std::function<void(const WorkaroundBatch& batch)> run);

  /// EngineCore::context() from and to its image.
  void restore();
  void save();
  /// MI_SET_CONTEXT (ring mode).
  void set_context(std::span<const uint32_t> packet);
  /// RING_TAIL as the image of a context has it.
  uint32_t tail_of(const Descriptor& context);
  /// The event for a watch when `context` begins to run.
  WatchedEntry entry_of(const Descriptor& context);
  /// The workaround batches that the image of a context names.
  std::array<WorkaroundBatch, 2> batches_of(const Descriptor& context);
  /// The Engine's state as part of a saved state of the device; accept() gives it to the Engine.
  void engine_state(Archive& archive);
  bool fits() const { return engine_image_.size() == resident_image_.size(); }
  void accept();

 private:
  /// `page`: GGTT address of the image's page 1.
  void restore_image(uint64_t page, bool ring_context, bool inhibit);
  /// As a fault plan has it, in memory.
  void spoil_image(Faults& faults, uint64_t page);
  void save_image(uint64_t page, bool ring_context);
  void run_lists(ImageWalk& walk, uint64_t page_address, std::span<const uint32_t> page, size_t until);
  void load_list(const ImageWalk::Entry& list, uint64_t page_address, std::span<const uint32_t> page);
  void begin_engine(ImageWalk& walk, bool inhibit);
  void load_packet(ImageWalk& walk, const ImageWalk::Entry& packet, uint64_t page_address);
  void leave_as_saved(ImageWalk& walk);
  ImageWalk walk_of(std::span<const uint32_t> page, size_t at) const;
  void inhibit_engine_registers();
  void store_registers();
  void load_cursor();
  void store_cursor();
  void restore_engine(uint64_t state, bool inhibit);
  void save_engine(uint64_t state);

  EngineCore& core_;
  const Walk walk_;
  const std::function<void(const WorkaroundBatch& batch)> run_;
  const ImageLayout layout_;
  /// Dwords of page 1 with the values that the streamer uses outside a restore.
  struct ImageDwords {
    explicit ImageDwords(const defs::ContextLayout& layout)
        : context_control(layout.value_dword(reg::ctx_control)),
          tail(layout.value_dword(reg::tail)),
          head(layout.value_dword(reg::head)),
          ring_control(layout.value_dword(reg::ctl)),
          timestamp(layout.has_slot(reg::ctx_timestamp) ? layout.value_dword(reg::ctx_timestamp) : 0),
          per_context(layout.value_dword(reg::bb_per_ctx_ptr)),
          indirect(layout.value_dword(reg::indirect_ctx)) {}
    const uint32_t context_control, tail, head, ring_control;
    const uint32_t timestamp;  ///< 0: the image has none
    const uint32_t per_context, indirect;
  } image_dwords_;
  std::vector<uint32_t> image_;     ///< page 1 as it is saved
  std::vector<uint32_t> restored_;  ///< page 1 as it is restored
  /// The Engine's own block as it was read last; as it is while EngineCore::as_saved(), when image_ has its packets, too; and of a context that
  /// was never saved.
  std::vector<std::byte> engine_image_, resident_image_;
  const std::vector<std::byte> blank_image_;
  /// Amid a restore: the Engine has all that the image says of it up to here, as it was saved.
  bool same_ = false;
};

}  // namespace softgen::cs
