// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vfe/threads.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/media/vfe/thread_family.h"

namespace softgen::media::vfe {

RootThreads::RootThreads(ThreadUnits& units, const VfeState& state, const render::ilk::MediaContext& context, EngineEnv& env)
    : units_(units), state_(state), context_(context), env_(env), kernels_(units, context, env) {
  units_.entries.configure(context.region, state);
  if (units_.threads.empty()) units_.threads.push_back(std::make_unique<eu::Thread>());
}

ExecResult RootThreads::start(const ThreadRequest& request) {
  if (env_.stop.aborting()) return ExecResult::aborted;
  if (!units_.entries.count()) return ExecResult::done;  // reported; nothing can start
  const std::optional<uint32_t> handle = units_.entries.take();
  if (!handle) {
    guest_error("VFE: all URB entries are kept by threads that have ended");
    return ExecResult::fault;
  }
  const Kernel& kernel = *kernels_.at(units_.packets.descriptor_address(state_, request.descriptor));
  const unsigned payload = put_payload(request, kernel, *handle);
  return ThreadFamily(units_, kernels_, state_, context_, env_).run(kernel, payload, *handle);
}

const Kernel* Kernels::at(uint64_t address) {
  if (kernels_.size() >= max_kernels && !kernels_.contains(address)) {
    guest_error("VFE: more descriptors than there may be");
    return nullptr;
  }
  const auto [at, is_new] = kernels_.try_emplace(address);
  Kernel& k = at->second;
  if (!is_new) return &k;
  k.descriptor = units_.packets.descriptor(address, env_.state_view());
  k.bases = context_.bases;
  k.bases.binding_table = k.descriptor.binding_table;
  k.bases.sampler_state = k.descriptor.samplers;
  k.program = units_.loader.load(env_.state_view(), k.bases, k.descriptor.kernel, env_.stop);
  return &k;
}

unsigned RootThreads::put_payload(const ThreadRequest& request, const Kernel& kernel, uint32_t handle) {
  const Descriptor& d = kernel.descriptor;
  Grf* const grf = units_.threads[0]->regs.grf;
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

}  // namespace softgen::media::vfe
