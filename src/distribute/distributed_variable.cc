#include "distribute/distributed_variable.h"

#include "distribute/context.h"
#include "distribute/meeting.h"
#include "distribute/reduction.h"
#include "ops/builder.h"
#include "runtime/eager.h"
#include "runtime/replica.h"
#include "runtime/variable_cell.h"

namespace lockstep::distribute {

namespace {

const char* NameOf(VariableAggregation aggregation) {
  constexpr const char* kNames[] = {"NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"};
  return kNames[static_cast<int>(aggregation)];
}

bool IsScatter(const std::string& op) { return op.starts_with("ResourceScatter"); }

bool Eager() { return &ops::CurrentBuilder() == &runtime::EagerBuilder::Instance(); }

VariableOptions Checked(const Strategy& strategy, VariableOptions options, const Tensor& initial) {
  const auto refuse = [&](const std::string& text) {
    throw Error(Code::kInvalidArgument, "[variable] " + text + " (" + options.name + ")");
  };
  if (options.synchronization == VariableSynchronization::kNone) {
    refuse(
        "under a strategy a variable is kept together somehow; got synchronization NONE; use "
        "AUTO, ON_WRITE or ON_READ");
  }
  if (options.aggregation == VariableAggregation::kMean && !IsFloating(initial.dtype())) {
    refuse("aggregation MEAN needs a floating dtype; got " +
           std::string(DTypeName(initial.dtype())));
  }
  const bool is_central = !strategy.parameter_device().empty();
  if (is_central && options.synchronization == VariableSynchronization::kOnRead) {
    options.trainable = options.trainable.value_or(false);
  }
  if (is_central || options.synchronization == VariableSynchronization::kAuto) {
    options.synchronization = VariableSynchronization::kOnWrite;
  }
  return options;
}

// Whether the strategy's variables have a copy for each replica in TensorFlow, be it one alone. On
// one device and with parameter servers they are plain.
bool Mirrors(const Strategy& strategy) {
  return dynamic_cast<const MirroredStrategy*>(&strategy) != nullptr ||
         dynamic_cast<const MultiWorkerMirroredStrategy*>(&strategy) != nullptr;
}

}  // namespace

DistributedVariable::DistributedVariable(Strategy& strategy, const Tensor& initial,
                                         VariableOptions options)
    : VariableState(initial, Checked(strategy, std::move(options), initial)),
      strategy_id_(strategy.id()),
      strategy_name_(strategy.name()),
      replicas_(strategy.num_replicas_in_sync()),
      divides_(replicas_ > 1 || Mirrors(strategy)),
      parameter_device_(strategy.parameter_device()),
      cells_{first()} {
  if (on_read()) Separate();
}

void DistributedVariable::Separate() {
  if (cells_.size() > 1 || replicas_ == 1) return;
  if (!parameter_device_.empty() && !options().copies) {
    Refuse(Code::kInvalidArgument,
           "one copy for all replicas can't hold what each of them assigns; got aggregation NONE; "
           "make it with aggregation SUM, MEAN or ONLY_FIRST_REPLICA");
  }
  const Tensor value = runtime::CellOf(first()).Read();
  for (int r = 1; r < replicas_; ++r) {
    auto cell = std::make_shared<runtime::VariableCell>(
        options().name + "/replica_" + std::to_string(r), value, trainable());
    cells_.push_back(
        Tensor::FromObject(std::move(cell), DType::kResource, value.shape(), value.dtype()));
  }
  replica_handle_ = Tensor::FromObject(std::make_shared<runtime::ReplicaCells>(cells_),
                                       DType::kResource, value.shape(), value.dtype());
  runtime::ChangeVariableLayout();
}

namespace {

// One replica's copy, for who updates them one by one.
class Copy : public runtime::VariableState {
 public:
  Copy(const Tensor& cell, VariableOptions options)
      : VariableState(cell, std::move(options), Existing{}) {}
};

}  // namespace

Variable DistributedVariable::CopyOf(int replica) const {
  return Variable(std::make_shared<Copy>(cells_[replica], options()));
}

void DistributedVariable::Refuse(Code code, const std::string& text) const {
  throw Error(code, "[variable] " + text + " (" + Describe() + ")");
}

void DistributedVariable::RequireOwnStrategy(const char* where) const {
  RequireStrategy(std::string(where) + " " + options().name, strategy_id_, strategy_name_);
}

const Tensor& DistributedVariable::Handle() const {
  RequireOwnStrategy("variable");
  if (cells_.size() == 1) return cells_[0];
  if (!HasStrategy() || InCrossReplicaContext()) {
    Refuse(Code::kFailedPrecondition,
           "outside of a replica there is no one handle where every replica has a copy; got " +
               options().name + "; use Strategy::Update, or value() and Assign");
  }
  return Eager() && runtime::CurrentReplica() >= 0 ? cells_[runtime::CurrentReplica()]
                                                   : replica_handle_;
}

Tensor DistributedVariable::Read() const {
  RequireOwnStrategy("variable");
  if (InReplica()) return VariableState::Read();
  const bool combines = on_read() && divides_;
  if (combines && aggregation() == VariableAggregation::kNone) {
    Refuse(Code::kInvalidArgument,
           "what replicas hold of it can't be read as one value without an aggregation; got NONE; "
           "make it with aggregation SUM, MEAN or ONLY_FIRST_REPLICA");
  }
  if (!combines || aggregation() == VariableAggregation::kOnlyFirstReplica || replicas_ == 1)
    return ops::Emit1("ReadVariableOp", {cells_[0]});
  std::vector<Tensor> values;
  for (const Tensor& cell : cells_) values.push_back(ops::Emit1("ReadVariableOp", {cell}));
  const Tensor sum = TreeSum(values);
  return aggregation() == VariableAggregation::kMean ? DividedBy(sum, replicas_) : sum;
}

bool DistributedVariable::InReplica() const { return HasStrategy() && !InCrossReplicaContext(); }

std::vector<Tensor> DistributedVariable::AssignedHandles() {
  RequireOwnStrategy("variable");
  if (!InReplica()) return cells_;
  if (replicas_ > 1 && !on_read()) {
    if (aggregation() != VariableAggregation::kNone) {
      Refuse(Code::kUnimplemented,
             "one replica can't hold or update what all replicas assign together; got " +
                 std::string(NameOf(aggregation())) +
                 "; use Assign or AssignAdd, or call it "
                 "outside of Run");
    }
    Separate();
  }
  if (replicas_ > 1) NoteWriter();
  return {Handle()};
}

Tensor DistributedVariable::ReadAssigned() const {
  if (InReplica() || !on_read() || aggregation() != VariableAggregation::kNone) return Read();
  return ops::Emit1("ReadVariableOp", {cells_[0]});
}

void DistributedVariable::CheckScatter(const std::string& op) const {
  if (!IsScatter(op)) return;
  if (on_read()) {
    Refuse(Code::kUnimplemented,
           "rows of a variable that is combined when read can't be "
           "scattered; got " +
               op);
  }
  const bool combines =
      aggregation() == VariableAggregation::kSum || aggregation() == VariableAggregation::kMean;
  const bool picks =
      op == "ResourceScatterMin" || op == "ResourceScatterMax" || op == "ResourceScatterUpdate";
  if (combines && picks) {
    Refuse(Code::kUnimplemented, op + " has no meaning for sums and means over replicas; use "
                                      "aggregation NONE or ONLY_FIRST_REPLICA");
  }
}

std::vector<Tensor> DistributedVariable::Update(std::string_view name,
                                                const std::vector<Tensor>& inputs) {
  RequireOwnStrategy("variable");
  const std::string op(name);
  CheckScatter(op);
  return InReplica() ? UpdateInReplica(op, inputs) : UpdateAll(op, inputs);
}

std::vector<Tensor> DistributedVariable::UpdateInReplica(const std::string& op,
                                                         const std::vector<Tensor>& inputs) {
  if (replicas_ == 1) return VariableState::Update(op, inputs);
  if (!on_read() && aggregation() != VariableAggregation::kNone) return UpdateTogether(op, inputs);
  Separate();
  NoteWriter();
  return VariableState::Update(op, inputs);
}

void DistributedVariable::NoteWriter() {
  Meeter* meeter = GetReplicaContext()->meeter();
  if (meeter != nullptr) meeter->Writes(options().name, cells_);
}

std::vector<Tensor> DistributedVariable::UpdateTogether(const std::string& op,
                                                        const std::vector<Tensor>& inputs) {
  bool plain = true;
  for (const Tensor& input : inputs) plain &= input.is_weak();
  const bool sums = aggregation() == VariableAggregation::kSum;
  const bool means = aggregation() == VariableAggregation::kMean;
  if (plain && sums) {
    Refuse(Code::kInvalidArgument, "a number can't be summed over " + std::to_string(replicas_) +
                                       " replicas; got " + inputs[0].ToString() +
                                       "; give a tensor, or assign around Run");
  }
  if (op == "CompareAndAssignVariableOp" && (sums || means)) {
    Refuse(Code::kUnimplemented,
           "compare-and-assign has no meaning for sums and means over "
           "replicas; use aggregation NONE or ONLY_FIRST_REPLICA");
  }
  std::vector<Tensor> all = Strong(inputs);
  all.insert(all.begin(), Handle());
  const ReduceOp reduce_op = means ? ReduceOp::kMean : ReduceOp::kSum;
  return ops::Emit("ReplicaUpdate", std::move(all),
                   {{"update", op},
                    {"combine", !plain && (sums || means)},
                    {"reduce_op", static_cast<int64_t>(reduce_op)}});
}

// In cross-replica context: every copy.
std::vector<Tensor> DistributedVariable::UpdateAll(const std::string& op,
                                                   const std::vector<Tensor>& inputs) {
  std::vector<Tensor> given = Strong(inputs);
  if (on_read() && aggregation() == VariableAggregation::kSum && divides_) {
    if (op != "AssignVariableOp") {
      Refuse(
          Code::kInvalidArgument,
          "outside of a replica it is not said to which replica's part something is added; got " +
              op + "; call it inside of Run, or Assign the sum");
    }
    if (replicas_ > 1) given[0] = DividedBy(given[0], replicas_);
  }
  std::vector<Tensor> first;
  for (size_t r = 0; r < cells_.size(); ++r) {
    std::vector<Tensor> all = given;
    all.insert(all.begin(), cells_[r]);
    std::vector<Tensor> outputs = ops::Emit(op, std::move(all));
    if (r == 0) first = std::move(outputs);
  }
  return first;
}

std::string DistributedVariable::Describe() const {
  std::string text = on_read()                   ? "SyncOnReadVariable "
                     : parameter_device_.empty() ? "MirroredVariable "
                                                 : "CentralVariable ";
  text += NameAndType() + ", aggregation " + NameOf(aggregation()) + ", of " + strategy_name_ +
          " with " + std::to_string(replicas_) + (replicas_ == 1 ? " replica" : " replicas") + ": ";
  if (!parameter_device_.empty()) return text + "one copy, on " + parameter_device_;
  if (cells_.size() == 1) {
    return text + (replicas_ == 1 ? "one copy in this process, the replica's"
                                  : "one copy in this process for all replicas, since all hold the "
                                    "same value");
  }
  text += std::to_string(cells_.size()) + " copies in this process, one a replica, since ";
  return text +
         (on_read() ? "they are combined only when read" : "replicas assigned values of their own");
}

namespace {

class ScopeCreator : public runtime::VariableCreator {
 public:
  explicit ScopeCreator(Strategy& strategy) : strategy_(strategy) {}
  std::shared_ptr<runtime::VariableState> Create(const std::function<Tensor()>& initial,
                                                 VariableOptions options) override {
    return std::make_shared<DistributedVariable>(strategy_, initial(), std::move(options));
  }

 private:
  Strategy& strategy_;
};

}  // namespace

std::unique_ptr<runtime::VariableCreator> MakeVariableCreator(Strategy& strategy) {
  return std::make_unique<ScopeCreator>(strategy);
}

class SharedCreations::Creator : public runtime::VariableCreator {
 public:
  Creator(SharedCreations& shared, int replica) : shared_(shared), replica_(replica) {}

  std::shared_ptr<runtime::VariableState> Create(const std::function<Tensor()>& initial,
                                                 VariableOptions options) override {
    for (Created& created : shared_.created_) {
      if (created.taken[replica_] || created.state->options().name != options.name) continue;
      created.taken[replica_] = true;
      return created.state;
    }
    Created created{
        std::make_shared<DistributedVariable>(shared_.strategy_, initial(), std::move(options)),
        std::vector<bool>(shared_.strategy_.num_replicas_in_sync())};
    created.taken[replica_] = true;
    shared_.created_.push_back(created);
    return created.state;
  }

 private:
  SharedCreations& shared_;
  const int replica_;
};

SharedCreations::SharedCreations(Strategy& strategy) : strategy_(strategy) {
  for (int r = 0; r < strategy.num_replicas_in_sync(); ++r)
    creators_.push_back(std::make_unique<Creator>(*this, r));
}
SharedCreations::~SharedCreations() = default;

runtime::VariableCreator* SharedCreations::CreatorOf(int replica) {
  return creators_[replica].get();
}

}  // namespace lockstep::distribute
