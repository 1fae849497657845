// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Vertex Fetch (VF) Stage".
#include "hw/render/vertex_fetch.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "hw/base/log.h"

namespace softgen::render {
namespace {

uint32_t controlled(VertexComponent control, uint32_t value) {
  switch (control) {
    case VertexComponent::source: return value;
    case VertexComponent::one_float: return std::bit_cast<uint32_t>(1.0f);
    case VertexComponent::one_integer: return 1;
    default: return 0;
  }
}

/// 64-bit components pass as pairs of dwords; the controls choose among whole components. SKL PRM vol 2d, VERTEX_ELEMENT_STATE: the element
/// has 128 bits, or 256 when components 2 and 3 are stored.
void store_raw64(const surface::Format& format, const std::byte* element, std::span<const VertexComponent, 4> controls,
                 std::span<Vec4> out) {
  std::array<uint32_t, 8> dwords{};
  surface::decode_raw64(format, element, dwords);
  for (unsigned c = 0; c < 4 && c / 2 < out.size(); ++c)
    for (unsigned half = 0; half < 2; ++half)
      out[c / 2][2 * (c % 2) + half] = controls[c] == VertexComponent::source ? dwords[2 * c + half] : 0;
}

constexpr uint64_t nowhere = ~uint64_t{0};
alignas(32) constexpr std::byte zeros[32] = {};

bool is_wide(const VertexElement& element, const surface::Format* format) {
  return format && format->numeric == surface::Numeric::raw64 && element.components[2] != VertexComponent::none;
}

}  // namespace

VertexFetch::VertexFetch(const DrawState& state, memory::View& view, const DrawCall& draw)
    : input_(state.vertex), view_(view), draw_(draw) {
  for (const VertexElement& element : input_.elements) {
    if (!element.valid) {
      sources_.push_back({element, {}, nullptr, static_cast<uint32_t>(slots_++)});  // it has no elements
      continue;
    }
    const VertexBuffer buffer = element.buffer < input_.buffers.size() ? input_.buffers[element.buffer] : VertexBuffer{};
    const surface::Format* format = surface::find_format(element.format);
    if (!format || !format->is(surface::use_vertex) || format->block_bytes() > 32) {
      guest_error("vertex element format", "{} is not a vertex format", static_cast<uint32_t>(element.format));
      format = nullptr;
    }
    if (element.edge_flag) {
      edge_flag_ = Source{element, buffer, format};
      edge_flag_->find_extent();
      continue;
    }
    const bool wide = is_wide(element, format);
    sources_.push_back({element, buffer, format, static_cast<uint32_t>(slots_), wide});
    sources_.back().find_extent();
    vertex_bytes_ += sources_.back().bytes();
    slots_ += wide ? 2 : 1;
  }
  index_size_ = input_.index.index_bytes;
  cut_enabled_ = draw.indexed ? input_.cut_indexed : input_.cut_sequential;
}

VertexFetch::VertexFetch(const VertexFetch& like, memory::View& view)
    : input_(like.input_),
      view_(view),
      draw_(like.draw_),
      sources_(like.sources_),
      edge_flag_(like.edge_flag_),
      slots_(like.slots_),
      index_size_(like.index_size_),
      cut_enabled_(like.cut_enabled_),
      vertex_bytes_(like.vertex_bytes_) {}

std::vector<uint8_t> VertexFetch::delivered() const {
  std::vector<uint8_t> result;
  for (size_t number = 0; number < sources_.size(); ++number) {
    const Source& source = sources_[number];
    const bool all = !input_.packing || number >= input_.packed.size();
    const unsigned enables = all ? 15 : input_.packed[number],
                   width = source.format && source.format->numeric == surface::Numeric::raw64 ? 2 : 1;
    for (unsigned dword = 0; dword < (source.wide ? 8u : 4u); ++dword)
      if (enables >> dword / width & 1) result.push_back(static_cast<uint8_t>(4 * source.slot + dword));
  }
  return result;
}

uint64_t VertexFetch::index(uint32_t n) {
  const IndexBuffer& ib = input_.index;
  uint64_t value = uint64_t{draw_.start_vertex} + n;
  if (draw_.indexed) {
    const uint64_t offset = value * index_size_;
    value = 0;
    if (offset + index_size_ <= ib.size) {
      const uint64_t address = ib.address + offset;
      value = index_size_ == 1   ? view_.load<uint8_t>(address)
              : index_size_ == 2 ? view_.load<uint16_t>(address)
                                 : view_.load<uint32_t>(address);
    }
  }
  if (cut_enabled_ && value == input_.cut_index) return cut;
  return value & 0xffffffff;
}

template <typename Index>
void VertexFetch::read_indices(uint64_t address, std::span<uint32_t> out) {
  while (!out.empty()) {
    uint64_t left;
    const std::byte* const at = view_.at(address, left);
    const size_t count = std::min<size_t>(out.size(), left / sizeof(Index));
    if (count == 0) {  // it crosses a page
      out[0] = view_.load<Index>(address);
      out = out.subspan(1), address += sizeof(Index);
      continue;
    }
    if constexpr (sizeof(Index) == sizeof out[0]) std::memcpy(out.data(), at, count * sizeof(Index));
    else
      for (size_t i = 0; i < count; ++i) {
        Index value;
        std::memcpy(&value, at + i * sizeof(Index), sizeof value);
        out[i] = value;
      }
    out = out.subspan(count), address += count * sizeof(Index);
  }
}

void VertexFetch::indices(uint32_t first, std::span<uint32_t> out) {
  const IndexBuffer& ib = input_.index;
  const uint64_t start = uint64_t{draw_.start_vertex} + first, end = start + out.size();
  if (!draw_.indexed) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<uint32_t>(start + i);
    return;
  }
  if (end * index_size_ > ib.size) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<uint32_t>(index(first + static_cast<uint32_t>(i)));
    return;
  }
  const uint64_t address = ib.address + start * index_size_;
  if (index_size_ == 1) read_indices<uint8_t>(address, out);
  else if (index_size_ == 2) read_indices<uint16_t>(address, out);
  else read_indices<uint32_t>(address, out);
}

void VertexFetch::Source::find_extent() {
  const uint64_t offset = element.offset;
  start = buffer.address + offset;
  count = 0;
  if (!format || buffer.null || offset + format->block_bytes() > buffer.size) return;
  const uint64_t after_first = buffer.size - offset - format->block_bytes();
  count = buffer.pitch ? after_first / buffer.pitch + 1 : ~uint64_t{0};
}

/// Of an element; `nowhere` when it does not lie in its buffer as a whole: it reads as zero (SKL PRM vol 2a, VERTEX_BUFFER_STATE, Buffer
/// Size).
uint64_t VertexFetch::address(const Source& source, uint32_t index, uint32_t instance) const {
  uint64_t number = index;
  if (source.element.per_instance) [[unlikely]]
    number = uint64_t{draw_.start_instance} + (source.element.step_rate ? instance / source.element.step_rate : 0);
  return number < source.count ? source.start + number * source.buffer.pitch : nowhere;
}

/// Returns whether the element lies in its buffer.
bool VertexFetch::fetch_element(const Source& source, uint32_t index, uint32_t instance, std::span<Vec4> out) {
  const auto controls = source.element.components;
  std::array<std::byte, 32> raw{};
  const uint64_t at = address(source, index, instance);
  const bool there = at != nowhere;
  if (there) view_.read(at, raw.data(), source.format->block_bytes());
  if (source.format && source.format->numeric == surface::Numeric::raw64) {
    store_raw64(*source.format, raw.data(), controls, out);
    return there;
  }
  Vec4 value = {};
  if (there) value = surface::decode(*source.format, raw.data());
  for (unsigned c = 0; c < 4; ++c) out[0][c] = controlled(controls[c], value[c]);
  return there;
}

void VertexFetch::store_system_values(uint32_t vertex_id, uint32_t instance, std::span<Vec4> out) const {
  const auto store = [&](const SystemValue& place, uint32_t value) {
    const size_t slot = place.element < sources_.size() ? sources_[place.element].slot : out.size();
    if (place.enable && slot < out.size()) out[slot][place.component] = value;
  };
  store(input_.vertex_id, vertex_id);
  store(input_.instance_id, instance);
  for (size_t i = 0; i < input_.extended.size(); ++i) store(input_.extended[i], draw_value(i));
}

uint32_t VertexFetch::draw_value(size_t parameter) const {
  switch (input_.extended[parameter].source) {
    case DrawValue::Source::vertex_location: return draw_.indexed ? static_cast<uint32_t>(draw_.base_vertex) : draw_.start_vertex;
    case DrawValue::Source::start_instance: return draw_.start_instance;
    default: return draw_.extended[parameter];
  }
}

bool VertexFetch::edge_flag(uint32_t index, uint32_t instance) {
  std::array<Vec4, 2> value{};
  if (edge_flag_) fetch_element(*edge_flag_, draw_.indexed ? index + static_cast<uint32_t>(draw_.base_vertex) : index, instance, value);
  return value[0][0] != 0;
}

void VertexFetch::fetch(uint32_t index, uint32_t instance, std::span<Vec4> out) {
  const uint32_t vertex = draw_.indexed ? index + static_cast<uint32_t>(draw_.base_vertex) : index;
  ++vertices_;
  for (const Source& source : sources_) {
    if (source.slot >= out.size()) break;
    const std::span<Vec4> slots = out.subspan(source.slot, std::min<size_t>(source.wide ? 2 : 1, out.size() - source.slot));
    std::fill(slots.begin(), slots.end(), Vec4{});
    if (source.element.valid && !fetch_element(source, vertex, instance, slots)) missing_bytes_ += source.bytes();
  }
  store_system_values(vertex_id(index), instance, out);
}

/// Where eight vertices have an element.
struct VertexFetch::Elements {
  std::array<const std::byte*, lanes> at;
  uint32_t there = 0;                       ///< bit i: vertex i has it
  std::array<std::byte, 32 * lanes> split;  ///< those that are near the end of a page
  const Source* source = nullptr;           ///< whose elements they are
  size_t count = 0;                         ///< of the vertices
  bool plain = false;                       ///< all of them are there, and none is split
  uint64_t last = 0;                        ///< plain: the greatest number of an element,
  uint64_t low = 0, high = 0;               ///< and the range of the elements' places in their pages
};

namespace {

constexpr uint64_t fetched_bytes = 16;  ///< that may be read from where an element begins

/// `pitch` bytes from one to the next, of which the first is number `first`.
template <typename Elements>
void put_row(Elements& out, const std::byte* at, uint64_t va, uint64_t first, uint64_t all, uint64_t pitch) {
  constexpr uint64_t page = memory::View::page_size;
  for (size_t i = 0; i <= all; ++i) out.at[i] = at + i * pitch;
  out.there = (2u << all) - 1;
  out.plain = true;
  out.last = first + all, out.low = va % page, out.high = va % page + all * pitch;
}

}  // namespace

/// From where the vertices have another element of the same buffer. False: it must be looked for.
bool VertexFetch::move(const Source& source, Elements& out) const {
  constexpr uint64_t page = memory::View::page_size;
  if (!out.plain || out.source->element.buffer != source.element.buffer || source.element.per_instance || out.last >= source.count)
    return false;
  const uint64_t distance = source.start - out.source->start, bytes = std::max<uint64_t>(source.bytes(), fetched_bytes);
  if (out.low + distance >= page || out.high + distance + bytes > page) return false;
  for (size_t i = 0; i < out.count; ++i) out.at[i] += static_cast<int64_t>(distance);
  out.low += distance, out.high += distance;
  out.source = &source;
  return true;
}

void VertexFetch::locate(const Source& source, std::span<const VertexName> vertices, Elements& out) {
  constexpr uint64_t page = memory::View::page_size;
  const unsigned bytes = source.format ? source.format->block_bytes() : 0;
  const uint64_t read = std::max<uint64_t>(bytes, fetched_bytes);
  const uint32_t base = draw_.indexed ? static_cast<uint32_t>(draw_.base_vertex) : 0;
  // One after the other, as lists without indices have them, and mostly in one page.
  const auto follow = [&] {
    uint32_t gaps = 0;
    for (size_t i = 0; i < vertices.size(); ++i) gaps |= vertices[i].index - vertices[0].index - static_cast<uint32_t>(i);
    return gaps == 0;
  };
  const uint64_t first = vertices[0].index + base, all = vertices.size() - 1;
  out.source = &source, out.count = vertices.size();
  if (!draw_.indexed && !source.element.per_instance && first + all < source.count && source.buffer.pitch <= page / lanes && follow()) {
    const uint64_t va = source.start + first * source.buffer.pitch;
    if (va % page + all * source.buffer.pitch + read <= page) return put_row(out, view_.at(va), va, first, all, source.buffer.pitch);
  }
  uint64_t known = nowhere;  // a page, and where it is
  const std::byte* known_at = nullptr;
  out.there = 0;
  out.plain = !source.element.per_instance;
  out.last = 0, out.low = page, out.high = 0;
  for (size_t i = 0; i < vertices.size(); ++i) {
    const uint32_t number = vertices[i].index + base;
    const uint64_t va = address(source, number, vertices[i].instance);
    out.at[i] = zeros;
    if (va == nowhere) {
      out.plain = false;
      continue;
    }
    out.there |= 1u << i;
    const uint64_t within = va % page;
    if (within + read > page) {
      view_.read(va, &out.split[32 * i], bytes);
      out.at[i] = &out.split[32 * i];
      out.plain = false;
      continue;
    }
    out.last = std::max<uint64_t>(out.last, number), out.low = std::min(out.low, within), out.high = std::max(out.high, within);
    if (va - within != known) known = va - within, known_at = view_.at(known);
    out.at[i] = known_at + within;
  }
}

/// Elements of up to four dwords, of eight vertices that all have one. `to`: by component.
void VertexFetch::put_words(const Source& source, const Elements& elements, std::span<Grf* const> to, size_t offset) const {
  const surface::Format& format = *source.format;
  alignas(32) std::array<std::array<uint32_t, lanes>, 4> words;
  kernels_.dwords(elements.at.data(), words[0].data());
  for (size_t c = 0; c < 4; ++c) {
    if (!to[c]) continue;
    uint32_t* const dw = to[c][offset].dw;
    const int stored = format.output[c];
    if (const VertexComponent control = source.element.components[c]; control == VertexComponent::source && stored >= 0) {
      std::memcpy(dw, words[static_cast<size_t>(stored)].data(), sizeof words[0]);
    } else {
      const uint32_t one = format.numeric == surface::Numeric::floating ? std::bit_cast<uint32_t>(1.0f) : 1;
      std::fill_n(dw, lanes, controlled(control, c == 3 ? one : 0));
    }
  }
}

void VertexFetch::fetch_lanes(std::span<const VertexName> vertices, std::span<Grf* const> registers, size_t offset) {
  Elements elements;
  const uint32_t all = (1u << vertices.size()) - 1;
  vertices_ += vertices.size();
  for (const Source& source : sources_) {
    const std::span<Grf* const> to = registers.subspan(size_t{source.slot} * 4, source.wide ? 8 : 4);
    const auto put = [&](size_t component, size_t lane, uint32_t value) {
      if (to[component]) to[component][offset].dw[lane] = value;
    };
    if (!source.element.valid) {
      for (size_t c = 0; c < to.size(); ++c)
        for (size_t i = 0; i < vertices.size(); ++i) put(c, i, 0);
      continue;
    }
    if (!move(source, elements)) locate(source, vertices, elements);
    const auto controls = source.element.components;
    const surface::Format* format = source.format;
    if (elements.there != all) missing_bytes_ += source.bytes() * static_cast<uint64_t>(std::popcount(all & ~elements.there));
    if (format && format->numeric == surface::Numeric::raw64) {
      for (size_t i = 0; i < vertices.size(); ++i) {
        std::array<Vec4, 2> value{};
        store_raw64(*format, elements.at[i], controls, std::span(value).first(to.size() / 4));
        for (size_t c = 0; c < to.size(); ++c) put(c, i, value[c / 4][c % 4]);
      }
    } else if (format && format->layout == surface::ElementLayout::words && elements.there == 0xff) {
      put_words(source, elements, to, offset);
    } else {
      for (size_t i = 0; i < vertices.size(); ++i) {
        const Vec4 value = elements.there >> i & 1 ? surface::decode(*format, elements.at[i]) : Vec4{};
        for (size_t c = 0; c < 4; ++c) put(c, i, controlled(controls[c], value[c]));
      }
    }
  }
  const auto system_value = [&](const SystemValue& place, auto&& value) {
    const size_t at = place.element < sources_.size() ? size_t{sources_[place.element].slot} * 4 + place.component : registers.size();
    if (!place.enable || at >= registers.size() || !registers[at]) return;
    for (size_t i = 0; i < vertices.size(); ++i) registers[at][offset].dw[i] = value(vertices[i]);
  };
  system_value(input_.vertex_id, [&](const VertexName& v) { return vertex_id(v.index); });
  system_value(input_.instance_id, [](const VertexName& v) { return v.instance; });
  for (size_t i = 0; i < input_.extended.size(); ++i)
    system_value(input_.extended[i], [value = draw_value(i)](const VertexName&) { return value; });
}

}  // namespace softgen::render
