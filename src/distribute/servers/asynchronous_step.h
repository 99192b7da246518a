#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/team.h"
#include "distribute/programs/push_program.h"
#include "distribute/servers/asynchronous_run.h"
#include "runtime/compiled.h"

namespace lockstep::distribute {

/// Rows of a tensor that lie somewhere in a message.
struct Region {
  size_t offset = 0;
  size_t bytes = 0;
};

/// A training step cut into a worker's part and servers' parts, for batches of one or several
/// sizes, and the variables that the parts share. Kept from epoch to epoch.
class AsynchronousStep {
 public:
  struct Options {
    int servers = 1;
    ExecutionOptions execution;
    /// Of these, workers get the values too, though the step does not read them.
    std::vector<std::shared_ptr<runtime::VariableCell>> shown;
    /// The rate, where it is divided by 1 + staleness; else null.
    std::shared_ptr<runtime::VariableCell> scaled_rate;
  };
  /// A step on a batch of one form, as PushProgram takes it.
  struct Form {
    const graph::Graph* graph = nullptr;
    int64_t examples = 0;
    std::vector<bool> has_rows;
  };
  /// Errors: as PushProgram; Unimplemented when forms divide variables in different ways.
  AsynchronousStep(const std::vector<Form>& forms, const Options& options);
  ~AsynchronousStep();

  int servers() const { return options_.servers; }
  /// The whole step, for batches of each size.
  const std::vector<graph::Graph>& graphs() const { return graphs_; }
  /// All variables of the step.
  const std::vector<std::shared_ptr<runtime::VariableCell>>& cells() const { return cells_; }
  /// Takes the values of all variables as those from which a run begins.
  void KeepFirstValues();
  std::unique_ptr<Shard> MakeShard(int server, base::Team& team);

  /// A worker's: puts values into the model's variables, and makes a batch's pushes of them.
  void Take(int server, const net::Payload& values);
  std::vector<net::Payload> Compute(net::Transport& transport, size_t form,
                                    std::span<const Tensor> arguments, base::Team& team);
  /// Assigns what the servers had in the end to the model's variables.
  void AssignFinals(const std::map<int, net::Payload>& states);

 private:
  friend class StepShard;
  struct Variable {
    std::shared_ptr<runtime::VariableCell> cell;
    std::vector<int64_t> borders;
    bool written = false;
    bool pulled = false;
    Tensor first;
    Shape ShapeOn(int server) const;
    Region RowsOn(int server) const;
  };
  struct FormParts {
    std::unique_ptr<PushProgram> program;
    std::unique_ptr<runtime::Compiled> worker;
    std::vector<size_t> variables;             // of the program's kept ones, which of ours
    std::vector<std::vector<Region>> regions;  // by server: where what is pushed lies in a push
    std::vector<size_t> push_bytes;            // by server
  };
  void AddForm(const Form& form);
  size_t PlaceOf(const PushProgram::Kept& kept);
  void AssignRows(Variable& variable, int server, const net::Payload& from, size_t offset);

  const Options options_;
  std::vector<graph::Graph> graphs_;
  std::vector<FormParts> forms_;
  std::vector<Variable> variables_;
  std::vector<std::shared_ptr<runtime::VariableCell>> cells_;
  // A server's programs are compiled once, for its own variables.
  struct Core;
  std::map<int, std::shared_ptr<Core>> cores_;
};

}  // namespace lockstep::distribute
