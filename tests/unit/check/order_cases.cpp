// SPDX-License-Identifier: GPL-2.0-or-later
#include "feed.h"

namespace softgen::debug::check {
namespace {

Feed& clear(Feed& feed, bool on = true) { return feed.command("3DSTATE_WM_HZ_OP", {{"Depth Buffer Clear Enable", on}}); }
Feed& settle(Feed& feed) { return feed.flush({{"Depth Cache Flush Enable", 1}, {"Depth Stall Enable", 1}}); }
Feed& flush_all(Feed& feed) {
  return feed.flush({{"Render Target Cache Flush Enable", 1},
                     {"Depth Cache Flush Enable", 1},
                     {"DC Flush Enable", 1},
                     {"Command Streamer Stall Enable", 1}});
}
Feed& invalidate(Feed& feed) {
  return feed.flush({{"Texture Cache Invalidation Enable", 1},
                     {"Constant Cache Invalidation Enable", 1},
                     {"State Cache Invalidation Enable", 1},
                     {"Instruction Cache Invalidate Enable", 1}});
}
Feed& load_l3(Feed& feed) {
  std::vector<uint32_t> dwords = feed.dwords("MI_LOAD_REGISTER_IMM", {}, 2);
  dwords.resize(3);
  dwords[0] = (dwords[0] & ~0xffu) | 1;
  dwords[1] = reg::L3CNTLREG;
  return feed.words("MI_LOAD_REGISTER_IMM", dwords);
}
void push(Feed& feed, uint32_t units) {
  std::vector<uint32_t> dwords = feed.dwords("3DSTATE_CONSTANT_VS");
  dwords[1] = units;
  feed.command("3DSTATE_PUSH_CONSTANT_ALLOC_VS", {{"Constant Buffer Size", 1}}).words("3DSTATE_CONSTANT_VS", dwords);
}
void place_stages(Feed& feed, uint64_t second) {
  feed.command("3DSTATE_URB_VS", {{"VS URB Starting Address", 4}, {"VS URB Entry Allocation Size", 1}, {"VS Number of URB Entries", 128}})
      .command("3DSTATE_URB_GS", {{"GS URB Starting Address", second}, {"GS Number of URB Entries", 8}})
      .draw();
}
void leave(Feed& feed, bool on) {
  feed.begin().ring_command("MI_ARB_ON_OFF", {{"Arbitration Enable", on}}).checker().context_left(EngineId::rcs, 64, true);
}

Feed& end_of_pipe(Feed& feed, uint64_t write = 1) {
  return feed.flush({{"Render Target Cache Flush Enable", 1}, {"Command Streamer Stall Enable", 1}, {"Post Sync Operation", write}});
}
Feed& use(Feed& feed, std::string_view field) { return feed.command("3DSTATE_PS", {{field, 1}}).draw(); }

constexpr RuleCase cases[] = {
    {"B12", [](Feed& feed) { clear(feed.draw()); }, [](Feed& feed) { clear(settle(feed.draw())); }},
    {"B13", [](Feed& feed) { clear(clear(feed), false).draw(); }, [](Feed& feed) { settle(clear(clear(feed), false)).draw(); }},
    {"B14", [](Feed& feed) { use(end_of_pipe(feed.draw(), 0), "Render Target Fast Clear Enable"); },
     [](Feed& feed) { use(end_of_pipe(feed.draw().draw()), "Render Target Fast Clear Enable"); }},
    {"B14", [](Feed& feed) { use(end_of_pipe(use(feed, "Render Target Resolve Type")).draw(), "Render Target Fast Clear Enable"); },
     [](Feed& feed) {
       end_of_pipe(use(use(feed, "Render Target Resolve Type"), "Render Target Resolve Type")).command("3DSTATE_PS").draw();
     }},
    {"B15", [](Feed& feed) { feed.draw().flush({{"Render Target Cache Flush Enable", 1}}).command("STATE_BASE_ADDRESS"); },
     [](Feed& feed) { flush_all(feed.command("STATE_BASE_ADDRESS").draw()).command("STATE_BASE_ADDRESS"); }},
    {"B15", [](Feed& feed) { feed.walk().flush({{"Command Streamer Stall Enable", 1}}).command("STATE_BASE_ADDRESS"); },
     [](Feed& feed) {
       feed.walk().flush({{"DC Flush Enable", 1}}).flush({{"Command Streamer Stall Enable", 1}}).command("STATE_BASE_ADDRESS");
     }},
    {"B17", [](Feed& feed) { flush_all(feed.select(three_d).draw()).select(gpgpu); },
     [](Feed& feed) { invalidate(flush_all(feed.select(three_d).draw())).select(gpgpu).select(three_d); }},
    {"B17", [](Feed& feed) { invalidate(feed.select(gpgpu).walk()).select(three_d); },
     [](Feed& feed) { invalidate(flush_all(feed.select(gpgpu).walk())).select(gpgpu).select(three_d); }},
    {"B18",
     [](Feed& feed) { feed.select(three_d).command("3DSTATE_CC_STATE_POINTERS", {{"Color Calc State Pointer Valid", 1}}).select(gpgpu); },
     [](Feed& feed) {
       feed.select(three_d).command("3DSTATE_CC_STATE_POINTERS", {{"Color Calc State Pointer Valid", 1}});
       feed.command("3DSTATE_CC_STATE_POINTERS").select(gpgpu);
     }},
    {"B19", [](Feed& feed) { feed.walk().flush({{"DC Flush Enable", 1}}).command("MEDIA_VFE_STATE"); },
     [](Feed& feed) { feed.command("MEDIA_VFE_STATE").walk().flush({{"Command Streamer Stall Enable", 1}}).command("MEDIA_VFE_STATE"); }},
    {"B20", [](Feed& feed) { feed.walk().command("MEDIA_INTERFACE_DESCRIPTOR_LOAD"); },
     [](Feed& feed) { feed.command("MEDIA_CURBE_LOAD").walk().command("MEDIA_STATE_FLUSH").command("MEDIA_CURBE_LOAD"); }},
    {"B24", [](Feed& feed) { push(feed, 65); }, [](Feed& feed) { push(feed, 32); }},
    {"B24", [](Feed& feed) { push(feed, 33); }, [](Feed& feed) { push(feed, 0); }},
    {"B25", [](Feed& feed) { place_stages(feed, 5); }, [](Feed& feed) { place_stages(feed, 6); }},
    {"B26", [](Feed& feed) { settle(clear(feed)).draw(); }, [](Feed& feed) { settle(clear(clear(feed), false)).draw(); }},
    {"B27", [](Feed& feed) { load_l3(flush_all(feed.draw())); },
     [](Feed& feed) { load_l3(flush_all(invalidate(flush_all(load_l3(feed).draw())))); }},
    {"B30", [](Feed& feed) { leave(feed, false); }, [](Feed& feed) { leave(feed, true); }},
};

}  // namespace

std::span<const RuleCase> order_cases() { return cases; }

}  // namespace softgen::debug::check
