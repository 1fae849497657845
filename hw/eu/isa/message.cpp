// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/message.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <optional>

#include "hw/base/bits.h"

namespace softgen::eu {

namespace {

constexpr std::string_view sfid_names[16] = {
    "null", "", "sampler", "gateway", "dp_sampler", "render", "urb", "thread_spawner",
    "vme", "const", "data", "pixel interp", "dp data 1", "cre"};

constexpr std::string_view sampler_types[32] = {
    "sample", "sample_b", "sample_l", "sample_c", "sample_d", "sample_b_c", "sample_l_c", "ld",
    "gather4", "lod", "resinfo", "sampleinfo", "", "", "", "",
    "gather4_c", "gather4_po", "gather4_po_c", "", "sample_d_c", "", "", "",
    "sample_lz", "sample_c_lz", "ld_lz", "", "ld2dms_w", "ld_mcs", "ld2dms", "ld2dss"};
constexpr std::string_view sampler_modes[4] = {"SIMD4x2", "SIMD8", "SIMD16", "SIMD32/64"};

constexpr std::string_view gateway_types[8] = {
    "open", "close", "forward msg", "get timestamp", "barrier msg", "update state", "mmio read/write", ""};

constexpr std::string_view render_types[32] = {
    "", "", "", "", "media block read", "typed surface read", "typed atomic op", "memory fence",
    "", "", "media block write", "", "RT write", "RT read", "", ""};
constexpr std::string_view rt_modes[8] = {
    "SIMD16", "SIMD16/RepData", "SIMD8/DualSrcLow", "SIMD8/DualSrcHigh", "SIMD8", "SIMD8/ImageWrite", "",
    "SIMD16/RepData-111"};

constexpr std::string_view urb_types[16] = {
    "write HWord", "write OWord", "read HWord", "read OWord", "atomic mov", "atomic inc", "atomic add",
    "SIMD8 write", "SIMD8 read"};

constexpr std::string_view data0_types[32] = {
    "DC OWORD block read", "DC unaligned OWORD block read", "DC OWORD dual block read", "DC DWORD scattered read",
    "DC byte scattered read", "DC QWORD scattered read", "DC untyped atomic", "DC mfence", "DC OWORD block write", "",
    "DC OWORD dual block write", "DC DWORD scatterd write", "DC byte scattered write", "DC QWORD scattered write"};

/// Scratch messages have no type field: they are counted behind the types.
constexpr unsigned scratch_type = 16;
constexpr std::string_view scratch_names[2] = {"scratch block read", "scratch block write"};

constexpr std::string_view data1_types[32] = {
    "", "untyped surface read", "DC untyped atomic op", "DC untyped 4x2 atomic op", "DC media block read",
    "DC typed surface read", "DC typed atomic", "DC typed 4x2 atomic op", "", "DC untyped surface write",
    "DC media block write", "DC atomic counter op", "DC 4x2 atomic counter op", "DC typed surface write", "", "",
    "DC A64 scattered read", "DC A64 untyped surface read", "DC A64 untyped atomic op",
    "DC A64 untyped atomic op SIMD4x2", "DC A64 oword block read", "DC A64 oword block write", "", "", "",
    "DC A64 untyped surface write", "DC A64 scattered write", "DC untyped atomic float op",
    "DC untyped atomic float op SIMD4x2", "DC A64 untyped atomic float op", "DC A64 untyped atomic float op SIMD4x2"};

/// Read-only data ports (sampler and constant caches): the types of the data cache they share.
constexpr std::string_view read_only_types[32] = {
    "OWORD block read", "unaligned OWORD block read", "OWORD dual block read", "DWORD scattered read",
    "media block read", "surface info", "", "", "", "", "", "render target UNORM read"};

constexpr std::string_view oword_blocks[8] = {"1-low", "1-high", "2", "4", "8", "", "", ""};
constexpr std::string_view atomics[16] = {"", "and", "or", "xor", "mov", "inc", "dec", "add", "sub", "revsub",
                                          "imax", "imin", "umax", "umin", "cmpwr", "predec"};
constexpr std::string_view float_atomics[16] = {"", "fmax", "fmin", "fcmpwr"};
constexpr std::string_view interpolations[4] = {"per_message_offset", "sample_position", "centroid", "per_slot_offset"};
constexpr std::string_view simd_modes[4] = {"4x2", "16", "8", "?"};

/// Text that knows whether every code in it had a name.
class Description {
 public:
  void word(std::string_view text) {
    if (text.empty()) return unknown();
    if (!text_.empty() && text_.back() != '(' && text_.back() != ' ') text_ += ' ';
    text_ += text;
  }
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  void unknown() {
    known_ = false;
    word("*reserved*");
  }
  const std::string& text() const { return text_; }
  bool known() const { return known_; }

 private:
  std::string text_;
  bool known_ = true;
};

struct DataPortFields {
  unsigned surface, control, type;
  explicit DataPortFields(uint32_t d) : surface(bits(d, 7, 0)), control(bits(d, 13, 8)), type(bits(d, 18, 14)) {}
};

void sampler(Description& out, uint32_t d) {
  const unsigned mode = bits(d, 18, 17);
  if (mode == 3)
    out.add("media function {}", bits(d, 16, 12));
  else
    out.word(sampler_types[bits(d, 16, 12)]);
  out.word(sampler_modes[mode]);
  if (bit(d, 30)) out.add(" HP");
  out.add(" Surface = {} Sampler = {}", bits(d, 7, 0), bits(d, 11, 8));
}

void oword_block(Description& out, unsigned control) {
  out.add("owords = ");
  out.word(oword_blocks[control & 7]);
  out.add(", aligned = {}", control >> 3 & 3);
}

void render(Description& out, uint32_t d) {
  const DataPortFields f(d);
  out.word(render_types[f.type]);
  if (f.type == 12) {
    out.word(rt_modes[bits(d, 10, 8)]);
    if (bit(d, 11)) out.add(" Hi");
    if (bit(d, 12)) out.add(" LastRT");
    if (bit(d, 13)) out.add(" PerSample");
  } else if (f.type == 13) {
    out.add(" SIMD{}", bit(d, 8) ? 8 : 16);
    if (bit(d, 13)) out.add(" PerSample");
  } else {
    out.add(" MsgCtrl = 0x{:x}", f.control);
  }
  out.add(" Surface = {}", f.surface);
}

void urb(Description& out, uint32_t d) {
  const unsigned type = bits(d, 3, 0);
  out.add("offset {}", bits(d, 14, 4));
  out.word(urb_types[type]);
  if (bit(d, 17)) out.add(" per-slot");
  if (bit(d, 15)) out.add("{}", type == 7 || type == 8 ? " masked" : " interleave");
}

/// [17] write, [16] channel mode (dword), [15] invalidate after read, [13:12] log2 of registers, [11:0] offset in registers.
void scratch_block(Description& out, uint32_t d) {
  out.add("scratch block {}{}{}, regs {}, offset {}", bit(d, 17) ? "write" : "read", bit(d, 16) ? " dword" : " oword",
          bit(d, 15) ? " invalidate" : "", 1u << bits(d, 13, 12), bits(d, 11, 0));
}

void data0(Description& out, uint32_t d) {
  out.add("(");
  if (bit(d, 18)) {
    scratch_block(out, d);
  } else {
    const DataPortFields f(d);
    out.word(data0_types[f.type]);
    out.add(", bti {}, ", f.surface);
    if (f.type == 0 || f.type == 1 || f.type == 8)
      oword_block(out, f.control);
    else if (f.type == 7)
      out.add("{}", f.control & 0x20 ? "commit" : "no commit");
    else
      out.add("{}", f.control);
  }
  out.add(")");
}

void data1_control(Description& out, const DataPortFields& f) {
  const unsigned c = f.control;
  switch (f.type) {
    case 0x02: case 0x06: case 0x0b:
      out.add("SIMD{}, ", c & 16 ? 8 : 16);
      out.word(atomics[c & 15]);
      break;
    case 0x12: case 0x13:
      out.add("{}-bit, ", c & 16 ? 64 : 32);
      out.word(atomics[c & 15]);
      break;
    case 0x03: case 0x07: case 0x0c: out.word(atomics[c & 15]); break;
    case 0x01: case 0x09: case 0x05: case 0x0d: case 0x11: case 0x19:
      out.add("SIMD{}, Mask = 0x{:x}", simd_modes[c >> 4], c & 15);
      break;
    case 0x1b: case 0x1c: case 0x1d: case 0x1e:
      out.add("SIMD{}, ", c & 16 ? 8 : 16);
      out.word(float_atomics[c & 15]);
      break;
    case 0x14: case 0x15: oword_block(out, c); break;
    default: out.add("0x{:x}", c);
  }
}

void data1(Description& out, uint32_t d) {
  const DataPortFields f(d);
  out.add("(");
  out.word(data1_types[f.type]);
  out.add(", Surface = {}, ", f.surface);
  data1_control(out, f);
  out.add(")");
}

void read_only(Description& out, uint32_t d) {
  const DataPortFields f(d);
  out.add("(");
  out.word(read_only_types[f.type]);
  out.add(", bti {}, ", f.surface);
  if (f.type <= 1)
    oword_block(out, f.control);
  else
    out.add("{}", f.control);
  out.add(")");
}

void gateway(Description& out, uint32_t d) {
  out.add("(");
  out.word(gateway_types[bits(d, 2, 0)]);
  out.add(")");
}

void thread_spawner(Description& out, uint32_t d) {
  out.word(bit(d, 0) ? "spawn thread" : "dereference resource");
  out.word(bit(d, 1) ? "child thread" : "root thread");
  if (bit(d, 4)) out.add(" no URB");
}

void pixel_interpolator(Description& out, uint32_t d) {
  out.add("({}, {}, 0x{:02x}, SIMD{}{})", bit(d, 14) ? "linear" : "persp", interpolations[bits(d, 13, 12)],
          bits(d, 7, 0), bit(d, 16) ? 16 : 8, bit(d, 11) ? " Hi" : "");
}

Description describe(unsigned sfid, uint32_t d) {
  Description out;
  switch (sfid) {
    case 0: break;
    case 2: sampler(out, d); break;
    case 3: gateway(out, d); break;
    case 4: case 9: read_only(out, d); break;
    case 5: render(out, d); break;
    case 6: urb(out, d); break;
    case 7: thread_spawner(out, d); break;
    case 8: case 13: out.add("function 0x{:05x}", d & 0x7ffff); break;
    case 10: data0(out, d); break;
    case 11: pixel_interpolator(out, d); break;
    case 12: data1(out, d); break;
    default: out.unknown();
  }
  return out;
}

}  // namespace

std::string_view sfid_name(unsigned sfid) { return sfid < 16 ? sfid_names[sfid] : std::string_view(); }

std::string describe_message(unsigned sfid, uint32_t descriptor) { return describe(sfid, descriptor).text(); }

bool message_is_known(unsigned sfid, uint32_t descriptor) { return describe(sfid, descriptor).known(); }

unsigned message_type(unsigned sfid, uint32_t d) {
  switch (sfid) {
    case 2: return bits(d, 16, 12);
    case 3: return bits(d, 2, 0);
    case 6: return bits(d, 3, 0);
    case 7: return bits(d, 1, 0);
    case 10: return bit(d, 18) ? scratch_type + bit(d, 17) : bits(d, 17, 14);
    case 11: return bits(d, 13, 12);
    case 4: case 5: case 9: case 12: return bits(d, 18, 14);
    default: return 0;
  }
}

std::string message_type_name(unsigned sfid, unsigned type) {
  const auto of = [type](const auto& names) { return type < std::size(names) ? names[type] : std::string_view(); };
  std::string_view name;
  switch (sfid) {
    case 2: name = of(sampler_types); break;
    case 3: name = of(gateway_types); break;
    case 4: case 9: name = of(read_only_types); break;
    case 5: name = of(render_types); break;
    case 6: name = of(urb_types); break;
    case 7: return type & 1 ? "spawn thread" : "dereference resource";
    case 10: name = type >= scratch_type ? scratch_names[type & 1] : of(data0_types); break;
    case 11: name = of(interpolations); break;
    case 12: name = of(data1_types); break;
    default: break;
  }
  return name.empty() ? fmt::format("type {}", type) : std::string(name);
}

}  // namespace softgen::eu
