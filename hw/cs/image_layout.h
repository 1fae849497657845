// SPDX-License-Identifier: GPL-2.0-or-later
// All registers of an engine's context image, documented slots and others, and the walk through the lists of an image that the guest may
// have written. The image is a batch of MI_LOAD_REGISTER_IMM: saving writes this layout, restoring obeys whatever lists are there (KBL
// PRM vol 3, "Register/State Context"; SKL PRM vol 7, "Register State Context").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/cs/context_image.h"
#include "hw/defs/command.h"
#include "hw/defs/register.h"
#include "hw/iface/engine.h"

namespace softgen::cs {

constexpr uint32_t streamer_block = 0x800;  ///< bytes of MMIO that each streamer has of its own
constexpr uint32_t engine_block = 0x1000;   ///< alignment of the engines' bases

/// How a restore treats a register that a list names.
enum class Restore : uint8_t {
  skip,          ///< not of this engine's contexts
  value,         ///< the streamer's own: stored as is
  masked,        ///< the streamer's own: a masked write
  batch,         ///< as value: BB_ADDR, SBB_ADDR, whose valid bits a restore clears in the image
  counter,       ///< CTX_TIMESTAMP, which runs on from the image's value
  never,         ///< saved only
  rules,         ///< by the register file's access rules and hooks
  rules_masked,  ///< the same, of a masked register
};

struct LayoutSlot {
  uint16_t dword;  ///< of the register's offset in page 1; its value is the next dword
  Restore restore;
  uint32_t offset;  ///< in BAR0
};

/// A per-context register (a row marked `context`) without a documented slot.
struct OtherRegister {
  uint32_t offset;  ///< in BAR0
  bool masked;
};
/// Sorted by offset. Render's alone among the streamers' own registers: the manual names all that the other engines' images hold.
std::vector<OtherRegister> other_context_registers(const defs::RegisterSet& set, const defs::ContextLayout& layout, EngineId id);

/// Dwords between lists.
struct ContextGap {
  uint16_t first, end;
};

class ImageLayout {
 public:
  /// `documented` outlives this. `others`: sorted by offset; none of them has a documented slot. There must be room for all (an assertion,
  /// since rows are ours). `relative`: the bit of a list's header that makes its offsets count within the engine's block, or 0.
  ImageLayout(const defs::ContextLayout& documented, uint32_t mmio_base, std::span<const OtherRegister> others, uint32_t relative = 0);

  /// Page 1 as it is saved, up to and with MI_BATCH_BUFFER_END: headers and offsets of all lists, values zero.
  std::span<const uint32_t> frame() const { return frame_; }
  /// The documented slots, and what is the same for all engines of the class.
  const defs::ContextLayout& documented() const { return layout_; }
  /// Sorted by dword.
  std::span<const LayoutSlot> slots() const { return slots_; }
  /// What is between the lists: packets and MI_NOOPs.
  std::span<const ContextGap> gaps() const { return gaps_; }
  /// The register that a list with this header names: where its offsets are relative they are the same for all engines of a class (i915
  /// gt/intel_lrc.c, MI_LRI_LRM_CS_MMIO in set_offsets; gt/intel_context_types.h, intel_engine_has_relative_mmio).
  uint32_t resolve(uint32_t offset, uint32_t header) const { return header & relative_ ? mmio_base_ + offset % engine_block : offset; }
  /// `offset`: in BAR0, any value.
  Restore restore(uint32_t offset) const {
    const uint32_t index = (offset - first_) / 4;
    return index < restore_.size() ? restore_[index] : Restore::skip;
  }

 private:
  using Registers = std::span<const OtherRegister>;
  void add_slot(uint32_t dword, uint32_t offset, Restore restore);
  void fill_spaces(Registers others);
  Registers add_lists(uint32_t header, uint32_t end, Registers registers);
  void find_gaps();

  const uint32_t mmio_base_, relative_;
  const uint32_t first_;  ///< the lowest offset of all
  const defs::ContextLayout& layout_;
  std::vector<uint32_t> frame_;
  std::vector<LayoutSlot> slots_;
  std::vector<ContextGap> gaps_;
  std::vector<Restore> restore_;  ///< by (offset - first_) / 4
};

/// Steps through the lists and state packets of an image. They may say anything: the walk stays inside the page and ends.
class ImageWalk {
 public:
  /// `page`: page 1 of the image; `at`: the dword to begin with. `packets`: the image may hold some.
  ImageWalk(std::span<const uint32_t> page, const defs::CommandSet& commands, defs::EngineClass engine_class, size_t at = 0,
            bool packets = false)
      : page_(page), commands_(commands), engine_class_(engine_class), packets_(packets), at_(at) {}

  struct Entry {
    const defs::Command* packet;  ///< null: a list
    size_t first;                 ///< dword of the first register's offset, or of the packet's header
    uint32_t count;               ///< registers; dwords of the packet
    uint32_t header;
    uint32_t kept;  ///< Byte Write Disables: bits of each register that keep their value
  };
  /// The next list or packet whose header is before dword `until`; none: MI_BATCH_BUFFER_END, `until` or the page's end was reached, or bad().
  std::optional<Entry> next(size_t until);
  /// It steps over these from now on, where it comes to the beginning of one.
  void step_over(std::span<const ContextGap> gaps) { gaps_ = gaps; }
  /// The walk is at a command that an image may not hold, or at one that leaves the page.
  bool bad() const { return bad_; }
  /// The dword that it is at.
  size_t at() const { return at_; }

 private:
  size_t next_gap();
  std::optional<Entry> entry_of(const defs::Command& command, uint32_t header);

  std::span<const uint32_t> page_;
  const defs::CommandSet& commands_;
  defs::EngineClass engine_class_;
  std::span<const ContextGap> gaps_;  ///< from the next one on
  const bool packets_;
  size_t at_;
  bool ended_ = false, bad_ = false;
};

}  // namespace softgen::cs
