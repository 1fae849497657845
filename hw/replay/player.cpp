// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <sstream>
#include <stop_token>
#include <thread>

#include "hw/base/log.h"
#include "hw/base/mutex.h"
#include "hw/debug/byte_source.h"
#include "hw/debug/check/checker.h"
#include "hw/debug/check/stream.h"
#include "hw/debug/packet_json.h"
#include "hw/debug/page_results.h"
#include "hw/debug/where.h"
#include "hw/gt/parts.h"
#include "hw/replay/offline_host.h"
#include "hw/replay/ring_feeder.h"
#include "hw/replay/target_pictures.h"
#include "hw/replay/video_pictures.h"

namespace softgen::replay {
namespace {

using defs::CommandId;

/// i915 sets execlists and the status page up; a capture brings only what dump_gpu wrote of that.
constexpr uint32_t stop_rings_off = reg::field::RING_MI_MODE_STOP_RINGS.mask() << 16;
/// The thread that runs the capture gives up by itself at the deadline; this is for when it cannot.
constexpr int64_t grace_ns = 500'000'000;

/// Media work and the flushes that end it.
bool is_media(EngineId engine, CommandId id) {
  return media::is_picture_object(id) || id == CommandId::VD_PIPELINE_FLUSH || id == CommandId::VEB_DI_IECP ||
         id == CommandId::HUC_STREAM_OBJECT || (id == CommandId::MI_FLUSH_DW && class_of(engine) != defs::EngineClass::copy);
}

/// The capture was run as far as asked.
struct Enough {};
struct Hang {
  std::string what;
};

}  // namespace

class Player::Run final : public PacketObserver {
 public:
  Run(const PlayOptions& options, uint32_t pci_device_id) : options_(options), host_(options.threads == 0) {
    auto memory = std::make_unique<memory::SparseMemory>(options.memory_limit);
    memory_ = memory.get();
    gt::Config config;
    config.platform = &platform_for(options.platform, pci_device_id);
    lists_ = gt::parts_of(*config.platform).submission.lists;
    config.threads = options.threads;
    config.observer = this;
    config.preempt_always = options.preempt_always;
    config.compiler = options.compiler;
    device_ = std::make_unique<gt::Device>(config, host_, std::move(memory));
    device_->fault_plan().load(options.faults);
    image_ = std::make_unique<Image>(*memory_, device_->ggtt(), device_->platform().name);
    rings_.emplace(*image_, *device_);
    view_ = std::make_unique<memory::View>(*memory_, nullptr);
    if (options.check) {
      auto checker = std::make_unique<debug::check::Checker>(device_->platform(), *options.check, debug::check::print_finding);
      checker_ = checker.get();
      if (options.check_stream.empty()) device_->set_watch(std::move(checker));
      else device_->set_watch(std::make_unique<debug::check::StreamWriter>(std::move(checker), options.check_stream));
    }
    connect();
  }

  PlayResult play(const std::string& path) {
    uint64_t position = 0;
    const std::jthread watchdog([this](const std::stop_token& quit) { watch(quit); });
    try {
      const auto source = debug::open_file(path);
      image_->on_compare = [&](uint64_t address, std::span<const std::byte> data) { compare(position, address, data); };
      image_->on_comment = [&](std::string_view text) { compare_pages(position, text); };
      if (const auto error = debug::read_aub(*source, *image_, &position))
        result_.error = fmt::format("byte {}: {}", error->offset, error->message);
      else wait_idle(), write_targets();
      if (result_.error.empty() && result_.different) result_.error = first_difference_;
    } catch (const debug::StreamError& error) { result_.error = error.what(); } catch (const ImageError& error) {
      result_.error = fmt::format("byte {}: {}", position, error.what());
    } catch (const Enough&) { result_.stopped = true; } catch (const Hang& hang) {
      result_.error = fmt::format("byte {}: {}", position, hang.what);
      MutexLock lock(watch_.mutex);
      result_.hang = watch_.where + device_->report();
    }
    take_executed();
    if (options_.until_draw && !result_.stopped && result_.error.empty())
      result_.error = fmt::format("the capture has no draw {} (it has {})", *options_.until_draw, result_.draws + result_.walkers);
    return std::move(result_);
  }

  /// On the streamer's thread, which may run on after a hang.
  bool executed(EngineId engine, const Packet& packet, memory::View& ppgtt) override {
    MutexLock lock(mutex_);
    executed_.commands++;
    const CommandId id = packet.command->id;
    const bool position = engine == EngineId::pocs;  // it draws no pixel
    const bool draw = packet.command->draws && !position, walker = id == CommandId::GPGPU_WALKER, blit = packet.command->match >> 29 == 2;
    if (options_.timeline) note_time(engine, packet, draw || walker || blit || id == CommandId::PIPE_CONTROL || is_media(engine, id));
    if (!options_.png_folder.empty()) {
      if (class_of(engine) == defs::EngineClass::video) video_of(engine).executed(packet, ppgtt, options_.png_folder, executed_.pictures);
      else if (!position) follow_targets(packet, ppgtt, draw);
    }
    const uint64_t number = executed_.draws + executed_.walkers;
    executed_.draws += draw, executed_.walkers += walker, executed_.blits += blit;
    if (reached_) return false;
    if ((draw || walker) && options_.until_draw == number) reached_ = true;
    return !reached_;
  }

  memory::View* memory() { return result_submitted_ ? view_.get() : nullptr; }
  gt::Device* device() { return device_.get(); }
  const debug::check::Findings* findings() { return checker_ ? &checker_->findings() : nullptr; }

 private:
  void connect() {
    image_->on_submit = [this](const Submission& s) { submitted(s); };
    image_->on_register = [this](uint32_t offset, uint32_t value) { write_register(offset, value); };
    image_->on_poll = [this](uint32_t, uint32_t, uint32_t) { wait_idle(); };
    // Captures without polls still mean: what is written now is for later submissions.
    image_->on_memory = [this] {
      if (running_) wait_idle();
    };
    image_->on_ring = [this](EngineId engine, std::span<const uint32_t> commands) { ring_written(engine, commands); };
    for (const defs::EngineRow& engine : device_->platform().registers->engines)
      if (device_->platform().has(engine.id)) device_->bar0_write(engine.mmio_base + reg::RING_MI_MODE, stop_rings_off, 4);
  }

  /// What the machine that recorded had there when its engines were idle.
  void compare(uint64_t position, uint64_t address, std::span<const std::byte> data) {
    wait_idle();
    result_.compared++;
    std::vector<std::byte> ours(data.size());
    memory_->read(address, ours.data(), ours.size());
    const auto [a, b] = std::mismatch(ours.begin(), ours.end(), data.begin());
    if (a != ours.end())
      differs(position,
              fmt::format("leaves 0x{:02x} at physical 0x{:x}; when it was recorded it left 0x{:02x}", std::to_integer<unsigned>(*a),
                          address + static_cast<uint64_t>(a - ours.begin()), std::to_integer<unsigned>(*b)));
  }

  /// The same, as our recorder says it (page_results.h).
  void compare_pages(uint64_t position, std::string_view text) {
    if (!text.starts_with(debug::results_comment)) return;
    wait_idle();
    std::istringstream lines{std::string(text.substr(debug::results_comment.size()))};
    std::array<std::byte, debug::page_result_bytes> page;
    for (uint64_t address, hash; lines >> std::hex >> address >> hash;) {
      result_.compared++;
      memory_->read(address, page.data(), page.size());
      if (debug::hash_page(page) != hash)
        differs(position, fmt::format("leaves other bytes in the page at physical 0x{:x} than when it was recorded", address));
    }
  }

  void differs(uint64_t position, const std::string& how) {
    if (result_.different++ == 0) first_difference_ = fmt::format("byte {}: submission {} {}", position, result_.submissions - 1, how);
  }

  void submitted(const Submission& s) {
    if (reached_) throw Enough();
    result_.submissions++;
    result_submitted_ = true;
    view_->set_space(s.ppgtt);
    start_ns_ = OfflineHost::host_ns();
    {
      MutexLock lock(mutex_);
      if (lists_) context_ = s.lrca;
      last_ns_ = start_ns_;
    }
    running_ = true;
  }

  void ring_written(EngineId engine, std::span<const uint32_t> commands) {
    if (lists_) throw ImageError("this is a capture of the classic kind: its ring writes can be printed, not run");
    submitted({.engine = engine, .ppgtt = memory::AddressSpace::ggtt(device_->ggtt())});
    running_ = false;  // what the feeder writes is for this submission
    rings_->submit(engine, commands);
    running_ = true;
  }

  void write_register(uint32_t offset, uint32_t value) {
    if (offset % 4 || offset >= mmio::register_space) throw ImageError(fmt::format("register write at 0x{:x}", offset));
    device_->bar0_write(offset, value, 4);
    if (gave_up_) throw Hang{unfinished()};
  }

  void wait_idle() {
    if (!running_) return;
    while (device_->streamers().busy()) {
      check_errors();
      if (gave_up_ || OfflineHost::host_ns() > deadline()) hang(unfinished());
      if (options_.threads) std::this_thread::sleep_for(std::chrono::microseconds(200));
      if (options_.threads == 0 || device_->fault_plan().active()) device_->timer_expired(SG_TIMER_MISC);
    }
    check_errors();
    running_ = false;
    result_.busy_ns += OfflineHost::host_ns() - start_ns_;
    if (reached_) throw Enough();
  }

  /// A streamer that met an error hangs until a reset, which no capture has.
  void check_errors() {
    for (const defs::EngineRow& engine : device_->platform().registers->engines) {
      const auto value = [&](uint32_t offset) { return device_->registers().peek(engine.id, offset); };
      if (device_->platform().has(engine.id) && value(reg::RING_ESR))
        hang(fmt::format("submission {} stopped {} with error 0x{:x} at 0x{:08x}, header 0x{:08x}", result_.submissions - 1,
                         name_of(engine.id), value(reg::RING_ESR), value(reg::RING_ACTHD), value(reg::RING_IPEHR)));
    }
  }

  /// Gives a submission up from outside: with threads=0 a kernel that never ends holds the only thread there is.
  void watch(const std::stop_token& quit) {
    MutexLock lock(watch_.mutex);
    while (!quit.stop_requested()) {
      watch_.changed.wait_for(lock, quit, std::chrono::milliseconds(100), [] { return false; });
      if (!running_ || OfflineHost::host_ns() < deadline() + grace_ns) continue;
      watch_.where = debug::describe_position(*device_);
      gave_up_ = true;
      for (unsigned i = 0; i < engine_count; i++)
        if (cs::EngineCs* engine = device_->streamers().engine(static_cast<EngineId>(i)))
          engine->streamer().stop().request(StopFlag::reset);
      return;
    }
  }
  int64_t deadline() const { return start_ns_ + static_cast<int64_t>(options_.hang_seconds * 1e9); }
  [[noreturn]] void hang(const std::string& what) {
    MutexLock lock(watch_.mutex);
    if (!gave_up_) watch_.where = debug::describe_position(*device_);
    throw Hang{what};
  }
  std::string unfinished() const {
    return fmt::format("submission {} did not finish in {} s", result_.submissions - 1, options_.hang_seconds);
  }

  void take_executed() {
    MutexLock lock(mutex_);
    static_cast<Executed&>(result_) = std::move(executed_);
  }

  void note_time(EngineId engine, const Packet& packet, bool shown) SG_REQUIRES(mutex_) {
    const int64_t now = OfflineHost::host_ns();
    if (shown) executed_.timeline.push_back({engine, packet.command->name, last_ns_, now, packet.address});
    last_ns_ = now;
  }

  /// Of draws that no flush has followed.
  void write_targets() {
    MutexLock lock(mutex_);
    if (!options_.png_folder.empty()) pictures_.targets.write(*view_, options_.png_folder, executed_.pictures);
  }

  VideoPictures& video_of(EngineId engine) SG_REQUIRES(mutex_) {
    const auto found = pictures_.videos.find(engine);
    if (found != pictures_.videos.end()) return found->second;
    const auto make = gt::parts_of(device_->platform()).video_packets;
    return pictures_.videos.try_emplace(engine, make ? make() : nullptr).first->second;
  }

  void follow_targets(const Packet& packet, memory::View& ppgtt, bool draw) SG_REQUIRES(mutex_) {
    // Contexts that commands in a ring change; those of lists have come with their submission.
    if (packet.command->id == CommandId::MI_SET_CONTEXT)
      context_ = static_cast<uint32_t>(debug::Fields(*packet.command, packet.dwords)["Logical Context Address"]);
    debug::ContextState& state = contexts_.of(EngineId::rcs, context_);
    state.note({packet.address, debug::BatchLevel::first, true, packet.command, packet.dwords});
    if (draw)
      pictures_.targets.drawn({device_->isa(), *device_->platform().commands, gt::parts_of(device_->platform()).surface_state}, state,
                              ppgtt, executed_.draws);
    if (flushes_targets(packet)) pictures_.targets.write(ppgtt, options_.png_folder, executed_.pictures);
  }

  const PlayOptions& options_;
  OfflineHost host_;
  memory::SparseMemory* memory_ = nullptr;  ///< the device's
  std::unique_ptr<gt::Device> device_;
  const debug::check::Checker* checker_ = nullptr;  ///< the device's; null: none
  std::unique_ptr<Image> image_;
  bool lists_ = true;  ///< SubmissionForm::lists
  std::optional<RingFeeder> rings_;
  std::unique_ptr<memory::View> view_;
  PlayResult result_;
  std::atomic<bool> running_{false}, gave_up_{false}, reached_{false};
  bool result_submitted_ = false;
  std::atomic<int64_t> start_ns_{0};
  struct {
    Mutex mutex;
    std::condition_variable_any changed;
    std::string where SG_GUARDED_BY(mutex);
  } watch_;
  Mutex mutex_;
  Executed executed_ SG_GUARDED_BY(mutex_);
  int64_t last_ns_ SG_GUARDED_BY(mutex_) = 0;
  uint32_t context_ SG_GUARDED_BY(mutex_) = 0;
  debug::ContextStates contexts_ SG_GUARDED_BY(mutex_);
  struct {
    TargetPictures targets;
    std::map<EngineId, VideoPictures> videos;
  } pictures_ SG_GUARDED_BY(mutex_);
  std::string first_difference_;
};

Player::Player(const PlayOptions& options) : options_(options) {}
Player::~Player() = default;

PlayResult Player::run(const std::string& path) {
  try {
    // Standard input cannot be read twice.
    const uint32_t id = options_.platform.empty() && path != "-" ? captured_device(*debug::open_file(path)) : 0;
    run_ = std::make_unique<Run>(options_, id);
  } catch (const debug::StreamError& error) {
    PlayResult result;
    result.error = error.what();
    return result;
  } catch (const ImageError& error) {
    PlayResult result;
    result.error = error.what();
    return result;
  }
  return run_->play(path);
}

memory::View* Player::memory() { return run_ ? run_->memory() : nullptr; }
gt::Device* Player::device() { return run_ ? run_->device() : nullptr; }
const debug::check::Findings* Player::findings() { return run_ ? run_->findings() : nullptr; }

}  // namespace softgen::replay
