// SPDX-License-Identifier: GPL-2.0-or-later
// SFC behind a decoder: the picture that a codec hands over becomes a Job's frame.
#pragma once

#include <optional>

#include "hw/base/worker_pool.h"
#include "hw/media/frame/picture_sink.h"
#include "hw/media/sfc/job.h"

namespace softgen::media::sfc {

class DecodedFrame final : public PictureSink {
 public:
  /// `pool` null: all in order.
  explicit DecodedFrame(WorkerPool* pool) : pool_(pool) {}

  /// Of the next picture; none: it is not scaled.
  void begin(std::optional<Job> job) { job_ = std::move(job); }
  /// The picture has come, or will not.
  void end() { job_.reset(); }

  bool keeps_surface() const override { return !job_ || job_->keeps_output; }
  bool is_awaiting() const override { return job_.has_value(); }
  /// A picture that is smaller than the job's input, or has other chroma, changes nothing.
  void take(const HostPicture& picture, EngineEnv& env) override;

 private:
  WorkerPool* const pool_;
  std::optional<Job> job_;
};

}  // namespace softgen::media::sfc
