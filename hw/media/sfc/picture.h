// SPDX-License-Identifier: GPL-2.0-or-later
// The picture that VEBOX hands over, on the host: rows are collected as bands of it are finished.
#pragma once

#include "hw/media/sfc/job.h"
#include "hw/media/vebox/enhancer.h"

namespace softgen::media::sfc {

class Picture final : public vebox::Enhancer::Sink {
 public:
  explicit Picture(const Job& job);
  /// Chroma is reduced as the job says. The rows have the sampling of the job's input.
  void take(const vebox::Band& rows) override;
  const vebox::Band& samples() const { return samples_; }

 private:
  const Job& job_;
  vebox::Band samples_;
};

}  // namespace softgen::media::sfc
