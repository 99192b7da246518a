#include "lockstep/nn/layer.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

#include "base/hash.h"
#include "distribute/servers/partitioner_scope.h"
#include "lockstep/distribute/sharded_variable.h"
#include "nn/distinct.h"
#include "nn/functional_value.h"
#include "nn/weight_limit.h"
#include "ops/builder.h"
#include "runtime/autocast.h"
#include "runtime/eager.h"

namespace lockstep {

namespace {

// "max_pooling2d" becomes "MaxPooling2D".
std::string ClassNameOf(const std::string& type) {
  std::string name;
  for (size_t i = 0; i < type.size(); ++i) {
    if (type[i] == '_') continue;
    const bool first = i == 0 || type[i - 1] == '_' || std::isdigit(type[i - 1]);
    name += first ? static_cast<char>(std::toupper(type[i])) : type[i];
  }
  return name;
}

// The same number for the same name and global seed, whoever asks and when.
int64_t SeedOf(const std::string& name) {
  return static_cast<int64_t>(base::Hash64(name, static_cast<uint64_t>(RandomSeed())) %
                              2147483647u);
}

// An op's complaint, with the layer's name in front of it.
[[noreturn]] void RethrowNamed(const Error& error, const std::string& name) {
  const std::string& text = error.status().message();
  if (error.code() != Code::kInvalidArgument || text.starts_with("[" + name)) throw error;
  throw Error(error.code(), "[" + name + "] " + text, error.place());
}

Layer& Required(Layer* layer) {
  if (layer != nullptr) return *layer;
  throw Error(Code::kFailedPrecondition,
              "[layer] a layer must be made before it is used; got a null pointer");
}

// "scale", "scale_1", ... in the order in which layers of this process ask.
std::string NextNameOf(const std::string& type) {
  static std::mutex mutex;
  static std::map<std::string, int> asked;
  std::lock_guard lock(mutex);
  const int before = asked[type]++;
  return before == 0 ? type : type + "_" + std::to_string(before);
}

}  // namespace

Tensor LayerPtr::operator()(const Tensor& input, bool training) const {
  return Required(get())(input, training);
}
Tensor LayerPtr::operator()(const std::vector<Tensor>& inputs, bool training) const {
  return Required(get())(inputs, training);
}

Layer::Layer(std::string type, std::string class_name)
    : type_(std::move(type)),
      class_name_(class_name.empty() ? ClassNameOf(type_) : std::move(class_name)) {}

void Layer::set_name(std::string name) {
  if (built_) {
    throw Error(Code::kFailedPrecondition,
                "[" + name_ + "] a layer keeps its name once it has weights; got " + name);
  }
  name_ = std::move(name);
}

void Layer::set_dtype_policy(const DTypePolicy& policy) {
  if (built_ && policy != policy_) {
    throw Error(Code::kFailedPrecondition, "[" + name_ + "] a layer keeps its dtype policy, " +
                                               policy_.name() + ", once it has weights; got " +
                                               policy.name());
  }
  policy_ = policy;
  for (const LayerPtr& inner : inner_) inner->set_dtype_policy(policy);
}

std::vector<Tensor> Layer::CastInputs(std::vector<Tensor> inputs) const {
  for (Tensor& input : inputs) input = runtime::CastFloating(input, policy_.compute);
  return inputs;
}

Tensor Layer::operator()(const Tensor& input, bool training) {
  return (*this)(std::vector<Tensor>{input}, training);
}

Tensor Layer::operator()(const std::vector<Tensor>& inputs, bool training) {
  if (!inputs.empty() && nn::IsFunctional(inputs))
    return nn::CallFunctional(shared_from_this(), inputs);
  try {
    const runtime::AutocastScope computes(policy_.compute);
    const std::vector<Tensor> cast = CastInputs(inputs);
    BuildFor(cast);
    Tensor output = Call(cast, training);
    output_shape_ = output.shape();
    return output;
  } catch (const Error& error) {
    RethrowNamed(error, name_);
  }
}

void Layer::BuildFor(const std::vector<Tensor>& inputs) {
  if (inputs.empty())
    throw Error(Code::kInvalidArgument, "[" + type_ + "] at least one input is needed; got none");
  if (name_.empty()) name_ = type_;
  BuildOnce(inputs);
}

void Layer::BuildOnce(const std::vector<Tensor>& inputs) {
  if (built_) return;
  for (const LayerPtr& inner : inner_) {
    if (!inner->built()) inner->set_name(name_ + "/" + inner->name());
  }
  std::vector<Shape> shapes;
  for (const Tensor& input : inputs) shapes.push_back(input.shape());
  Build(shapes);
  built_ = true;
}

LayerPtr Layer::Track(LayerPtr layer) {
  Required(layer.get());
  if (layer->name().empty()) {
    const auto same = std::count_if(inner_.begin(), inner_.end(), [&](const LayerPtr& other) {
      return other->type() == layer->type();
    });
    layer->set_name(same == 0 ? layer->type() : layer->type() + "_" + std::to_string(same));
  }
  for (const LayerPtr& other : inner_) {
    if (other->name() == layer->name()) {
      throw Error(Code::kInvalidArgument,
                  "[" + type_ + "] names of inner layers must differ; got twice " + layer->name());
    }
  }
  inner_.push_back(layer);
  return layer;
}

std::vector<Weight> Layer::weights() const {
  nn::Distinct<Weight> all;
  all.Add(weights_);
  for (const LayerPtr& inner : inner_) all.Add(inner->weights());
  return all.Take();
}

std::vector<Weight> Layer::trainable_weights() const {
  if (!trainable_) return {};
  nn::Distinct<Weight> all;
  for (const Weight& weight : weights_) {
    if (weight.variable.trainable()) all.Add({weight});
  }
  for (const LayerPtr& inner : inner_) all.Add(inner->trainable_weights());
  return all.Take();
}

std::vector<Variable> Layer::counters() const {
  nn::Distinct<Variable> all;
  all.Add(counters_);
  for (const LayerPtr& inner : inner_) all.Add(inner->counters());
  return all.Take();
}

Variable Layer::AddWeight(const std::string& name, const Shape& shape, WeightOptions options) {
  if (name_.empty()) name_ = NextNameOf(type_);
  const std::string full_name = name_ + "/" + name;
  const DType dtype = options.dtype.value_or(policy_.variable);
  nn::CountWeight(full_name, shape, dtype);
  const VariableOptions own{.name = full_name,
                            .trainable = options.trainable,
                            .aggregation = options.aggregation,
                            .autocast = options.autocast,
                            .copies = !options.trainable};
  const auto initial = [&] { return options.initializer->Make(shape, dtype, SeedOf(full_name)); };
  const Partitioner partitioner = distribute::PartitionerScope::Current();
  const std::vector<int64_t> uncut(shape.rank(), 1);
  if (partitioner == nullptr || uncut.empty() || partitioner(shape, dtype) == uncut) {
    weights_.push_back({Variable(initial, own), options.regularizer, options.constraint});
    return weights_.back().variable;
  }
  const ops::BuilderScope eager(&runtime::EagerBuilder::Instance());
  const ops::RecordingPause pause;
  const ShardedVariable shards(initial(), own, partitioner);
  for (const Variable& shard : shards.shards())
    weights_.push_back({shard, options.regularizer, options.constraint});
  return shards.Whole();
}

Variable Layer::AddCounter(const std::string& name, std::optional<int64_t> seed) {
  if (name_.empty()) name_ = NextNameOf(type_);
  const std::string full_name = name_ + "/" + name;
  const std::vector<int64_t> first{seed.value_or(SeedOf(full_name)), 0};
  counters_.emplace_back([&] { return Constant<int64_t>(first); },
                         VariableOptions{.name = full_name, .trainable = false, .copies = true});
  return counters_.back();
}

void Layer::Refuse(const std::string& text, const Shape& got) const {
  throw Error(Code::kInvalidArgument, "[" + name_ + "] " + text + "; got " + got.ToString());
}

}  // namespace lockstep
