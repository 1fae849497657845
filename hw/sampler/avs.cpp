// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/avs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "hw/base/log.h"
#include "hw/base/per_thread.h"
#include "hw/defs/messages/headers.h"
#include "hw/sampler/avs_filter.h"
#include "hw/surface/binding.h"

namespace softgen::sampler::avs {
namespace {

/// Along one axis. iHD's and i965's kernels compute with the same sum: X(i) = X + i dX + i (i - 1) / 2 ddX.
struct Axis {
  float start, step, second;
  float at(float i) const { return start + i * step + i * (i - 1) / 2 * second; }
};

/// In 1/256 of values; what is no number is at the first one.
int32_t place(float coordinate) {
  constexpr float limit = 1 << 22, parts = 256;
  if (!(coordinate == coordinate)) return 0;
  return static_cast<int32_t>(std::lrint(std::clamp(coordinate, -limit, limit) * parts));
}

/// The second register.
struct Payload {
  Axis u, v;
  unsigned columns, rows;
  float first_row;

  explicit Payload(const Grf& reg) {
    static constexpr struct {
      unsigned columns, rows;
    } sizes[] = {{16, 4}, {8, 4}, {16, 8}, {4, 4}};
    const message_header::Sample8x8 p{reg.dw};
    const auto number = [](uint32_t dword) { return std::bit_cast<float>(dword); };
    u = {number(p.u()), number(p.delta_u()), number(p.u_second_derivative())};
    v = {number(p.v()), number(p.delta_v()), number(p.v_second_derivative())};
    columns = sizes[p.execution_mode()].columns, rows = sizes[p.execution_mode()].rows;
    first_row = static_cast<float>(p.vertical_block_number()) * 4;
  }
  /// Texels are at whole numbers.
  Positions positions(const Surface& surface, const Channel& channel) const {
    Positions out;
    out.columns = columns, out.rows = rows;
    const float across = static_cast<float>(surface.width), down = static_cast<float>(surface.height);
    for (unsigned i = 0; i < columns; ++i) out.x[i] = place(u.at(static_cast<float>(i)) * across * (channel.half_x ? 0.5f : 1));
    for (unsigned j = 0; j < rows; ++j)
      out.y[j] = place((v.at(first_row + static_cast<float>(j)) * down - channel.row_offset) * (channel.half_y ? 0.5f : 1));
    return out;
  }
};

/// Bytes of the response, one after the other.
class Writer {
 public:
  Writer(std::span<Grf> response, bool bytes) : left_(std::as_writable_bytes(response)), bytes_(bytes) {}
  void row(const uint16_t* values, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      // Without fraction: rounded.
      const auto code = static_cast<uint8_t>((values[i] + 128) >> 8);
      if (bytes_) put(&code, 1);
      else put(&values[i], 2);
    }
  }

 private:
  void put(const void* value, size_t size) {
    if (left_.size() < size) return;
    std::memcpy(left_.data(), value, size);
    left_ = left_.subspan(size);
  }
  std::span<std::byte> left_;
  bool bytes_;
};

/// The state that this host thread used last.
struct LastState {
  std::optional<State> state;
  StateDwords dwords;
};

const State& load_state(ThreadEnv& env, const Message& message, const Grf& header) {
  // That a state takes 512 dwords is chosen for indices other than 0, which i965 and iHD use: i965_structs.h, gen9_sampler_8x8_avs, pads to that.
  constexpr uint64_t size = 2048;
  auto& last = per_thread<LastState>();
  const uint64_t table = strip_canonical(env.bases.dynamic_state + message_header::Sampler{header.dw}.sampler_state_pointer());
  StateDwords dwords;
  env.view.read(table + size * message.op.sampler, dwords.data(), sizeof dwords);
  if (!last.state || last.dwords != dwords) last.dwords = dwords, last.state = decode_state(dwords);
  return *last.state;
}

Surface load_surface(ThreadEnv& env, const SurfaceBinding& binding) {
  const uint64_t address = surface::surface_state_address(env.view, env.bases, binding);
  if (address == surface::no_surface) return {};
  SurfaceDwords dwords;
  env.view.read(address, dwords.data(), sizeof dwords);
  return decode_surface(dwords);
}

const char* missing(const Message& message, unsigned format) {
  const message_header::Sample8x8 payload{message.reg(1).dw};
  if (payload.functionality()) return "another function than AVS";
  if (format & 1) return "downsampled chroma";
  return nullptr;
}

}  // namespace

void answer(const Message& message, ThreadEnv& env) {
  constexpr unsigned half = 8, block_rows = 4;
  constexpr uint16_t opaque = 255 << 8;
  std::fill(message.response.begin(), message.response.end(), Grf{});
  if (!message.header_present() || message.registers() < 2) return guest_error("sample_8x8", "a message without header or parameters");
  const message_header::Sampler header{message.reg(0).dw};
  const unsigned format = header.output_format_control();
  if (const char* what = missing(message, format)) return unimplemented("sample_8x8", "{}", what);
  if (!message_header::Sample8x8{message.reg(1).dw}.ief_bypass()) unimplemented("sample_8x8", "image enhancement filter");
  const State& state = load_state(env, message, message.reg(0));
  if (state.adaptive) unimplemented("sample_8x8", "adaptive filter");
  const Surface surface = load_surface(env, message.op.binding);
  const Payload payload(message.reg(1));

  std::array<Block, colors> blocks;
  for (unsigned c = 0; c < colors; ++c) {
    if (header.write_channel_mask() >> c & 1) continue;
    const Channel& channel = surface.channels[c];
    if (channel.there)
      filter_block(env.view, surface, channel, payload.positions(surface, channel), state.filters[c], state.sharpness, blocks[c]);
    else
      for (auto& row : blocks[c]) row.fill(c == colors - 1 ? opaque : 0);
  }
  Writer out(message.response, format != 0);
  const bool halves = state.shuffled && payload.columns > half;
  const unsigned columns = halves ? half : payload.columns;
  for (unsigned top = 0; top < payload.rows; top += block_rows)
    for (unsigned left = 0; left < payload.columns; left += columns)
      for (unsigned c = 0; c < colors; ++c) {
        if (header.write_channel_mask() >> c & 1) continue;
        for (unsigned j = 0; j < block_rows; ++j) out.row(&blocks[c][top + j][left], columns);
      }
}

}  // namespace softgen::sampler::avs
