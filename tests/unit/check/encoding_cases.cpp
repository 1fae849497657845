// SPDX-License-Identifier: GPL-2.0-or-later
#include "feed.h"

namespace softgen::debug::check {
namespace {

using Outcome = WatchedPacket::Outcome;

/// All that a draw needs, but for `left_out`.
void set_up_draw(Feed& feed, std::string_view left_out) {
  feed.begin();
  for (const char* name : {"PIPELINE_SELECT", "STATE_BASE_ADDRESS", "3DSTATE_VS", "3DSTATE_HS", "3DSTATE_TE", "3DSTATE_DS", "3DSTATE_GS",
                           "3DSTATE_CLIP", "3DSTATE_SF", "3DSTATE_RASTER", "3DSTATE_SBE", "3DSTATE_WM", "3DSTATE_PS", "3DSTATE_PS_EXTRA",
                           "3DSTATE_URB_VS", "3DSTATE_URB_HS", "3DSTATE_URB_DS", "3DSTATE_URB_GS", "3DSTATE_MULTISAMPLE"})
    if (name != left_out) feed.command(name);
  feed.draw();
}

void noops(Feed& feed, int count) {
  for (int i = 0; i < count; ++i) feed.command("MI_NOOP");
  feed.command("MI_BATCH_BUFFER_END");
}

void set_reserved_bit(Feed& feed) {
  std::vector<uint32_t> dwords = feed.dwords("PIPE_CONTROL");
  dwords[1] = 1u << 31;
  feed.words("PIPE_CONTROL", dwords);
}

Feed& whitelist(Feed& feed) {
  feed.checker().register_written(feed.platform().registers->engine(EngineId::rcs)->mmio_base + reg::RING_FORCE_TO_NONPRIV(0), 0x2248);
  return feed;
}
void load_refused(Feed& feed) { feed.words("MI_LOAD_REGISTER_IMM", feed.dwords("MI_LOAD_REGISTER_IMM"), 1, Outcome::refused); }

Feed& program(Feed& feed, uint32_t table, unsigned first, unsigned last, uint32_t value = 5) {
  for (unsigned i = first; i <= last; ++i) feed.checker().register_written(table + 4 * i, value);
  return feed;
}
void name_entry(Feed& feed, uint64_t index) { feed.command("STATE_BASE_ADDRESS", {{"Stateless Data Port Access MOCS", index << 1}}); }

constexpr uint64_t media = 1;

Feed& select_on_ring(Feed& feed, uint64_t pipeline) { return feed.command("PIPELINE_SELECT", {{"Pipeline Selection", pipeline}}); }
Feed& set_context(Feed& feed, uint64_t address, bool inhibit = false) {
  return feed.ring_command("MI_SET_CONTEXT", {{"Logical Context Address", address}, {"Restore Inhibit", inhibit}});
}

constexpr RuleCase cases[] = {
    {"A1", set_reserved_bit, [](Feed& feed) { feed.flush({{"Flush LLC", 1}, {"Address", 0xffff'ffff'fffc}, {"Immediate Data", ~0ull}}); }},
    {"A1", set_reserved_bit, [](Feed& feed) { feed.flush({{"Tile Cache Flush Enable", 1}}); }, "icl"},
    {"A3", [](Feed& feed) { feed.select(3); }, [](Feed& feed) { feed.select(gpgpu); }},
    {"A3", [](Feed& feed) { feed.select(3); }, [](Feed& feed) { feed.command("3DSTATE_WM", {{"Barycentric Interpolation Mode", 3}}); }},
    {"A4", [](Feed& feed) { feed.words("PIPE_CONTROL", feed.dwords("PIPE_CONTROL", {}, 1)); },
     [](Feed& feed) { feed.flush({}).words("MI_LOAD_REGISTER_IMM", feed.dwords("MI_LOAD_REGISTER_IMM", {}, 2)); }},
    {"A4", [](Feed& feed) { feed.words("3DSTATE_TE", feed.dwords("3DSTATE_TE", {}, 1)); },
     [](Feed& feed) {
       std::vector<uint32_t> dwords = feed.dwords("3DSTATE_TE");
       dwords.pop_back();
       --dwords[0];
       feed.words("3DSTATE_TE", dwords);
     },
     "tgl"},
    {"A5", [](Feed& feed) { feed.checker().unknown_command(EngineId::rcs, 0x1000, 0x7fff'0000); }, [](Feed& feed) { feed.draw(); }},
    {"A6",
     [](Feed& feed) {
       std::vector<uint32_t> dwords = feed.dwords("PIPE_CONTROL");
       dwords[3] = 0x0001'0000;
       feed.words("PIPE_CONTROL", dwords);
     },
     [](Feed& feed) {
       std::vector<uint32_t> dwords = feed.dwords("PIPE_CONTROL");
       dwords[3] = 0xffff'8000;
       feed.words("PIPE_CONTROL", dwords);
     }},
    {"A7", [](Feed& feed) { name_entry(program(feed, reg::GFX_MOCS(0), 0, 2), 3); },
     [](Feed& feed) { name_entry(program(feed, reg::GFX_MOCS(0), 0, 3), 3); }},
    {"A7", [](Feed& feed) { name_entry(program(feed, reg::GLOBAL_MOCS(0), 0, 2), 3); }, [](Feed& feed) { name_entry(feed, 3); }, "tgl"},
    {"A7E", [](Feed& feed) { program(feed, reg::GFX_MOCS(0), 0, 62).begin(); },
     [](Feed& feed) { program(feed, reg::GFX_MOCS(0), 0, 63).begin(); }},
    {"A7T",
     [](Feed& feed) {
       program(program(feed, reg::GFX_MOCS(0), 0, 63), reg::BLT_MOCS(0), 9, 9, 6);
       WatchedEntry entry = feed.entry(0, 64);
       entry.engine = EngineId::bcs;
       feed.checker().context_entered(entry);
     },
     [](Feed& feed) { program(program(feed, reg::GFX_MOCS(0), 0, 63), reg::BLT_MOCS(0), 0, 9).begin(); }},
    {"A8", [](Feed& feed) { noops(feed, 1100); }, [](Feed& feed) { noops(feed, 1000), noops(feed, 1000); }},
    {"A8M", [](Feed& feed) { feed.checker().missing_command(EngineId::rcs, 0x1000); }, [](Feed& feed) { feed.draw(); }},
    {"A9", [](Feed& feed) { load_refused(whitelist(feed)); }, [](Feed& feed) { whitelist(feed).command("MI_LOAD_REGISTER_IMM"); }},
    {"A9", [](Feed& feed) { feed.words("MI_UPDATE_GTT", feed.dwords("MI_UPDATE_GTT"), 1, Outcome::refused); }, load_refused},
    {"A10", [](Feed& feed) { feed.select(gpgpu).draw(); }, [](Feed& feed) { feed.draw().select(gpgpu).walk().select(three_d).draw(); }},
    {"A1", [](Feed& feed) { feed.words("MI_FLUSH", {feed.dwords("MI_FLUSH")[0] | 1}); },
     [](Feed& feed) { feed.command("MI_FLUSH", {{"Indirect State Pointers Disable", 1}}); }, "ilk"},
    {"A3", [](Feed& feed) { select_on_ring(feed, 2); }, [](Feed& feed) { select_on_ring(feed, media); }, "ilk"},
    {"A4", [](Feed& feed) { feed.words("STATE_BASE_ADDRESS", feed.dwords("STATE_BASE_ADDRESS", {}, 1)); },
     [](Feed& feed) { feed.command("STATE_BASE_ADDRESS"); }, "ilk"},
    {"A8", [](Feed& feed) { noops(feed, 1100); }, [](Feed& feed) { noops(feed, 1000), noops(feed, 1000); }, "ilk"},
    {"A9", [](Feed& feed) { feed.words("MI_UPDATE_GTT", feed.dwords("MI_UPDATE_GTT"), 1, Outcome::refused); },
     [](Feed& feed) { feed.ring_command("MI_UPDATE_GTT"); }, "ilk"},
    {"A10", [](Feed& feed) { select_on_ring(feed, media).draw(); }, [](Feed& feed) { select_on_ring(feed, three_d).draw(); }, "ilk"},
    // Each context has a selection of its own.
    {"A10", [](Feed& feed) { set_context(select_on_ring(set_context(feed, 0x1000), media), 0x1000).draw(); },
     [](Feed& feed) { set_context(select_on_ring(set_context(feed, 0x1000), media), 0x2000).draw(); }, "ilk"},
    {"A10", [](Feed& feed) { set_context(set_context(select_on_ring(set_context(feed, 0x1000), media), 0x2000), 0x1000).draw(); },
     [](Feed& feed) { set_context(set_context(select_on_ring(set_context(feed, 0x1000), media), 0x2000), 0x1000, true).draw(); }, "ilk"},
    {"A11", [](Feed& feed) { set_up_draw(feed, "3DSTATE_WM"); }, [](Feed& feed) { set_up_draw(feed, ""); }},
    {"A11", [](Feed& feed) { feed.begin().select(gpgpu).walk(); }, [](Feed& feed) { feed.select(gpgpu).walk(); }},
};

}  // namespace

std::span<const RuleCase> encoding_cases() { return cases; }

}  // namespace softgen::debug::check
