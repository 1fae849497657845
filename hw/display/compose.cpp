// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/compose.h"

#include <algorithm>
#include <cstring>

#include "hw/base/bits.h"

namespace softgen::display {

namespace {

constexpr uint8_t gamma_flag = 1, csc_flag = 2;

uint8_t flags_of(bool gamma, bool csc) { return static_cast<uint8_t>((gamma ? gamma_flag : 0) | (csc ? csc_flag : 0)); }

// PLANE_KEY_MSK: RGB compares the bits set in [23:0] with KEYVAL; YUV compares ranges of the channels enabled in [26:24].
bool key_matches(const PlaneView& plane, uint32_t xrgb) {
  if (!plane.yuv()) return ((xrgb ^ plane.key_min) & plane.key_mask & 0xffffff) == 0;
  for (unsigned channel = 0; channel < 3; channel++) {
    if (!bit(plane.key_mask, 24 + channel)) continue;
    const unsigned low = channel * 8;
    const uint32_t v = bits(xrgb, low + 7, low);
    if (v < bits(plane.key_min, low + 7, low) || v > bits(plane.key_max, low + 7, low)) return false;
  }
  return true;
}

void blend_pixel(const PlaneView& plane, Pixel in, Pixel& out) {
  if (plane.blend == Blend::inverting && in.a == invert_alpha) {
    const auto inverse = [](uint16_t v) { return static_cast<uint16_t>(~v); };
    out = {inverse(out.r), inverse(out.g), inverse(out.b), 0xffff};
    return;
  }
  uint32_t alpha = plane.blend == Blend::opaque ? 0xffff : in.a;
  if (plane.blend == Blend::coverage) in = {mul16(in.r, alpha), mul16(in.g, alpha), mul16(in.b, alpha), in.a};
  if (plane.constant_alpha != 0xffff) {
    in = {mul16(in.r, plane.constant_alpha), mul16(in.g, plane.constant_alpha), mul16(in.b, plane.constant_alpha), in.a};
    alpha = mul16(alpha, plane.constant_alpha);
  }
  const uint32_t rest = 0xffff - alpha;
  const auto over = [rest](uint16_t s, uint16_t d) { return static_cast<uint16_t>(std::min<uint32_t>(0xffff, s + mul16(d, rest))); };
  out = {over(in.r, out.r), over(in.g, out.g), over(in.b, out.b), 0xffff};
}

void quantize(Pixel& p, unsigned depth) {
  const auto q = [depth](uint16_t v) { return static_cast<uint16_t>(narrow(v, depth) * 0xffffu / ((1u << depth) - 1)); };
  p = {q(p.r), q(p.g), q(p.b), 0xffff};
}

}  // namespace

class Composer::LayerRows final : public RowSource {
 public:
  LayerRows(PlaneReader& reader, const PlaneView& plane) : reader_(reader), plane_(plane) {}
  void row(uint32_t y, Pixel* out) override { reader_.row(0, y, plane_.width, out); }
  uint32_t width() const override { return plane_.width; }
  uint32_t height() const override { return plane_.height; }

 private:
  PlaneReader& reader_;
  const PlaneView& plane_;
};

struct Composer::Active {
  Active(const Layer& layer, memory::View& view, const LegacyPalette& palette)
      : layer(layer), reader(layer.plane, view, palette), rows(reader, layer.plane) {
    if (layer.scaled) {
      scaler = std::make_unique<Scaler>(rows, layer.window.width, layer.window.height);
      scaled_row.resize(layer.window.width);
    }
  }
  // Columns it covers in [0, limit), empty when row y is not its own.
  std::pair<uint32_t, uint32_t> span(uint32_t y, uint32_t limit) const {
    const int64_t row = int64_t{y} - layer.window.y;
    if (row < 0 || row >= layer.window.height) return {0, 0};
    const int64_t x0 = std::clamp<int64_t>(layer.window.x, 0, limit);
    const int64_t x1 = std::clamp<int64_t>(int64_t{layer.window.x} + layer.window.width, 0, limit);
    return {static_cast<uint32_t>(x0), static_cast<uint32_t>(x1)};
  }

  const Layer& layer;
  PlaneReader reader;
  LayerRows rows;
  std::unique_ptr<Scaler> scaler;
  std::vector<Pixel> scaled_row;
  int64_t scaled_y = -1;
};

class Composer::SourceRows final : public RowSource {
 public:
  explicit SourceRows(Composer& composer) : composer_(composer) {}
  void row(uint32_t y, Pixel* out) override { composer_.source_span(y, 0, width(), out); }
  uint32_t width() const override { return composer_.frame_.source_width; }
  uint32_t height() const override { return composer_.frame_.source_height; }

 private:
  Composer& composer_;
};

Composer::Composer(const Frame& frame, memory::View& view, const LegacyPalette& palette) : frame_(frame) {
  for (const Layer& layer : frame.layers) layers_.push_back(std::make_unique<Active>(layer, view, palette));
  const uint32_t widest = std::max(frame.source_width, frame.width);
  pixels_.resize(widest);
  span_.resize(widest);
  keys_.resize(widest);
  flags_.resize(widest);
  hidden_.resize(widest);
  const uint8_t bottom = flags_of(frame.bottom_gamma, frame.bottom_csc);
  for (const Layer& l : frame.layers) uniform_flags_ &= flags_of(l.plane.pipe_gamma, l.plane.pipe_csc) == bottom;
  if (frame.fitter) {
    source_rows_ = std::make_unique<SourceRows>(*this);
    fitter_ = std::make_unique<Scaler>(*source_rows_, frame.fitter->width, frame.fitter->height);
    fitted_.resize(frame.fitter->width);
  }
  fast_ = choose_fast_path();
}

Composer::~Composer() = default;

// Rows of the lowest plane can be copied: 8-bit RGB, unscaled, and colour stages that work channel by channel.
bool Composer::choose_fast_path() {
  if (fitter_ || frame_.bits_per_channel != 8 || frame_.layers.empty()) return false;
  const Layer& base = frame_.layers.front();
  if (base.scaled || !base.plane.plain_8888()) return false;
  table_ = frame_.color.table8(base.plane.pipe_gamma, base.plane.pipe_csc);
  return table_.separable;
}

void Composer::blend_layer(Active& active, uint32_t y, uint32_t x0, uint32_t x1, Pixel* out) {
  const PlaneView& plane = active.layer.plane;
  const auto [from, to] = active.span(y, frame_.source_width);
  const uint32_t a = std::max(x0, from), b = std::min(x1, to);
  if (a >= b) return;
  const uint32_t column = static_cast<uint32_t>(int64_t{a} - active.layer.window.x),
                 line = static_cast<uint32_t>(int64_t{y} - active.layer.window.y);
  const uint32_t count = b - a;
  const Pixel* in = pixels_.data();
  if (active.scaler) {
    if (active.scaled_y != line) active.scaler->row(line, active.scaled_row.data());
    active.scaled_y = line;
    in = active.scaled_row.data() + column;
  } else {
    active.reader.row(column, line, count, pixels_.data());
  }
  const bool keyed = plane.key != Key::none && !active.scaler;
  if (keyed) active.reader.row_xrgb(column, line, count, keys_.data());
  const uint8_t flags = flags_of(plane.pipe_gamma, plane.pipe_csc);
  if (plane.blend == Blend::opaque && plane.constant_alpha == 0xffff && plane.key == Key::none && !any_hidden_) {
    std::copy(in, in + count, out + (a - x0));
    std::fill(flags_.begin() + (a - x0), flags_.begin() + (b - x0), flags);
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t at = a + i - x0;
    const bool match = keyed && key_matches(plane, keys_[i]);
    if (hidden_[at] || (match && plane.key == Key::source)) continue;
    blend_pixel(plane, in[i], out[at]);
    flags_[at] = flags;
    // Where a destination key does not match, this plane hides those above it.
    if (plane.key == Key::destination && !match) hidden_[at] = 1;
  }
  any_hidden_ |= plane.key == Key::destination;
}

void Composer::source_span(uint32_t y, uint32_t x0, uint32_t x1, Pixel* out) {
  const uint32_t count = x1 - x0;
  std::fill(out, out + count, frame_.bottom);
  std::fill(flags_.begin(), flags_.begin() + count, flags_of(frame_.bottom_gamma, frame_.bottom_csc));
  std::fill(hidden_.begin(), hidden_.begin() + count, uint8_t{0});
  any_hidden_ = false;
  for (auto& layer : layers_) blend_layer(*layer, y, x0, x1, out);
  if (uniform_flags_ && !frame_.bottom_gamma && !frame_.bottom_csc) return;
  for (uint32_t i = 0; i < count; i++) {
    if (flags_[i]) out[i] = frame_.color.apply(out[i], flags_[i] & gamma_flag, flags_[i] & csc_flag);
  }
}

void Composer::deep_row(uint32_t y, Pixel* out) {
  exact_row(y, out);
  for (uint32_t x = 0; x < frame_.width; x++) quantize(out[x], frame_.bits_per_channel);
}

// Before quantization.
void Composer::exact_row(uint32_t y, Pixel* out) {
  std::fill(out, out + frame_.width, Pixel{});
  if (fitter_) {
    const Window& w = *frame_.fitter;
    const int64_t line = int64_t{y} - w.y;
    if (line >= 0 && line < w.height) {
      fitter_->row(static_cast<uint32_t>(line), fitted_.data());
      const int64_t first = std::max<int64_t>(0, -int64_t{w.x});
      const int64_t last = std::min<int64_t>(w.width, int64_t{frame_.width} - w.x);
      if (first < last) std::copy(fitted_.begin() + first, fitted_.begin() + last, out + w.x + first);
    }
  } else if (y < frame_.source_height) {
    source_span(y, 0, std::min(frame_.width, frame_.source_width), out);
  }
}

void Composer::patch(uint32_t y, uint32_t x0, uint32_t x1, uint32_t* out) {
  if (x0 >= x1) return;
  source_span(y, x0, x1, span_.data());
  for (uint32_t x = x0; x < x1; x++) out[x] = to_xrgb(span_[x - x0]);
}

void Composer::copy_row(uint32_t y, uint32_t* out) {
  const uint32_t limit = std::min(frame_.width, frame_.source_width);
  const auto [from, to] = layers_.front()->span(y, limit);
  if (from < to) {
    const Window& w = layers_.front()->layer.window;
    layers_.front()->reader.row_xrgb(static_cast<uint32_t>(int64_t{from} - w.x), static_cast<uint32_t>(int64_t{y} - w.y), to - from,
                                     out + from);
    if (!table_.identity) {
      for (uint32_t x = from; x < to; x++) {
        out[x] = 0xff000000u | uint32_t{table_.channel[0][bits(out[x], 23, 16)]} << 16 |
                 uint32_t{table_.channel[1][bits(out[x], 15, 8)]} << 8 | table_.channel[2][bits(out[x], 7, 0)];
      }
    }
    patch(y, 0, from, out);
    patch(y, to, limit, out);
  } else {
    patch(y, 0, limit, out);
  }
  for (size_t i = 1; i < layers_.size(); i++) {
    const auto [a, b] = layers_[i]->span(y, limit);
    patch(y, a, b, out);
  }
  std::fill(out + limit, out + frame_.width, 0xff000000u);
}

void Composer::row(uint32_t y, uint32_t* out) {
  if (fast_ && y < frame_.source_height) return copy_row(y, out);
  deep_.resize(frame_.width);
  if (frame_.bits_per_channel == 8) {
    exact_row(y, deep_.data());
  } else {
    deep_row(y, deep_.data());
  }
  for (uint32_t x = 0; x < frame_.width; x++) out[x] = to_xrgb(deep_[x]);
}

}  // namespace softgen::display
