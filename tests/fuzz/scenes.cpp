// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/scenes.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "hw/debug/batch_walker.h"
#include "hw/debug/byte_source.h"
#include "hw/defs/gen9/all.h"
#include "hw/replay/image.h"
#include "tests/unit/memory/tables.h"

namespace softgen::fuzz {
namespace {

using defs::CommandId;
namespace gen9 = defs::gen9;

constexpr size_t max_pages = 30000;  // two mappings each, of the 65530 that Linux allows
constexpr size_t table_pages_per_space = 16;
constexpr size_t zero_pages = 64;  // per address space: buffers that were never written share these
constexpr uint32_t table_entries = 12, samplers = 4, kernel_dwords = 256;

/// One address space of a submission that drew: virtual pages with their contents.
struct Snapshot {
  std::map<uint64_t, std::vector<std::byte>> pages;  // empty: of zeros
  std::vector<size_t> scenes;                        // numbers
  size_t written() const {
    return static_cast<size_t>(std::ranges::count_if(pages, [](const auto& page) { return !page.second.empty(); }));
  }
  size_t table_pages() const { return table_pages_per_space + pages.size() / 8; }
};

bool is_action(CommandId id) {
  return id == CommandId::_3DPRIMITIVE || id == CommandId::GPGPU_WALKER || id == CommandId::MEDIA_OBJECT ||
         id == CommandId::MEDIA_OBJECT_WALKER;
}

/// What a draw's state points to.
class PlaceFinder {
 public:
  PlaceFinder(memory::View& view, const render::StateStore& store, const defs::CommandSet& commands)
      : view_(view), store_(store), commands_(commands) {
    const auto base = unpacked<gen9::STATE_BASE_ADDRESS>(CommandId::STATE_BASE_ADDRESS);
    surface_ = base.surface_state_base_address, dynamic_ = base.dynamic_state_base_address, instruction_ = base.instruction_base_address;
    const auto pool = unpacked<gen9::_3DSTATE_BINDING_TABLE_POOL_ALLOC>(CommandId::_3DSTATE_BINDING_TABLE_POOL_ALLOC);
    pooled_ = pool.binding_table_pool_enable;
    tables_ = pooled_ ? pool.binding_table_pool_base_address : surface_;
  }
  /// A driver that has a pool also makes table pointers count qwords (GT_MODE; Mesa iris_state.c, iris_init_common_context).
  bool pooled() const { return pooled_; }
  std::vector<StatePlace> find() {
    struct Stage {
      CommandId table, sampler;
    };
    static constexpr Stage stages[] = {{CommandId::_3DSTATE_BINDING_TABLE_POINTERS_VS, CommandId::_3DSTATE_SAMPLER_STATE_POINTERS_VS},
                                       {CommandId::_3DSTATE_BINDING_TABLE_POINTERS_HS, CommandId::_3DSTATE_SAMPLER_STATE_POINTERS_HS},
                                       {CommandId::_3DSTATE_BINDING_TABLE_POINTERS_DS, CommandId::_3DSTATE_SAMPLER_STATE_POINTERS_DS},
                                       {CommandId::_3DSTATE_BINDING_TABLE_POINTERS_GS, CommandId::_3DSTATE_SAMPLER_STATE_POINTERS_GS},
                                       {CommandId::_3DSTATE_BINDING_TABLE_POINTERS_PS, CommandId::_3DSTATE_SAMPLER_STATE_POINTERS_PS}};
    for (const Stage& stage : stages) {
      if (const auto p = store_.packet(stage.table); p.size() > 1 && p[1]) table_at(p[1]);
      if (const auto p = store_.packet(stage.sampler); p.size() > 1 && p[1]) sampler_array(dynamic_ + p[1]);
    }
    one(CommandId::_3DSTATE_BLEND_STATE_POINTERS, "BLEND_STATE"), one(CommandId::_3DSTATE_CC_STATE_POINTERS, "COLOR_CALC_STATE");
    one(CommandId::_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP, "SF_CLIP_VIEWPORT"),
        one(CommandId::_3DSTATE_VIEWPORT_STATE_POINTERS_CC, "CC_VIEWPORT");
    one(CommandId::_3DSTATE_SCISSOR_STATE_POINTERS, "SCISSOR_RECT");
    for (const CommandId id :
         {CommandId::_3DSTATE_VS, CommandId::_3DSTATE_HS, CommandId::_3DSTATE_DS, CommandId::_3DSTATE_GS, CommandId::_3DSTATE_PS})
      if (const auto p = store_.packet(id); p.size() > 2) kernel(p[1] | uint64_t{p[2]} << 32);
    if (const auto p = store_.packet(CommandId::MEDIA_INTERFACE_DESCRIPTOR_LOAD); p.size() > 3) descriptor(dynamic_ + p[3]);
    return std::move(places_);
  }

 private:
  template <typename T>
  T unpacked(CommandId id) const {
    return T::unpack(store_.packet(id));
  }
  bool mapped(uint64_t at) const { return memory::translate(view_.space(), view_.memory(), strip_canonical(at)).valid; }
  void add(uint64_t at, const defs::Structure* structure, uint32_t dwords) {
    if (mapped(at) && mapped(at + dwords * 4 - 1)) places_.push_back({strip_canonical(at), structure, dwords});
  }
  void one(CommandId id, const char* name) {
    const defs::Structure* const structure = commands_.find_structure(name);
    if (const auto p = store_.packet(id); p.size() > 1 && structure)
      add(dynamic_ + (p[1] & ~31u), structure, std::max<uint32_t>(structure->dwords, 3));
  }
  void table_at(uint32_t pointer) { table(tables_ + (uint64_t{pointer} << (pooled_ ? 3 : 0))); }
  void table(uint64_t at) {
    for (uint32_t i = 0; i < table_entries && mapped(at + i * 4); ++i) {
      const uint32_t offset = view_.load<uint32_t>(strip_canonical(at + i * 4));
      if (offset && offset % 64 == 0) add(surface_ + offset, commands_.find_structure("RENDER_SURFACE_STATE"), 16);
    }
    add(at, commands_.find_structure("BINDING_TABLE_STATE"), 1);
  }
  void sampler_array(uint64_t at) {
    for (uint32_t i = 0; i < samplers; ++i) add(at + i * 16, commands_.find_structure("SAMPLER_STATE"), 4);
  }
  void kernel(uint64_t offset) {
    if (const uint64_t at = instruction_ + (offset & ~uint64_t{63}); mapped(at))
      places_.push_back({strip_canonical(at), nullptr, kernel_dwords});
  }
  void descriptor(uint64_t at) {
    add(at, commands_.find_structure("INTERFACE_DESCRIPTOR_DATA"), 8);
    if (!mapped(at)) return;
    std::array<uint32_t, 8> words;
    view_.read(strip_canonical(at), words.data(), sizeof words);
    const auto d = gen9::INTERFACE_DESCRIPTOR_DATA::unpack(words);
    kernel(d.kernel_start_pointer);
    table_at(d.binding_table_pointer);
    sampler_array(dynamic_ + d.sampler_state_pointer);
  }

  memory::View& view_;
  const render::StateStore& store_;
  const defs::CommandSet& commands_;
  uint64_t surface_ = 0, dynamic_ = 0, instruction_ = 0, tables_ = 0;
  bool pooled_ = false;
  std::vector<StatePlace> places_;
};

class Collector final : public debug::BatchObserver {
 public:
  Collector(memory::View& view, render::StateStore& store, const defs::CommandSet& commands, std::vector<Scene>& scenes)
      : view_(view), store_(store), commands_(commands), scenes_(scenes) {}
  void packet(const debug::WalkedPacket& p) override {
    if (!p.command) return;
    const Packet packet{p.address, p.command, p.dwords};
    if (store_.accept(packet) || !is_action(p.command->id)) return;
    PlaceFinder finder(view_, store_, commands_);
    scenes_.push_back({.space = {},
                       .state = std::make_shared<render::StateStore>(store_),
                       .action = p.command,
                       .packet = {p.dwords.begin(), p.dwords.end()},
                       .places = finder.find(),
                       .pooled = finder.pooled(),
                       .addresses = {}});
  }
  void problem(uint64_t, const std::string&) override {}

 private:
  memory::View& view_;
  render::StateStore& store_;
  const defs::CommandSet& commands_;
  std::vector<Scene>& scenes_;
};

/// Calls page(va) for each page of a 48-bit space that has an entry.
template <typename Page>
void each_page(HostMemory& memory, const memory::AddressSpace& space, Page&& page) {
  const auto entries = [&](uint64_t table, auto&& entry) {
    const HostSpan span = memory.resolve(table & 0x7f'ffff'f000, Access::read);
    if (!span.data || span.size < page_size) return;
    for (uint64_t i = 0; i < 512; ++i) {
      uint64_t value;
      std::memcpy(&value, span.data + i * 8, 8);
      if (value & 1) entry(i, value);
    }
  };
  entries(space.roots[0], [&](uint64_t a, uint64_t pdp) {
    entries(pdp, [&](uint64_t b, uint64_t directory) {
      entries(directory, [&](uint64_t c, uint64_t table) {
        entries(table, [&](uint64_t d, uint64_t) { page(a << 39 | b << 30 | c << 21 | d << 12); });
      });
    });
  });
}

class Reader {
 public:
  Reader(const defs::Platform& platform, std::vector<Scene>& scenes, std::vector<Snapshot>& snapshots)
      : commands_(*platform.commands), scenes_(scenes), snapshots_(snapshots), image_(memory_, ggtt_, platform.name) {
    image_.on_submit = [this](const replay::Submission& s) { submit(s); };
  }
  void read(const std::string& path) {
    const auto source = debug::open_file(path);
    debug::read_aub(*source, image_);
  }

 private:
  void submit(const replay::Submission& s) {
    if (s.engine != EngineId::rcs || s.ppgtt.kind != memory::AddressSpace::Kind::ppgtt48) return;
    memory::View ppgtt(memory_, nullptr);
    ppgtt.set_space(s.ppgtt);
    const size_t first = scenes_.size();
    Collector collector(ppgtt, stores_.try_emplace(s.lrca, commands_).first->second, commands_, scenes_);
    debug::BatchWalker walker(commands_, defs::EngineClass::render, image_.ggtt_view(), &ppgtt, collector);
    walker.ring(s.ring_start, s.ring_size, s.ring_head, s.ring_tail);
    if (scenes_.size() == first) return;
    Snapshot& snapshot = snapshots_.emplace_back();
    for (size_t i = first; i < scenes_.size(); ++i) snapshot.scenes.push_back(i);
    each_page(memory_, s.ppgtt, [&](uint64_t va) {
      std::vector<std::byte> bytes(page_size);
      ppgtt.read(va, bytes.data(), bytes.size());
      if (std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; })) bytes.clear();
      snapshot.pages.emplace(va, std::move(bytes));
    });
  }

  const defs::CommandSet& commands_;
  std::vector<Scene>& scenes_;
  std::vector<Snapshot>& snapshots_;
  memory::SparseMemory memory_{uint64_t{1} << 30};
  memory::Ggtt ggtt_;
  replay::Image image_;
  std::map<uint32_t, render::StateStore> stores_;  // by context
};

}  // namespace

Scenes::Scenes(const std::string& folder, const defs::Platform& platform) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().string().find(".aub") != std::string::npos) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Snapshot> snapshots;
  for (const std::string& path : paths) Reader(platform, scenes_, snapshots).read(path);
  if (scenes_.empty()) std::abort();

  size_t total = 0;
  for (const Snapshot& s : snapshots) total += s.written() + zero_pages + s.table_pages();
  if (total > max_pages) std::fprintf(stderr, "captures have %zu pages\n", total), std::abort();
  memory_ = std::make_unique<IsolatedMemory>(total);
  uint64_t next = 0;
  for (const Snapshot& s : snapshots) {
    const uint64_t tables_at = next * page_size, spare = s.table_pages(), zeros = next + spare;
    next = zeros + zero_pages;
    uint64_t zero = 0;
    memory::test::Tables tables(*memory_, tables_at);
    const uint64_t root = tables.new_table();
    auto addresses = std::make_shared<std::vector<uint64_t>>();
    for (const auto& [va, bytes] : s.pages) {
      memory_->write(next * page_size, bytes);
      tables.map(root, va, (bytes.empty() ? zeros + zero++ % zero_pages : next++) * page_size);
      addresses->push_back(va);
    }
    if (tables.new_table() > tables_at + spare * page_size) std::abort();
    for (const size_t i : s.scenes) scenes_[i].space = memory::AddressSpace::ppgtt48(root, generation_), scenes_[i].addresses = addresses;
  }
  memory_->keep();
}

}  // namespace softgen::fuzz
