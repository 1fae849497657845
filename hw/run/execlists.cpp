// SPDX-License-Identifier: GPL-2.0-or-later
// Requests into rings, rings into the submit port. Layout of the image: i915 gt/intel_lrc.c (gen9_rcs_offsets, gen11_rcs_offsets,
// gen9_xcs_offsets).
#include "hw/run/execlists.h"

#include <i915_drm.h>

#include <atomic>
#include <new>

#include "hw/run/regs.h"
#include "hw/run/ring_writer.h"

namespace softgen::run {
namespace {

void pipe_control(RingWriter& ring, uint32_t flags, uint32_t address = 0, uint32_t data = 0) {
  ring.puts(regs::pipe_control, flags, address, 0u, data, 0u);
}

void flush_dw(RingWriter& ring, uint32_t flags, uint32_t address, uint32_t data) {
  ring.puts(regs::mi_flush_dw | regs::mi_flush_dw_qword | flags, address | regs::mi_flush_dw_ggtt, 0u, data);
}

constexpr uint32_t request_dwords = 40 + 2 * (max_context_registers + max_request_registers + 2);
static_assert((max_running + 1) * request_dwords * 4 < ring_bytes / 2);

class ExeclistSubmission final : public Submission {
 public:
  ExeclistSubmission(const SubmissionHost& host, const Execlists& lists) : host_(host), lists_(lists) {}

  void bring_up(EngineQueue& engine) override;
  LogicalContext make_context(const Context& context, const EngineInfo& engine) override;
  void free_context(const LogicalContext& context) override;
  uint32_t context_id(const LogicalContext& context) const override { return lists_.context_id(context.id); }
  bool has_room(const EngineQueue& engine) const override { return !of(engine).submitted && engine.running.size() < max_running; }
  // An engine that works takes more of the same context only.
  bool takes(const EngineQueue& engine, const LogicalContext& context) const override { return !engine.busy || engine.current == &context; }
  bool keeps_order(const Request& first, const Request& second) const override {
    return first.context == second.context && first.slot == second.slot;
  }
  void start(EngineQueue& engine, LogicalContext& context, Request& request, std::span<const RegisterValue> of_context) override;
  bool listen(EngineQueue& engine) override;
  void look(EngineQueue& engine) override;
  uint32_t completed(const EngineQueue& engine) const override;
  bool uses(const EngineQueue& engine, const LogicalContext& context) const override { return engine.current == &context; }
  bool settled(EngineQueue& engine) override;
  void reset(const EngineQueue& engine) override;
  bool resets_all() const override { return false; }

 private:
  struct Port {
    GgttMemory hwsp;
    unsigned csb_read = 0;
    bool submitted = false;          ///< to the port, and not taken from there yet
    bool active = false;             ///< as the last event says
    bool switch_interrupts = false;  ///< its context switches interrupt
  };

  Port& of(const EngineQueue& engine) { return ports_[engine.index]; }
  const Port& of(const EngineQueue& engine) const { return ports_[engine.index]; }
  void write(uint32_t offset, uint32_t value) { host_.registers.write(offset, value); }
  volatile uint32_t* status_page(const EngineQueue& engine) {
    return reinterpret_cast<volatile uint32_t*>(host_.arena.host(of(engine).hwsp.gpa));
  }
  void open_registers(const EngineQueue& engine);
  void enable_switch_interrupts(const EngineQueue& engine, bool on);
  void write_image(LogicalContext& logical, const Context& context, const EngineInfo& info);
  void emit(LogicalContext& logical, const EngineInfo& info, Request& request, std::span<const RegisterValue> of_context);

  const SubmissionHost host_;
  const Execlists& lists_;
  std::array<Port, run_engines> ports_;
  uint32_t next_context_id_ = 1;
};

// enable_execlists().
void ExeclistSubmission::bring_up(EngineQueue& engine) {
  Port& port = of(engine);
  if (!port.hwsp.pages) port.hwsp = host_.ggtt.allocate(1);
  const uint32_t base = engine.info->mmio;
  write(base + regs::hwstam, ~0u);
  write(base + regs::ring_mode, lists_.run_lists);
  write(base + regs::mi_mode, 0x01000000);  // clear STOP_RING
  write(base + regs::hws_pga, port.hwsp.address);
  open_registers(engine);
  enable_switch_interrupts(engine, false);
  write(base + regs::emr, ~0u);
  write(base + regs::eir, ~0u);
  write(base + regs::csb_pointers, lists_.csb_pointers);
  status_page(engine)[lists_.csb_write] = lists_.csb_entries - 1;
  port.csb_read = lists_.csb_entries - 1;
  port.submitted = port.active = false;
}

/// As i915's intel_engine_apply_whitelist(): slots without a register name one that is harmless.
void ExeclistSubmission::open_registers(const EngineQueue& engine) {
  const std::span<const uint32_t> open =
      engine.info->uapi_class == I915_ENGINE_CLASS_RENDER ? lists_.open_to_batches : std::span<const uint32_t>();
  const uint32_t base = engine.info->mmio;
  for (uint32_t slot = 0; slot < regs::nonpriv_slots; ++slot)
    write(base + regs::nonpriv + 4 * slot, slot < open.size() ? open[slot] : base + regs::nopid);
}

/// Context switches matter only to a request that waits for its engine to leave a context: all else follows from the requests' own
/// interrupts.
void ExeclistSubmission::enable_switch_interrupts(const EngineQueue& engine, bool on) {
  of(engine).switch_interrupts = on;
  const uint32_t heard = regs::user_interrupt | regs::cs_error | (on ? regs::context_switch : 0);
  lists_.hear(host_.registers, *engine.info, heard);
}

LogicalContext ExeclistSubmission::make_context(const Context& context, const EngineInfo& engine) {
  LogicalContext logical;
  logical.image = host_.ggtt.allocate(engine.context_pages);
  try {
    logical.ring = host_.ggtt.allocate(regs::ring_pages);
  } catch (const std::bad_alloc&) {
    host_.ggtt.free(logical.image);
    throw;
  }
  logical.id = next_context_id_++ & 0xfffff;
  write_image(logical, context, engine);
  return logical;
}

void ExeclistSubmission::free_context(const LogicalContext& context) {
  host_.ggtt.free(context.image);
  host_.ggtt.free(context.ring);
}

void ExeclistSubmission::write_image(LogicalContext& logical, const Context& context, const EngineInfo& info) {
  uint32_t* state = reinterpret_cast<uint32_t*>(host_.arena.host(logical.image.gpa + 4096));
  const auto pair = [&](unsigned index, uint32_t offset, uint32_t value) {
    state[index] = info.mmio + offset;
    state[index + 1] = value;
  };
  const std::span<const uint32_t> list = info.uapi_class == 0 ? lists_.render_list : lists_.other_list;
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
  state[0x31] = static_cast<uint32_t>(context.vm->root() >> 32);
  state[0x33] = static_cast<uint32_t>(context.vm->root());
  if (info.uapi_class == 0) {
    state[0x41] = regs::mi_load_register_imm | 1;
    pair(0x42, 0xc8, 0);
  }
}

void ExeclistSubmission::emit(LogicalContext& logical, const EngineInfo& info, Request& request,
                              std::span<const RegisterValue> of_context) {
  RingWriter ring(host_.arena.host(logical.ring.gpa), logical.tail, request_dwords);
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
  ring.load_registers(of_context);
  ring.load_registers(request.registers);
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

/// Requests of one context go into its ring as they come, so that its engine need not wait for us between them (i915 does it so, too: "lite
/// restore"); those of another one wait until it is through.
void ExeclistSubmission::start(EngineQueue& engine, LogicalContext& context, Request& request, std::span<const RegisterValue> of_context) {
  emit(context, *engine.info, request, of_context);
  uint32_t* state = reinterpret_cast<uint32_t*>(host_.arena.host(context.image.gpa + 4096));
  std::atomic_ref(state[0x07]).store(context.tail, std::memory_order_release);
  engine.current = &context;
  of(engine).submitted = true;
  lists_.submit(host_.registers, *engine.info,
                context.image.address | regs::desc_valid | regs::desc_ppgtt64 | regs::desc_coherent | regs::desc_privilege,
                lists_.context_id(context.id));
}

bool ExeclistSubmission::listen(EngineQueue& engine) {
  const Port& port = of(engine);
  const bool hears = engine.busy && !port.submitted && !engine.waiting.empty();
  if (hears == port.switch_interrupts) return false;
  enable_switch_interrupts(engine, hears);
  return hears;
}

void ExeclistSubmission::look(EngineQueue& engine) {
  Port& port = of(engine);
  const volatile uint32_t* hwsp = status_page(engine);
  const unsigned written = hwsp[lists_.csb_write] & 15;
  std::atomic_thread_fence(std::memory_order_acquire);
  while (port.csb_read != written && written < lists_.csb_entries) {
    port.csb_read = (port.csb_read + 1) % lists_.csb_entries;
    const volatile uint32_t* entry = hwsp + regs::hwsp_csb + size_t{2} * port.csb_read;
    const Switch event = lists_.read_entry(entry[0], entry[1]);
    if (event.taken) port.submitted = false;
    port.active = event.taken || (port.active && !event.idle);
  }
}

uint32_t ExeclistSubmission::completed(const EngineQueue& engine) const {
  return reinterpret_cast<volatile uint32_t*>(host_.arena.host(engine.current->image.gpa))[regs::pphwsp_seqno];
}

bool ExeclistSubmission::settled(EngineQueue& engine) {
  if (of(engine).submitted || of(engine).active) return false;
  engine.current = nullptr;
  return true;
}

void ExeclistSubmission::reset(const EngineQueue& engine) {
  write(engine.info->mmio + regs::reset_ctl, 0x00010001);
  write(regs::gdrst, engine.info->reset);
  write(engine.info->mmio + regs::reset_ctl, 0x00010000);
}

}  // namespace

std::unique_ptr<Submission> execlist_submission(const SubmissionHost& host, const Execlists& lists) {
  return std::make_unique<ExeclistSubmission>(host, lists);
}

}  // namespace softgen::run
