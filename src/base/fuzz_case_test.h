#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "base/memory_limit.h"

// For fuzz tests: a crash or a hang prints the case that runs, and cases get little memory.

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

namespace lockstep::base {

inline constexpr unsigned kMostSecondsOfCase = 5;
inline constexpr uint64_t kMostBytesOfCase = uint64_t{1} << 30;

/// While one lives, a crash or a case that takes more than `kMostSecondsOfCase` prints the case.
class FuzzCaseReports {
 public:
  FuzzCaseReports() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(Write);
    // UBSAN_OPTIONS=abort_on_error=1 makes the undefined sanitizer abort.
    for (const int number : {SIGABRT, SIGALRM}) previous_[number] = std::signal(number, OnSignal);
#else
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
      previous_[number] = std::signal(number, OnSignal);
#endif
  }
  ~FuzzCaseReports() {
    alarm(0);
    for (const auto& [number, handler] : previous_) std::signal(number, handler);
  }
  FuzzCaseReports(const FuzzCaseReports&) = delete;
  FuzzCaseReports& operator=(const FuzzCaseReports&) = delete;

  /// Starts the time of a case. `text` is shortened to 8000 bytes.
  static void Begin(const std::string& text) {
    Describe(text);
    alarm(kMostSecondsOfCase);
  }
  /// Replaces the description of the case that runs.
  static void Describe(const std::string& text) {
    std::snprintf(running_, sizeof running_, "%s\n", text.c_str());
  }
  static const char* running() { return running_; }

 private:
  // A handler may use nothing but write().
  static void Write() {
    const auto written = write(STDERR_FILENO, running_, std::strlen(running_));
    (void)written;
  }
  static void OnSignal(int number) {
    Write();
    std::signal(number, SIG_DFL);
    std::raise(number);
  }

  static inline char running_[8192];
  std::map<int, void (*)(int)> previous_;
};

/// While one lives, this process gets little memory.
class FuzzMemoryLimit {
 public:
  FuzzMemoryLimit() {
    LimitMemoryTo(kMostBytesOfCase);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    getrlimit(RLIMIT_AS, &before_);
    rlimit less = before_;
    less.rlim_cur = std::min<rlim_t>(AddressSpace() + 4 * kMostBytesOfCase, before_.rlim_max);
    setrlimit(RLIMIT_AS, &less);
#endif
  }
  ~FuzzMemoryLimit() {
    LimitMemoryTo(~uint64_t{0});
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    setrlimit(RLIMIT_AS, &before_);
#endif
  }
  FuzzMemoryLimit(const FuzzMemoryLimit&) = delete;
  FuzzMemoryLimit& operator=(const FuzzMemoryLimit&) = delete;

 private:
  static uint64_t AddressSpace() {
    unsigned long pages = 0;
    if (FILE* file = std::fopen("/proc/self/statm", "r"); file != nullptr) {
      if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
      std::fclose(file);
    }
    return static_cast<uint64_t>(pages) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }
  rlimit before_{};
};

}  // namespace lockstep::base
