// SPDX-License-Identifier: GPL-2.0-or-later
// Which request an engine gets, and when.
#include <i915_drm.h>

#include <algorithm>
#include <span>
#include <utility>

#include "hw/run/gpu.h"

namespace softgen::run {

LogicalContext& Gpu::logical_context(Context& context, unsigned slot, unsigned engine) {
  const auto found = context.logical.find(slot);
  if (found != context.logical.end()) return found->second;
  const LogicalContext made = submission_->make_context(context, chip_.engines[engine]);
  return context.logical[slot] = made;
}

void Gpu::set_context_registers(std::vector<RegisterValue> registers) {
  context_registers_.values = std::move(registers);
  ++context_registers_.version;
}

void Gpu::submit(const RequestPtr& request, unsigned slot) {
  EngineQueue& engine = engines_[request->engine];
  logical_context(*request->context, slot, request->engine);
  request->slot = slot;
  engine.waiting.push_back(request);
  process_engine(engine);
  schedule(engine);
  FenceClock::get().notify();
}

/// The first request that may start now, out of those that wait. Null: there is none.
RequestPtr Gpu::take_ready(EngineQueue& engine) {
  std::vector<const Context*> passed;  // contexts with an earlier request that is not ready: order within a context is kept
  const auto runs_before = [&](const RequestPtr& request, const FencePtr& fence) SG_REQUIRES(mutex_) {
    const auto is_ahead = [&](const RequestPtr& r)
                              SG_REQUIRES(mutex_) { return r->fence == fence && submission_->keeps_order(*r, *request); };
    return std::any_of(engine.running.begin(), engine.running.end(), is_ahead);
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
  if (!submission_->takes(engine, logical_context(*(*it)->context, (*it)->slot, (*it)->engine))) return nullptr;
  RequestPtr request = std::move(*it);
  engine.waiting.erase(it);
  return request;
}

/// False: no request can be started now.
bool Gpu::start_ready(EngineQueue& engine) {
  if (engine.waiting.empty() || !submission_->has_room(engine)) return false;
  const RequestPtr request = take_ready(engine);
  if (!request) return false;
  if (request->context->banned || wedged_) finish(*request, -EIO);
  else start(engine, request);
  return true;
}

void Gpu::schedule(EngineQueue& engine) {
  if (!engine.info) return;
  while (start_ready(engine)) {}
  if (!submission_->listen(engine)) return;
  // What happened before that would not be heard of.
  process_engine(engine);
  while (start_ready(engine)) {}
}

void Gpu::run_idle_context() {
  EngineQueue& engine = engines_[I915_ENGINE_CLASS_RENDER];
  if (!idle_context_ || !engine.running.empty() || !engine.waiting.empty() || engine.last == idle_context_.get()) return;
  const auto request = std::make_shared<Request>();
  request->context = idle_context_;
  request->space = Request::Batch::none;
  request->fence = std::make_shared<Fence>();
  submit(request, 0);
}

void Gpu::start(EngineQueue& engine, const RequestPtr& request) {
  LogicalContext& logical = request->context->logical.at(request->slot);
  std::span<const RegisterValue> of_context;
  if (engine.info->uapi_class == I915_ENGINE_CLASS_RENDER &&
      std::exchange(logical.registers, context_registers_.version) != context_registers_.version)
    of_context = context_registers_.values;
  engine.last = request->context.get();
  engine.running.push_back(request);
  if (!engine.busy) engine.since_ns = monotonic_ns();
  engine.busy = true;
  submission_->start(engine, logical, *request, of_context);
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
  for (EngineQueue& engine : engines_) {
    std::ranges::for_each(engine.waiting, count);
    std::ranges::for_each(engine.running, count);
  }
}

void Gpu::release(const std::shared_ptr<Context>& context) {
  released_.push_back(context);
  kick();
}

}  // namespace softgen::run
