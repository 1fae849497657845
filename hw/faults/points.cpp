// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/faults/points.h"

#include <array>

#include "hw/mmio/interrupts.h"

namespace softgen::faults {

namespace {

using enum FaultAction;
using enum ArgumentKind;

constexpr ActionRow flip_row{"flip", flip, bits, max_bits};
constexpr uint64_t dword = 0xffff'ffff;

constexpr ActionRow request_actions[] = {{"hang", hang}, {"spin", spin}, {"slow", slow, duration}};
constexpr ActionRow csb_actions[] = {
    {"drop", drop}, {"dup", twice}, {"swap", swap}, {"late", late, duration}, {"value", value, number}, {"index", index, number, dword},
    flip_row};
constexpr ActionRow image_actions[] = {flip_row, {"lose", lose}};
constexpr ActionRow flip_actions[] = {flip_row};
constexpr ActionRow read_actions[] = {{"stuck", value, number, dword},
                                      {"value", value, number, dword},
                                      {"or", or_bits, number, dword},
                                      {"and", and_bits, number, dword},
                                      {"xor", xor_bits, number, dword},
                                      {"freeze", freeze},
                                      {"ones", ones},
                                      {"zero", zero},
                                      flip_row};
constexpr ActionRow write_actions[] = {{"drop", drop},
                                       {"value", value, number, dword},
                                       {"or", or_bits, number, dword},
                                       {"and", and_bits, number, dword},
                                       {"xor", xor_bits, number, dword},
                                       flip_row};
constexpr ActionRow interrupt_actions[] = {
    {"drop", drop}, {"dup", twice}, {"delay", late, duration}, {"spurious", spurious}, {"raise", raise}};
constexpr ActionRow reset_actions[] = {{"never", never}, {"late", late, duration}};
constexpr ActionRow never_actions[] = {{"never", never}};
constexpr ActionRow pcode_actions[] = {{"busy", busy}, {"error", error, number, 0xff}, {"zero", zero}, {"value", value, number, dword}};
constexpr ActionRow gmbus_actions[] = {{"never", never}, {"nak", nak}};
constexpr ActionRow edid_actions[] = {
    {"nak", nak}, {"short", cut_short, number, 0xffff}, {"checksum", checksum}, {"endless", endless}, flip_row};
constexpr ActionRow raise_actions[] = {{"raise", raise}};
constexpr ActionRow drop_actions[] = {{"drop", drop}};
constexpr ActionRow resume_actions[] = {{"ones", ones, optional_duration}, {"lose", lose}};
constexpr ActionRow memory_actions[] = {{"drop", drop}, flip_row};
constexpr ActionRow message_actions[] = {{"drop", drop}, {"dup", twice}, flip_row};

constexpr KeyRow engine_key{"engine", KeyKind::engine}, pipe_key{"pipe", KeyKind::pipe}, connector_key{"connector", KeyKind::connector},
    message_key{"action", KeyKind::number};

constexpr std::array<PointRow, fault_points> rows = {{
    {"cs.request", FaultPoint::request, false, engine_key, {}, false, request_actions},
    {"cs.csb", FaultPoint::csb, false, engine_key, {}, false, csb_actions},
    {"cs.image", FaultPoint::image, false, engine_key, {}, false, image_actions},
    {"cs.hwsp", FaultPoint::status_page, false, engine_key, {}, false, flip_actions},
    {"mmio.read", FaultPoint::register_read, true, {}, {}, false, read_actions},
    {"mmio.write", FaultPoint::register_write, true, {}, {}, false, write_actions},
    {"irq", FaultPoint::interrupt, false, {}, {"source", KeyKind::source}, true, interrupt_actions},
    {"gdrst", FaultPoint::reset, false, {}, {"mask", KeyKind::number}, false, reset_actions},
    {"gdrst.ready", FaultPoint::reset_ready, false, engine_key, {}, false, never_actions},
    {"pcode", FaultPoint::pcode, false, {}, {"command", KeyKind::number}, false, pcode_actions},
    {"tlb", FaultPoint::tlb, true, {}, {}, false, never_actions},
    {"forcewake", FaultPoint::forcewake, true, {}, {}, false, never_actions},
    {"power.well", FaultPoint::well, true, {}, {}, false, never_actions},
    {"gmbus", FaultPoint::gmbus, false, connector_key, {}, false, gmbus_actions},
    {"edid", FaultPoint::edid, false, connector_key, {}, false, edid_actions},
    {"hotplug", FaultPoint::hot_plug, false, connector_key, {}, true, raise_actions},
    {"display.blank", FaultPoint::blank, false, pipe_key, {}, false, drop_actions},
    {"display.underrun", FaultPoint::underrun, false, pipe_key, {}, true, raise_actions},
    {"resume", FaultPoint::resume, false, {}, {}, false, resume_actions},
    {"mem.write", FaultPoint::memory_write, false, engine_key, {"domain", KeyKind::domain}, false, memory_actions},
    {"guc.receive", FaultPoint::guc_receive, false, {}, message_key, false, message_actions},
    {"guc.send", FaultPoint::guc_send, false, {}, message_key, false, message_actions},
    {"config.read", FaultPoint::config_read, false, {}, {"offset", KeyKind::number}, false, read_actions},
}};
static_assert([] {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].point != static_cast<FaultPoint>(i)) return false;
  return true;
}());

namespace on_engine = mmio::engine_event;
namespace on_pipe = mmio::pipe_event;
constexpr EventRow engine_rows[] = {{"user", on_engine::user},           {"error", on_engine::error},
                                    {"flush", on_engine::flush_notify},  {"switch", on_engine::context_switch},
                                    {"wait", on_engine::wait_semaphore}, {"watchdog", on_engine::watchdog}};
static_assert(std::size(engine_rows) == on_engine::count);
constexpr EventRow pipe_rows[] = {{"blank", on_pipe::vertical_blank},
                                  {"sync", on_pipe::vertical_sync},
                                  {"crc", on_pipe::crc_done},
                                  {"flip", on_pipe::flip_done(0)},
                                  {"underrun", on_pipe::underrun}};

}  // namespace

std::span<const PointRow> points() { return rows; }
const PointRow& row_of(FaultPoint point) { return rows[static_cast<size_t>(point)]; }
std::span<const EventRow> engine_events() { return engine_rows; }
std::span<const EventRow> pipe_events() { return pipe_rows; }

}  // namespace softgen::faults
