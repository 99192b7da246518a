#include <algorithm>

#include "distribute/servers/partitioner_scope.h"
#include "graph/tracer.h"
#include "lockstep/distribute/sharded_variable.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"
#include "runtime/eager.h"
#include "runtime/placed_variable.h"
#include "runtime/variable_state.h"

namespace lockstep {

namespace {

int64_t NumShards(const Partitioner& partitioner, const Tensor& initial, const std::string& name) {
  const Shape& shape = initial.shape();
  const std::vector<int64_t> cut = partitioner(shape, initial.dtype());
  bool good = static_cast<int>(cut.size()) == shape.rank();
  for (size_t axis = 0; axis < cut.size(); ++axis) good &= axis == 0 ? cut[0] >= 1 : cut[axis] == 1;
  if (good && !cut.empty()) return cut[0];
  std::string text;
  for (int64_t count : cut) text += (text.empty() ? "" : ", ") + std::to_string(count);
  throw Error(Code::kInvalidArgument,
              "[sharded variable] axis 0 alone is cut, and a scalar has none; got [" + text +
                  "] for '" + name + "' of shape " + shape.ToString());
}

// Eagerly, what has variables of servers is one run there, so that only what it gives travels.
std::vector<Tensor> WhereShardsAre(
    const std::vector<Variable>& shards, const std::vector<Tensor>& arguments,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body) {
  runtime::PlacedVariable* placed = runtime::AsPlacedVariable(shards[0].state().first());
  const bool eager = &ops::CurrentBuilder() == &runtime::EagerBuilder::Instance();
  if (placed == nullptr || !eager || ops::IsRecording()) return body(arguments);
  graph::Tracer tracer;
  std::vector<Tensor> symbols;
  for (const Tensor& argument : arguments) {
    symbols.push_back(tracer.AddParameter(ops::TensorType::Of(argument)));
  }
  {
    const ops::BuilderScope scope(&tracer);
    for (const Tensor& result : body(symbols)) {
      tracer.graph()->results().push_back(tracer.EndpointOf(result));
    }
  }
  return placed->Run(*tracer.graph(), arguments);
}

}  // namespace

ShardedVariable::ShardedVariable(const Tensor& initial, VariableOptions options,
                                 Partitioner partitioner)
    : name_(options.name) {
  if (partitioner == nullptr) partitioner = distribute::PartitionerScope::Current();
  if (partitioner == nullptr) partitioner = partitioners::FixedShards(1);
  const int64_t count = NumShards(partitioner, initial, name_);
  const std::vector<int64_t> rows = ShardRows(initial.shape()[0], count);
  const std::vector<Tensor> parts = SplitV(initial, rows);
  begins_.push_back(0);
  for (size_t i = 0; i < parts.size(); ++i) {
    VariableOptions own = options;
    own.name = name_ + "/part_" + std::to_string(i);
    shards_.emplace_back(parts[i], own);
    begins_.push_back(begins_.back() + rows[i]);
  }
}

ShardedVariable::ShardedVariable(std::vector<Variable> shards, std::string name)
    : shards_(std::move(shards)), name_(std::move(name)) {
  begins_.push_back(0);
  for (const Variable& shard : shards_) {
    const Shape &own = shard.shape(), &first = shards_[0].shape();
    bool fits = own.rank() == first.rank() && own.rank() > 0;
    for (int axis = 1; fits && axis < own.rank(); ++axis) fits = own[axis] == first[axis];
    if (!fits || shard.dtype() != shards_[0].dtype()) {
      throw Error(Code::kInvalidArgument,
                  "[sharded variable] shards differ in their rows alone; got " +
                      std::string(DTypeName(shard.dtype())) + own.ToString() + " beside " +
                      std::string(DTypeName(shards_[0].dtype())) + first.ToString());
    }
    begins_.push_back(begins_.back() + own[0]);
  }
}

Shape ShardedVariable::shape() const {
  std::vector<int64_t> sizes = shards_[0].shape().vector();
  sizes[0] = begins_.back();
  return Shape(sizes);
}

Tensor ShardedVariable::value() const {
  std::vector<Tensor> values;
  for (const Variable& shard : shards_) values.push_back(shard.value());
  return values.size() == 1 ? values[0] : Concat(values, 0);
}

namespace {

std::vector<Tensor> Rows(const Tensor& value, const std::vector<int64_t>& begins,
                         const Shape& shape) {
  if (value.is_weak() || !value.shape().CompatibleWith(shape)) {
    throw Error(Code::kInvalidArgument,
                "[sharded variable] a value must have the variable's shape; got " +
                    value.shape().ToString() + " for " + shape.ToString());
  }
  std::vector<int64_t> rows;
  for (size_t i = 1; i < begins.size(); ++i) rows.push_back(begins[i] - begins[i - 1]);
  return SplitV(value, rows);
}

// Of the ids, which ones a shard has: where they stand, and its own numbers for them. The first
// and the last shard have what is out of range, too, and tell it.
struct Part {
  Tensor places;  // int64 [k]
  Tensor rows;    // [k]
};
Part PartOf(const Tensor& ids, const std::vector<int64_t>& begins, size_t shard) {
  const size_t last = begins.size() - 2;
  const Tensor begin = Cast(Tensor(begins[shard]), ids.dtype());
  const Tensor end = Cast(Tensor(begins[shard + 1]), ids.dtype());
  Tensor own;
  if (shard > 0) own = GreaterEqual(ids, begin);
  if (shard < last) own = own.defined() ? LogicalAnd(own, Less(ids, end)) : Less(ids, end);
  const Tensor places = Squeeze(Where(own), {1});
  return {places, Gather(ids, places) - begin};
}

}  // namespace

void ShardedVariable::Assign(const Tensor& value) const {
  const std::vector<Tensor> parts = Rows(value, begins_, shape());
  for (size_t i = 0; i < parts.size(); ++i) shards_[i].Assign(parts[i]);
}
void ShardedVariable::AssignAdd(const Tensor& delta) const {
  const std::vector<Tensor> parts = Rows(delta, begins_, shape());
  for (size_t i = 0; i < parts.size(); ++i) shards_[i].AssignAdd(parts[i]);
}
void ShardedVariable::AssignSub(const Tensor& delta) const {
  const std::vector<Tensor> parts = Rows(delta, begins_, shape());
  for (size_t i = 0; i < parts.size(); ++i) shards_[i].AssignSub(parts[i]);
}

Tensor ShardedVariable::Lookup(const Tensor& ids) const {
  const auto body = [this](const std::vector<Tensor>& arguments) -> std::vector<Tensor> {
    const Tensor& all = arguments[0];
    if (shards_.size() == 1) return {Gather(shards_[0].value(), all)};
    const Tensor flat = Reshape(all, {-1});
    std::vector<int64_t> row(shards_[0].shape().vector());
    row.erase(row.begin());
    std::vector<int64_t> sizes = row;
    sizes.insert(sizes.begin(), flat.shape()[0]);
    Tensor result = Zeros(Shape(sizes), dtype());
    for (size_t i = 0; i < shards_.size(); ++i) {
      const Part part = PartOf(flat, begins_, i);
      const Tensor rows = Gather(shards_[i].value(), part.rows);
      result = TensorScatterUpdate(result, ExpandDims(part.places, {1}), rows);
    }
    std::vector<int64_t> shape = all.shape().vector();
    shape.insert(shape.end(), row.begin(), row.end());
    return {Reshape(result, shape)};
  };
  return WhereShardsAre(shards_, {ids}, body)[0];
}

Tensor ShardedVariable::LookupEach(const Tensor& ids) const {
  Tensor result;
  const size_t last = shards_.size() - 1;
  for (size_t i = 0; i <= last; ++i) {
    const auto number = [&](int64_t value) { return Cast(Tensor(value), ids.dtype()); };
    Tensor own = i == 0 ? ids : ids - number(begins_[i]);
    // The first and the last shard see what is out of range, and refuse it.
    if (i > 0) own = Maximum(own, number(0));
    if (i < last) own = Minimum(own, number(begins_[i + 1] - begins_[i] - 1));
    const Tensor rows = Gather(shards_[i].value(), own);
    if (i == 0) {
      result = rows;
      continue;
    }
    Tensor here = GreaterEqual(ids, number(begins_[i]));
    while (here.rank() < rows.rank()) here = ExpandDims(here, {-1});
    result = lockstep::Where(here, rows, result);
  }
  return result;
}

namespace {

// What nobody may name but the state below.
class NoCell : public TensorObject {};

class ShardsState : public runtime::VariableState {
 public:
  ShardsState(ShardedVariable shards, VariableOptions options)
      : VariableState(Tensor::FromObject(std::make_shared<NoCell>(), DType::kResource,
                                         shards.shape(), shards.dtype()),
                      std::move(options), Existing{}),
        shards_(std::move(shards)) {}

  const ShardedVariable& shards() const { return shards_; }
  Tensor Read() const override { return shards_.value(); }
  std::vector<Tensor> AssignedHandles() override { Refuse("an update"); }
  std::vector<Tensor> Update(std::string_view op, const std::vector<Tensor>& inputs) override {
    if (op == "AssignVariableOp") {
      shards_.Assign(Strong(inputs)[0]);
    } else if (op == "AssignAddVariableOp") {
      shards_.AssignAdd(Strong(inputs)[0]);
    } else if (op == "AssignSubVariableOp") {
      shards_.AssignSub(Strong(inputs)[0]);
    } else {
      Refuse(std::string(op));
    }
    return {};
  }
  std::string Describe() const override {
    return "Variable " + NameAndType() + " in " + std::to_string(shards_.shards().size()) +
           " shards: " + shards_.shards()[0].ToString() + ", ...";
  }

 private:
  [[noreturn]] void Refuse(const std::string& what) const {
    throw Error(Code::kUnimplemented,
                "[sharded variable] a variable in shards is read and assigned as a whole; got " +
                    what + " of '" + options().name + "'; take its shards");
  }

  const ShardedVariable shards_;
};

}  // namespace

Variable ShardedVariable::Whole() const {
  if (shards_.size() == 1) return shards_[0];
  VariableOptions options = shards_[0].options();
  options.name = name_;
  return Variable(std::make_shared<ShardsState>(*this, std::move(options)));
}

const ShardedVariable* ShardedVariable::Of(const Variable& variable) {
  if (!variable.defined()) return nullptr;
  const auto* state = dynamic_cast<const ShardsState*>(&variable.state());
  return state == nullptr ? nullptr : &state->shards();
}

void ShardedVariable::Scatter(ScatterKind kind, const Tensor& ids, const Tensor& updates) const {
  const auto body = [&](const std::vector<Tensor>& arguments) {
    for (size_t i = 0; i < shards_.size(); ++i) {
      if (shards_.size() == 1) {
        shards_[i].Scatter(kind, arguments[0], arguments[1]);
        continue;
      }
      const Part part = PartOf(arguments[0], begins_, i);
      shards_[i].Scatter(kind, part.rows, Gather(arguments[1], part.places));
    }
    return std::vector<Tensor>();
  };
  WhereShardsAre(shards_, {ids, updates}, body);
}

}  // namespace lockstep
