// What the questions name as cures for workers that get in each other's way, each in a few lines:
// locks of variables, accumulated gradients, synchronous training, sharded data, and one stream of
// random numbers a worker from one global seed.
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "answer.h"
#include "lockstep/check/races.h"
#include "lockstep/lockstep.h"
#include "lockstep/runtime/lock.h"

namespace {

using namespace lockstep;

constexpr int kWorkers = 4;

void OnWorkers(const std::function<void(int)>& work) {
  std::vector<std::thread> workers;
  for (int w = 0; w < kWorkers; ++w) workers.emplace_back(work, w);
  for (std::thread& worker : workers) worker.join();
}

// The gradient of (w x - 2 x)^2 / 2 at x = 1.
Tensor GradientOf(const Variable& w) {
  GradientTape tape;
  const Tensor error = w.value() - 2.0f;
  return tape.Gradient(error * error / 2.0f, w);
}

// Each step of each worker sees the variable as it leaves it: 40 steps of one after another.
float WithLocks() {
  const Variable w(Scalar(0.0f));
  OnWorkers([&](int) {
    for (int step = 0; step < 10; ++step) {
      const Lock lock(w);
      w.Assign(w.value() - 0.1f * GradientOf(w));
    }
  });
  return w.value().scalar<float>();
}

float OneAfterAnother() {
  const Variable w(Scalar(0.0f));
  for (int step = 0; step < 10 * kWorkers; ++step) w.Assign(w.value() - 0.1f * GradientOf(w));
  return w.value().scalar<float>();
}

// Workers add up ten gradients each before they touch the variable, once, in one step.
float WithAccumulation() {
  const Variable w(Scalar(0.0f));
  OnWorkers([&](int worker) {
    float sum = 0;
    for (int i = 0; i < 10; ++i) sum += static_cast<float>(worker * 10 + i);
    w.Update([&](const Tensor& value) { return value - sum / 64.0f; });
  });
  return w.value().scalar<float>();
}

// All replicas' gradients are added before the one update; devices change the time alone.
std::string Synchronously(int devices) {
  MirroredStrategy strategy({.devices = devices, .replicas = kWorkers});
  const auto scope = strategy.scope();
  Sequential model{Rescaling(1.0 / 255), Flatten(), Dense(16, relu), Dense(10)};
  model.Compile({.optimizer = optimizers::Adam(),
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)});
  model.Fit(Dataset::Digits(/*seed=*/1, 256).Batch(64), {.verbose = Verbosity::kSilent});
  return model.WeightsDigest();
}

// Each worker reads its part, and all parts are the whole.
std::multiset<int64_t> FromShards() {
  const Dataset whole = Dataset::Range(23);
  std::vector<std::vector<int64_t>> read(kWorkers);
  OnWorkers([&](int worker) {
    for (const Element& element : whole.Shard(kWorkers, worker)) {
      read[worker].push_back(element[0].scalar<int64_t>());
    }
  });
  std::multiset<int64_t> all;
  for (const auto& part : read) all.insert(part.begin(), part.end());
  return all;
}

// Worker w draws from the w-th child of the global seed's stream, whenever it gets its turn.
std::vector<std::vector<float>> FromStreams() {
  const std::vector<Generator> streams = Generator::FromSeed(42).Split(kWorkers);
  std::vector<std::vector<float>> drawn(kWorkers);
  OnWorkers([&](int worker) { drawn[worker] = streams[worker].Normal({3}).ToVector<float>(); });
  return drawn;
}

}  // namespace

int main() {
  SetRaceCheck(RaceCheck::kRaise);
  Answer answer;
  answer.Holds(WithLocks() == OneAfterAnother(), "locked steps are steps one after another");
  answer.Line("accumulated: " + Text(WithAccumulation() * 64), "accumulated: -780.0");
  answer.Line("synchronous: " + Synchronously(1), "synchronous: " + Synchronously(2));
  const std::multiset<int64_t> shards = FromShards();
  answer.Holds(shards.size() == 23 && *shards.rbegin() == 22 &&
                   std::set<int64_t>(shards.begin(), shards.end()).size() == 23,
               "every element is read once");
  const auto drawn = FromStreams();
  answer.Holds(drawn == FromStreams(), "a worker's numbers follow from the global seed");
  answer.Holds(std::set<std::vector<float>>(drawn.begin(), drawn.end()).size() == kWorkers,
               "each worker has numbers of its own");
  std::printf("locks, accumulation, synchronous steps, shards and streams hold\n");
  return answer.Status();
}
