#include "runtime/backpropagate.h"

#include <algorithm>
#include <unordered_map>

#include "lockstep/ops/indexed_slices.h"
#include "ops/builder.h"

namespace lockstep::runtime {

namespace {

Tensor Concatenated(const std::vector<Tensor>& parts) {
  return ops::Emit1("ConcatV2", parts, {{"axis", int64_t{0}}});
}

// The sum of what flowed into one tensor.
Tensor Summed(const std::vector<Tensor>& parts) {
  if (parts.size() == 1) return parts[0];
  std::vector<Tensor> values, indices;
  for (const Tensor& part : parts) {
    if (const IndexedSlices* slices = IndexedSlices::Of(part)) {
      values.push_back(slices->values);
      indices.push_back(slices->indices);
    }
  }
  if (values.size() == parts.size()) {
    return IndexedSlices{Concatenated(values), Concatenated(indices), parts[0].shape()}.ToTensor();
  }
  return parts.size() == 2 ? ops::Emit1("AddV2", parts) : ops::Emit1("AddN", parts);
}

class Gradients {
 public:
  void Add(const Tensor& tensor, const Tensor& gradient) {
    if (gradient.defined()) parts_[tensor.id()].push_back(gradient);
  }
  Tensor Take(const Tensor& tensor, bool keep) {
    auto place = parts_.find(tensor.id());
    if (place == parts_.end()) return Tensor();
    Tensor sum = Summed(place->second);
    if (keep) {
      place->second = {sum};
    } else {
      parts_.erase(place);
    }
    return sum;
  }
  bool Has(const Tensor& tensor) const { return parts_.contains(tensor.id()); }

 private:
  std::unordered_map<uint64_t, std::vector<Tensor>> parts_;
};

}  // namespace

void CheckOutputGradients(const char* where, const std::vector<Tensor>& targets,
                          const std::vector<Tensor>& gradients) {
  const auto refuse = [&](const std::string& text) {
    throw Error(Code::kInvalidArgument, std::string("[") + where + "] " + text);
  };
  if (gradients.size() > targets.size()) {
    refuse("there may be one output gradient for each target; got " +
           std::to_string(gradients.size()) + " and " + std::to_string(targets.size()));
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Tensor &given = gradients[i], &target = targets[i];
    if (!given.defined() || given.is_weak() || IndexedSlices::Of(given) != nullptr ||
        IndexedSlices::Of(target) != nullptr)
      continue;
    const bool fits = given.shape().CompatibleWith(target.shape()) || given.shape() == Shape{};
    if (given.dtype() == target.dtype() && fits) continue;
    refuse("an output gradient must have the dtype and shape of its target; got " +
           ops::TensorType::Of(given).ToString() + " for target " + std::to_string(i) + " of " +
           ops::TensorType::Of(target).ToString());
  }
}

std::vector<Tensor> Backpropagate(const std::deque<RecordedOp>& operations,
                                  const std::vector<Tensor>& targets,
                                  const std::vector<Tensor>& sources,
                                  const std::vector<Tensor>& output_gradients) {
  Gradients gradients;
  for (size_t i = 0; i < targets.size(); ++i) {
    const bool given = i < output_gradients.size() && output_gradients[i].defined();
    if (!IsFloating(targets[i].dtype())) continue;
    gradients.Add(targets[i], given ? output_gradients[i] : ops::Emit1("OnesLike", {targets[i]}));
  }
  std::unordered_map<uint64_t, bool> is_source;
  for (const Tensor& source : sources) is_source[source.id()] = true;
  for (size_t left = operations.size(); left > 0; --left) {
    const RecordedOp* op = &operations[left - 1];
    const bool reached = std::any_of(op->outputs.begin(), op->outputs.end(),
                                     [&](const Tensor& output) { return gradients.Has(output); });
    if (!reached || op->spec->gradient == nullptr) continue;
    std::vector<Tensor> output_gradient;
    for (const Tensor& output : op->outputs) {
      output_gradient.push_back(gradients.Take(output, is_source.contains(output.id())));
    }
    const auto input_gradients =
        op->spec->gradient({*op->spec, op->attributes, op->inputs, op->outputs, output_gradient});
    for (size_t i = 0; i < input_gradients.size(); ++i)
      gradients.Add(op->inputs[i], input_gradients[i]);
  }
  std::vector<Tensor> results;
  for (const Tensor& source : sources) results.push_back(gradients.Take(source, true));
  return results;
}

void FillUnconnected(const std::vector<Tensor>& sources, std::vector<Tensor>* gradients) {
  for (size_t i = 0; i < sources.size(); ++i) {
    Tensor& gradient = (*gradients)[i];
    if (gradient.defined()) continue;
    const bool is_variable = sources[i].dtype() == DType::kResource;
    const Tensor value = is_variable ? ops::Emit1("ReadVariableOp", {sources[i]}) : sources[i];
    gradient = ops::Emit1("ZerosLike", {value});
  }
}

}  // namespace lockstep::runtime
