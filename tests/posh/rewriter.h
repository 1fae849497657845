// SPDX-License-Identifier: GPL-2.0-or-later
// Turns a capture of a render engine's ordinary work into one that uses position-only shading: what it draws must stay the same.
//
// Each submission's commands, as the project's own walker finds them, become two batches (splitter.h) at an address that the context's page tables do not
// use. The ring starts both, the context's image becomes a POSH enabled one, and POCS gets an image of its own.
#pragma once

#include <map>
#include <memory>

#include "hw/debug/aub_writer.h"
#include "hw/debug/context_state.h"
#include "hw/replay/image.h"
#include "tests/posh/page_tables.h"
#include "tests/posh/splitter.h"

namespace softgen::posh {

class Rewriter final : public debug::AubVisitor {
 public:
  struct Options {
    Passes passes;
    bool rectangles = true;
    uint32_t pool_pages = 256;
  };
  struct Result {
    uint64_t submissions = 0;  ///< of the render engine
    uint64_t draws = 0;        ///< that are recorded
  };
  Rewriter(debug::AubWriter& out, const Options& options);

  const Result& result() const { return result_; }

  void version(const debug::AubVersion& version) override;
  void memory_write(debug::aub::Space space, uint64_t address, std::span<const std::byte> data) override;
  void register_write(uint32_t offset, uint32_t value) override;
  void register_poll(uint32_t offset, uint32_t mask, uint32_t value) override;
  void ring_write(debug::AubRing ring, std::span<const std::byte> commands) override;
  void comment(std::string_view text) override;

 private:
  /// What is added to a context.
  struct Context {
    debug::ContextState state;
    uint32_t position_lrca = 0;
    uint32_t met = 0;
    Meeting meeting;
    Record record;
    uint64_t next = 0;  ///< PPGTT address that is not used yet
    std::unique_ptr<PageTables> tables;
  };
  Context& context(const replay::Submission& submission);
  void submit(const replay::Submission& submission);
  void split(const replay::Submission& submission, Splitter& splitter);
  uint64_t place(Context& context, std::span<const uint32_t> dwords);
  void write_record(Context& context);
  void write_images(const replay::Submission& submission, Context& context, uint32_t tail, bool is_new);
  void write(debug::aub::Space space, uint64_t address, std::span<const std::byte> data);
  void write_dword(uint64_t ggtt, uint32_t value) { write(debug::aub::Space::ggtt, ggtt, std::as_bytes(std::span(&value, 1))); }
  const defs::ContextLayout& layout(EngineId engine) const { return image_.platform().contexts->of(engine); }

  debug::AubWriter& out_;
  const Options options_;
  memory::SparseMemory memory_;
  memory::Ggtt ggtt_;
  replay::Image image_;
  PhysicalPages pages_;
  uint64_t next_ggtt_;
  std::map<uint32_t, Context> contexts_;  ///< by LRCA
  Result result_;
};

}  // namespace softgen::posh
