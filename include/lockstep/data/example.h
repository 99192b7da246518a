#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lockstep/data/dataset.h"
#include "lockstep/tensor/tensor.h"

/// tf.train.Example: named lists of bytes, floats or integers, as records hold them.

namespace lockstep {

/// One list, or none at all.
using Feature = std::variant<std::monostate, std::vector<std::string>, std::vector<float>,
                             std::vector<int64_t>>;
using Features = std::map<std::string, Feature>;

struct SequenceExample {
  Features context;
  std::map<std::string, std::vector<Feature>> feature_lists;
  bool operator==(const SequenceExample&) const = default;
};

/// The message's bytes, features in the order of their names.
std::string SerializeExample(const Features& features);
std::string SerializeSequenceExample(const SequenceExample& example);
/// InvalidArgument for bytes that are no such message.
Result<Features> DeserializeExample(std::string_view bytes);
Result<SequenceExample> DeserializeSequenceExample(std::string_view bytes);

/// What is wanted of the feature `name`.
struct FeatureSpec {
  enum class Kind {
    kFixed,     // exactly `shape`; without the feature `default_value`, else InvalidArgument
    kVariable,  // [n, shape...], as many as there are, perhaps none; batched: padded behind with
                // `default_value`, a scalar, else with zeros or ""
    kSparse,    // three components: the places int64 [total, 1], of a batch [total, 2]; the values
                // [total]; the shape int64 [1], [2] that the padded one would have. `shape` is []
    kRagged,    // of a batch two components: the values [total, shape...], one example behind the
                // other, and where each begins, int64 [n + 1]; of one example as kVariable
  };
  std::string name;
  /// kFloat32, kInt64 or kString, as the lists have them; kUInt8 takes the bytes of one string.
  DType dtype = DType::kFloat32;
  Shape shape;
  Kind kind = Kind::kFixed;
  /// Of shape `shape`, or a scalar that stands for all elements.
  Tensor default_value;
};

/// The features of one serialized Example, in the order of `specs`, a component each (kSparse,
/// kRagged: more).
/// Shapes: those of the specs.  Errors: InvalidArgument naming the feature: bytes that are no
/// Example, a list of another kind or number, a feature without a default that is missing.
/// Source: tf.io.parse_single_example (kUInt8: and tf.io.decode_raw).
Element ParseSingleExample(std::string_view serialized, const std::vector<FeatureSpec>& specs);
/// The same of each of `serialized`, string [n], stacked: shapes [n, ...]; of one, string [], as
/// above. An op: it can be part of functions that are traced.
/// Source: tf.io.parse_example.
Element ParseExample(const Tensor& serialized, const std::vector<FeatureSpec>& specs);

/// The feature list `name` of each of `serialized` SequenceExamples, string [n]: its features one
/// after another, each as a serialized Example that has it alone, string [total], and how many each
/// has, int64 [n]. An op, for `ParseExample` behind it; which also takes the context of a
/// SequenceExample. Errors: InvalidArgument for bytes that are none, and with `required` for one
/// without such a list. Source: tf.io.parse_sequence_example.
Element FeatureListSteps(const Tensor& serialized, const std::string& name, bool required);

}  // namespace lockstep
