// SPDX-License-Identifier: GPL-2.0-or-later
// Requests into rings, rings into the submit port. Layout of the image: i915 gt/intel_lrc.c (gen9_rcs_offsets, gen11_rcs_offsets,
// gen9_xcs_offsets).
#include <i915_drm.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "hw/run/gpu.h"
#include "hw/run/regs.h"

namespace softgen::run {
namespace {

constexpr uint32_t ring_bytes = regs::ring_pages * 4096;

/// Dword writer into a ring that wraps by padding.
class RingWriter {
 public:
  RingWriter(std::byte* ring, uint32_t tail, uint32_t dwords) : ring_(reinterpret_cast<uint32_t*>(ring)), tail_(tail) {
    if (tail_ + 4 * dwords > ring_bytes) {
      while (tail_ < ring_bytes) put(regs::mi_noop);
      tail_ = 0;
    }
  }
  void put(uint32_t dword) {
    ring_[tail_ / 4] = dword;
    tail_ += 4;
  }
  template <typename... Dwords>
  void puts(Dwords... dwords) {
    (put(dwords), ...);
  }
  uint32_t finish() {
    if (tail_ & 4) put(regs::mi_noop);
    return tail_ % ring_bytes;
  }

 private:
  uint32_t* ring_;
  uint32_t tail_;
};

void pipe_control(RingWriter& ring, uint32_t flags, uint32_t address = 0, uint32_t data = 0) {
  ring.puts(regs::pipe_control, flags, address, 0u, data, 0u);
}

void flush_dw(RingWriter& ring, uint32_t flags, uint32_t address, uint32_t data) {
  ring.puts(regs::mi_flush_dw | regs::mi_flush_dw_qword | flags, address | regs::mi_flush_dw_ggtt, 0u, data);
}

void load_registers(RingWriter& ring, std::span<const RegisterValue> registers) {
  if (registers.empty()) return;
  ring.put(regs::load_register_imm(static_cast<uint32_t>(registers.size())));
  for (const RegisterValue& entry : registers) ring.puts(entry.offset, entry.value);
  ring.put(regs::mi_noop);
}

constexpr uint32_t request_dwords = 40 + 2 * (max_context_registers + max_request_registers + 2);
constexpr size_t max_running = 16;
static_assert((max_running + 1) * request_dwords * 4 < ring_bytes / 2);

}  // namespace

LogicalContext& Gpu::logical_context(Context& context, unsigned slot, unsigned engine) {
  const auto found = context.logical.find(slot);
  if (found != context.logical.end()) return found->second;
  const EngineInfo& info = chip_.engines[engine];
  LogicalContext logical;
  logical.image = ggtt_allocate(info.context_pages);
  try {
    logical.ring = ggtt_allocate(regs::ring_pages);
  } catch (const std::bad_alloc&) {
    ggtt_free(logical.image);
    throw;
  }
  logical.id = next_context_id_++ & 0xfffff;
  LogicalContext& stored = context.logical[slot] = logical;
  write_image(stored, context, info);
  return stored;
}

void Gpu::write_image(LogicalContext& logical, const Context& context, const EngineInfo& info) {
  uint32_t* state = reinterpret_cast<uint32_t*>(arena_.host(logical.image.gpa + 4096));
  const auto pair = [&](unsigned index, uint32_t offset, uint32_t value) {
    state[index] = info.mmio + offset;
    state[index + 1] = value;
  };
  const std::span<const uint32_t> list = info.uapi_class == 0 ? chip_.render_list : chip_.other_list;
  constexpr uint32_t ring_registers = 5;
  state[0x01] = regs::mi_load_register_imm | (2 * (ring_registers + static_cast<uint32_t>(list.size())) - 1);
  pair(0x02, 0x244, 0x00090009);  // CTX_CONTROL: inhibit sync switch; restore inhibit: there is no saved state yet
  pair(0x04, 0x34, 0);
  pair(0x06, 0x30, 0);
  pair(0x08, 0x38, logical.ring.address);
  pair(0x0a, 0x3c, (ring_bytes - 4096) | 1);
  for (unsigned i = 0; i < list.size(); ++i) pair(0x0c + 2 * i, list[i], list[i] == regs::bb_state ? 1u << 5 : 0);  // PPGTT
  state[0x21] = regs::mi_load_register_imm | (2 * 9 - 1);
  pair(0x22, 0x3a8, 0);
  for (unsigned i = 0; i < 8; ++i) pair(0x24 + 2 * i, 0x28c - 4 * i, 0);
  state[0x31] = static_cast<uint32_t>(context.vm->pml4() >> 32);
  state[0x33] = static_cast<uint32_t>(context.vm->pml4());
  if (info.uapi_class == 0) {
    state[0x41] = regs::mi_load_register_imm | 1;
    pair(0x42, 0xc8, 0);
  }
}

void Gpu::emit(LogicalContext& logical, const EngineInfo& info, Request& request) {
  RingWriter ring(arena_.host(logical.ring.gpa), logical.tail, request_dwords);
  const bool render = info.uapi_class == 0;
  const uint32_t scratch = logical.image.address + 4 * regs::pphwsp_scratch, seqno = logical.image.address + 4 * regs::pphwsp_seqno;
  request.seqno = ++logical.seqno;
  if (render) {
    // Gen9 needs an empty PIPE_CONTROL before one that invalidates the vertex fetch cache (i915 gt/gen8_engine_cs.c, gen8_emit_flush_rcs).
    pipe_control(ring, 0);
    pipe_control(ring,
                 regs::pc_cs_stall | regs::pc_tlb_inv | regs::pc_instruction_inv | regs::pc_tex_inv | regs::pc_vf_inv | regs::pc_const_inv |
                     regs::pc_state_inv | regs::pc_qw_write | regs::pc_ggtt,
                 scratch);
  } else {
    flush_dw(ring, regs::mi_flush_dw_tlb, scratch, 0);
  }
  if (render && std::exchange(logical.registers, context_registers_.version) != context_registers_.version)
    load_registers(ring, context_registers_.values);
  load_registers(ring, request.registers);
  ring.put(regs::mi_arb_on_off | 1);
  if (request.space != Request::Batch::none)
    ring.puts(request.space == Request::Batch::ggtt ? regs::mi_batch_buffer_start_ggtt : regs::mi_batch_buffer_start,
              static_cast<uint32_t>(request.batch), static_cast<uint32_t>(request.batch >> 32));
  ring.puts(regs::mi_arb_on_off, regs::mi_noop);
  if (render) {
    pipe_control(ring, regs::pc_rt_flush | regs::pc_depth_flush | regs::pc_dc_flush);
    pipe_control(ring, regs::pc_cs_stall | regs::pc_flush_enable | regs::pc_qw_write | regs::pc_ggtt, seqno, request.seqno);
  } else {
    flush_dw(ring, 0, seqno, request.seqno);
  }
  ring.puts(regs::mi_user_interrupt, regs::mi_arb_on_off | 1, regs::mi_arb_check, regs::mi_noop);
  logical.tail = ring.finish();
}

void Gpu::set_context_registers(std::vector<RegisterValue> registers) {
  context_registers_.values = std::move(registers);
  ++context_registers_.version;
}

void Gpu::submit(const RequestPtr& request, unsigned slot) {
  Engine& engine = engines_[request->engine];
  logical_context(*request->context, slot, request->engine);
  request->slot = slot;
  engine.waiting.push_back(request);
  process_engine(engine);
  schedule(engine);
  FenceClock::get().notify();
}

/// The first request that may start now, out of those that wait. Null: there is none.
RequestPtr Gpu::take_ready(Engine& engine) {
  std::vector<const Context*> passed;  // contexts with an earlier request that is not ready: order within a context is kept
  const auto runs_before = [&](const RequestPtr& request, const FencePtr& fence) {
    const auto same_ring = [&](const RequestPtr& r) {
      return r->fence == fence && r->context == request->context && r->slot == request->slot;
    };
    return std::any_of(engine.running.begin(), engine.running.end(), same_ring);
  };
  const auto ready = [&](const RequestPtr& request) {
    if (std::find(passed.begin(), passed.end(), request->context.get()) != passed.end()) return false;
    std::erase_if(request->waits, [](const FencePtr& fence) { return FenceClock::get().signalled(fence); });
    const bool is_ready =
        std::all_of(request->waits.begin(), request->waits.end(), [&](const FencePtr& fence) { return runs_before(request, fence); });
    if (!is_ready) passed.push_back(request->context.get());
    return is_ready;
  };
  const auto it = std::find_if(engine.waiting.begin(), engine.waiting.end(), ready);
  if (it == engine.waiting.end()) return nullptr;
  // An engine that works takes more of the same context only.
  const bool follows = !engine.busy || engine.current == &logical_context(*(*it)->context, (*it)->slot, (*it)->engine);
  if (!follows) return nullptr;
  RequestPtr request = std::move(*it);
  engine.waiting.erase(it);
  return request;
}

/// False: no request can be started now.
bool Gpu::start_ready(Engine& engine) {
  if (engine.waiting.empty() || engine.submitted || engine.running.size() >= max_running) return false;
  const RequestPtr request = take_ready(engine);
  if (!request) return false;
  if (request->context->banned) finish(*request, -EIO);
  else start(engine, request);
  return true;
}

/// Requests of one context go into its ring as they come, so that its engine need not wait for us between them (i915 does it so, too: "lite
/// restore"); those of another one wait until it is through.
void Gpu::schedule(Engine& engine) {
  while (start_ready(engine)) {}
  const bool hears = engine.busy && !engine.submitted && !engine.waiting.empty();
  if (hears == engine.switch_interrupts) return;
  enable_switch_interrupts(engine, hears);
  if (!hears) return;
  // What happened before that would not be heard of.
  process_engine(engine);
  while (start_ready(engine)) {}
}

void Gpu::run_idle_context() {
  Engine& engine = engines_[I915_ENGINE_CLASS_RENDER];
  if (!idle_context_ || !engine.running.empty() || !engine.waiting.empty() || engine.last == idle_context_.get()) return;
  const auto request = std::make_shared<Request>();
  request->context = idle_context_;
  request->space = Request::Batch::none;
  request->fence = std::make_shared<Fence>();
  submit(request, 0);
}

void Gpu::start(Engine& engine, const RequestPtr& request) {
  LogicalContext& logical = request->context->logical.at(request->slot);
  emit(logical, *engine.info, *request);
  uint32_t* state = reinterpret_cast<uint32_t*>(arena_.host(logical.image.gpa + 4096));
  std::atomic_ref(state[0x07]).store(logical.tail, std::memory_order_release);
  engine.current = &logical;
  engine.last = request->context.get();
  engine.running.push_back(request);
  if (!engine.busy) engine.since_ns = monotonic_ns();
  engine.busy = engine.submitted = true;
  chip_.submit(Registers(device_), *engine.info,
               logical.image.address | regs::desc_valid | regs::desc_ppgtt64 | regs::desc_coherent | regs::desc_privilege,
               chip_.context_id(logical.id));
}

void Gpu::share(const BoPtr& bo) {
  if (bo->shared()) return;
  bo->share();
  const auto count = [&](const RequestPtr& request) {
    const bool write = request->fence == bo->last_write;
    if (!write && !std::ranges::count(bo->last_reads, request->fence)) return;
    const Ticket ticket = next_ticket();
    bo->locks().begin(ticket, write);  // no other process has it yet
    request->shared.push_back({bo, ticket});
  };
  for (Engine& engine : engines_) {
    std::ranges::for_each(engine.waiting, count);
    std::ranges::for_each(engine.running, count);
  }
}

void Gpu::release(const std::shared_ptr<Context>& context) {
  released_.push_back(context);
  kick();
}

}  // namespace softgen::run
