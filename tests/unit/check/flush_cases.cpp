// SPDX-License-Identifier: GPL-2.0-or-later
#include "feed.h"

namespace softgen::debug::check {
namespace {

constexpr uint64_t immediate = 1, depth_count = 2, timestamp = 3;

constexpr RuleCase cases[] = {
    {"B1", [](Feed& feed) { feed.flush({}).command("3DSTATE_VS").flush({{"VF Cache Invalidation Enable", 1}}); },
     [](Feed& feed) { feed.flush({}).command("MI_NOOP").flush({{"VF Cache Invalidation Enable", 1}}); }},
    {"B2", [](Feed& feed) { feed.flush({{"VF Cache Invalidation Enable", 1}}); },
     [](Feed& feed) { feed.flush({{"VF Cache Invalidation Enable", 1}, {"Post Sync Operation", immediate}}); }},
    {"B3", [](Feed& feed) { feed.flush({{"TLB Invalidate", 1}}); },
     [](Feed& feed) {
       feed.flush({{"TLB Invalidate", 1}, {"Command Streamer Stall Enable", 1}})
           .flush({{"TLB Invalidate", 1}, {"Post Sync Operation", immediate}});
     }},
    {"B4", [](Feed& feed) { feed.select(gpgpu).walk().flush({{"Post Sync Operation", immediate}}); },
     [](Feed& feed) {
       feed.select(gpgpu).walk().flush({{"Command Streamer Stall Enable", 1}}).flush({{"Post Sync Operation", immediate}});
       feed.walk().flush({{"Post Sync Operation", immediate}, {"Command Streamer Stall Enable", 1}});
     }},
    {"B5", [](Feed& feed) { feed.select(gpgpu).walk().flush({{"Texture Cache Invalidation Enable", 1}}); },
     [](Feed& feed) {
       feed.select(gpgpu).flush({{"Texture Cache Invalidation Enable", 1}}).walk();
       feed.flush({{"Texture Cache Invalidation Enable", 1}, {"Command Streamer Stall Enable", 1}});
     }},
    {"B6", [](Feed& feed) { feed.flush({{"Generic Media State Clear", 1}}); },
     [](Feed& feed) { feed.flush({{"Generic Media State Clear", 1}, {"Command Streamer Stall Enable", 1}}); }},
    {"B7", [](Feed& feed) { feed.flush({{"Flush LLC", 1}, {"Post Sync Operation", timestamp}}); },
     [](Feed& feed) { feed.flush({{"Flush LLC", 1}, {"Post Sync Operation", immediate}}); }},
    {"B7", [](Feed& feed) { feed.flush({{"Store Data Index", 1}}); },
     [](Feed& feed) { feed.flush({{"Store Data Index", 1}, {"Post Sync Operation", timestamp}}); }},
    {"B8", [](Feed& feed) { feed.flush({{"Global Snapshot Count Reset", 1}}); },
     [](Feed& feed) { feed.flush({{"Depth Stall Enable", 1}}); }},
    {"B9", [](Feed& feed) { feed.flush({{"Post Sync Operation", depth_count}, {"Render Target Cache Flush Enable", 1}}); },
     [](Feed& feed) { feed.flush({{"Post Sync Operation", depth_count}, {"Depth Stall Enable", 1}}); }},
    {"B10", [](Feed& feed) { feed.flush({{"Stall At Pixel Scoreboard", 1}, {"Depth Stall Enable", 1}}); },
     [](Feed& feed) { feed.flush({{"Stall At Pixel Scoreboard", 1}, {"Command Streamer Stall Enable", 1}}); }},
    {"B11", [](Feed& feed) { feed.flush({{"Post Sync Operation", depth_count}}); },
     [](Feed& feed) { feed.flush({{"Post Sync Operation", depth_count}, {"Depth Stall Enable", 1}}); }},
};

}  // namespace

std::span<const RuleCase> flush_cases() { return cases; }

}  // namespace softgen::debug::check
