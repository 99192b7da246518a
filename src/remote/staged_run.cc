#include "remote/staged_run.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "remote/stages.h"
#include "runtime/session_callable.h"

namespace lockstep::remote {

namespace {

class StagedRun : public runtime::SessionRun {
 public:
  StagedRun(Stages stages, size_t num_fetches, CompileForServers compile)
      : stages_(std::move(stages)),
        num_fetches_(num_fetches),
        compile_(std::move(compile)),
        compiled_(stages_.stages.size()) {}

  std::vector<Tensor> Run(std::span<const Tensor> feeds, runtime::RunControl& control,
                          RunMetadata* metadata) override {
    std::vector<Tensor> values = stages_.constants;
    std::copy(feeds.begin(), feeds.end(), values.begin());
    for (size_t i = 0; i < stages_.stages.size(); ++i) {
      const Stage& stage = stages_.stages[i];
      std::vector<Tensor> given;
      for (int feed : stage.feeds) given.push_back(values[feed]);
      const auto run = RunFor(i, ops::TypesOf(given), control);
      const std::vector<Tensor> made = run->Run(given, control, metadata);
      for (size_t k = 0; k < stage.results.size(); ++k) values[stage.results[k]] = made[k];
    }
    std::vector<Tensor> fetched;
    for (size_t i = 0; i < num_fetches_; ++i) fetched.push_back(values[stages_.results[i]]);
    return fetched;
  }

  std::vector<RunMetadata::PartitionGraph> PartitionGraphs() const override {
    const std::lock_guard lock(mutex_);
    std::vector<RunMetadata::PartitionGraph> graphs;
    for (const auto& runs : compiled_) {
      if (runs.empty()) continue;
      for (auto& one : runs.back().second->PartitionGraphs()) graphs.push_back(std::move(one));
    }
    return graphs;
  }

 private:
  using Compiled = std::pair<std::vector<ops::TensorType>, std::shared_ptr<runtime::SessionRun>>;

  std::shared_ptr<runtime::SessionRun> RunFor(size_t index,
                                              const std::vector<ops::TensorType>& types,
                                              const runtime::RunControl& control) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, run] : compiled_[index]) {
      if (known == types) return run;
    }
    const Stage& stage = stages_.stages[index];
    const graph::Graph own = graph::Specialize(stage.graph, types);
    auto run = stage.here ? std::make_shared<runtime::SessionCallable>(own, stage.results.size(),
                                                                       runtime::SessionMode{})
                          : compile_(own, stage.results.size(), control);
    compiled_[index].emplace_back(types, run);
    return run;
  }

  const Stages stages_;
  const size_t num_fetches_;
  const CompileForServers compile_;
  mutable std::mutex mutex_;
  std::vector<std::vector<Compiled>> compiled_;  // by stage; guarded by mutex_
};

}  // namespace

std::shared_ptr<runtime::SessionRun> MakeStagedRun(const graph::Graph& part, size_t num_fetches,
                                                   CompileForServers compile) {
  return std::make_shared<StagedRun>(CutIntoStages(part), num_fetches, std::move(compile));
}

}  // namespace lockstep::remote
