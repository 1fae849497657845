// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile media objects for Ironlake's VFE, through the render engine: states, descriptors, kernels that start threads and send messages, in the modes generic,
// VLD and AVC_IT. Work ends on request; a slice that is preempted gets further each time; what ends by itself has the same results the next time.
#include <algorithm>
#include <optional>
#include <string_view>

#include "hw/base/hash.h"
#include "hw/defs/gen5/all.h"
#include "hw/defs/gen5/set.h"
#include "hw/gt/shared_functions.h"
#include "hw/media/vfe/vfe.h"
#include "hw/mmio/register_file.h"
#include "hw/render/ilk/engine.h"
#include "hw/render/ilk/eu_runner.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/liveness.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/vfe_kernels.h"
#include "tests/quiet_log.h"

namespace softgen::fuzz {
namespace {

namespace gen5 = defs::gen5;

/// The state's pages, by address.
constexpr uint32_t vfe_at = 0x1000, extended_at = 0x1100, table_at = 0x1400, surfaces_at = 0x1800, samplers_at = 0x1c00,
                   descriptors_at = 0x2000, constants_at = 0x3000, kernels_at = 0x4000, kernels = 8, kernel_bytes = 0x1000,
                   stream_at = 0xc000, state_pages = 14;
constexpr uint32_t surfaces = 4, stream_bytes = 4096, object_address = 0x100;

/// The units of one input, so that nothing is left of the one before.
struct Units {
  gt::SharedFunctions shared{sampler::decode_state<defs::Gen5>};
  render::ilk::EuRunner runner{eu::gen5_isa(), &shared};
  media::vfe::Vfe vfe{media::vfe::make_vfe_packets<defs::Gen5>(), eu::gen5_isa(), shared};
  render::ilk::RenderEngine engine{gen5::commands, runner, nullptr, &shared, &vfe};
};

class VfeTarget {
 public:
  VfeTarget() { quiet_log(); }

  void run(std::span<const uint8_t> bytes) {
    const std::optional<uint64_t> first = run_once(bytes);
    if (!first || *first % 8) return;
    if (const std::optional<uint64_t> again = run_once(bytes)) require(first == again, "the same input has the same results");
  }

 private:
  /// A hash of the memory and the results; none: it was stopped.
  std::optional<uint64_t> run_once(std::span<const uint8_t> bytes) {
    StateSource in(bytes, map_.addresses());
    LimitedRun limit(stop_);
    units_.emplace();
    mode_ = in.one_of(modes);
    put_states(in);
    uint64_t hash = 0;
    for (unsigned objects = 1 + in.below(4); objects && !stop_.aborting(); --objects) {
      if (in.one_in(4)) put_states(in);
      if (in.one_in(16)) save_and_restore();
      const ExecResult result = object(in);
      hash = hash * 4 + static_cast<uint64_t>(result);
      if (result == ExecResult::fault) units_->engine.reset_context(), put_states(in);
    }
    const bool whole = !stop_.aborting();
    if (whole)
      for (const uint32_t page : map_.memory.written()) hash = hash64(map_.memory.all().subspan(page * page_size, page_size), hash + page);
    map_.memory.restore();
    return whole ? std::optional(hash) : std::nullopt;
  }

  using Mode = gen5::VFE_STATE::VFEMode;
  static constexpr Mode modes[] = {Mode::GENERIC, Mode::GENERIC, Mode::VLD, Mode::AVC_IT};

  EngineEnv env() { return {EngineId::rcs, map_.view, map_.view, registers_, stop_}; }
  ExecResult send_dwords(StateSource& in, std::span<uint32_t> dwords) {
    const defs::Command* const command = gen5::commands.find(defs::EngineClass::render, dwords[0]);
    require(command, "a packet is known");
    if (in.one_in(32)) in.change_some(*command, dwords);
    StateSource::finish(*command, dwords);
    EngineEnv lent = env();
    return units_->engine.execute({object_address, command, dwords}, lent);
  }
  template <typename P>
  ExecResult send(StateSource& in, const P& packet) {
    auto dwords = packet.pack();
    return send_dwords(in, dwords);
  }
  template <typename S>
  void store(StateSource& in, uint64_t at, const S& state, std::string_view name) {
    auto dwords = state.pack();
    const defs::Structure* const layout = gen5::commands.find_structure(name);
    require(layout, "a structure is known");
    if (in.one_in(8)) in.change_some(*layout, dwords);
    map_.memory.store(at, dwords);
  }

  void put_states(StateSource& in) {
    gen5::PIPELINE_SELECT select;
    select.pipeline_selection =
        in.one_in(64) ? gen5::PIPELINE_SELECT::PipelineSelection::_3D : gen5::PIPELINE_SELECT::PipelineSelection::MEDIA;
    send(in, select);
    gen5::URB_FENCE fence;
    fence.vfe_unit_urb_reallocation_request = fence.cs_unit_urb_reallocation_request = true;
    fence.vfe_fence = in.one_in(8) ? in.below(1024) : 52, fence.cs_fence = in.one_in(8) ? in.below(1024) : 1023;
    send(in, fence);
    gen5::STATE_BASE_ADDRESS bases;
    if (in.one_in(16)) bases.general_state_base_address = in.address() & 0xffff'f000;
    if (in.one_in(16)) bases.indirect_object_access_upper_bound = in.address() & 0xffff'f000;
    send(in, bases);
    put_vfe_state(in);
    put_extended_state(in);
    gen5::CS_URB_STATE cs;
    cs.number_of_urb_entries = 1, cs.urb_entry_allocation_size = in.below(32);
    send(in, cs);
    put_constants(in);
    put_surfaces(in);
    put_kernels(in);
  }
  void put_vfe_state(StateSource& in) {
    gen5::VFE_STATE state;
    state.vfe_mode = in.one_in(32) ? static_cast<Mode>(in.below(16)) : mode_;
    state.children_present = !in.one_in(4);
    state.number_of_urb_entries = in.one_in(8) ? in.below(128) : 1 + in.below(4);
    state.urb_entry_allocation_size = in.one_in(8) ? in.below(512) : in.below(20);
    state.maximum_number_of_threads = in.below(128);
    state.interface_descriptor_base = descriptors_at, state.extended_vfe_state_present = !in.one_in(16);
    if (in.one_in(2)) state.scratch_space_base_pointer = in.address() & 0xffff'fc00, state.per_thread_scratch_space = in.below(16);
    store(in, vfe_at, state, "VFE_STATE");
    gen5::MEDIA_STATE_POINTERS pointers;
    pointers.vfe_state_pointer = vfe_at, pointers.extended_vfe_state_pointer = extended_at;
    pointers.extended_vfe_state_enable = !in.one_in(16);
    send(in, pointers);
  }
  void put_extended_state(StateSource& in) {
    const bool vld = mode_ == Mode::VLD;
    const defs::Structure* const layout = gen5::commands.find_structure(vld ? "VFE_STATE_VLD" : "VFE_STATE_AVC");
    require(layout, "the extended state is known");
    std::array<uint32_t, 8> dwords{};
    in.fill(*layout, dwords);
    map_.memory.store(extended_at, dwords);
  }
  void put_constants(StateSource& in) {
    std::array<uint32_t, 256> dwords;
    const uint8_t kind = in.below(3);
    for (uint32_t& dword : dwords) dword = kind == 0 ? in.take<uint8_t>() : kind == 1 ? in.take<uint32_t>() : in.float_bits();
    map_.memory.store(constants_at, dwords);
    gen5::CONSTANT_BUFFER buffer;
    buffer.valid = true, buffer.buffer_starting_address = constants_at, buffer.buffer_length = in.below(64);
    send(in, buffer);
  }
  void put_surfaces(StateSource& in) {
    using Surface = gen5::RENDER_SURFACE_STATE;
    static constexpr gen5::SurfaceFormat formats[] = {gen5::SurfaceFormat::R8_UNORM,  gen5::SurfaceFormat::R8_UNORM,
                                                      gen5::SurfaceFormat::R8_UINT,   gen5::SurfaceFormat::R8G8B8A8_UNORM,
                                                      gen5::SurfaceFormat::R32_FLOAT, gen5::SurfaceFormat::R16_UINT};
    for (uint32_t i = 0; i < surfaces; ++i) {
      Surface s;
      s.surface_type = in.one_in(4) ? Surface::SurfaceType::SURFTYPE_BUFFER : Surface::SurfaceType::SURFTYPE_2D;
      s.surface_format = in.one_of(formats);
      s.width = in.below(128), s.height = in.below(128), s.surface_pitch = 127 + in.below(3) * 128, s.depth = in.below(4);
      s.tiled_surface = in.one_in(4), s.vertical_line_stride = in.one_in(4), s.vertical_line_stride_offset = in.one_in(4);
      s.surface_base_address = static_cast<uint32_t>(in.address());
      store(in, surfaces_at + i * 32, s, "RENDER_SURFACE_STATE");
    }
    for (uint32_t entry = 0; entry < 0x100; ++entry) map_.memory.store<uint32_t>(table_at + entry * 4, surfaces_at + entry % surfaces * 32);
    const defs::Structure* const sampler = gen5::commands.find_structure("SAMPLER_STATE");
    require(sampler, "samplers are known");
    std::array<uint32_t, 4> dwords{};
    for (uint32_t i = 0; i < 4; ++i) in.fill(*sampler, dwords), map_.memory.store(samplers_at + i * 16, dwords);
  }
  /// Any descriptor that an object can name has one of the kernels.
  void put_kernels(StateSource& in) {
    for (uint32_t i = 0; i < kernels; ++i) map_.memory.write(kernels_at + i * kernel_bytes, kernels_.make(in));
    for (uint32_t i = 0; i < 128; ++i) {
      gen5::INTERFACE_DESCRIPTOR d;
      d.kernel_start_pointer = kernels_at + in.below(kernels) * kernel_bytes;
      d.constant_urb_entry_read_length = in.one_in(4) ? in.below(64) : 0,
      d.constant_urb_entry_read_offset = in.one_in(8) ? in.below(64) : 0;
      d.single_program_flow = in.one_in(8), d.sampler_state_pointer = samplers_at, d.binding_table_pointer = table_at;
      store(in, descriptors_at + i * 16, d, "INTERFACE_DESCRIPTOR");
    }
  }

  /// A whole packet in the mode's form.
  std::vector<uint32_t> object_packet(StateSource& in) {
    map_.memory.store(stream_at, in.stream<stream_bytes>());
    gen5::MEDIA_OBJECT o;
    o.interface_descriptor_offset = in.one_in(8) ? in.below(128) : in.below(kernels);
    o.indirect_data_start_address = stream_at + (in.one_in(8) ? in.below(stream_bytes) : 0);
    o.indirect_data_length = in.one_in(8) ? in.below(1 << 17) : in.below(512);
    const auto fixed = o.pack();
    std::vector<uint32_t> dwords(fixed.begin(), fixed.end());
    const unsigned more = mode_ == Mode::VLD ? 2 : mode_ == Mode::AVC_IT ? 8 : in.below(40);
    for (unsigned n = in.one_in(16) ? in.below(200) : more; n; --n) dwords.push_back(in.take<uint32_t>());
    if (mode_ == Mode::VLD && dwords.size() > fixed.size() && !in.one_in(8)) {
      // A slice of few macroblocks, in the first rows.
      uint32_t& place = dwords[fixed.size()];
      place = in.below(8) << 24 | in.below(4) << 16 | in.below(16) << 8 | in.below(8);
    }
    const bool extended = mode_ == Mode::AVC_IT && !in.one_in(8);
    const defs::Command& command = *gen5::commands.find(extended ? "MEDIA_OBJECT_EX" : "MEDIA_OBJECT");
    if (extended) dwords[1] = in.take<uint32_t>(), dwords[2] |= in.below(2) << 21;
    StateSource::finish(command, dwords);
    return dwords;
  }

  ExecResult object(StateSource& in) {
    std::vector<uint32_t> dwords = object_packet(in);
    const bool pauses = in.one_in(4);
    if (pauses) stop_.request(StopFlag::pause);
    ExecResult result = send_dwords(in, dwords);
    // A macroblock each time.
    constexpr unsigned enough = 2 * 128;
    for (unsigned times = 0; result == ExecResult::preempted; ++times) {
      require(pauses && times < enough, "a preempted packet gets further");
      if (in.one_in(4)) save_and_restore();
      const defs::Command* const command = gen5::commands.find(defs::EngineClass::render, dwords[0]);
      EngineEnv lent = env();
      result = units_->engine.execute({object_address, command, dwords}, lent);
    }
    stop_.clear(StopFlag::pause);
    require(result != ExecResult::aborted || stop_.aborting(), "a packet is dropped on request only");
    return result;
  }
  void save_and_restore() {
    std::vector<std::byte> image(units_->engine.context_size());
    units_->engine.save_context(image);
    units_->engine.reset_context();
    units_->engine.restore_context(image);
  }

  GuardedNowhere nowhere_;
  GuestMap map_{96, state_pages};
  StopFlag stop_;
  mmio::RegisterFile registers_{gen5::registers};
  std::optional<Units> units_;
  VfeKernels kernels_;
  Mode mode_ = Mode::GENERIC;
};

}  // namespace
}  // namespace softgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static softgen::fuzz::VfeTarget target;
  target.run({data, size});
  return 0;
}
