// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/posh/rewriter.h"

#include <fmt/format.h>

#include <stdexcept>

#include "hw/debug/batch_walker.h"
#include "hw/debug/page_results.h"
#include "hw/defs/registers/registers.h"

namespace softgen::posh {
namespace {

using debug::aub::Space;

constexpr uint64_t memory_limit = uint64_t{4} << 30;
/// The tool that makes captures hands out physical pages and GGTT addresses from zero on.
constexpr uint64_t first_physical = uint64_t{1} << 36, first_ggtt = uint64_t{1} << 30;
/// Ice Lake's number in AUB files (Mesa intel_device_info.c, simulator_id).
constexpr uint32_t simulator = 19;

/// Gives a walk's commands to a splitter. The first level that it sees is the ring, which may hold nothing but the start of a batch.
class Splitting final : public debug::BatchObserver {
 public:
  explicit Splitting(Splitter& splitter) : splitter_(splitter) {}
  void packet(const debug::WalkedPacket& packet) override {
    if (!packet.command) return problem(packet.address, "an unknown command");
    const defs::CommandId id = packet.command->id;
    if (id == defs::CommandId::MI_BATCH_BUFFER_END) return;
    if (id == defs::CommandId::MI_BATCH_BUFFER_START) {
      if (!gen11::MI_BATCH_BUFFER_START::View(packet.dwords).predication_enable()) return;
      return problem(packet.address, "a predicated start of a batch");
    }
    if (packet.level == debug::BatchLevel::ring) {
      if (id != defs::CommandId::MI_NOOP) problem(packet.address, "a ring with more than starts of batches");
      return;
    }
    splitter_.packet(*packet.command, packet.dwords);
  }
  void problem(uint64_t address, const std::string& what) override {
    throw std::runtime_error(fmt::format("cannot rewrite 0x{:x}: {}", address, what));
  }

 private:
  Splitter& splitter_;
};

constexpr uint64_t whole_pages(uint64_t bytes) {
  return (bytes + PhysicalPages::page_bytes - 1) / PhysicalPages::page_bytes * PhysicalPages::page_bytes;
}

}  // namespace

Rewriter::Rewriter(debug::AubWriter& out, const Options& options)
    : out_(out), options_(options), memory_(memory_limit), image_(memory_, ggtt_, ""), pages_(first_physical), next_ggtt_(first_ggtt) {
  image_.on_submit = [this](const replay::Submission& submission) { submit(submission); };
}

void Rewriter::version(const debug::AubVersion& version) {
  image_.version(version);
  out_.version(version.pci_id, version.application, simulator);
}

void Rewriter::memory_write(Space space, uint64_t address, std::span<const std::byte> data) { write(space, address, data); }

void Rewriter::register_write(uint32_t offset, uint32_t value) {
  image_.register_write(offset, value);
  out_.register_write(offset, value);
}

void Rewriter::register_poll(uint32_t offset, uint32_t mask, uint32_t value) { out_.register_poll(offset, mask, value); }

void Rewriter::ring_write(debug::AubRing, std::span<const std::byte>) {
  throw std::runtime_error("this is a capture of the classic kind, without contexts");
}

void Rewriter::comment(std::string_view text) {
  // The memory that it left has other images and rings now.
  if (!text.starts_with(debug::results_comment)) out_.comment(text);
}

void Rewriter::write(Space space, uint64_t address, std::span<const std::byte> data) {
  image_.memory_write(space, address, data);
  out_.memory(space, address, data);
}

uint64_t Rewriter::place(Context& context, std::span<const uint32_t> dwords) {
  const auto bytes = std::as_bytes(dwords);
  const uint64_t va = context.next;
  write(Space::physical, context.tables->map(va, bytes.size()), bytes);
  context.next += whole_pages(bytes.size());
  return va;
}

Rewriter::Context& Rewriter::context(const replay::Submission& submission) {
  const auto [found, is_new] = contexts_.try_emplace(submission.lrca);
  Context& context = found->second;
  if (!is_new) return context;
  context.tables = std::make_unique<PageTables>(
      memory_, [this](uint64_t address, std::span<const std::byte> data) { write(Space::physical, address, data); }, pages_,
      submission.ppgtt.roots[0], *image_.platform().ppgtt);
  context.next = context.tables->unused();
  const std::array<uint32_t, 4> meeting{};
  context.meeting.reached = place(context, meeting);
  context.meeting.recorded = context.meeting.reached + sizeof(uint64_t);
  context.record.pages = options_.pool_pages;
  context.record.free_list = place(context, free_list(context.record));
  context.record.render_list = place(context, std::vector<uint32_t>(options_.passes.count() * 2));
  context.record.pool = place(context, std::vector<uint32_t>(options_.pool_pages * PhysicalPages::page_bytes / sizeof(uint32_t)));
  return context;
}

void Rewriter::submit(const replay::Submission& submission) {
  if (class_of(submission.engine) != defs::EngineClass::render) return;
  if (!image_.platform().has(EngineId::pocs))
    throw std::runtime_error(fmt::format("{} has no position-only shading", image_.platform().name));
  const bool is_new = !contexts_.contains(submission.lrca);
  Context& its = context(submission);
  Splitter splitter(
      image_.platform(), its.state,
      {.record = its.record, .passes = options_.passes, .meeting = its.meeting, .met = its.met, .rectangles = options_.rectangles});
  split(submission, splitter);
  its.met = splitter.met();
  ++result_.submissions;
  result_.draws += splitter.draws();

  Stream ring;
  ring.start_position(place(its, splitter.position().dwords()), true);
  ring.start_render(place(its, splitter.render().dwords()), true);
  const uint32_t tail = submission.ring_head + static_cast<uint32_t>(ring.bytes());
  if (tail >= submission.ring_size || tail % sizeof(uint64_t)) throw std::runtime_error("a ring without room at its head");
  write(Space::ggtt, submission.ring_start + uint64_t{submission.ring_head}, std::as_bytes(ring.dwords()));
  write_images(submission, its, tail, is_new);
}

void Rewriter::split(const replay::Submission& submission, Splitter& splitter) {
  memory::View ppgtt(memory_, nullptr, submission.engine);
  ppgtt.set_space(submission.ppgtt);
  Splitting splitting(splitter);
  debug::BatchWalker walker(*image_.platform().commands, defs::EngineClass::render, image_.ggtt_view(), &ppgtt, splitting);
  walker.ring(submission.ring_start, submission.ring_size, submission.ring_head, submission.ring_tail);
  splitter.end();
}

void Rewriter::write_images(const replay::Submission& submission, Context& context, uint32_t tail, bool is_new) {
  const uint64_t page = uint64_t{submission.lrca} + defs::context_page;
  const auto place = [this](EngineId engine, uint32_t lrca, uint32_t reg) {
    return uint64_t{lrca} + defs::context_page + layout(engine).value_dword(reg) * sizeof(uint32_t);
  };
  write_dword(place(submission.engine, submission.lrca, reg::RING_TAIL), tail);
  if (!is_new) return write_dword(place(EngineId::pocs, context.position_lrca, reg::RING_HEAD), submission.ring_head);
  context.position_lrca = static_cast<uint32_t>(next_ggtt_);
  for (unsigned i = 0; i < layout(EngineId::pocs).pages; ++i, next_ggtt_ += PhysicalPages::page_bytes) {
    const uint64_t entry = pages_.take() | image_.platform().ggtt->present;
    write(Space::ggtt_entry, next_ggtt_ / PhysicalPages::page_bytes * sizeof entry, std::as_bytes(std::span(&entry, 1)));
  }
  const auto base = [this](EngineId engine) { return image_.platform().registers->engine(engine)->mmio_base; };
  const auto own = new_image(layout(EngineId::pocs), base(EngineId::pocs),
                             {.start = submission.ring_start, .bytes = submission.ring_size, .head = submission.ring_head, .tail = 0});
  write(Space::ggtt, uint64_t{context.position_lrca} + defs::context_page, std::as_bytes(std::span(own)));
  std::vector<uint32_t> image(defs::context_page / sizeof(uint32_t));
  for (size_t i = 0; i < image.size(); ++i) image[i] = image_.ggtt_view().load<uint32_t>(page + i * sizeof(uint32_t));
  enable_position(image, layout(submission.engine), base(submission.engine), context.position_lrca);
  write(Space::ggtt, page, std::as_bytes(std::span(image)));
}

}  // namespace softgen::posh
