// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/target_pictures.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "hw/base/log.h"
#include "hw/debug/kernel_text.h"
#include "hw/debug/packet_json.h"
#include "hw/debug/png_file.h"

namespace softgen::replay {
namespace {

constexpr uint32_t max_entries = 64, surface_alignment = 32;

/// The pixel shader's kernel 0, from the instruction base: that of some enabled width. All widths write the same targets.
std::optional<uint64_t> pixel_kernel(const TargetDecoders& decoders, const debug::ContextState& state, memory::View& view) {
  constexpr const char* field = "Kernel Start Pointer 0";
  if (const auto packet = state.packet(defs::CommandId::_3DSTATE_PS); !packet.empty())
    return debug::Fields(debug::layout_named(decoders.commands, "3DSTATE_PS"), packet)[field];
  // Before Gen6 it is in a state in memory.
  const auto pointers = state.packet(defs::CommandId::_3DSTATE_PIPELINED_POINTERS);
  if (pointers.empty()) return std::nullopt;
  const defs::Structure& layout = debug::layout_named(decoders.commands, "WM_STATE");
  std::vector<uint32_t> words(layout.dwords);
  view.read(debug::Fields(debug::layout_named(decoders.commands, "3DSTATE_PIPELINED_POINTERS"), pointers)["Pointer to WM State"],
            words.data(), words.size() * sizeof words[0]);
  return debug::Fields(layout, words)[field];
}

uint64_t written_targets(const TargetDecoders& decoders, const debug::ContextState& state, memory::View& view) {
  const std::optional<uint64_t> kernel = pixel_kernel(decoders, state, view);
  return kernel ? debug::written_render_targets(decoders.isa, view, strip_canonical(state.instruction + *kernel)) : 0;
}

}  // namespace

bool flushes_targets(const Packet& packet) {
  const debug::Fields fields(*packet.command, packet.dwords);
  switch (packet.command->id) {
    case defs::CommandId::PIPE_CONTROL: return fields.optional("Render Target Cache Flush Enable") || fields.optional("Write Cache Flush");
    case defs::CommandId::MI_FLUSH: return !fields["Render Cache Flush Inhibit"];
    default: return false;
  }
}

std::vector<debug::PictureSource> render_targets(const TargetDecoders& decoders, const debug::ContextState& state, memory::View& view) {
  std::vector<debug::PictureSource> targets;
  const std::optional<uint64_t> pointer = state.pixel_table(decoders.commands);
  if (!pointer) return targets;
  const uint64_t table = *pointer;
  const auto mapped = [&](uint64_t at) { return memory::translate(view.space(), view.memory(), at).valid; };
  const uint64_t written = written_targets(decoders, state, view);
  for (uint32_t i = 0; i < max_entries; i++) {
    if (!bit(written, i) || !mapped(table + i * 4)) continue;
    const auto entry = view.load<uint32_t>(table + i * 4);
    const uint64_t address = strip_canonical(state.surface + entry);
    if (entry == 0 || entry % surface_alignment || !mapped(address)) continue;
    std::array<uint32_t, 16> words;
    view.read(address, words.data(), sizeof words);
    surface::Surface surface = decoders.surface(words);
    if (surface.is_null() || surface.is_buffer() || !debug::is_picture_format(*surface.format)) continue;
    if (surface.clear_address) surface::read_clear_color(view, surface);
    targets.push_back({surface.base, surface.format, surface.width, surface.height, surface.pitch, surface.tiling, surface::Ccs(surface, 0),
                       surface.clear_color});
  }
  return targets;
}

void TargetPictures::drawn(const TargetDecoders& decoders, const debug::ContextState& state, memory::View& view, uint64_t number) {
  unsigned index = 0;
  for (const debug::PictureSource& source : render_targets(decoders, state, view)) {
    targets_.insert_or_assign(source.address, Target{number, index++, source});
  }
}

void TargetPictures::write(memory::View& view, const std::string& folder, std::vector<std::string>& files) {
  for (const auto& [address, target] : targets_) {
    const std::string path = fmt::format("{}/draw{:04}_rt{}_{:x}.png", folder, target.draw, target.index, address);
    const std::string why = debug::write_png(path, target.source.width, target.source.height, debug::read_picture(view, target.source));
    if (why.empty()) files.push_back(path);
    else note("a picture could not be written", "{}", why);
  }
  targets_.clear();
}

}  // namespace softgen::replay
