#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <new>
#include <random>
#include <string>
#include <vector>

/// Timing of competitors that take turns, for benchmarks of kernels.
namespace lockstep::kernels {

/// Memory that is aligned to a line of the cache, as tensors' is.
template <typename T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <typename U>
  explicit LineAllocator(const LineAllocator<U>&) {}
  T* allocate(size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* memory, size_t) { ::operator delete (memory, std::align_val_t{64}); }
  bool operator==(const LineAllocator&) const { return true; }
};
using Floats = std::vector<float, LineAllocator<float>>;

/// Values in (-1, 1).
inline Floats RandomFloats(int64_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  Floats values(static_cast<size_t>(count));
  for (float& value : values) value = distribution(engine);
  return values;
}

inline void Require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong answer: %s\n", what);
  std::exit(1);
}

struct Competitor {
  std::string name;
  std::function<void()> run;
};

inline double SecondsOf(const std::function<void()>& run, int repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) run();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / repeats;
}

/// Prints the machine and how times are taken.
inline void PrintMachine() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line) && line.rfind("model name", 0) != 0) {
  }
  std::printf("%s, compiler %s, one thread; least, [median] of 60 rounds that take turns\n",
              line.c_str(), __VERSION__);
}

/// Runs the competitors in turns and prints the least and the median time of each, and its rate.
inline void RunRounds(const std::string& title, double flops,
                      const std::vector<Competitor>& competitors, double seconds_a_round = 0.0005) {
  constexpr int kRounds = 60;
  std::vector<std::vector<double>> times(competitors.size());
  std::vector<int> repeats;
  for (const Competitor& competitor : competitors) {
    competitor.run();
    const double once = SecondsOf(competitor.run, 1);
    repeats.push_back(std::max(1, static_cast<int>(seconds_a_round / once)));
  }
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < competitors.size(); ++i) {
      times[i].push_back(SecondsOf(competitors[i].run, repeats[i]));
    }
  }
  std::printf("%s\n", title.c_str());
  for (size_t i = 0; i < competitors.size(); ++i) {
    std::sort(times[i].begin(), times[i].end());
    const double least = times[i].front();
    std::printf("  %-28s %10.2f us [%.2f]  %6.1f GFLOP/s\n", competitors[i].name.c_str(),
                least * 1e6, times[i][kRounds / 2] * 1e6, flops / least * 1e-9);
  }
}

}  // namespace lockstep::kernels
