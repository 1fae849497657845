// SPDX-License-Identifier: GPL-2.0-or-later
// Untyped reads and writes of contiguous memory, inlined where the data port's direct answer has opened a window (hw/dataport/direct.cpp).
// Other messages are sent. SKL PRM vol 7, "Untyped Surface Read", "Untyped Surface Write".
#include <cstddef>

#include "hw/eu/interp/execute.h"
#include "hw/eu/jit/emitter.h"
#include "hw/eu/program/work_counts.h"

namespace softgen::eu::jit {

namespace {

/// Inlined messages per kernel: each is some hundred bytes of code.
constexpr unsigned max_rows = 24;

}  // namespace

std::optional<UntypedRow> Emitter::find_row(size_t n) const {
  static const Thread no_thread{};
  if (numbers_[n] == ~0u || rows_.inlined >= max_rows) return std::nullopt;
  const SendForm form = send_form(no_thread, ops_[n]);
  return form.valid ? untyped_row(message_form(form, ops_[n])) : std::nullopt;
}

Value Emitter::answer_field(size_t n, uint64_t offset) {
  const Value answers = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, answers)), 8);
  return ir_.address(answers, numbers_[n] * sizeof(DirectAnswer) + offset);
}

void Emitter::count_answer(size_t n) {
  const Value field = answer_field(n, offsetof(DirectAnswer, answered));
  ir_.store(ir_.add(ir_.load(ir_.i64, field, 8), ir_.c64(1)), field, 8);
}

/// Adds the disabled channels of a sampler message that is answered directly to DirectAnswer::left_out.
void Emitter::count_left_out(size_t n, Value mask) {
  if (full(ops_[n], mask)) return;
  static const Thread no_thread{};
  const uint32_t all = message_work(send_form(no_thread, ops_[n]).op, ops_[n].exec_size).own(~0u);
  const Value disabled = ir_.intrinsic("llvm.ctpop", {ir_.i32}, {ir_.and_(ir_.not_(mask), ir_.c32(all))});
  const Value field = answer_field(n, offsetof(DirectAnswer, left_out));
  ir_.store(ir_.add(ir_.load(ir_.i64, field, 8), ir_.zext(disabled, ir_.i64)), field, 8);
}

/// Whether a word of the frame's clock equals the value at the address `number`.
Value Emitter::is_at(size_t clock, Value number) {
  const Value word = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, clock) + clock), 8);
  return ir_.icmp(LLVMIntEQ, ir_.load_atomic(ir_.i64, word, 8), ir_.load(ir_.i64, number, 8));
}

/// One dword per channel, from register `first` on.
std::vector<Value> Emitter::row_values(unsigned first, unsigned each) {
  if (each == 2 && lanes_ == 16) {
    if (findings_) findings_->pairs.use(first);
    return {pair(first)};
  }
  std::vector<Value> values;
  for (unsigned r = 0; r < each; r++) values.push_back(slot(first + r));
  return values;
}

void Emitter::set_row_values(unsigned first, unsigned each, std::span<const Value> values) {
  if (each == 2 && lanes_ == 16) {
    if (findings_) findings_->pairs.use(first);
    return set_pair(first, values[0], canonical);
  }
  for (unsigned r = 0; r < each; r++) set_slot(first + r, values[r], canonical);
}

/// Whether the answer's window is still valid: memory has not moved since it was opened.
Value Emitter::window_agrees(size_t n) {
  const auto window = [&](size_t field) { return answer_field(n, offsetof(DirectAnswer, window) + field); };
  return ir_.and_(is_at(offsetof(memory::View::Clock, epoch), window(offsetof(MessageWindow, epoch))),
                  is_at(offsetof(memory::View::Clock, generation), window(offsetof(MessageWindow, generation))));
}

/// Emits the call for a message whose registers are in memory. The sampler's messages try the quick function of their direct answer first,
/// if there is one.
Value Emitter::send_call(size_t n, Value mask) {
  const Value here = active();
  const auto send = [&] {
    const Value function = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, send)), 8);
    return ir_.call(function, ir_.i32, {frame_, ir_.c32(static_cast<uint32_t>(n)), here, mask});
  };
  if (numbers_[n] == ~0u || ops_[n].instruction->sfid() != static_cast<unsigned>(Sfid::sampler)) return send();
  const Value quick = ir_.load(ir_.ptr, answer_field(n, offsetof(DirectAnswer, quick)), 8);
  Value open = ir_.and_(ir_.icmp(LLVMIntNE, quick, llvm::ConstNull(ir_.ptr)), window_agrees(n));
  if (!full(ops_[n], mask)) open = ir_.and_(open, ir_.icmp(LLVMIntNE, mask, ir_.c32(0)));
  const Block tries = ir_.block(), done = ir_.block(), sends = ir_.block(), both = ir_.block();
  ir_.branch(open, tries, sends);
  ir_.at(tries);
  const Value state = ir_.load(ir_.ptr, answer_field(n, offsetof(DirectAnswer, quick_state)), 8);
  ir_.branch(ir_.icmp(LLVMIntNE, ir_.call(quick, ir_.i8, {state, regs_, mask}), ir_.constant(ir_.i8, 0)), done, sends);
  ir_.at(done);
  count_answer(n);
  count_left_out(n, mask);
  ir_.jump(both);
  ir_.at(sends);
  const Value sent = send();
  const Block sent_in = ir_.here();
  ir_.jump(both);
  ir_.at(both);
  return ir_.phi(ir_.c32(static_cast<uint32_t>(Next::advance)), done, sent, sent_in);
}

/// Whether all channels are active, contiguous and in the window. `memory`: the first one's address in that case.
Value Emitter::row_is_open(size_t n, const UntypedRow& row, Value mask, Value* memory) {
  const unsigned lanes = lanes_of(row), step = 4 * row.count;
  const std::vector<Value> offsets = row_values(row.address, row.each);
  const Value whole = ir_.splat_int(ir_.i32, ~3u, lanes);
  const Value first = ir_.and_(ir_.extract(offsets[0], 0), ir_.c32(~3u)), all_first = ir_.splat(first, lanes);
  Value differ = nullptr;
  for (size_t k = 0; k < offsets.size(); k++) {
    std::array<Value, 16> steps;
    for (unsigned i = 0; i < lanes; i++) steps[i] = ir_.c32(static_cast<uint32_t>((k * lanes + i) * step));
    const Value expected = ir_.add(all_first, ir_.vector(std::span(steps).first(lanes)));
    const Value here = ir_.xor_(ir_.and_(offsets[k], whole), expected);
    differ = differ ? ir_.or_(differ, here) : here;
  }
  const Value some = ir_.bitcast(ir_.icmp(LLVMIntNE, differ, llvm::ConstNull(llvm::TypeOf(differ))), ir_.int_type(lanes));
  Value open = ir_.icmp(LLVMIntEQ, some, ir_.constant(ir_.int_type(lanes), 0));
  const auto window = [&](size_t field) { return answer_field(n, offsetof(DirectAnswer, window) + field); };
  const Value inside = ir_.sub(ir_.zext(first, ir_.i64), ir_.load(ir_.i64, window(offsetof(MessageWindow, low)), 8));
  open = ir_.and_(open, ir_.icmp(LLVMIntULT, inside, ir_.load(ir_.i64, window(offsetof(MessageWindow, starts)), 8)));
  open = ir_.and_(open, window_agrees(n));
  if (!full(ops_[n], mask)) {
    const Value all = ir_.c32(row.each == 2 ? 0xffff : 0xff);
    open = ir_.and_(open, ir_.icmp(LLVMIntEQ, ir_.and_(mask, all), all));
  }
  *memory = ir_.plus(ir_.load(ir_.ptr, window(offsetof(MessageWindow, memory)), 8), inside);
  return open;
}

namespace {

using Picks = std::array<int, 16>;

/// picks[i] = of(i)
template <typename F>
Picks picks_of(unsigned lanes, F&& of) {
  Picks picks{};
  for (unsigned i = 0; i < lanes; i++) picks[i] = static_cast<int>(of(i));
  return picks;
}

/// Array of structures to structure of arrays. `m`: 1, 2 or 4 dwords of a channel, then those of the next channel. Result: one vector per
/// dword.
std::vector<Value> columns(Ir& ir, const std::vector<Value>& m, unsigned lanes) {
  const auto shuffle = [&](Value a, Value b, const Picks& p) { return ir.shuffle(a, b, std::span(p).first(lanes)); };
  const unsigned half = lanes / 2;
  if (m.size() == 2) {
    std::vector<Value> result;
    for (unsigned c = 0; c < 2; c++) result.push_back(shuffle(m[0], m[1], picks_of(lanes, [=](unsigned i) { return 2 * i + c; })));
    return result;
  }
  if (m.size() != 4) return m;
  // First two dwords of each half of the channels, then the halves joined.
  std::vector<Value> result;
  for (unsigned c = 0; c < 4; c += 2) {
    const Picks two = picks_of(lanes, [=](unsigned i) { return i % half * 4 + c + i / half; });
    const Value low = shuffle(m[0], m[1], two), high = shuffle(m[2], m[3], two);
    for (unsigned d = 0; d < 2; d++)
      result.push_back(shuffle(low, high, picks_of(lanes, [=](unsigned i) { return i % half + d * half + i / half * lanes; })));
  }
  return result;
}

/// The inverse of columns().
std::vector<Value> interleaved(Ir& ir, const std::vector<Value>& c, unsigned lanes) {
  const auto shuffle = [&](Value a, Value b, const Picks& p) { return ir.shuffle(a, b, std::span(p).first(lanes)); };
  const auto dwords = [&](unsigned part) { return picks_of(lanes, [=](unsigned i) { return i / 2 + part * lanes / 2 + i % 2 * lanes; }); };
  const auto pairs = [&](unsigned part) {
    return picks_of(lanes, [=](unsigned i) { return i / 4 * 2 + i % 2 + part * lanes / 2 + i / 2 % 2 * lanes; });
  };
  if (c.size() == 2) return {shuffle(c[0], c[1], dwords(0)), shuffle(c[0], c[1], dwords(1))};
  if (c.size() != 4) return c;
  std::vector<Value> result;
  for (unsigned part = 0; part < 2; part++) {
    const Value low = shuffle(c[0], c[1], dwords(part)), high = shuffle(c[2], c[3], dwords(part));
    result.push_back(shuffle(low, high, pairs(0)));
    result.push_back(shuffle(low, high, pairs(1)));
  }
  return result;
}

}  // namespace

/// Memory's vectors, in their order.
std::vector<Value> Emitter::read_row(const UntypedRow& row, Value memory) {
  const unsigned lanes = lanes_of(row), groups = 8 * row.each / lanes;
  std::vector<Value> m;
  for (unsigned i = 0; i < row.count * groups; i++)
    m.push_back(ir_.load_volatile(ir_.vec(ir_.i32, lanes), ir_.address(memory, 4 * lanes * i), 4));
  return m;
}

/// Memory's vectors as values by dword, then by group of channels.
std::vector<Value> Emitter::data_of(const UntypedRow& row, const std::vector<Value>& memory) {
  const unsigned lanes = lanes_of(row), groups = 8 * row.each / lanes;
  std::vector<Value> data(memory.size());
  for (unsigned k = 0; k < groups; k++) {
    const auto first = memory.begin() + static_cast<ptrdiff_t>(k * row.count);
    const std::vector<Value> c = columns(ir_, {first, first + row.count}, lanes);
    for (unsigned i = 0; i < row.count; i++) data[i * groups + k] = c[i];
  }
  return data;
}

/// The inverse of data_of(). What was read and is written unchanged is not computed again.
std::vector<Value> Emitter::memory_of(const UntypedRow& row, const std::vector<Value>& data) {
  for (const ReadRow& known : rows_.read)
    if (known.data == data) return known.memory;
  const unsigned lanes = lanes_of(row), groups = 8 * row.each / lanes;
  std::vector<Value> memory(data.size());
  for (unsigned k = 0; k < groups; k++) {
    std::vector<Value> c;
    for (unsigned i = 0; i < row.count; i++) c.push_back(data[i * groups + k]);
    const std::vector<Value> m = interleaved(ir_, c, lanes);
    for (unsigned i = 0; i < row.count; i++) memory[k * row.count + i] = m[i];
  }
  return memory;
}

/// Stores whole cache lines by streaming stores if the window asks for that.
void Emitter::write_row(size_t n, const UntypedRow& row, const std::vector<Value>& data, Value memory) {
  constexpr unsigned line = 64;
  const unsigned bytes = 4 * lanes_of(row);
  const std::vector<Value> all = memory_of(row, data);
  const bool may_stream = bytes * all.size() % line == 0;
  Block both = nullptr;
  if (may_stream) {
    const Block streams = ir_.block(), stores = ir_.block();
    both = ir_.block();
    const Value wanted = ir_.load(ir_.i8, answer_field(n, offsetof(DirectAnswer, window) + offsetof(MessageWindow, streams)), 1);
    const Value off = ir_.and_(ir_.address_of(memory), ir_.c64(line - 1));
    ir_.branch(ir_.and_(ir_.icmp(LLVMIntNE, wanted, ir_.constant(ir_.i8, 0)), ir_.icmp(LLVMIntEQ, off, ir_.c64(0))), streams, stores);
    ir_.at(streams);
    for (unsigned i = 0; i < all.size(); i++) ir_.store_streaming(all[i], ir_.address(memory, bytes * i), bytes);
    ir_.jump(both);
    ir_.at(stores);
  }
  for (unsigned i = 0; i < all.size(); i++) ir_.store_volatile(all[i], ir_.address(memory, bytes * i), 4);
  if (!may_stream) return;
  ir_.jump(both);
  ir_.at(both);
}

std::vector<Value> Emitter::row_data(const UntypedRow& row) {
  std::vector<Value> data;
  for (unsigned i = 0; i < row.count; i++)
    for (const Value v : row_values(row.data + i * row.each, row.each)) data.push_back(v);
  return data;
}

void Emitter::move_row(size_t n, const UntypedRow& row, Value mask) {
  rows_.inlined++;
  const unsigned registers = row.count * row.each;
  const auto seen = [&](unsigned first, unsigned count) {
    for (unsigned s = first; s < first + count; s++) {
      slot(s);
      canonicalize(s);
    }
  };
  seen(row.address, row.each);
  if (row.write) seen(row.data, registers);
  active();
  Value memory = nullptr;
  const Value open = row_is_open(n, row, mask, &memory);
  std::vector<Value> data = row.write ? row_data(row) : std::vector<Value>{}, read;
  const Block moves = ir_.block(), sends = ir_.block(), both = ir_.block();
  ir_.branch(open, moves, sends);
  ir_.at(moves);
  if (row.write) write_row(n, row, data, memory);
  else read = read_row(row, memory), data = data_of(row, read);
  count_answer(n);
  const Block moved_in = ir_.here();
  ir_.jump(both);
  // Where both paths meet, registers have the values known before, except for the response.
  const auto slots = slots_;
  const auto wide = wide_;
  ir_.at(sends);
  send_out(n, mask);
  const std::vector<Value> sent = row.write ? std::vector<Value>{} : row_data(row);
  const std::vector<Value> sent_read = row.write ? std::vector<Value>{} : memory_of(row, sent);
  const Block sent_in = ir_.here();
  ir_.jump(both);
  slots_ = slots;
  wide_ = wide;
  ir_.at(both);
  if (row.write) return;
  const size_t groups = data.size() / row.count;
  // LLVM drops those of both that nothing uses.
  for (size_t i = 0; i < data.size(); i++) data[i] = ir_.phi(data[i], moved_in, sent[i], sent_in);
  for (size_t i = 0; i < read.size(); i++) read[i] = ir_.phi(read[i], moved_in, sent_read[i], sent_in);
  rows_.read.push_back({data, std::move(read)});
  for (unsigned i = 0; i < row.count; i++) set_row_values(row.data + i * row.each, row.each, std::span(data).subspan(i * groups, groups));
}

/// Ends a thread without sending its last message if that has no effect.
void Emitter::end_silently(size_t n) {
  if (numbers_[n] == ~0u || ops_[n].instruction->sfid() != static_cast<unsigned>(Sfid::thread_spawner)) return;
  const Value silent = ir_.load(ir_.i8, answer_field(n, offsetof(DirectAnswer, silent)), 1);
  const Block ends = ir_.block(), sends = ir_.block();
  ir_.branch(ir_.icmp(LLVMIntNE, silent, ir_.constant(ir_.i8, 0)), ends, sends);
  ir_.at(ends);
  count_answer(n);
  finish_thread();
  ir_.at(sends);
}

}  // namespace softgen::eu::jit
