// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/sample_queue.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace softgen::media::hevc {
namespace {

enum class Kind : uint8_t { intra, inter, residuals, store };

struct Head {
  Kind kind;
  uint8_t component = 0, log2 = 0, mode = 0;
  int32_t x = 0, y = 0;
};
struct Inter {
  Rectangle area;
  Motion motion;
  const SliceParameters* slice;
};
/// The columns and rows that may not be 0 follow.
struct Residuals {
  TransformBlock block;
  bool sine, skip_transform, dc_only;
  uint8_t columns, rows;
};

class Reader {
 public:
  explicit Reader(const std::vector<std::byte>& bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}
  bool at_end() const { return at_ == end_; }
  template <typename Item>
  Item take() {
    static_assert(std::is_trivially_copyable_v<Item>);
    Item item;
    take_bytes(&item, sizeof item);
    return item;
  }
  void take_bytes(void* to, size_t bytes) {
    std::memcpy(to, at_, bytes);
    at_ += bytes;
  }

 private:
  const std::byte *at_, *end_;
};

}  // namespace

void SampleQueue::put_bytes(const void* from, size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(from);
  batch_.insert(batch_.end(), first, first + bytes);
}

void SampleQueue::predict_intra(unsigned component, int x, int y, unsigned log2, unsigned mode, const IntraPresence& presence) {
  put(Head{.kind = Kind::intra,
           .component = static_cast<uint8_t>(component),
           .log2 = static_cast<uint8_t>(log2),
           .mode = static_cast<uint8_t>(mode),
           .x = x,
           .y = y});
  put(presence);
}

void SampleQueue::predict_inter(const Rectangle& block, const Motion& motion, const SliceParameters& slice) {
  put(Head{.kind = Kind::inter});
  put(Inter{block, motion, &slice});
}

void SampleQueue::add_residuals(const TransformBlock& block, int x, int y, bool sine, const Coefficients& coefficients) {
  put(Head{.kind = Kind::residuals, .x = x, .y = y});
  put(Residuals{block, sine, coefficients.skip_transform, coefficients.dc_only, coefficients.columns, coefficients.rows});
  for (unsigned row = 0; row < coefficients.rows; ++row)
    put_bytes(coefficients.values.data() + (row << block.log2), coefficients.columns * sizeof(int16_t));
}

void SampleQueue::store(unsigned component, int x, int y, unsigned log2, const uint16_t* samples) {
  put(Head{.kind = Kind::store, .component = static_cast<uint8_t>(component), .log2 = static_cast<uint8_t>(log2), .x = x, .y = y});
  put_bytes(samples, sizeof *samples << 2 * log2);
}

void SampleQueue::hand_over() {
  if (batch_.empty()) return;
  MutexLock lock(mutex_);
  full_.push_back(std::move(batch_));
  batch_ = {};
  changed_.notify_all();
  while (full_.size() > max_batches) {
    if (is_busy_) changed_.wait(mutex_);
    else replay_first();
  }
  if (empty_.empty()) return;
  batch_ = std::move(empty_.back());
  empty_.pop_back();
}

void SampleQueue::end() {
  hand_over();
  MutexLock lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

void SampleQueue::replay() {
  MutexLock lock(mutex_);
  for (;;) {
    if (is_busy_ || (full_.empty() && !is_over_)) changed_.wait(mutex_);
    else if (!full_.empty()) replay_first();
    else return;
  }
}

void SampleQueue::replay_first() {
  Batch batch = std::move(full_.front());
  full_.pop_front();
  is_busy_ = true;
  mutex_.unlock();
  replay_batch(batch);
  batch.clear();
  mutex_.lock();
  is_busy_ = false;
  empty_.push_back(std::move(batch));
  changed_.notify_all();
}

void SampleQueue::replay_batch(const Batch& batch) {
  Reconstructor& to = *to_;
  Reader in(batch);
  while (!in.at_end()) {
    const auto head = in.take<Head>();
    switch (head.kind) {
      case Kind::intra: to.predict_intra(head.component, head.x, head.y, head.log2, head.mode, in.take<IntraPresence>()); break;
      case Kind::inter: {
        const auto item = in.take<Inter>();
        to.predict_inter(item.area, item.motion, *item.slice);
        break;
      }
      case Kind::residuals: {
        const auto item = in.take<Residuals>();
        std::fill_n(coefficients_.values.begin(), size_t{1} << 2 * item.block.log2, int16_t{0});
        for (unsigned row = 0; row < item.rows; ++row)
          in.take_bytes(coefficients_.values.data() + (row << item.block.log2), item.columns * sizeof(int16_t));
        coefficients_.skip_transform = item.skip_transform, coefficients_.dc_only = item.dc_only;
        coefficients_.columns = item.columns, coefficients_.rows = item.rows;
        to.add_residuals(item.block, head.x, head.y, item.sine, coefficients_);
        break;
      }
      case Kind::store: {
        std::array<uint16_t, 32 * 32> samples;
        in.take_bytes(samples.data(), sizeof(uint16_t) << 2 * head.log2);
        to.store(head.component, head.x, head.y, head.log2, samples.data());
        break;
      }
    }
  }
}

}  // namespace softgen::media::hevc
