// The feature lists of serialized SequenceExamples, taken apart for `ParseExample`.

#include <string>
#include <vector>

#include "base/wire.h"
#include "data/dataset_node.h"
#include "data/example_lists.h"
#include "kernels/kernel.h"
#include "lockstep/data/example.h"
#include "ops/builder.h"
#include "ops/op.h"

namespace lockstep {

namespace {

using base::WireReader;
using base::WireType;
using base::WireWriter;

[[noreturn]] void RefuseBytes(size_t row) {
  data::Refuse("parse_sequence_example", "the bytes must be a serialized SequenceExample",
               "others (example " + std::to_string(row) + ")", "look at what writes them");
}

// The features of the list `name`, each as an Example that has it alone; whether there is one.
bool TakeSteps(std::string_view serialized, size_t row, const std::string& name,
               std::vector<std::string>& steps) {
  bool found = false;
  const auto take = [&](std::string_view key, std::string_view list) {
    if (key != name) return true;
    found = true;
    WireReader features(list);
    while (features.Next()) {
      if (!features.Is(1, WireType::kBytes)) continue;
      const auto entry = WireWriter().Bytes(1, name).Bytes(2, features.bytes());
      steps.push_back(WireWriter().Message(1, WireWriter().Message(1, entry)).bytes());
    }
    return !features.broken();
  };
  WireReader reader(serialized);
  while (reader.Next()) {
    if (reader.Is(2, WireType::kBytes) && !data::ForEachEntry(reader.bytes(), take))
      RefuseBytes(row);
  }
  if (reader.broken()) RefuseBytes(row);
  return found;
}

std::vector<Tensor> Steps(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  const auto& name = attributes.Get<std::string>("name");
  const bool required = attributes.Get<bool>("required");
  const auto records = inputs[0].data<std::string>();
  std::vector<std::string> steps;
  std::vector<int64_t> lengths;
  for (size_t row = 0; row < records.size(); ++row) {
    const size_t had = steps.size();
    if (!TakeSteps(records[row], row, name, steps) && required) {
      throw Error(Code::kInvalidArgument,
                  "Name: <unknown>, Feature list '" + name +
                      "' is required but could not be found (example " + std::to_string(row) +
                      ").  Did you mean to include it with allow_missing=True?");
    }
    lengths.push_back(static_cast<int64_t>(steps.size() - had));
  }
  const auto total = static_cast<int64_t>(steps.size());
  return {Tensor::FromStrings(steps, {total}),
          Tensor::FromVector(lengths, Shape{static_cast<int64_t>(lengths.size())})};
}

std::vector<ops::TensorType> InferSteps(const ops::InferenceContext& context) {
  const ops::TensorType& texts = context.inputs[0];
  if (texts.dtype != DType::kString || texts.shape.rank() != 1) {
    data::Refuse("parse_sequence_example", "the examples must be strings [n]",
                 std::string(DTypeName(texts.dtype)) + texts.shape.ToString(),
                 "batch serialized records");
  }
  return {{DType::kString, Shape{Shape::kUnknown}}, {DType::kInt64, texts.shape}};
}

const ops::RegisterOp kSteps({.name = "FeatureListSteps", .infer = InferSteps});
const kernels::RegisterValueFunction kTakeSteps("FeatureListSteps", Steps);

}  // namespace

Element FeatureListSteps(const Tensor& serialized, const std::string& name, bool required) {
  return ops::Emit("FeatureListSteps", {serialized}, {{"name", name}, {"required", required}});
}

}  // namespace lockstep
