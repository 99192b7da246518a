#include "lockstep/ops/strings.h"

#include <algorithm>

#include "ops/array_rules.h"
#include "ops/builder.h"

namespace lockstep {
namespace ops {
namespace {

const Shape& TextsOf(const InferenceContext& context, size_t place = 0) {
  const TensorType& input = context.inputs[place];
  if (input.dtype != DType::kString)
    Reject(context.spec, "the input must be strings", input.ToString());
  return input.shape;
}

std::vector<TensorType> InferDecodeRaw(const InferenceContext& context) {
  Shape shape = TextsOf(context);
  const auto dtype = context.attributes.Get<DType>("out_type");
  const auto bytes = context.attributes.Get<int64_t>("fixed_length");
  const auto size = static_cast<int64_t>(DTypeSize(dtype));
  if (dtype == DType::kString || dtype == DType::kResource || size == 0)
    Reject(context.spec, "out_type must be a number's", std::string(DTypeName(dtype)));
  if (bytes != Shape::kUnknown && (bytes <= 0 || bytes % size != 0)) {
    Reject(context.spec,
           "fixed_length must be a multiple of the " + std::to_string(size) + " bytes of " +
               std::string(DTypeName(dtype)),
           std::to_string(bytes));
  }
  shape.Append(bytes == Shape::kUnknown ? bytes : bytes / size);
  return {{dtype, shape}};
}
const RegisterOp kDecodeRaw({.name = "DecodeRaw", .infer = InferDecodeRaw});

template <DType kDtype>
std::vector<TensorType> EachTo(const InferenceContext& context) {
  return {{kDtype, TextsOf(context)}};
}
const RegisterOp kLength({.name = "StringLength", .infer = EachTo<DType::kInt32>});
const RegisterOp kLower({.name = "StringLower", .infer = EachTo<DType::kString>});
const RegisterOp kUpper({.name = "StringUpper", .infer = EachTo<DType::kString>});
const RegisterOp kStrip({.name = "StringStrip", .infer = EachTo<DType::kString>});
const RegisterOp kPunctuation({.name = "StripPunctuation", .infer = EachTo<DType::kString>});

std::vector<TensorType> InferHash(const InferenceContext& context) {
  const auto buckets = context.attributes.Get<int64_t>("num_buckets");
  if (buckets < 1) Reject(context.spec, "num_buckets must be at least 1", std::to_string(buckets));
  const auto& key = ListOf(context.attributes, "key");
  if (key.size() != 2) Reject(context.spec, "the key must be two numbers", ListText(key));
  return {{DType::kInt64, TextsOf(context)}};
}
const RegisterOp kHash({.name = "StringToHashBucket", .infer = InferHash});

std::vector<TensorType> InferNumber(const InferenceContext& context) {
  const auto dtype = context.attributes.Get<DType>("out_type");
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64 && dtype != DType::kInt32 &&
      dtype != DType::kInt64) {
    Reject(context.spec, "out_type must be float32, float64, int32 or int64",
           std::string(DTypeName(dtype)));
  }
  return {{dtype, TextsOf(context)}};
}
const RegisterOp kNumber({.name = "StringToNumber", .infer = InferNumber});

std::vector<TensorType> InferAsString(const InferenceContext& context) {
  return {{DType::kString, context.inputs[0].shape}};
}
const RegisterOp kAsString({.name = "AsString", .infer = InferAsString});

// Scalars fit every shape, others must be equal as far as they are known.
Shape CommonShape(const InferenceContext& context) {
  Shape common;
  for (const TensorType& input : context.inputs) {
    if (input.shape.rank() == 0) continue;
    bool fits = common.rank() == 0 || common.rank() == input.shape.rank();
    for (int i = 0; fits && i < common.rank(); ++i) {
      fits = common[i] == input.shape[i] || common[i] == Shape::kUnknown ||
             input.shape[i] == Shape::kUnknown;
    }
    if (!fits) {
      Reject(context.spec, "shapes must be equal, or []",
             common.ToString() + " and " + input.shape.ToString());
    }
    if (common.rank() == 0 || input.shape.fully_known()) common = input.shape;
  }
  return common;
}

std::vector<TensorType> InferSubstring(const InferenceContext& context) {
  (void)TextsOf(context);
  for (size_t i = 1; i < 3; ++i) {
    const DType dtype = context.inputs[i].dtype;
    if (dtype != DType::kInt32 && dtype != DType::kInt64)
      Reject(context.spec, "position and length must be int32 or int64",
             std::string(DTypeName(dtype)));
  }
  return {{DType::kString, CommonShape(context)}};
}
const RegisterOp kSubstring({.name = "Substr", .infer = InferSubstring});

std::vector<TensorType> InferJoin(const InferenceContext& context) {
  for (size_t i = 0; i < context.inputs.size(); ++i) (void)TextsOf(context, i);
  return {{DType::kString, CommonShape(context)}};
}
const RegisterOp kJoin({.name = "StringJoin", .infer = InferJoin});

std::vector<TensorType> InferSplit(const InferenceContext& context) {
  const Shape& texts = TextsOf(context);
  const int64_t count = texts.fully_known() ? texts.num_elements() : Shape::kUnknown;
  return {{DType::kString, Shape{Shape::kUnknown}}, {DType::kInt64, Shape{count}}};
}
const RegisterOp kSplit({.name = "StringSplit", .infer = InferSplit});
const RegisterOp kSplitUnits({.name = "StringSplitUnits", .infer = InferSplit});

std::vector<TensorType> InferDecode(const InferenceContext& context) {
  std::vector<TensorType> types = InferSplit(context);
  types[0].dtype = DType::kInt32;
  return types;
}
const RegisterOp kDecode({.name = "UnicodeDecode", .infer = InferDecode});

std::vector<TensorType> InferReduceJoin(const InferenceContext& context) {
  const Shape& texts = TextsOf(context);
  if (texts.rank() == 0) Reject(context.spec, "there must be an axis to join", "a scalar");
  return {{DType::kString, Shape(texts.sizes().first(texts.rank() - 1))}};
}
const RegisterOp kReduceJoin({.name = "StringReduceJoin", .infer = InferReduceJoin});

// Texts [n], and where each of m rows of them begins, int64 [m + 1].
int64_t CountRows(const InferenceContext& context) {
  const Shape& texts = TextsOf(context);
  const TensorType& splits = context.inputs[1];
  if (texts.rank() != 1 || splits.shape.rank() != 1 || splits.dtype != DType::kInt64) {
    Reject(context.spec, "texts must be a vector, and splits one of int64",
           context.inputs[0].ToString() + " and " + splits.ToString());
  }
  return splits.shape[0] < 0 ? Shape::kUnknown : std::max<int64_t>(splits.shape[0] - 1, 0);
}
std::vector<TensorType> InferJoinRows(const InferenceContext& context) {
  return {{DType::kString, Shape{CountRows(context)}}};
}
const RegisterOp kJoinRows({.name = "StringJoinRows", .infer = InferJoinRows});

std::vector<TensorType> InferNGrams(const InferenceContext& context) {
  (void)CountRows(context);
  for (const int64_t width : context.attributes.Get<std::vector<int64_t>>("widths")) {
    if (width <= 0) Reject(context.spec, "widths must be positive", std::to_string(width));
  }
  return {{DType::kString, Shape{Shape::kUnknown}}, {DType::kInt64, context.inputs[1].shape}};
}
const RegisterOp kNGrams({.name = "StringNGrams", .infer = InferNGrams});

std::vector<TensorType> InferReplaced(const InferenceContext& context) {
  return {{DType::kString, TextsOf(context)}};
}
const RegisterOp kReplace({.name = "RegexReplace", .infer = InferReplaced});
std::vector<TensorType> InferFullMatch(const InferenceContext& context) {
  return {{DType::kBool, TextsOf(context)}};
}
const RegisterOp kFullMatch({.name = "RegexFullMatch", .infer = InferFullMatch});

SplitTexts Pair(std::vector<Tensor> parts) { return {std::move(parts[0]), std::move(parts[1])}; }
int64_t NumberOf(TextUnit unit) { return static_cast<int64_t>(unit); }

}  // namespace
}  // namespace ops

using ops::Emit1;

Tensor DecodeRaw(const Tensor& input, DType dtype, const DecodeRawOptions& options) {
  return Emit1("DecodeRaw", {input},
               {{"out_type", dtype},
                {"little_endian", options.little_endian},
                {"fixed_length", options.fixed_length.value_or(Shape::kUnknown)}});
}

Tensor StringLength(const Tensor& input, TextUnit unit) {
  return Emit1("StringLength", {input}, {{"unit", ops::NumberOf(unit)}});
}
Tensor StringLower(const Tensor& input) { return Emit1("StringLower", {input}); }
Tensor StringUpper(const Tensor& input) { return Emit1("StringUpper", {input}); }
Tensor StringStrip(const Tensor& input) { return Emit1("StringStrip", {input}); }
Tensor StripPunctuation(const Tensor& input) { return Emit1("StripPunctuation", {input}); }

Tensor Substring(const Tensor& input, const Tensor& position, const Tensor& length) {
  return Emit1("Substr", {input, position, length});
}

Tensor StringToNumber(const Tensor& input, DType dtype) {
  return Emit1("StringToNumber", {input}, {{"out_type", dtype}});
}
Tensor AsString(const Tensor& input) { return Emit1("AsString", {input}); }

Tensor StringJoin(const std::vector<Tensor>& inputs, const std::string& separator) {
  return Emit1("StringJoin", inputs, {{"separator", separator}});
}

Tensor StringToHashBucket(const Tensor& input, int64_t buckets, TextHash hash,
                          std::pair<uint64_t, uint64_t> key) {
  return Emit1("StringToHashBucket", {input},
               {{"num_buckets", buckets},
                {"hash", static_cast<int64_t>(hash)},
                {"key", std::vector<int64_t>{static_cast<int64_t>(key.first),
                                             static_cast<int64_t>(key.second)}}});
}

SplitTexts StringSplit(const Tensor& input, const std::string& separator, int64_t most) {
  return ops::Pair(ops::Emit("StringSplit", {input}, {{"separator", separator}, {"most", most}}));
}
SplitTexts UnicodeDecode(const Tensor& input) {
  return ops::Pair(ops::Emit("UnicodeDecode", {input}));
}
SplitTexts StringSplitUnits(const Tensor& input, TextUnit unit) {
  return ops::Pair(ops::Emit("StringSplitUnits", {input}, {{"unit", ops::NumberOf(unit)}}));
}

Tensor StringReduceJoin(const Tensor& input, const std::string& separator) {
  return Emit1("StringReduceJoin", {input}, {{"separator", separator}});
}
Tensor StringJoinRows(const Tensor& texts, const Tensor& splits, const std::string& separator) {
  return Emit1("StringJoinRows", {texts, splits}, {{"separator", separator}});
}
RowsOfTexts StringNGrams(const Tensor& texts, const Tensor& splits, const NGramOptions& options) {
  std::vector<Tensor> made = ops::Emit("StringNGrams", {texts, splits},
                                       {{"widths", options.widths},
                                        {"separator", options.separator},
                                        {"left", options.left},
                                        {"right", options.right},
                                        {"pad_width", options.pad_width},
                                        {"preserve_short", options.preserve_short}});
  return {std::move(made[0]), std::move(made[1])};
}

Tensor RegexReplace(const Tensor& input, const std::string& pattern, const std::string& rewrite,
                    bool replace_global) {
  return Emit1("RegexReplace", {input},
               {{"pattern", pattern}, {"rewrite", rewrite}, {"replace_global", replace_global}});
}
Tensor RegexFullMatch(const Tensor& input, const std::string& pattern) {
  return Emit1("RegexFullMatch", {input}, {{"pattern", pattern}});
}

}  // namespace lockstep
