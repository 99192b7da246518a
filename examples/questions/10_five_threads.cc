// Question 003, first program: five threads read a variable, add 1 and assign. Usually less than 5
// is left, without a word. Here every such run is told, or raised; and three ways to write it are
// always right. An argument says how many runs of each kind are made.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "answer.h"
#include "lockstep/check/races.h"
#include "lockstep/lockstep.h"
#include "lockstep/runtime/lock.h"

namespace {

using namespace lockstep;

void WorkerTask(const Variable& shared_variable) {
  Tensor local_value = shared_variable.value();
  local_value = local_value + 1.0f;
  shared_variable.Assign(local_value);
}

struct Outcome {
  int wrong = 0;
  int silently_wrong = 0;
};

// Five threads, `runs` times.
Outcome Repeat(int runs, const std::function<void(const Variable&)>& task) {
  Outcome outcome;
  for (int run = 0; run < runs; ++run) {
    const Variable shared_variable(Scalar(0.0f), {.name = "shared_variable"});
    std::atomic<int> raised{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 5; ++i) {
      threads.emplace_back([&] {
        try {
          task(shared_variable);
        } catch (const Error&) {
          ++raised;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const bool told = !TakeRaceReports().empty() || raised > 0;
    const bool wrong = shared_variable.value().scalar<float>() != 5.0f;
    outcome.wrong += wrong;
    outcome.silently_wrong += wrong && !told;
  }
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 300;
  Answer answer;
  for (const RaceCheck check : {RaceCheck::kWarn, RaceCheck::kRaise}) {
    SetRaceCheck(check);
    const Outcome outcome = Repeat(runs, WorkerTask);
    std::printf("%s: %d of %d runs wrong\n", check == RaceCheck::kWarn ? "warn" : "raise",
                outcome.wrong, runs);
    answer.Line(std::to_string(outcome.silently_wrong) + " silently", "0 silently");
  }
  const std::function<void(const Variable&)> cures[] = {
      [](const Variable& v) { v.AssignAdd(1.0f); },
      [](const Variable& v) { v.Update([](const Tensor& value) { return value + 1.0f; }); },
      [](const Variable& v) {
        const Lock lock(v);
        WorkerTask(v);
      }};
  for (const auto& cure : cures) {
    const Outcome outcome = Repeat(runs, cure);
    answer.Line("cured: " + std::to_string(outcome.wrong) + " wrong", "cured: 0 wrong");
  }
  return answer.Status();
}
