// SPDX-License-Identifier: GPL-2.0-or-later
// Takes what a slice's parser has made of blocks from one thread to another, in order: the other makes the samples meanwhile.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"
#include "hw/media/hevc/slice_decoder.h"

namespace softgen::media::hevc {

/// The parser's side is the Reconstructor. What waits is bounded: beyond that the parser makes samples itself, or waits for the thread that does.
class SampleQueue final : public Reconstructor {
 public:
  /// `to` gets all that follows.
  void begin(Reconstructor& to) {
    MutexLock lock(mutex_);
    to_ = &to;
    is_over_ = false;
  }
  void predict_intra(unsigned component, int x, int y, unsigned log2, unsigned mode, const IntraPresence& presence) override;
  void predict_inter(const Rectangle& block, const Motion& motion, const SliceParameters& slice) override;
  void add_residuals(const TransformBlock& block, int x, int y, bool sine, const Coefficients& coefficients) override;
  void store(unsigned component, int x, int y, unsigned log2, const uint16_t* samples) override;
  void end_ctb() override {
    if (batch_.size() >= batch_bytes) hand_over();
  }
  /// Nothing follows.
  void end();

  /// The other thread: until end().
  void replay();

 private:
  using Batch = std::vector<std::byte>;
  static constexpr size_t batch_bytes = 32 << 10, max_batches = 64;
  template <typename Item>
  void put(const Item& item) {
    put_bytes(&item, sizeof item);
  }
  void put_bytes(const void* from, size_t bytes);
  void hand_over();
  /// Takes the first batch, which is there, and makes its samples without the lock.
  void replay_first() SG_REQUIRES(mutex_);
  void replay_batch(const Batch& batch);

  Reconstructor* to_ = nullptr;
  Batch batch_;                ///< the parser's
  Coefficients coefficients_;  ///< of the thread that makes samples
  Mutex mutex_;
  Condition changed_;
  std::deque<Batch> full_ SG_GUARDED_BY(mutex_);
  std::vector<Batch> empty_ SG_GUARDED_BY(mutex_);
  bool is_busy_ SG_GUARDED_BY(mutex_) = false;  ///< a thread makes samples
  bool is_over_ SG_GUARDED_BY(mutex_) = false;
};

}  // namespace softgen::media::hevc
