// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/rings.h"

#include <fmt/format.h>
#include <i915_drm.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "hw/run/regs.h"
#include "hw/run/ring_writer.h"

namespace softgen::run {
namespace {

using regs::ring_tail, regs::ring_head, regs::ring_start, regs::ring_ctl;
// i915 gt/intel_engine_regs.h.
constexpr uint32_t head_mask = 0x001f'fffc, ctl_valid = 1;
constexpr uint32_t stop_ring = 0x0100'0100, clear_stop_ring = 0x0100'0000, mode_idle = 1u << 9;  // MI_MODE
// i915 gt/intel_engine.h, I915_GEM_HWS_*: dwords of the status page.
constexpr uint32_t hws_seqno = 0x40, hws_scratch = 0x80;
// i915 gt/intel_gpu_commands.h.
constexpr uint32_t mi_flush = 0x04u << 23, mi_exe_flush = 1u << 1, mi_invalidate_isp = 1u << 5;
constexpr uint32_t mi_suspend_flush = 0x0bu << 23, mi_suspend_flush_enable = 1;
constexpr uint32_t mi_set_context = 0x18u << 23, space_gtt = 1u << 8, save_extended = 1u << 3, restore_extended = 1u << 2,
                   restore_inhibit = 1;
constexpr uint32_t mi_store_dword_index = 0x21u << 23 | 1;
constexpr uint32_t batch_start = 0x31u << 23 | 2u << 6, non_secure = 1u << 8;
constexpr uint32_t pipe_control_4 = 0x7a00'0002, qword_write = 1u << 14, global_gtt = 1u << 2;

constexpr unsigned breadcrumbs = 8, invalidating_flushes = 12;
constexpr uint32_t request_dwords = 112 + 2 * (max_context_registers + max_request_registers + 2);
static_assert((max_running + 2) * request_dwords * 4 < ring_bytes);

class RingSubmission final : public Submission {
 public:
  RingSubmission(const SubmissionHost& host, const Rings& rings) : host_(host), rings_(rings), scratch_(host_.ggtt.allocate(1)) {}

  void bring_up(EngineQueue& engine) override;
  LogicalContext make_context(const Context& context, const EngineInfo& engine) override;
  void free_context(const LogicalContext& context) override {
    if (context.image.pages) host_.ggtt.free(context.image);
  }
  uint32_t context_id(const LogicalContext& context) const override { return context.image.address; }
  bool has_room(const EngineQueue& engine) const override { return engine.running.size() < max_running; }
  bool takes(const EngineQueue&, const LogicalContext&) const override { return true; }
  bool keeps_order(const Request&, const Request&) const override { return true; }
  void start(EngineQueue& engine, LogicalContext& context, Request& request, std::span<const RegisterValue> of_context) override;
  bool listen(EngineQueue&) override { return false; }
  void look(EngineQueue&) override {}
  uint32_t completed(const EngineQueue& engine) const override { return *seqno(of(engine)); }
  bool uses(const EngineQueue& engine, const LogicalContext& context) const override;
  // Its context stays current: the next MI_SET_CONTEXT saves into the image.
  bool settled(EngineQueue& engine) override { return engine.running.empty(); }
  void reset(const EngineQueue& engine) override;
  bool resets_all() const override { return true; }

 private:
  struct Ring {
    GgttMemory status, buffer;
    uint32_t tail = 0;  ///< offset, bytes
    uint32_t seqno = 0;
    /// Contexts that the engine leaves for that of a request; until it has completed the request their images may be written.
    struct Left {
      const LogicalContext* context;
      uint32_t seqno;
    };
    std::vector<Left> left;
  };

  Ring& of(const EngineQueue& engine) { return engines_[engine.index]; }
  const Ring& of(const EngineQueue& engine) const { return engines_[engine.index]; }
  volatile uint32_t* seqno(const Ring& ring) const {
    return reinterpret_cast<volatile uint32_t*>(host_.arena.host(ring.status.gpa)) + hws_seqno;
  }
  RingWriter writer(const Ring& ring) const { return {host_.arena.host(ring.buffer.gpa), ring.tail, request_dwords}; }
  bool is_done(const Ring& ring, uint32_t number) const { return static_cast<int32_t>(*seqno(ring) - number) >= 0; }
  void write(uint32_t offset, uint32_t value) const { host_.registers.write(offset, value); }
  void expect(const EngineQueue& engine, bool holds, const char* what) const;
  void invalidate(RingWriter& out, bool render) const;
  void flush_render(RingWriter& out) const;
  static void set_context(RingWriter& out, const GgttMemory& image, uint32_t flags);
  void finish(RingWriter& out, const EngineQueue& engine);
  void record_defaults(const EngineQueue& engine);

  const SubmissionHost host_;
  const Rings& rings_;
  const GgttMemory scratch_;  ///< where flushes write
  GgttMemory kernel_;         ///< the image of a context without requests, as i915's kernel context
  GgttMemory defaults_;       ///< the image that new contexts begin with
  std::array<Ring, run_engines> engines_;
};

void RingSubmission::expect(const EngineQueue& engine, bool holds, const char* what) const {
  if (!holds) throw std::runtime_error(fmt::format("{}: {}", engine.info->name, what));
}

// stop_ring(), xcs_resume().
void RingSubmission::bring_up(EngineQueue& engine) {
  Ring& ring = of(engine);
  if (!ring.status.pages) ring.status = host_.ggtt.allocate(1);
  if (!ring.buffer.pages) ring.buffer = host_.ggtt.allocate(regs::ring_pages);
  const uint32_t base = engine.info->mmio;
  write(base + regs::mi_mode, stop_ring);
  expect(engine, host_.registers.read(base + regs::mi_mode) & mode_idle, "the ring does not stop");
  write(base + ring_head, host_.registers.read(base + ring_tail));
  write(base + ring_ctl, 0);
  write(base + ring_head, 0);
  write(base + ring_tail, 0);
  expect(engine, (host_.registers.read(base + ring_head) & head_mask) == 0, "the ring's HEAD does not become 0");
  write(base + regs::hws_pga, ring.status.address);
  write(base + regs::hwstam, ~0u);
  write(base + regs::eir, ~0u);
  if (engine.info->uapi_class == I915_ENGINE_CLASS_RENDER)
    for (const RegisterValue& entry : rings_.workarounds) write(entry.offset, entry.value);
  write(base + ring_start, ring.buffer.address);
  ring.tail = 0;
  ring.left.clear();  // a reset has made the context invalid
  write(base + ring_head, ring.tail);
  write(base + ring_tail, ring.tail);
  write(base + ring_ctl, (ring_bytes - 4096) | ctl_valid);
  expect(engine, host_.registers.read(base + ring_ctl) & ctl_valid, "the ring does not start");
  write(base + regs::mi_mode, clear_stop_ring);
  if (engine.info->context_pages && !defaults_.pages) record_defaults(engine);
}

/// A context's image as the engine leaves it after a reset; each new one is a copy (gt/intel_gt.c, __engines_record_defaults()).
void RingSubmission::record_defaults(const EngineQueue& engine) {
  Ring& ring = of(engine);
  kernel_ = host_.ggtt.allocate(engine.info->context_pages);
  defaults_ = host_.ggtt.allocate(engine.info->context_pages);
  RingWriter out = writer(ring);
  set_context(out, defaults_, restore_inhibit);
  set_context(out, kernel_, restore_inhibit);
  finish(out, engine);
  constexpr int64_t patience_ns = 60'000'000'000;  // of a machine under load
  const int64_t end = monotonic_ns() + patience_ns;
  while (*seqno(ring) != ring.seqno && monotonic_ns() < end) std::this_thread::yield();
  expect(engine, *seqno(ring) == ring.seqno, "the ring completes nothing");
}

LogicalContext RingSubmission::make_context(const Context&, const EngineInfo& engine) {
  LogicalContext logical;
  if (!engine.context_pages) return logical;
  logical.image = host_.ggtt.allocate(engine.context_pages);
  std::memcpy(host_.arena.host(logical.image.gpa), host_.arena.host(defaults_.gpa), size_t{4096} * engine.context_pages);
  return logical;
}

// gen4_emit_flush_rcs() with EMIT_INVALIDATE, gen4_emit_flush_vcs().
void RingSubmission::invalidate(RingWriter& out, bool render) const {
  if (!render) return out.puts(mi_flush, regs::mi_noop);
  constexpr uint32_t all = mi_flush | mi_exe_flush | mi_invalidate_isp;
  out.put(all);
  flush_render(out);
  for (unsigned i = 0; i < invalidating_flushes; ++i) out.put(mi_flush);
  flush_render(out);
  out.put(all);
}

void RingSubmission::flush_render(RingWriter& out) const { out.puts(pipe_control_4 | qword_write, scratch_.address | global_gtt, 0u, 0u); }

// mi_set_context(). The engine does nothing where the context is the current one.
void RingSubmission::set_context(RingWriter& out, const GgttMemory& image, uint32_t flags) {
  out.puts(mi_suspend_flush | mi_suspend_flush_enable, regs::mi_noop, mi_set_context, image.address | space_gtt | save_extended | flags,
           regs::mi_noop, mi_suspend_flush);
}

// gen5_emit_breadcrumb(): on silicon the repeats delay the interrupt until the number is in memory.
void RingSubmission::finish(RingWriter& out, const EngineQueue& engine) {
  Ring& ring = of(engine);
  ++ring.seqno;
  out.put(mi_flush);
  for (const uint32_t dword : {hws_scratch, hws_seqno})
    for (unsigned i = 0; i < breadcrumbs; ++i) out.puts(mi_store_dword_index, dword * 4, ring.seqno);
  out.put(regs::mi_user_interrupt);
  ring.tail = out.finish();
  std::atomic_thread_fence(std::memory_order_release);
  write(engine.info->mmio + ring_tail, ring.tail);
}

void RingSubmission::start(EngineQueue& engine, LogicalContext& context, Request& request, std::span<const RegisterValue> of_context) {
  RingWriter out = writer(of(engine));
  invalidate(out, engine.info->uapi_class == I915_ENGINE_CLASS_RENDER);
  if (context.image.pages) set_context(out, context.image, restore_extended);
  out.load_registers(of_context);
  out.load_registers(request.registers);
  // gen4_emit_bb_start().
  if (request.space != Request::Batch::none)
    out.puts(batch_start | (request.secure ? 0 : non_secure), static_cast<uint32_t>(request.batch));
  Ring& ring = of(engine);
  request.seqno = ring.seqno + 1;
  std::erase_if(ring.left, [&](const Ring::Left& left) { return is_done(ring, left.seqno); });
  if (engine.current && engine.current != &context) ring.left.push_back({engine.current, request.seqno});
  engine.current = &context;
  finish(out, engine);
}

bool RingSubmission::uses(const EngineQueue& engine, const LogicalContext& context) const {
  const Ring& ring = of(engine);
  return engine.current == &context ||
         std::ranges::any_of(ring.left, [&](const Ring::Left& left) { return left.context == &context && !is_done(ring, left.seqno); });
}

// ilk_do_reset(): there is none of one engine.
void RingSubmission::reset(const EngineQueue& engine) {
  for (const uint32_t step : rings_.reset_steps) {
    write(rings_.reset, step);
    expect(engine, !(host_.registers.read(rings_.reset) & rings_.reset_pending), "the reset does not end");
  }
  write(rings_.reset, 0);
}

}  // namespace

std::unique_ptr<Submission> ring_submission(const SubmissionHost& host, const Rings& rings) {
  return std::make_unique<RingSubmission>(host, rings);
}

}  // namespace softgen::run
