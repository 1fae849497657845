// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstring>

#include "hw/media/vfe/mode.h"

namespace softgen::media::vfe {

std::vector<Grf> registers_of(std::span<const uint32_t> dwords) {
  constexpr size_t each = 8;
  std::vector<Grf> registers((dwords.size() + each - 1) / each);
  for (size_t i = 0; i < dwords.size(); ++i) registers[i / each].dw[i % each] = dwords[i];
  return registers;
}

ExecResult GenericMode::execute(const ObjectCall& call) {
  const std::vector<Grf> inline_data = registers_of(call.object.inline_data);
  const std::span<const uint8_t> bytes = read_object(call.env, call.object.indirect, bytes_);
  std::vector<Grf> data((bytes.size() + sizeof(Grf) - 1) / sizeof(Grf));
  if (!bytes.empty()) std::memcpy(data.data(), bytes.data(), bytes.size());
  return call.threads.start({call.object.descriptor, inline_data, data});
}

}  // namespace softgen::media::vfe
