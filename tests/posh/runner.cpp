// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/posh/runner.h"

#include <algorithm>

#include "tests/catch.h"

namespace softgen::posh::test {
namespace {

constexpr uint64_t page_bytes = defs::context_page;
/// Of records from what a scene has.
constexpr uint64_t own_offset = 0x4000'0000;

gen11::PIPE_CONTROL last_flush() {
  gen11::PIPE_CONTROL flush;
  flush.command_streamer_stall_enable = flush.render_target_cache_flush_enable = flush.depth_cache_flush_enable = true;
  return flush;
}

/// Pipeline statistics of the render engine.
struct Statistics {
  explicit Statistics(Machine& machine) {
    const auto count = [&](uint32_t offset) { return machine.device().registers().peek64(offset); };
    assembled = {count(reg::IA_VERTICES_COUNT(0)), count(reg::IA_PRIMITIVES_COUNT(0))};
    clipped = count(reg::CL_INVOCATION_COUNT(0));
    pixels = {count(reg::PS_INVOCATION_COUNT(0)), count(reg::PS_DEPTH_COUNT(0))};
  }
  using Two = std::array<uint64_t, 2>;
  Two assembled;     ///< vertices, objects
  uint64_t clipped;  ///< objects
  Two pixels;        ///< shaded, passed by the depth test
};

}  // namespace

Rendering::Rendering(Machine& machine, const Scene& scene) : machine_(machine), scene_(scene), own_(scene.address() + own_offset) {
  map_contents();
}

void Rendering::map_contents() {
  std::vector<Scene::Extent> extents = scene_.targets();
  for (const Scene::Content& content : scene_.contents()) extents.push_back({content.va, content.bytes.size()});
  std::ranges::sort(extents, {}, &Scene::Extent::va);
  uint64_t end = 0;  // no page is mapped twice
  for (const auto& extent : extents) {
    const uint64_t first = std::max(end, extent.va / page_bytes * page_bytes);
    const uint64_t last = (extent.va + extent.bytes + page_bytes - 1) / page_bytes * page_bytes;
    if (last > first) machine_.map(first, last - first);
    end = std::max(end, last);
  }
  for (const Scene::Content& content : scene_.contents()) machine_.write(content.va, std::span(content.bytes));
}

uint64_t Rendering::map_own(uint64_t bytes) {
  const uint64_t va = own_;
  machine_.map(va, bytes);
  own_ += (bytes + page_bytes - 1) / page_bytes * page_bytes;
  return va;
}

Stream Rendering::plain() const {
  Stream batch;
  for (const auto& packet : scene_.packets()) batch.copy(packet);
  batch.add(last_flush());
  batch.end_batch();
  return batch;
}

Rendering::Pair Rendering::split(const Form& form) { return split(form, scene_.packets()); }

Rendering::Pair Rendering::split(const Form& form, std::span<const std::vector<uint32_t>> packets) {
  Splitter::Options options{.passes = form.passes, .awaited = form.awaited, .visibility = form.visibility};
  options.meeting.reached = map_own(page_bytes);
  options.meeting.recorded = options.meeting.reached + sizeof(uint64_t);
  options.record.pages = form.pool_pages;
  options.record.free_list = map_own(page_bytes);
  options.record.render_list = map_own(page_bytes);
  if (form.pool_pages) options.record.pool = map_own(form.pool_pages * page_bytes);
  std::vector<uint32_t> free = free_list(options.record);
  if (form.free_page) std::ranges::fill(free, *form.free_page);
  if (!free.empty()) machine_.write(options.record.free_list, free);

  Splitter splitter(machine_.platform(), state_, options);
  const auto add = [&](std::span<const uint32_t> packet) {
    const defs::Command* command = machine_.platform().commands->find(defs::EngineClass::render, packet[0]);
    REQUIRE(command);
    splitter.packet(*command, packet);
  };
  for (const auto& packet : packets) add(packet);
  add(last_flush().pack());
  splitter.end();
  draws_ = splitter.draws();
  return {splitter.position(), splitter.render()};
}

Picture Rendering::run_plain() {
  run(machine_, machine_.new_context(false), ring_of(machine_, plain()));
  return picture();
}

Picture Rendering::picture() const {
  Picture picture;
  for (const auto& target : scene_.targets()) {
    const auto bytes = machine_.read(target.va, target.bytes);
    picture.insert(picture.end(), bytes.begin(), bytes.end());
  }
  return picture;
}

Stream with_piece(const Machine& machine, const Stream& stream, unsigned n, const Stream& piece, bool in_place) {
  Stream result;
  for (auto rest = stream.dwords(); !rest.empty();) {
    const defs::Command* command = machine.platform().commands->find(defs::EngineClass::render, rest[0]);
    REQUIRE(command);
    const uint32_t length = defs::command_length(*command, rest[0]);
    const bool here = command->draws && n-- == 0;
    if (here) result.copy(piece.dwords());
    if (!here || !in_place) result.copy(rest.first(length));
    rest = rest.subspan(length);
  }
  return result;
}

Stream ring_of(Machine& machine, const Stream& batch) {
  Stream ring;
  ring.start_render(machine.place(batch), true);
  return ring;
}

Stream ring_of(Machine& machine, const Rendering::Pair& batches) {
  Stream ring;
  ring.start_position(machine.place(batches.position), true);
  ring.start_render(machine.place(batches.render), true);
  return ring;
}

void run(Machine& machine, const Context& context, const Stream& ring) {
  machine.set_ring(context, ring);
  machine.submit({context});
  REQUIRE(machine.wait_idle());
  REQUIRE(machine.sound());
}

Picture plain_picture(const Scene& scene) {
  Machine machine({});
  return Rendering(machine, scene).run_plain();
}

Counts counts_since(const WorkCounts& before) {
  const WorkCounts counts = work_between(before, work_counts());
  return {counts.of(Work::objects_recorded), counts.of(Work::objects_culled), counts.of(Work::objects_skipped)};
}

Counts check_same(const Scene& scene, const Form& form) {
  Machine plain_machine({});
  const Picture plain = Rendering(plain_machine, scene).run_plain();
  CHECK_FALSE(std::ranges::all_of(plain, [](std::byte b) { return b == std::byte{0}; }));
  const Statistics expected(plain_machine);
  Counts counts;
  for (const How how : {How{.threads = 2, .preempted = true}, How{.threads = 0, .preempted = true}, How{.threads = 2}, How{.threads = 0}}) {
    CAPTURE(how.threads, how.preempted);
    const WorkCounts before = work_counts();
    Machine machine(how);
    Rendering rendering(machine, scene);
    run(machine, machine.new_context(true), ring_of(machine, rendering.split(form)));
    CHECK((rendering.picture() == plain));
    counts = counts_since(before);
    const Statistics found(machine);
    CHECK(found.pixels == expected.pixels);
    if (form.passes.count() > 1) continue;  // each draws all objects
    CHECK(found.assembled == expected.assembled);
    CHECK(found.clipped == expected.clipped - counts.skipped);
  }
  return counts;
}

void check_same(const Scene& scene, uint64_t recorded, uint64_t skipped, const Form& form) {
  const Counts counts = check_same(scene, form);
  CHECK(counts.recorded == recorded);
  CHECK(counts.skipped == skipped);
}

}  // namespace softgen::posh::test
