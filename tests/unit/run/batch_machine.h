// SPDX-License-Identifier: GPL-2.0-or-later
// A GPU with a page of small batches, of which each becomes a request, and a page of words that they write.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/run/gpu.h"
#include "tests/catch.h"

namespace softgen::run::test {

struct BatchMachine {
  static constexpr uint64_t page = 4096, batch_bytes = 64;

  explicit BatchMachine(const Options& options) : gpu(options) {}

  /// Adds a batch to the page, which the context has at `batch_at`. `request`: with its context, and its engine's slot.
  void submit_request(uint64_t batch_at, std::span<const uint32_t> batch, const RequestPtr& request) {
    const uint64_t offset = batch_bytes * requests.size();
    REQUIRE(batch.size_bytes() <= batch_bytes);
    REQUIRE(offset + batch_bytes <= page);
    std::memcpy(batches->host() + offset, batch.data(), batch.size_bytes());
    request->batch = batch_at + offset;
    request->fence = std::make_shared<Fence>();
    requests.push_back(request);
    MutexLock lock(gpu.lock());
    gpu.submit(request, request->engine);
  }

  Gpu gpu;
  BoPtr batches = Bo::create(gpu.arena(), page), words = Bo::create(gpu.arena(), page);
  std::vector<RequestPtr> requests;
};

}  // namespace softgen::run::test
