// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vfe/threads.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/eu/interp/run.h"

namespace softgen::media::vfe {
namespace {

/// What the thread's own unit answers; the others are the shared functions'.
class Router final : public MessageTarget {
 public:
  Router(ThreadUnits& units, render::ilk::Urb& urb, uint32_t handle) : units_(units), urb_(urb), handle_(handle) {}

  SendResult send(const Message& message, ThreadEnv& env) override {
    switch (message.op.kind) {
      case MessageKind::end_of_root: keeps_entry_ = message.op.keeps_urb; return SendResult::done;
      case MessageKind::urb_write:
        if (!message.payload.empty()) write(message.op, message.payload);
        return SendResult::done;
      default: break;
    }
    if (message.op.kind == MessageKind::spawn_thread) unimplemented("Ironlake: child threads");
    else if (units_.shared) return units_.shared->send(message, env);
    std::fill(message.response.begin(), message.response.end(), Grf{});
    return SendResult::done;
  }
  /// Gives the entry back, if the thread's end says so. A thread that failed is like one that ended.
  void ended() const {
    if (!keeps_entry_) units_.entries.release(handle_);
  }

 private:
  void write(const MessageOp& op, std::span<const Grf> payload) { render::ilk::urb_write(urb_, {.offset = op.offset}, payload, 1); }

  ThreadUnits& units_;
  render::ilk::Urb& urb_;
  const uint32_t handle_;
  bool keeps_entry_ = false;
};

}  // namespace

RootThreads::RootThreads(ThreadUnits& units, const VfeState& state, const render::ilk::MediaContext& context, EngineEnv& env)
    : units_(units), state_(state), context_(context), env_(env) {
  units_.entries.configure(context.region, state);
}

ExecResult RootThreads::start(const ThreadRequest& request) {
  if (env_.stop.aborting()) return ExecResult::aborted;
  if (!units_.entries.count()) return ExecResult::done;  // reported; nothing can start
  const std::optional<uint32_t> handle = units_.entries.take();
  if (!handle) {
    guest_error("VFE: all URB entries are kept by threads that have ended");
    return ExecResult::fault;
  }
  const Kernel& kernel = this->kernel(request.descriptor);
  const unsigned payload = put_payload(request, kernel, *handle);
  return run(kernel, payload, *handle);
}

const RootThreads::Kernel& RootThreads::kernel(unsigned index) {
  const auto [at, is_new] = kernels_.try_emplace(index);
  Kernel& k = at->second;
  if (!is_new) return k;
  k.descriptor = units_.packets.descriptor(state_, index, env_.view);
  k.bases = context_.bases;
  k.bases.binding_table = k.descriptor.binding_table;
  k.bases.sampler_state = k.descriptor.samplers;
  k.program = units_.loader.load(env_.view, k.bases, k.descriptor.kernel, env_.stop);
  return k;
}

unsigned RootThreads::put_payload(const ThreadRequest& request, const Kernel& kernel, uint32_t handle) {
  const Descriptor& d = kernel.descriptor;
  Grf* const grf = units_.thread.regs.grf;
  grf[0] = {};
  grf[0].dw[0] = handle;
  grf[0].dw[2] = static_cast<uint32_t>(d.address);
  grf[0].dw[3] = d.samplers;
  grf[0].dw[4] = d.binding_table;
  grf[0].dw[6] = units_.started & 0xffffff;
  eu::put_scratch(grf[0], state_.scratch_base, state_.scratch_bytes, units_.started % state_.max_threads);
  units_.started++;
  unsigned next = 1;
  for (unsigned i = 0; i < d.constant_length; ++i) {
    const size_t from = d.constant_offset + i;
    grf[next++] = from < context_.constants.size() ? context_.constants[from] : Grf{};
  }
  const size_t wanted = request.inline_data.size() + request.data.size();
  size_t room = std::min<size_t>(units_.entries.registers(), eu::grf_count - next);
  if (wanted > room) guest_error("VFE: more data than a URB entry or a thread has room for", "{} registers of {}", wanted, room);
  for (const std::span<const Grf> part : {request.inline_data, request.data})
    for (size_t i = 0; i < part.size() && room; ++i, --room) grf[next++] = part[i];
  return next;
}

ExecResult RootThreads::run(const Kernel& kernel, unsigned payload, uint32_t handle) {
  eu::ThreadStart how;
  how.program = kernel.program.get();
  how.dispatch_mask = 0xffffffff;
  how.alt_mode = kernel.descriptor.alternate_float;
  how.single_program_flow = kernel.descriptor.single_program_flow;
  how.code = &units_.loader;
  how.payload = payload;
  units_.thread.start(how);
  count_work(Work::cs_threads, 1);
  ThreadEnv thread_env{.view = env_.view,
                       .bases = kernel.bases,
                       .stop = env_.stop,
                       .slm = {},
                       .fftid = units_.thread.regs.grf[0].dw[5] & 0x3ff,
                       .scratch_base = state_.scratch_base,
                       .scratch_size = state_.scratch_bytes};
  Router router(units_, context_.urb, handle);
  const eu::RunResult result = eu::run(units_.thread, thread_env, router);
  router.ended();
  if (result == eu::RunResult::aborted) return ExecResult::aborted;
  if (result != eu::RunResult::blocked) return ExecResult::done;
  guest_error("VFE: a thread waits for what nobody sends");
  return ExecResult::fault;
}

}  // namespace softgen::media::vfe
