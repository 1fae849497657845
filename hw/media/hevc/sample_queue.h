// SPDX-License-Identifier: GPL-2.0-or-later
// Takes what a slice's parser has made of blocks from one thread to another, in order: the other makes the samples meanwhile.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/media/hevc/slice_decoder.h"

namespace softgen::media::hevc {

/// The parser's side is the Reconstructor. What is kept is at most a slice's blocks and coefficients, when the other thread comes late.
class SampleQueue final : public Reconstructor {
 public:
  void begin() {
    MutexLock lock(mutex_);
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
  void end() {
    hand_over();
    MutexLock lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }

  /// The other thread: until end().
  void replay(Reconstructor& to);

 private:
  using Batch = std::vector<std::byte>;
  static constexpr size_t batch_bytes = 32 << 10;
  template <typename Item>
  void put(const Item& item) {
    put_bytes(&item, sizeof item);
  }
  void put_bytes(const void* from, size_t bytes);
  void hand_over();
  void replay_batch(const Batch& batch, Reconstructor& to);

  Batch batch_;                ///< the parser's
  Coefficients coefficients_;  ///< the other thread's
  Mutex mutex_;
  Condition changed_;
  std::deque<Batch> full_ SG_GUARDED_BY(mutex_);
  std::vector<Batch> empty_ SG_GUARDED_BY(mutex_);
  bool is_over_ SG_GUARDED_BY(mutex_) = false;
};

}  // namespace softgen::media::hevc
