// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's render engine with its media pipeline: states in memory as i965-va-driver writes them (i965_media.c), kernels on the interpreter, and what
// threads send to the data port.
#pragma once

#include <vector>

#include "hw/defs/gen5/all.h"
#include "hw/defs/gen5/set.h"
#include "hw/media/vfe/vfe.h"
#include "hw/mmio/register_file.h"
#include "hw/render/ilk/engine.h"
#include "hw/render/ilk/eu_runner.h"
#include "tests/catch.h"
#include "tests/unit/media/vfe_programs.h"
#include "tests/unit/memory/mapped.h"

namespace softgen::media::vfe::test {

namespace gen5 = defs::gen5;

class VfeRig : public memory::test::Mapped {
 public:
  static constexpr uint32_t vfe_state_at = 0x10000, extended_at = 0x10100, descriptors_at = 0x11000, constants_at = 0x12000,
                            data_at = 0x20000, kernels_at = 0x40000, general_base = 0x8000;

  VfeRig() : Mapped(0x1000, 0x100000), registers(gen5::registers) {
    target.answer = [this](const Message& message, ThreadEnv& env) {
      sent.push_back({message.op, {message.payload.begin(), message.payload.end()}, env.bases, env.scratch_size});
      std::fill(message.response.begin(), message.response.end(), Grf{});
      return SendResult::done;
    };
    vfe.number_of_urb_entries = 4, vfe.urb_entry_allocation_size = 12, vfe.maximum_number_of_threads = 3;
    vfe.interface_descriptor_base = descriptors_at;
    fence.vfe_unit_urb_reallocation_request = fence.cs_unit_urb_reallocation_request = true;
    fence.vfe_fence = 52, fence.cs_fence = 1024;
    cs.number_of_urb_entries = 1, cs.urb_entry_allocation_size = 15;
  }

  /// All state, as it is now.
  void set_state(bool media = true) {
    gen5::PIPELINE_SELECT select;
    select.pipeline_selection = media ? gen5::PIPELINE_SELECT::PipelineSelection::MEDIA : gen5::PIPELINE_SELECT::PipelineSelection::_3D;
    execute(select.pack());
    execute(fence.pack());
    execute(bases.pack());
    put(bases.general_state_base_address + vfe_state_at, vfe);
    gen5::MEDIA_STATE_POINTERS pointers;
    pointers.vfe_state_pointer = vfe_state_at;
    pointers.extended_vfe_state_pointer = extended_at, pointers.extended_vfe_state_enable = vfe.extended_vfe_state_present;
    execute(pointers.pack());
    execute(cs.pack());
  }
  void set_constants(const std::vector<uint32_t>& dwords) {
    view.write(constants_at, dwords.data(), dwords.size() * 4);
    gen5::CONSTANT_BUFFER buffer;
    buffer.valid = true, buffer.buffer_starting_address = constants_at;
    buffer.buffer_length = static_cast<uint32_t>((dwords.size() + 15) / 16 - 1);
    execute(buffer.pack());
  }
  /// Descriptor `index` has this kernel.
  void set_kernel(unsigned index, const std::vector<eu::Instruction>& code, gen5::INTERFACE_DESCRIPTOR d = {}) {
    const auto bytes = eu::test::assemble(code, eu::gen5_isa());
    d.kernel_start_pointer = kernels_at + index * 0x1000;
    view.write(d.kernel_start_pointer, bytes.data(), bytes.size());
    put(bases.general_state_base_address + descriptors_at + index * 16, d);
  }
  template <typename State>
  void put(uint64_t at, const State& state) {
    const auto dwords = state.pack();
    view.write(at, dwords.data(), dwords.size() * 4);
  }
  ExecResult execute(std::span<const uint32_t> dwords) {
    const defs::Command* const command = gen5::commands.find(defs::EngineClass::render, dwords[0]);
    REQUIRE(command);
    return engine.execute({0x1000, command, dwords}, env);
  }
  template <typename Object>
  ExecResult object(Object o, const std::vector<uint32_t>& inline_data = {}) {
    auto fixed = o.pack();
    std::vector<uint32_t> dwords(fixed.begin(), fixed.end());
    dwords.insert(dwords.end(), inline_data.begin(), inline_data.end());
    dwords[0] = (dwords[0] & ~0xffffu) | static_cast<uint32_t>(dwords.size() - 2);
    return execute(dwords);
  }

  struct Sent {
    MessageOp op;
    std::vector<Grf> payload;
    ShaderBases bases;
    uint32_t scratch;
  };
  std::vector<Sent> sent;
  gen5::VFE_STATE vfe;
  gen5::URB_FENCE fence;
  gen5::CS_URB_STATE cs;
  gen5::STATE_BASE_ADDRESS bases;
  eu::test::FakeTarget target;
  mmio::RegisterFile registers;
  StopFlag stop;
  EngineEnv env{.engine = EngineId::rcs, .view = view, .ggtt = view, .registers = registers, .stop = stop};
  render::ilk::EuRunner runner{eu::gen5_isa(), &target};
  Vfe media{make_vfe_packets<defs::Gen5>(), eu::gen5_isa(), target};
  render::ilk::RenderEngine engine{gen5::commands, runner, nullptr, &target, &media};
};

}  // namespace softgen::media::vfe::test
