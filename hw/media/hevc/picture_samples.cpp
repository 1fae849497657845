// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/picture_samples.h"

#include <algorithm>

#include "hw/media/frame/row_order.h"
#include "hw/media/hevc/deblock.h"
#include "hw/media/hevc/intra.h"
#include "hw/media/hevc/sao.h"
#include "hw/media/hevc/transform.h"

namespace softgen::media::hevc {
namespace {

template <typename T>
class FrameSamples final : public PictureSamples {
 public:
  void begin(PictureInfo& info, const std::array<PictureMap, max_frames>& references) override {
    info_ = &info;
    frame_.resize(info.parameters().width, info.parameters().height);
    motion_.begin(info.parameters(), &references, &frame_);
  }
  std::optional<uint32_t> finish(PictureMap* to, bool keeps, WorkerPool* pool, const StopFlag& stop) override;
  HostPicture finished() const override { return host_picture(finished_); }
  void read(unsigned component, int x, int y, unsigned log2, int16_t* to) override;

  void predict_intra(unsigned component, int x, int y, unsigned log2, unsigned mode, const IntraPresence& presence) override;
  void predict_inter(const Rectangle& block, const Motion& motion, const SliceParameters& slice) override {
    motion_.predict(block, motion, slice);
  }
  void add_residuals(const TransformBlock& block, int x, int y, bool sine, const Coefficients& coefficients) override;
  void store(unsigned component, int x, int y, unsigned log2, const uint16_t* from) override;

 private:
  Samples<T> samples(unsigned component, int x, int y) {
    Plane<T>& plane = component ? frame_.chroma : frame_.luma;
    const unsigned step = component ? 2 : 1;
    return {plane.row(static_cast<uint32_t>(y)) + static_cast<size_t>(x) * step + (component == 2), static_cast<ptrdiff_t>(plane.stride()),
            step};
  }
  const PictureParameters& picture() const { return info_->parameters(); }
  uint32_t conceal();
  void store_plane(uint32_t row, bool is_chroma, PlaneMap* to, Plane<T>* kept, std::vector<T>& buffer) const;

  PictureInfo* info_ = nullptr;
  Frame<T> frame_, finished_;  ///< the second one of pictures that are kept
  MotionCompensator<T> motion_;
  std::array<int16_t, max_transform * max_transform> residuals_;
  std::vector<std::vector<T>> buffers_;  ///< by the pool's slots
  const SampleKernels<T>& kernels_ = kernels().template samples<T>();
};

template <typename T>
void FrameSamples<T>::predict_intra(unsigned component, int x, int y, unsigned log2, unsigned mode, const IntraPresence& presence) {
  const Samples<T> to = samples(component, x, y);
  const unsigned size = 1u << log2, bits = picture().bits(component);
  IntraBorder border;
  read_border(to, size, presence, component ? 2 : 4, bits, border);
  if (!component) smooth_border(border, size, mode, picture().strong_intra_smoothing, bits);
  hevc::predict_intra(to, size, mode, border, !component, bits);
}

template <typename T>
void FrameSamples<T>::add_residuals(const TransformBlock& block, int x, int y, bool sine, const Coefficients& coefficients) {
  const Samples<T> to = samples(block.component, x, y);
  const unsigned bits = picture().bits(block.component);
  inverse_transform(block, coefficients, bits, sine, residuals_.data());
  kernels_.add(residuals_.data(), 1u << block.log2, to.at, to.stride, to.step, (1 << bits) - 1);
}

template <typename T>
void FrameSamples<T>::store(unsigned component, int x, int y, unsigned log2, const uint16_t* from) {
  const Samples<T> to = samples(component, x, y);
  for (unsigned row = 0; row < 1u << log2; ++row)
    for (unsigned i = 0; i < 1u << log2; ++i) to.at[static_cast<ptrdiff_t>(row) * to.stride + i * to.step] = static_cast<T>(*from++);
}

template <typename T>
void FrameSamples<T>::read(unsigned component, int x, int y, unsigned log2, int16_t* to) {
  const Samples<T> from = samples(component, x, y);
  for (unsigned row = 0; row < 1u << log2; ++row)
    for (unsigned i = 0; i < 1u << log2; ++i)
      *to++ = static_cast<int16_t>(from.at[static_cast<ptrdiff_t>(row) * from.stride + i * from.step]);
}

template <typename T>
uint32_t FrameSamples<T>::conceal() {
  const uint32_t size = 1u << picture().log2_ctb;
  uint32_t count = 0;
  for (uint32_t ctb = 0; ctb < info_->ctb_count(); ++ctb) {
    if (info_->ctbs[ctb].is_whole) continue;
    ++count;
    info_->ctbs[ctb].sao = {};
    const uint32_t x = ctb % info_->ctb_columns() * size, y = ctb / info_->ctb_columns() * size;
    const uint32_t width = std::min(size, picture().width - x), height = std::min(size, picture().height - y);
    for (uint32_t row = y; row < y + height; ++row)
      std::fill_n(frame_.luma.at(x, row), width, static_cast<T>(1u << (picture().luma_bits - 1)));
    for (uint32_t row = y / 2; row < (y + height) / 2; ++row)
      std::fill_n(frame_.chroma.at(x, row), width, static_cast<T>(1u << (picture().chroma_bits - 1)));
  }
  return count;
}

template <typename T>
void FrameSamples<T>::store_plane(uint32_t row, bool is_chroma, PlaneMap* to, Plane<T>* kept, std::vector<T>& buffer) const {
  const uint32_t width = picture().width, y = row << picture().log2_ctb >> is_chroma;
  const uint32_t height = std::min(1u << picture().log2_ctb, picture().height - (row << picture().log2_ctb)) >> is_chroma;
  buffer.resize(size_t{width} << picture().log2_ctb);
  for (uint32_t column = 0; column < info_->ctb_columns(); ++column)
    apply_sao(*info_, frame_, row * info_->ctb_columns() + column, is_chroma, buffer.data() + (column << picture().log2_ctb), width);
  if constexpr (sizeof(T) == 2) kernels_.shift_up(buffer.data(), size_t{width} * height, 16 - picture().bits(is_chroma));
  if (to) to->store(0, y, is_chroma ? width / 2 : width, height, reinterpret_cast<const std::byte*>(buffer.data()), width * sizeof(T));
  for (uint32_t i = 0; kept && i < height; ++i) std::copy_n(buffer.begin() + static_cast<ptrdiff_t>(i * width), width, kept->row(y + i));
}

template <typename T>
std::optional<uint32_t> FrameSamples<T>::finish(PictureMap* to, bool keeps, WorkerPool* pool, const StopFlag& stop) {
  const uint32_t concealed = conceal(), cells = (1u << picture().log2_ctb) / 4;
  buffers_.resize(slots_of(pool));
  for (const bool vertical : {true, false}) {
    for_each(pool, info_->ctb_rows(), [&](size_t row, unsigned) {
      const auto first = static_cast<uint32_t>(row) * cells;
      if (!stop.aborting()) deblock(*info_, frame_, vertical, first, first + cells);
    });
  }
  if (keeps) finished_.resize(picture().width, picture().height);
  for_each(to ? pool_for_rows(*to, pool) : pool, info_->ctb_rows(), [&](size_t row, unsigned slot) {
    if (stop.aborting()) return;
    store_plane(static_cast<uint32_t>(row), false, to ? &to->luma : nullptr, keeps ? &finished_.luma : nullptr, buffers_[slot]);
    store_plane(static_cast<uint32_t>(row), true, to ? &to->chroma : nullptr, keeps ? &finished_.chroma : nullptr, buffers_[slot]);
  });
  if (stop.aborting()) return std::nullopt;
  return concealed;
}

}  // namespace

std::unique_ptr<PictureSamples> make_picture_samples(unsigned sample_bytes) {
  if (sample_bytes == 2) return std::make_unique<FrameSamples<uint16_t>>();
  return std::make_unique<FrameSamples<uint8_t>>();
}

}  // namespace softgen::media::hevc
