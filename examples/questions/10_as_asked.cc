// Question 003, first program, as it was asked: five threads read, add 1 and assign. It prints 5.0
// if it is lucky; a line of the log says what went wrong else. With the argument assign_add,
// update, lock or mutex it is written so that it is always right: `lockstep race --schedules 1000
// -- example_questions_10_as_asked update` tries 1000 orders of its threads.
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/lockstep.h"
#include "lockstep/runtime/lock.h"

int main(int argc, char** argv) {
  using namespace lockstep;
  const Variable shared_variable(Scalar(0.0f), {.name = "shared_variable"});

  const auto read_add_assign = [&] {
    Tensor local_value = shared_variable.value();
    local_value = local_value + 1.0f;
    shared_variable.Assign(local_value);
  };
  std::mutex mutex;
  const std::map<std::string, std::function<void()>> tasks = {
      {"as_asked", read_add_assign},
      {"assign_add", [&] { shared_variable.AssignAdd(1.0f); }},
      {"update", [&] { shared_variable.Update([](const Tensor& value) { return value + 1.0f; }); }},
      {"mutex",
       [&] {
         const std::lock_guard lock(mutex);
         read_add_assign();
       }},
      {"lock", [&] {
         const Lock lock(shared_variable);
         read_add_assign();
       }}};
  const auto task = tasks.find(argc > 1 ? argv[1] : "as_asked");
  if (task == tasks.end()) return 2;

  std::vector<std::thread> threads;
  for (int i = 0; i < 5; ++i) threads.emplace_back(task->second);
  for (std::thread& thread : threads) thread.join();
  std::printf("%.1f\n", shared_variable.value().scalar<float>());
  return 0;
}
