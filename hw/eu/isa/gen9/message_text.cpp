// SPDX-License-Identifier: GPL-2.0-or-later
// Gen9's message descriptors in the words of Mesa's disassembler (brw_disasm.c).
#include <fmt/format.h>

#include <iterator>

#include "hw/defs/messages/gen9.h"
#include "hw/eu/isa/gen9/parts.h"

namespace softgen::eu::gen9 {
namespace {

using namespace defs::gen9::message;

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

/// One message: its function's row, its type's row, or an empty one for a reserved type.
struct Described {
  Sfid sfid;
  uint32_t d;
  defs::MessageType<Fields> type;

  DataPort port() const { return {d}; }
};

void sampler(Description& out, const Described& m) {
  const Sampler d{m.d};
  const auto mode = static_cast<SamplerSimd>(d.simd_mode());
  if (mode == SamplerSimd::SIMD32_64) out.add("media function {}", d.message_type());
  else out.word(m.type.text);
  out.word(text(mode));
  if (d.return_format_16_bit()) out.add(" HP");
  out.add(" Surface = {} Sampler = {}", d.binding_table_index(), d.sampler_index());
}

void oword_block(Description& out, OwordBlock d) {
  out.add("owords = ");
  out.word(text(static_cast<BlockSize>(d.block_size())));
  out.add(", aligned = {}", d.alignment());
}

void render(Description& out, const Described& m) {
  out.word(m.type.text);
  if (m.type.fields == Fields::RenderTargetWrite) {
    const RenderTargetWrite d{m.d};
    out.word(text(static_cast<RenderTargetSubtype>(d.subtype())));
    if (d.slot_group_high()) out.add(" Hi");
    if (d.last_render_target()) out.add(" LastRT");
    if (d.per_sample()) out.add(" PerSample");
  } else if (m.type.fields == Fields::RenderTargetRead) {
    const RenderTargetRead d{m.d};
    out.add(" SIMD{}", d.simd8() ? 8 : 16);
    if (d.per_sample()) out.add(" PerSample");
  } else {
    out.add(" MsgCtrl = 0x{:x}", m.port().message_control());
  }
  out.add(" Surface = {}", m.port().binding_table_index());
}

void urb(Description& out, const Described& m) {
  const Urb d{m.d};
  out.add("offset {}", d.global_offset());
  out.word(m.type.text);
  if (d.per_slot_offset()) out.add(" per-slot");
  const bool simd8 = m.type.kind == MessageKind::urb_simd8_write || m.type.kind == MessageKind::urb_simd8_read;
  if (d.channel_mask_present()) out.add("{}", simd8 ? " masked" : " interleave");
}

void scratch_block(Description& out, const Described& m) {
  const ScratchBlock d{m.d};
  out.add("scratch block {}{}{}, regs {}, offset {}", m.type.kind == MessageKind::scratch_write ? "write" : "read",
          d.channel_mode_dword() ? " dword" : " oword", d.invalidate_after_read() ? " invalidate" : "", 1u << d.block_size(), d.offset());
}

/// Data cache port 0 and the read-only ports.
void data0(Description& out, const Described& m) {
  out.add("(");
  if (m.type.fields == Fields::ScratchBlock) {
    scratch_block(out, m);
  } else {
    out.word(m.type.text);
    out.add(", bti {}, ", m.port().binding_table_index());
    if (m.type.fields == Fields::OwordBlock) oword_block(out, {m.d});
    else if (m.type.fields == Fields::Fence) out.add("{}", Fence{m.d}.commit() ? "commit" : "no commit");
    else out.add("{}", m.port().message_control());
  }
  out.add(")");
}

std::string_view atomic(uint32_t operation) { return text(static_cast<AtomicOperation>(operation)); }

void data1_control(Description& out, const Described& m) {
  switch (m.type.fields) {
    case Fields::UntypedAtomic:
      if (!m.type.simd4x2) out.add("SIMD{}, ", UntypedAtomic{m.d}.simd8() ? 8 : 16);
      out.word(atomic(UntypedAtomic{m.d}.operation()));
      break;
    case Fields::TypedAtomic:
      if (!m.type.simd4x2) out.add("SIMD{}, ", TypedAtomic{m.d}.slot_group_high() ? 8 : 16);  // Mesa reads the slot group as the SIMD mode
      out.word(atomic(TypedAtomic{m.d}.operation()));
      break;
    case Fields::A64Atomic:
      out.add("{}-bit, ", A64Atomic{m.d}.data_size_64_bit() ? 64 : 32);
      out.word(atomic(A64Atomic{m.d}.operation()));
      break;
    case Fields::UntypedSurface:
    case Fields::TypedSurface: {
      const UntypedSurface d{m.d};  // the same bits
      out.add("SIMD{}, Mask = 0x{:x}", text(static_cast<SurfaceSimd>(d.simd_mode())), d.channel_mask());
      break;
    }
    case Fields::FloatAtomic:
      out.add("SIMD{}, ", FloatAtomic{m.d}.simd8() ? 8 : 16);
      out.word(text(static_cast<FloatAtomicOperation>(FloatAtomic{m.d}.operation())));
      break;
    case Fields::OwordBlock: oword_block(out, {m.d}); break;
    default: out.add("0x{:x}", m.port().message_control());
  }
}

void data1(Description& out, const Described& m) {
  out.add("(");
  out.word(m.type.text);
  out.add(", Surface = {}, ", m.port().binding_table_index());
  data1_control(out, m);
  out.add(")");
}

void thread_spawner(Description& out, const Described& m) {
  const ThreadSpawner d{m.d};
  out.word(m.type.text);
  out.word(d.child_thread() ? "child thread" : "root thread");
  if (d.no_urb()) out.add(" no URB");
}

void pixel_interpolator(Description& out, const Described& m) {
  const PixelInterpolator d{m.d};
  out.add("({}, {}, 0x{:02x}, SIMD{}{})", d.linear() ? "linear" : "persp", m.type.text, d.message_data(), d.simd16() ? 16 : 8,
          d.slot_group_high() ? " Hi" : "");
}

Description describe(unsigned sfid, uint32_t d) {
  Description out;
  const MessageOp op = decode_message(sfid, d, 0);
  const auto& function = functions[sfid & 15];
  if (sfid > 15 || function.text.empty()) return out.unknown(), out;
  const Described m{op.sfid, d, op.kind != MessageKind::reserved ? function.types[op.type] : defs::MessageType<Fields>{}};
  switch (m.sfid) {
    case Sfid::math:  // no function of Gen9
    case Sfid::null: break;
    case Sfid::sampler: sampler(out, m); break;
    case Sfid::gateway:
      out.add("(");
      out.word(m.type.text);
      out.add(")");
      break;
    case Sfid::dp_sampler:
    case Sfid::dp_constant:
    case Sfid::dp_data0: data0(out, m); break;
    case Sfid::dp_render: render(out, m); break;
    case Sfid::urb: urb(out, m); break;
    case Sfid::thread_spawner: thread_spawner(out, m); break;
    case Sfid::vme:
    case Sfid::cre: out.add("function 0x{:05x}", Descriptor{d}.function_control()); break;
    case Sfid::pixel_interpolator: pixel_interpolator(out, m); break;
    case Sfid::dp_data1: data1(out, m); break;
  }
  return out;
}

}  // namespace

std::string describe_message(unsigned sfid, uint32_t descriptor) { return describe(sfid, descriptor).text(); }

bool message_is_known(unsigned sfid, uint32_t descriptor) { return describe(sfid, descriptor).known(); }

}  // namespace softgen::eu::gen9
