// Threads whose order decides how they end, for `lockstep race --schedules`: an argument says
// which.
//   lost      two threads read, add and assign
//   late      a thread throws where another one says too early that it is ready
//   deadlock  two threads take two locks in opposite orders
//   locked    two threads read, add and assign under a lock of the program's own: always right
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "lockstep/lockstep.h"

namespace {

using namespace lockstep;

float Number(const Variable& variable) { return variable.value().scalar<float>(); }

void Together(const std::function<void()>& one, const std::function<void()>& other) {
  std::thread first(one), second(other);
  first.join();
  second.join();
}

void Lost() {
  const Variable counter(Scalar(0.0f), {.name = "counter"});
  const auto count = [&] {
    const Tensor old = counter.value();
    counter.Assign(old + 1.0f);
  };
  Together(count, count);
  std::cout << Number(counter) << "\n";
}

void Late() {
  const Variable value(Scalar(0.0f), {.name = "value"}), ready(Scalar(0.0f), {.name = "ready"});
  Together(
      [&] {
        ready.Assign(Scalar(1.0f));
        value.Assign(Scalar(5.0f));
      },
      [&] {
        if (Number(ready) == 1.0f && Number(value) != 5.0f)
          throw std::runtime_error("the value is not there");
      });
  std::cout << "in time\n";
}

void Deadlock() {
  const Variable a(Scalar(0.0f), {.name = "a"}), b(Scalar(0.0f), {.name = "b"});
  std::mutex of_a, of_b;
  const auto add = [](const Variable& first, std::mutex& its, const Variable& second,
                      std::mutex& others) {
    const std::lock_guard one(its);
    first.AssignAdd(1.0f);
    const std::lock_guard other(others);
    second.AssignAdd(1.0f);
  };
  Together([&] { add(a, of_a, b, of_b); }, [&] { add(b, of_b, a, of_a); });
  std::cout << Number(a) << " " << Number(b) << "\n";
}

void Locked() {
  const Variable counter(Scalar(0.0f), {.name = "counter"});
  std::mutex mutex;
  const auto count = [&] {
    for (int i = 0; i < 2; ++i) {
      const std::lock_guard lock(mutex);
      counter.Assign(counter.value() + 1.0f);
    }
  };
  Together(count, count);
  std::cout << Number(counter) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void()>> programs = {
      {"lost", Lost}, {"late", Late}, {"deadlock", Deadlock}, {"locked", Locked}};
  const auto program = programs.find(argc > 1 ? argv[1] : "locked");
  if (program == programs.end()) {
    std::cerr << "usage: thread_orders [lost|late|deadlock|locked]\n";
    return 2;
  }
  program->second();
}
