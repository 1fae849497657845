// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/ctb.h"

#include "hw/base/log.h"

namespace softgen::guc {

using namespace defs::guc;

bool CtbPlace::fits(const AddressRange& memory) const {
  return bytes != 0 && bytes % ctb_size_unit == 0 && bytes <= max_bytes && memory.has(descriptor, ctb_descriptor_bytes) &&
         memory.has(buffer, bytes);
}

void CtbPlace::state(Archive& archive) {
  archive.value(descriptor);
  archive.value(buffer);
  archive.value(bytes);
}

bool Ctb::open(memory::View& ggtt, const CtbPlace& place) {
  place_ = place;
  own_ = ggtt.load_acquire<uint32_t>(place_.descriptor + own_index_);
  open_ = own_ < size();
  return open_;
}

void Ctb::fail(memory::View& ggtt, CtbStatus status) {
  guest_error("GuC: command transport buffer", "status {} at 0x{:x}", static_cast<uint32_t>(status), place_.descriptor);
  ggtt.atomic<uint32_t>(memory::AtomicOp::or_, place_.descriptor + ctb_status, status);
  open_ = false;
}

bool Ctb::is_disturbed(memory::View& ggtt) {
  if (!open_) return true;
  if (ggtt.load_acquire<uint32_t>(place_.descriptor + ctb_status)) {
    open_ = false;
  } else if (ggtt.load_acquire<uint32_t>(place_.descriptor + own_index_) != own_) {
    fail(ggtt, ctb_mismatch);
  }
  return !open_;
}

// A saved state is not trusted.
void Ctb::state(Archive& archive) {
  place_.state(archive);
  archive.value(own_);
  archive.value(open_);
  if (archive.reading() && open_ && (!place_.fits({}) || own_ >= size())) {
    open_ = false;
    archive.fail("a command transport buffer of the saved state is nowhere");
  }
}

uint32_t CtbReader::available(memory::View& ggtt) {
  if (is_disturbed(ggtt)) return 0;
  const uint32_t tail = ggtt.load_acquire<uint32_t>(place_.descriptor + ctb_tail);
  if (tail < size()) return advanced(tail, size() - own_);
  fail(ggtt, ctb_overflow);
  return 0;
}

bool CtbReader::next(memory::View& ggtt, uint32_t& available, CtbMessage& message) {
  if (!open_ || !available) return false;
  uint32_t header = 0;
  // Dwords of zero are padding: xe fills the end of the ring with them when a message does not fit there (Linux 6.12 xe/xe_guc_ct.c, h2g_write()).
  for (; available; --available, own_ = advanced(own_, 1))
    if ((header = ggtt.load<uint32_t>(dword(own_)))) break;
  if (!available) {
    ggtt.store_release<uint32_t>(place_.descriptor + ctb_head, own_);
    return false;
  }
  message.fence = ctb_fence.of(header);
  message.count = ctb_dwords.of(header);
  if (message.count >= available) {
    fail(ggtt, ctb_underflow);
    return false;
  }
  for (uint32_t i = 0; i < message.count; ++i) message.dwords[i] = ggtt.load<uint32_t>(dword(advanced(own_, i + 1)));
  own_ = advanced(own_, message.count + 1);
  available -= message.count + 1;
  ggtt.store_release<uint32_t>(place_.descriptor + ctb_head, own_);
  // Without a message in it, or of a format that is no version's.
  if (message.count && ctb_format.of(header) == ctb_format_hxg) return true;
  fail(ggtt, ctb_mismatch);
  return false;
}

bool CtbWriter::send(memory::View& ggtt, uint32_t fence, std::span<const uint32_t> hxg) {
  if (is_disturbed(ggtt)) return false;
  const uint32_t head = ggtt.load_acquire<uint32_t>(place_.descriptor + ctb_head);
  const auto count = static_cast<uint32_t>(hxg.size());
  // One dword stays free: a full ring would look empty.
  if (head >= size() || advanced(head, size() - own_ - 1) <= count) {
    fail(ggtt, ctb_overflow);
    return false;
  }
  const uint32_t header = ctb_fence.with(ctb_format.with(ctb_dwords.with(0, count), ctb_format_hxg), fence);
  ggtt.store<uint32_t>(dword(own_), header);
  for (uint32_t i = 0; i < count; ++i) ggtt.store<uint32_t>(dword(advanced(own_, i + 1)), hxg[i]);
  own_ = advanced(own_, count + 1);
  ggtt.store_release<uint32_t>(place_.descriptor + ctb_tail, own_);
  return true;
}

}  // namespace softgen::guc
