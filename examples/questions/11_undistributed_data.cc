// Question 003, second program: replicas take batches from one iterator that nobody has
// distributed. With one replica it gives what the sequential program gives. With several, each
// `next` happens in the order of the replicas; a hint says that every replica gets a batch of its
// own then.
#include "answer.h"
#include "lockstep/lockstep.h"

namespace {

using namespace lockstep;

std::string Text(const Tensor& batch) {
  std::string text;
  for (int64_t value : batch.data<int64_t>())
    text += (text.empty() ? "" : " ") + std::to_string(value);
  return text;
}

// What `steps` runs of all replicas get.
std::string Batches(Strategy& strategy, const Dataset& dataset, int steps) {
  const auto scope = strategy.scope();
  DatasetIterator iterator = dataset.begin();
  std::string text;
  for (int step = 0; step < steps; ++step) {
    const PerReplica batches = strategy.Run([&] {
      const Tensor batch = (*iterator)[0];
      ++iterator;
      return batch;
    });
    for (const Tensor& batch : strategy.LocalResults(batches)) text += "[" + Text(batch) + "]";
  }
  return text;
}

}  // namespace

int main() {
  const Dataset dataset = Dataset::Range(10).Batch(2).Repeat();
  Answer answer;
  MirroredStrategy one;
  answer.Line(Batches(one, dataset, 4), "[0 1][2 3][4 5][6 7]");
  MirroredStrategy two({.replicas = 2});
  answer.Line(Batches(two, dataset, 2), "[0 1][2 3][4 5][6 7]");

  // Distributed: each global batch is divided.
  std::string divided;
  {
    const auto scope = two.scope();
    for (const Element& batch : Dataset::Range(8).Batch(4)) {
      const PerReplica own = two.Split(batch)[0];
      for (const Tensor& share : two.LocalResults(own)) divided += "[" + Text(share) + "]";
    }
  }
  answer.Line(divided, "[0 1][2 3][4 5][6 7]");
  return answer.Status();
}
