// What workers that train together agree on: how they begin, when they stop, come and go, and that
// they hold the same weights.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/hash.h"
#include "distribute/workers/journal.h"
#include "lockstep/distribute/parameter_server.h"
#include "lockstep/nn/initializers.h"
#include "nn/training.h"

namespace lockstep {

namespace {

// By name, in an order that is the same on all workers.
using Facts = std::vector<std::pair<std::string, std::string>>;

uint64_t HashOf(const Tensor& value) {
  return base::Hash64(
      {static_cast<const char*>(value.raw_data()), static_cast<size_t>(value.num_bytes())});
}

// Of rows of whole tensors, the first and the last among them: enough to tell one file or one seed
// from another.
uint64_t HashOfSomeRows(std::span<const Tensor> components) {
  constexpr int64_t kRows = 64;
  uint64_t hash = 0;
  for (const Tensor& component : components) {
    if (component.dtype() == DType::kString || component.rank() == 0) continue;
    const int64_t rows = component.shape()[0];
    for (int64_t i = 0; i < std::min(rows, kRows); ++i) {
      const int64_t row = rows <= kRows ? i : i * (rows - 1) / (kRows - 1);
      const auto bytes = component.num_bytes() / rows;
      const auto* begin = static_cast<const char*>(component.raw_data()) + row * bytes;
      hash = hash * 31 + base::Hash64({begin, static_cast<size_t>(bytes)});
    }
  }
  return hash;
}

}  // namespace

void Model::Training::CompareBeginnings(distribute::Communicator& ranks, nn::StepInput& input,
                                        const FitOptions& fit) const {
  Facts facts{
      {"seed", std::to_string(RandomSeed())},
      {"epochs", std::to_string(fit.epochs)},
      {"max_steps", std::to_string(fit.max_steps)},
      {"optimizer", options.optimizer->name()},
      {"learning_rate", std::to_string(options.optimizer->learning_rate().scalar<float>())}};
  for (const auto& [what, value] : recipe_) facts.emplace_back(what, std::to_string(value));
  const nn::StepData* first = position.epoch < fit.epochs ? input.Peek() : nullptr;
  if (first != nullptr && first->gathered) {
    const std::span<const Tensor> components =
        std::span(first->arguments).first(first->components());
    facts.emplace_back("data of hash", std::to_string(HashOfSomeRows(components)));
  }
  // Those on servers are not the workers'.
  if (dynamic_cast<const ParameterServerStrategy*>(&model.strategy()) == nullptr) {
    for (const Variable& variable : model.variables())
      facts.emplace_back(variable.name() + " of hash", std::to_string(HashOf(variable.value())));
  }
  const std::string own = nlohmann::json(facts).dump();
  const auto all = ranks.journal().Exchange([&own] { return own; });
  for (size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    if (all[rank].empty() || all[0].empty()) {
      throw Error(Code::kInvalidArgument,
                  "[fit] all workers must call Fit alike; got worker " +
                      std::to_string(all[0].empty() ? 0 : rank) +
                      " at the end of its program instead; start them alike");
    }
    const auto expected = nlohmann::json::parse(all[0]).get<Facts>();
    const auto got = nlohmann::json::parse(all[rank]).get<Facts>();
    const auto [one, other] =
        std::mismatch(expected.begin(), expected.end(), got.begin(), got.end());
    const auto told = [](Facts::const_iterator place, Facts::const_iterator end) {
      return place == end ? std::string("nothing") : place->first + " " + place->second;
    };
    throw Error(
        Code::kInvalidArgument,
        "[fit] all workers must begin with one program, flags, data and first values; got " +
            told(other, got.end()) + " on worker " + std::to_string(rank) + " and " +
            told(one, expected.end()) + " on worker 0; start them alike");
  }
}

// Workers may have other callbacks each; but what those that rest are sent, all must know.
void Model::Training::AgreeOnReads(distribute::Communicator& ranks, const FitOptions& fit) {
  std::set<int64_t> every;
  for (const CallbackPtr& callback : fit.callbacks)
    if (const int64_t own = callback->ReadsEvery(); own > 0) every.insert(own);
  const std::string own = nlohmann::json(every).dump();
  reads_every_.clear();
  for (const std::string& text : ranks.journal().Exchange([&own] { return own; }))
    if (!text.empty()) reads_every_.merge(nlohmann::json::parse(text).get<std::set<int64_t>>());
}

// At the end of a step: whether a worker wants to stop, come or go, and whether all hold the same
// weights.
void Model::Training::AgreeWithWorkers(const FitOptions& fit) {
  distribute::Communicator* ranks = model.strategy().ranks();
  if (ranks == nullptr) return;
  if ((ranks->heard() & distribute::kStopNote) != 0) model.stop_training = true;
  if (fit.digest_check > 0 && history_.steps % fit.digest_check == 0) CompareWeights(*ranks);
  // Last: who comes begins with the next step.
  if (model.stop_training) return;
  bool changes = false;
  const auto passed = [&] {
    changes = true;
    reads_followed_ = true;  // as all is gathered
    return StepBoundary::Passed{.position = Snapshot()};
  };
  if (!boundary_->Pass(history_.steps, passed)) {
    model.stop_training = true;
  } else if (changes) {
    AgreeOnReads(*ranks, fit);
  }
}

void Model::Training::CompareWeights(distribute::Communicator& ranks) const {
  const std::vector<Variable> variables = model.variables();
  std::vector<uint64_t> own;
  for (const Variable& variable : variables) {
    own.push_back(HashOf(variable.value()));
  }
  const std::string bytes(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(uint64_t));
  const std::vector<std::string> all = ranks.journal().Exchange([&bytes] { return bytes; });
  for (size_t i = 0; i < own.size(); ++i) {
    for (size_t rank = 1; rank < all.size(); ++rank) {
      if (all[rank].compare(i * sizeof(uint64_t), sizeof(uint64_t), all[0], i * sizeof(uint64_t),
                            sizeof(uint64_t)) == 0)
        continue;
      throw Error(Code::kDataLoss,
                  "[fit] all workers must hold the same weights; got another value of " +
                      variables[i].name() + " on worker " + std::to_string(rank) +
                      " than on worker 0 after step " + std::to_string(history_.steps) +
                      "; test that machine's memory, and resume from the last save");
    }
  }
}

}  // namespace lockstep
