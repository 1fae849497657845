// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/interp/access.h"
#include "hw/eu/interp/float_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace softgen::eu {

namespace {

struct Half {
  uint16_t bits;
};

template <typename S, typename L>
inline L convert(S value) {
  if constexpr (std::is_same_v<S, Half>) return static_cast<L>(half_to_float(value.bits));
  else if constexpr (std::is_same_v<S, float> && std::is_same_v<L, double>)
    return value == value ? static_cast<double>(value) : std::bit_cast<double>(uint64_t{0x7ff8000000000000});
  else return static_cast<L>(value);
}

template <typename L>
L* array(Lanes& l) {
  if constexpr (std::is_same_v<L, float>) return l.f;
  if constexpr (std::is_same_v<L, double>) return l.d;
  if constexpr (std::is_same_v<L, int32_t>) return l.i;
  if constexpr (std::is_same_v<L, int64_t>) return l.q;
  if constexpr (std::is_same_v<L, Int128>) return l.x;
}

template <typename S>
inline S read(const std::byte* at) {
  S value;
  std::memcpy(&value, at, sizeof(S));
  return value;
}

template <typename S, typename L>
void load_immediate(const Source& s, unsigned count, L* out) {
  const uint64_t bits = s.constant;
  for (unsigned n = 0; n < count; n++) {
    switch (s.type) {
      case RegType::v: out[n] = static_cast<L>(static_cast<int32_t>(bits << (28 - 4 * (n * s.step & 7)) & 0xf0000000) >> 28); break;
      case RegType::uv: out[n] = static_cast<L>(bits >> 4 * (n * s.step & 7) & 15); break;
      case RegType::vf: out[n] = static_cast<L>(restricted_float(static_cast<uint8_t>(bits >> 8 * (n & 3)))); break;
      default: out[n] = convert<S, L>(read<S>(reinterpret_cast<const std::byte*>(&bits)));
    }
  }
}

/// each(channel, byte offset) of an operand whose rows have an address each.
template <typename Operand, typename Each>
void each_indirect(const Registers& regs, const Operand& o, unsigned count, Each&& each) {
  for (unsigned first = 0, row = 0; first < count; first += o.row, ++row) {
    const unsigned base = indirect_address(regs, o.addr_subreg + row, o.addr_imm);
    for (unsigned n = first; n < std::min<unsigned>(count, first + o.row); n++) each(n, (base + (*o.offsets)[n]) & (grf_bytes - 1));
  }
}

template <typename S, typename L>
void load(const Registers& regs, const Source& s, unsigned count, Lanes& lanes) {
  L* out = array<L>(lanes);
  const std::byte* bytes = regs.bytes();
  switch (s.fetch) {
    case Fetch::none: std::memset(out, 0, count * sizeof(L)); break;
    case Fetch::immediate: load_immediate<S, L>(s, count, out); break;
    case Fetch::contiguous:
      if constexpr (sizeof(S) == sizeof(L) && !std::is_same_v<S, Half> && std::is_floating_point_v<S> == std::is_floating_point_v<L>)
        std::memcpy(out, bytes + s.base, count * sizeof(L));
      else
        for (unsigned n = 0; n < count; n++) out[n] = convert<S, L>(read<S>(bytes + s.base + n * sizeof(S)));
      break;
    case Fetch::scalar: {
      const L value = convert<S, L>(read<S>(bytes + s.base));
      for (unsigned n = 0; n < count; n++) out[n] = value;
      break;
    }
    case Fetch::offsets:
      for (unsigned n = 0; n < count; n++) out[n] = convert<S, L>(read<S>(bytes + (*s.offsets)[n]));
      break;
    case Fetch::indirect: {
      const unsigned base = indirect_address(regs, s.addr_subreg, s.addr_imm);
      for (unsigned n = 0; n < count; n++) out[n] = convert<S, L>(read<S>(bytes + ((base + (*s.offsets)[n]) & (grf_bytes - 1))));
      break;
    }
    case Fetch::indirect_vx:
      each_indirect(regs, s, count, [&](unsigned n, unsigned at) { out[n] = convert<S, L>(read<S>(bytes + at)); });
      break;
  }
}

template <typename S>
Load load_of(LaneKind kind) {
  switch (kind) {
    case LaneKind::i32: return std::is_integral_v<S> && sizeof(S) <= 4 ? load<S, int32_t> : nullptr;
    case LaneKind::i64: return std::is_integral_v<S> ? load<S, int64_t> : nullptr;
    case LaneKind::exact: return std::is_integral_v<S> ? load<S, Int128> : nullptr;
    case LaneKind::f32: return load<S, float>;
    case LaneKind::f64: return load<S, double>;
  }
  return nullptr;
}

template <typename D, typename L>
void store_as(Registers& regs, const Destination& d, unsigned count, uint32_t mask, const L* lanes) {
  std::byte* bytes = regs.bytes();
  const auto put = [&](std::byte* at, L lane) {
    D value;
    if constexpr (std::is_same_v<D, Half>) value.bits = float_to_half(lane, Rounding::nearest_even);
    else value = static_cast<D>(lane);
    std::memcpy(at, &value, sizeof(D));
  };
  switch (d.place) {
    case Place::none: break;
    case Place::contiguous:
      if (sizeof(D) == sizeof(L) && mask == (count == 32 ? 0xffffffffu : (1u << count) - 1)) {
        std::memcpy(bytes + d.base, lanes, count * sizeof(D));
        break;
      }
      for (unsigned n = 0; n < count; n++)
        if (mask >> n & 1) put(bytes + d.base + n * sizeof(D), lanes[n]);
      break;
    case Place::offsets:
      for (unsigned n = 0; n < count; n++)
        if (mask >> n & 1) put(bytes + (*d.offsets)[n], lanes[n]);
      break;
    case Place::indirect:
      each_indirect(regs, d, count, [&](unsigned n, unsigned at) {
        if (mask >> n & 1) put(bytes + at, lanes[n]);
      });
      break;
  }
}

template <typename D>
void store_int(Registers& r, const Destination& d, unsigned n, uint32_t m, const Lanes& l) {
  store_as<D>(r, d, n, m, l.i);
}
void store_qword(Registers& r, const Destination& d, unsigned n, uint32_t m, const Lanes& l) { store_as<int64_t>(r, d, n, m, l.q); }
void store_float(Registers& r, const Destination& d, unsigned n, uint32_t m, const Lanes& l) { store_as<float>(r, d, n, m, l.f); }
void store_double(Registers& r, const Destination& d, unsigned n, uint32_t m, const Lanes& l) { store_as<double>(r, d, n, m, l.d); }
void store_half(Registers& r, const Destination& d, unsigned n, uint32_t m, const Lanes& l) { store_as<Half>(r, d, n, m, l.f); }

/// The range of an integer type.
struct Limits {
  Int128 low, high;
};
Limits limits(RegType type) {
  const unsigned bits = size_of(type) * 8;
  if (is_signed(type)) return {-(Int128{1} << (bits - 1)), (Int128{1} << (bits - 1)) - 1};
  return {0, (Int128{1} << bits) - 1};
}

/// The low bits of a value, as lanes of result_kind(type) hold it.
inline int64_t wrap(int64_t value, RegType type) {
  switch (type) {
    case RegType::w: return static_cast<int16_t>(value);
    case RegType::uw: return static_cast<uint16_t>(value);
    case RegType::b: return static_cast<int8_t>(value);
    case RegType::ub: return static_cast<uint8_t>(value);
    case RegType::d:
    case RegType::ud: return static_cast<int32_t>(value);
    default: return value;
  }
}

template <typename L>
void put_integer(Lanes& lanes, unsigned n, RegType type, L value) {
  const int64_t wrapped = wrap(static_cast<int64_t>(value), type);
  if (size_of(type) == 8) lanes.q[n] = wrapped;
  else lanes.i[n] = static_cast<int32_t>(wrapped);
}

/// Largest and smallest number of a float type whose absolute value counts as neither infinite nor denormal.
template <typename T>
constexpr T min_normal = std::is_same_v<T, float> ? T(0x1p-126) : T(0x1p-1022);

template <typename T>
inline T flush_denormal(T value, T smallest) {
  return std::abs(value) < smallest ? std::copysign(T(0), value) : value;
}

template <typename T>
inline T canonical_nan() {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(0x7fc00000u);
  else return std::bit_cast<double>(uint64_t{0x7ff8000000000000});
}

template <typename T>
inline T result_float(T value, const Op& op, bool flush, const FloatMode& mode) {
  if (op.saturate) value = value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
  if (flush) value = flush_denormal(value, min_normal<T>);
  if (mode.alt) {
    if (value != value) value = T(0);
    if (std::isinf(value)) value = std::copysign(std::numeric_limits<T>::max(), value);
  }
  return value;
}

template <typename T>
inline float result_half(T value, const Op& op, const FloatMode& mode) {
  if (op.saturate) value = value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
  uint16_t bits = double_to_half(static_cast<double>(value), mode.rounding);
  if (op.flush && mode.flush_f16 && !(bits & 0x7c00)) bits &= 0x8000;
  return half_to_float(bits);
}

/// Float to integer: towards zero, NaN to 0, out of range to the nearest end (SKL PRM vol 7, "Float to Integer Conversion").
template <typename T>
inline Int128 to_integer(T value, const Limits& range) {
  if (value != value) return 0;
  const double whole = std::trunc(static_cast<double>(value));
  if (whole <= static_cast<double>(range.low)) return range.low;
  if (whole >= static_cast<double>(range.high)) return range.high;
  return static_cast<Int128>(whole);
}

template <typename T>
void finish_float(Lanes& lanes, const Op& op, const FloatMode& mode, uint32_t*) {
  const unsigned count = op.groups * 8u;
  const RegType type = op.dst.type;
  if (type == RegType::f || type == RegType::hf) {
    for (unsigned n = 0; n < count; n++) {
      const T value = std::is_same_v<T, float> ? static_cast<T>(lanes.f[n]) : static_cast<T>(lanes.d[n]);
      if (type == RegType::hf) lanes.f[n] = result_half(value, op, mode);
      else if (!std::is_same_v<T, float> && value != value) lanes.f[n] = result_float(canonical_nan<float>(), op, false, mode);
      else lanes.f[n] = result_float(static_cast<float>(value), op, op.flush && mode.flush_f32, mode);
    }
  } else if (type == RegType::df) {
    for (unsigned n = count; n-- > 0;) {
      double value = std::is_same_v<T, float> ? static_cast<double>(lanes.f[n]) : lanes.d[n];
      if (std::is_same_v<T, float> && value != value) value = canonical_nan<double>();
      lanes.d[n] = result_float(value, op, op.flush && mode.flush_f64, mode);
    }
  } else {
    const Limits range = limits(type);
    Lanes from = lanes;
    for (unsigned n = 0; n < count; n++)
      put_integer(lanes, n, type, to_integer(std::is_same_v<T, float> ? static_cast<T>(from.f[n]) : static_cast<T>(from.d[n]), range));
  }
}

template <typename T>
void float_from_integer(Lanes& lanes, const Op& op, const FloatMode& mode, const T* values) {
  const Lanes from = lanes;
  const T* source = reinterpret_cast<const T*>(reinterpret_cast<const char*>(&from) +
                                               (reinterpret_cast<const char*>(values) - reinterpret_cast<const char*>(&lanes)));
  for (unsigned n = 0; n < op.groups * 8u; n++) {
    switch (op.dst.type) {
      case RegType::df: lanes.d[n] = result_float(static_cast<double>(source[n]), op, false, mode); break;
      case RegType::hf: lanes.f[n] = result_half(static_cast<double>(source[n]), op, mode); break;
      default: lanes.f[n] = result_float(static_cast<float>(source[n]), op, false, mode);
    }
  }
}

void finish_i32(Lanes& lanes, const Op& op, const FloatMode&, uint32_t*) {
  for (unsigned n = 0; n < op.groups * 8u; n++) lanes.i[n] = static_cast<int32_t>(wrap(lanes.i[n], op.dst.type));
}

void finish_i64(Lanes& lanes, const Op& op, const FloatMode& mode, uint32_t*) {
  if (is_float(op.dst.type)) return float_from_integer(lanes, op, mode, lanes.q);
  for (unsigned n = 0; n < op.groups * 8u; n++) put_integer(lanes, n, op.dst.type, lanes.q[n]);
}

void finish_exact(Lanes& lanes, const Op& op, const FloatMode& mode, uint32_t* overflow) {
  if (is_float(op.dst.type)) return float_from_integer(lanes, op, mode, lanes.x);
  const Limits range = limits(op.dst.type);
  uint32_t beyond = 0;
  for (unsigned n = 0; n < op.groups * 8u; n++) {
    Int128 value = lanes.x[n];
    if (value < range.low || value > range.high) {
      beyond |= 1u << n;
      if (op.saturate) value = value < range.low ? range.low : range.high;
    }
    put_integer(lanes, n, op.dst.type, value);
  }
  if (overflow) *overflow = beyond;
}

template <typename L>
void modify(L* lanes, const Source& s, unsigned count) {
  if (s.abs)
    for (unsigned n = 0; n < count; n++) lanes[n] = lanes[n] < 0 ? L(0) - lanes[n] : lanes[n];
  if (s.negate)
    for (unsigned n = 0; n < count; n++) lanes[n] = L(0) - lanes[n];
}
template <>
void modify(int32_t* lanes, const Source& s, unsigned count) {
  for (unsigned n = 0; n < count; n++) {
    auto v = static_cast<uint32_t>(lanes[n]);
    if (s.abs && lanes[n] < 0) v = 0u - v;
    if (s.negate) v = 0u - v;
    lanes[n] = static_cast<int32_t>(v);
  }
}
template <>
void modify(int64_t* lanes, const Source& s, unsigned count) {
  for (unsigned n = 0; n < count; n++) {
    auto v = static_cast<uint64_t>(lanes[n]);
    if (s.abs && lanes[n] < 0) v = 0u - v;
    if (s.negate) v = 0u - v;
    lanes[n] = static_cast<int64_t>(v);
  }
}

}  // namespace

unsigned indirect_address(const Registers& regs, unsigned subreg, int imm) {
  return static_cast<unsigned>(regs.address[subreg & 15] + imm) & (grf_bytes - 1);
}

Load load_for(RegType type, LaneKind kind) {
  switch (type) {
    case RegType::ud: return load_of<uint32_t>(kind);
    case RegType::d: return load_of<int32_t>(kind);
    case RegType::uw:
    case RegType::uv: return load_of<uint16_t>(kind);
    case RegType::w:
    case RegType::v: return load_of<int16_t>(kind);
    case RegType::ub: return load_of<uint8_t>(kind);
    case RegType::b: return load_of<int8_t>(kind);
    case RegType::uq: return load_of<uint64_t>(kind);
    case RegType::q: return load_of<int64_t>(kind);
    case RegType::f:
    case RegType::vf: return load_of<float>(kind);
    case RegType::df:
    case RegType::nf: return load_of<double>(kind);
    case RegType::hf: return load_of<Half>(kind);
    case RegType::invalid: break;
  }
  return nullptr;
}

Store store_for(RegType type) {
  switch (type) {
    case RegType::ud:
    case RegType::d: return store_int<int32_t>;
    case RegType::uw:
    case RegType::w: return store_int<int16_t>;
    case RegType::ub:
    case RegType::b: return store_int<int8_t>;
    case RegType::uq:
    case RegType::q: return store_qword;
    case RegType::f: return store_float;
    case RegType::df: return store_double;
    case RegType::hf: return store_half;
    default: return nullptr;
  }
}

LaneKind result_kind(RegType type) {
  if (type == RegType::df) return LaneKind::f64;
  if (is_float(type)) return LaneKind::f32;
  return size_of(type) == 8 ? LaneKind::i64 : LaneKind::i32;
}

Finish finish_for(LaneKind kind, RegType type, bool saturate, bool flush) {
  switch (kind) {
    case LaneKind::i32: return size_of(type) == 4 ? nullptr : finish_i32;
    case LaneKind::i64: return !is_float(type) && size_of(type) == 8 ? nullptr : finish_i64;
    case LaneKind::exact: return finish_exact;
    case LaneKind::f32: return type == RegType::f && !saturate && !flush ? nullptr : finish_float<float>;
    case LaneKind::f64: return type == RegType::df && !saturate && !flush ? nullptr : finish_float<double>;
  }
  return nullptr;
}

void apply_modifiers(Lanes& lanes, const Source& s, LaneKind kind, unsigned count) {
  if (s.bit_not) {
    if (kind == LaneKind::i32)
      for (unsigned n = 0; n < count; n++) lanes.i[n] = ~lanes.i[n];
    if (kind == LaneKind::i64)
      for (unsigned n = 0; n < count; n++) lanes.q[n] = ~lanes.q[n];
    return;
  }
  switch (kind) {
    case LaneKind::i32: modify(lanes.i, s, count); break;
    case LaneKind::i64: modify(lanes.q, s, count); break;
    case LaneKind::exact: modify(lanes.x, s, count); break;
    // Floats: the sign bit, whatever the value.
    case LaneKind::f32:
      for (unsigned n = 0; n < count; n++) lanes.u[n] = (s.abs ? lanes.u[n] & 0x7fffffffu : lanes.u[n]) ^ (s.negate ? 0x80000000u : 0);
      break;
    case LaneKind::f64:
      for (unsigned n = 0; n < count; n++)
        lanes.uq[n] = (s.abs ? lanes.uq[n] & ~(uint64_t{1} << 63) : lanes.uq[n]) ^ (s.negate ? uint64_t{1} << 63 : 0);
      break;
  }
}

bool flushes(RegType type, const FloatMode& mode) {
  return type == RegType::f ? mode.flush_f32 : type == RegType::hf ? mode.flush_f16 : type == RegType::df && mode.flush_f64;
}

void flush_sources(Lanes& lanes, RegType type, LaneKind kind, const FloatMode& mode, unsigned count) {
  if (kind == LaneKind::f32) {
    const float smallest = type == RegType::hf ? 0x1p-14f : 0x1p-126f;
    if (flushes(type, mode))
      for (unsigned n = 0; n < count; n++) lanes.f[n] = std::abs(lanes.f[n]) < smallest ? std::copysign(0.0f, lanes.f[n]) : lanes.f[n];
  } else if (kind == LaneKind::f64) {
    const double smallest = type == RegType::hf ? 0x1p-14 : type == RegType::f ? 0x1p-126 : 0x1p-1022;
    if (flushes(type, mode))
      for (unsigned n = 0; n < count; n++) lanes.d[n] = flush_denormal(lanes.d[n], smallest);
  }
  if (!mode.alt || kind != LaneKind::f32) return;
  for (unsigned n = 0; n < count; n++) {
    if (lanes.f[n] != lanes.f[n]) lanes.f[n] = 0;
    if (std::isinf(lanes.f[n])) lanes.f[n] = std::copysign(std::numeric_limits<float>::max(), lanes.f[n]);
  }
}

}  // namespace softgen::eu
