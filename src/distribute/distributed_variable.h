#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lockstep/distribute/strategy.h"
#include "runtime/variable_state.h"

namespace lockstep::distribute {

/// A variable made in a strategy's scope. It has one cell as long as all replicas hold the same
/// value, and one for each replica where they may differ: ON_READ from the beginning, ON_WRITE with
/// aggregation NONE from the first assignment inside of a replica on. Under a strategy with a
/// parameter device it has one cell in any case. Source: semantics of tf.distribute's
/// MirroredVariable, SyncOnReadVariable and AggregatingVariable.
class DistributedVariable : public runtime::VariableState {
 public:
  DistributedVariable(Strategy& strategy, const Tensor& initial, VariableOptions options);

  const Tensor& Handle() const override;
  Tensor Read() const override;
  bool InReplica() const override;
  std::vector<Tensor> AssignedHandles() override;
  Tensor ReadAssigned() const override;
  std::vector<Tensor> Update(std::string_view op, const std::vector<Tensor>& inputs) override;
  std::string Describe() const override;

  /// The handles of all copies, the first replica's first.
  const std::vector<Tensor>& cells() const { return cells_; }
  uint64_t strategy_id() const { return strategy_id_; }
  /// The copy of replica `replica`, as a variable of its own.
  Variable CopyOf(int replica) const;
  /// FailedPrecondition when another strategy is open.
  void RequireOwnStrategy(const char* where) const;

 private:
  bool on_read() const { return options().synchronization == VariableSynchronization::kOnRead; }
  VariableAggregation aggregation() const { return options().aggregation; }
  /// Gives every replica a copy. InvalidArgument where there is to be only one.
  void Separate();
  std::vector<Tensor> UpdateInReplica(const std::string& op, const std::vector<Tensor>& inputs);
  // Tells the run that this replica's copy is written.
  void NoteWriter();
  std::vector<Tensor> UpdateTogether(const std::string& op, const std::vector<Tensor>& inputs);
  std::vector<Tensor> UpdateAll(const std::string& op, const std::vector<Tensor>& inputs);
  void CheckScatter(const std::string& op) const;
  [[noreturn]] void Refuse(Code code, const std::string& text) const;

  const uint64_t strategy_id_;
  const std::string strategy_name_;
  const int replicas_;
  const bool divides_;  // ON_READ is the replicas' parts, also where there is one replica
  const std::string parameter_device_;  // "": replicas may have copies of their own
  std::vector<Tensor> cells_;
  Tensor replica_handle_;  // in programs traced once for all replicas
};

/// Makes the variables of a scope of `strategy`.
std::unique_ptr<runtime::VariableCreator> MakeVariableCreator(Strategy& strategy);

/// What replicas create in one eager run: each variable once, by replica 0 or whoever comes first;
/// the others get the same one.
class SharedCreations {
 public:
  explicit SharedCreations(Strategy& strategy);
  ~SharedCreations();
  /// For replica `replica`; valid as long as this lives.
  runtime::VariableCreator* CreatorOf(int replica);

 private:
  class Creator;
  struct Created {
    std::shared_ptr<runtime::VariableState> state;
    std::vector<bool> taken;  // by replica
  };
  Strategy& strategy_;
  std::vector<Created> created_;
  std::vector<std::unique_ptr<Creator>> creators_;
};

}  // namespace lockstep::distribute
