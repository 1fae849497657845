// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/loaded_code.h"

#include "hw/base/log.h"
#include "hw/eu/jit/object_linker.h"

namespace softgen::eu::jit {

LoadedCode::LoadedCode(const Program& program, const Variant& variant, const ObjectFile& object, const std::string& name, CodeArena& arena)
    : arena_(arena) {
  compiled_.variant = variant;
  compiled_.stepped = object.stepped;
  FlowGraph graph;
  if (object.bytes.empty() || analyze(program, graph)) return;
  const LinkedObject linked(object.bytes, name);
  if (linked.refused()) {
    note("EU JIT: an object file is refused", "{}", linked.refused());
    return;
  }
  block_ = arena_.allocate(linked.size());
  lacks_room_ = block_.empty();
  if (lacks_room_) return;
  if (!linked.place(block_) || !arena_.seal(block_)) {
    note("EU JIT: code cannot be loaded", "the host lets no memory become executable");
    return;
  }
  for (const int32_t place : graph.wait_places)
    compiled_.wait_offsets.push_back(place < 0 ? ~0u : program.ops()[static_cast<size_t>(place)].offset);
  prepare(program, graph, compiled_);
  compiled_.code = reinterpret_cast<Code>(reinterpret_cast<uintptr_t>(block_.data()) + linked.entry());
}

}  // namespace softgen::eu::jit
