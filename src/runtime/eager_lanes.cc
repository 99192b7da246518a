#include "runtime/eager_lanes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <vector>

#include "base/clock.h"
#include "base/flush_denormals.h"

namespace lockstep::runtime {

namespace {

// Less work than this is never divided nor measured: reading the clock costs tens of nanoseconds.
constexpr double kWorthMeasuring = 4096;
// How long an op must take on one lane so that several are faster: waking a thread takes tens of
// microseconds.
constexpr double kWorthIfAwake = 30e3, kWorthIfAsleep = 100e3;
// Work that takes longer than this gains from several lanes also while other processes use the
// cores.
constexpr double kSurelyWorth = 5e6;
// How long each lane should have work.
constexpr double kNanosecondsOfALane = 15e3;

// Nanoseconds a unit of `Kernel::cost_per_row`, by op and type. Two ops in one place give each
// other wrong rates, and lose some time.
class Rates {
 public:
  std::atomic<float>& Of(const ops::OpSpec& spec, DType dtype) {
    const auto address = reinterpret_cast<uintptr_t>(&spec) / alignof(ops::OpSpec);
    return rates_[(address * 31 + static_cast<uintptr_t>(dtype)) % rates_.size()];
  }
  // A rate never more than doubles twice, as the system may have stopped this thread for long.
  static void Add(std::atomic<float>& rate, float measured) {
    const float known = rate.load(std::memory_order_relaxed);
    const float last = known > 0 ? known : kProduct;
    rate.store(std::min(measured, 4 * last), std::memory_order_relaxed);
  }
  static float Known(const std::atomic<float>& rate) {
    const float known = rate.load(std::memory_order_relaxed);
    return known > 0 ? known : kProduct;
  }

 private:
  static constexpr float kProduct = 0.01F;  // 100 operations a nanosecond
  std::array<std::atomic<float>, 4096> rates_{};
};

// Divided ops that gained nothing, because other processes use the cores, are followed by so many
// that could be divided and are not: more each time, up to a limit.
class Doubts {
 public:
  bool Skip() {
    int left = left_.load(std::memory_order_relaxed);
    if (left > 0) left_.store(left - 1, std::memory_order_relaxed);
    return left > 0;
  }
  void Ended(bool has_gained) {
    const int pause = pause_.load(std::memory_order_relaxed);
    pause_.store(has_gained ? pause / 2 : std::min(kMost, 2 * pause + 1),
                 std::memory_order_relaxed);
    if (!has_gained) left_.store(pause, std::memory_order_relaxed);
  }

 private:
  static constexpr int kMost = 255;
  // Threads may overwrite each other's counts, which costs some time and nothing else.
  std::atomic<int> pause_{0}, left_{0};
};

Doubts& AllDoubts() {
  static Doubts doubts;
  return doubts;
}

Rates& AllRates() {
  static Rates rates;
  return rates;
}

void RunAlone(const kernels::Kernel& kernel, const kernels::KernelMemory& memory) {
  const base::FlushDenormals flush;
  kernel.Run(memory, 0, kernel.rows());
}

void RunDivided(const kernels::Kernel& kernel, const kernels::KernelMemory& memory,
                base::Team& team) {
  const int64_t rows = kernel.rows(), grain = std::max<int64_t>(1, kernel.row_grain());
  const int64_t grains = (rows + grain - 1) / grain;
  const int lanes = team.lanes();
  std::vector<std::exception_ptr> errors(static_cast<size_t>(lanes));
  team.Run([&](int lane) {
    const int64_t begin = std::min(rows, grains * lane / lanes * grain);
    const int64_t end = std::min(rows, grains * (lane + 1) / lanes * grain);
    if (begin == end) return;
    try {
      const base::FlushDenormals flush;
      kernel.Run(memory, begin, end);
    } catch (...) {
      errors[static_cast<size_t>(lane)] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors)
    if (error != nullptr) std::rethrow_exception(error);
}

// How many lanes the work is worth.
int LanesFor(double nanoseconds, int64_t grains, const base::Team& team) {
  if (team.lanes() < 2) return 1;
  if (nanoseconds < (team.is_awake() ? kWorthIfAwake : kWorthIfAsleep)) return 1;
  const double worth = std::min(nanoseconds / kNanosecondsOfALane, double{base::LaneLease::kAll});
  return static_cast<int>(std::min<int64_t>({static_cast<int64_t>(worth), grains, team.lanes()}));
}

}  // namespace

void RunOnLanes(const ops::OpSpec& spec, DType dtype, const kernels::Kernel& kernel,
                const kernels::KernelMemory& memory, base::Team& team) {
  const int64_t rows = kernel.rows();
  const double cost = kernel.cost_per_row() * static_cast<double>(rows);
  if (rows < 2 || !(cost >= kWorthMeasuring)) return RunAlone(kernel, memory);
  std::atomic<float>& rate = AllRates().Of(spec, dtype);
  const int64_t grains = rows / std::max<int64_t>(1, kernel.row_grain());
  const double expected = cost * Rates::Known(rate);
  const base::MonotonicClock clock;
  const base::Time begin = clock.Now();
  const auto took = [&] {
    return std::chrono::duration<double, std::nano>(clock.Now() - begin).count();
  };
  const int lanes = LanesFor(expected, grains, team);
  if (lanes > 1 && (expected >= kSurelyWorth || !AllDoubts().Skip())) {
    const base::LaneLease lease(team, lanes);
    if (lease.team().lanes() > 1) {
      RunDivided(kernel, memory, lease.team());
      if (rate.load(std::memory_order_relaxed) == 0) {
        Rates::Add(rate, static_cast<float>(took() * lease.team().lanes() / cost));
      } else if (expected < kSurelyWorth) {
        AllDoubts().Ended(took() < expected);
      }
      return;
    }
  }
  RunAlone(kernel, memory);
  Rates::Add(rate, static_cast<float>(took() / cost));
}

}  // namespace lockstep::runtime
