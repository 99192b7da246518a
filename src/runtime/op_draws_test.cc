#include "runtime/op_draws_test.h"

#include <limits>

#include "lockstep/runtime/variable.h"
#include "ops/builder.h"
#include "runtime/variable_state.h"

namespace lockstep::runtime::testing {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

const std::vector<DType> kDTypes = {DType::kFloat32, DType::kFloat32, DType::kFloat64,
                                    DType::kInt32,   DType::kInt64,   DType::kBool,
                                    DType::kString,  DType::kInt8,    DType::kUInt8,
                                    DType::kFloat16, DType::kBFloat16};
const std::vector<int64_t> kSizes = {0, 1, 1, 2, 2, 3, 3, 5, 7};
const std::vector<int64_t> kFew = {-2, -1, 0, 0, 1, 1, 2, 2, 3, 4};
const std::vector<int64_t> kExtremes = {kMost,
                                        kMost - 1,
                                        kMost - 63,
                                        kMost / 2 + 1,
                                        kLeast,
                                        kLeast + 1,
                                        int64_t{1} << 31,
                                        (int64_t{1} << 31) - 1,
                                        -(int64_t{1} << 31),
                                        int64_t{1} << 32,
                                        (int64_t{1} << 32) + 1,
                                        int64_t{1} << 40,
                                        int64_t{1} << 60,
                                        -(int64_t{1} << 40)};
const std::vector<double> kReals = {0,     -0.0,   1,      -1,   0.5,       3,
                                    1e300, -1e300, 1e-310, kNaN, kInfinity, -kInfinity};
const std::vector<std::string> kTexts = {"",       "a",         "SAME",   "VALID",    "EXPLICIT",
                                         "bias",   "bias,relu", "a b  c", "\xff\xfe", "1e999",
                                         "-0x1p3", "12",        "(",      "\\1"};
const std::vector<std::string> kByValues = {"Reshape",
                                            "BroadcastTo",
                                            "Slice",
                                            "StridedSlice",
                                            "Tile",
                                            "PadV2",
                                            "SliceAdjoint",
                                            "TileAdjoint",
                                            "StatelessRandomUniform",
                                            "StatelessRandomUniformInt",
                                            "StatelessTruncatedNormal",
                                            "Nothing"};

}  // namespace

std::string OpCall::ToString() const {
  std::string text = spec->name + "(";
  for (size_t i = 0; i < inputs.size(); ++i) {
    text += (i > 0 ? ", " : "") + ops::TensorType::Of(inputs[i]).ToString();
    const bool whole = inputs[i].dtype() == DType::kInt32 || inputs[i].dtype() == DType::kInt64;
    if (whole && inputs[i].num_elements() <= 8) text += " " + inputs[i].ToString();
  }
  return text + "; " + attributes.Signature() + ")";
}

int64_t OpDraws::Integer() { return Chance(70) ? One(kFew) : One(kExtremes); }

double OpDraws::Real() {
  return Chance(60) ? std::uniform_real_distribution<double>(-4, 4)(random_) : One(kReals);
}

std::string OpDraws::Text() {
  std::string text = One(kTexts);
  if (Chance(3)) text += std::string(300, "19af."[Below(5)]);
  return text;
}

DType OpDraws::ElementType() { return One(kDTypes); }

Shape OpDraws::SmallShape() {
  Shape shape;
  for (uint64_t rank = Below(5); rank > 0; --rank) shape.Append(One(kSizes));
  // Long axes of an array without elements.
  if (shape.rank() > 1 && Chance(4)) {
    shape.set_dim(0, int64_t{1} << 40);
    shape.set_dim(1, 0);
  }
  return shape;
}

// The same, or a part of its axes, or another.
Shape OpDraws::ShapeNear(const Shape& shape) {
  const uint64_t kind = shape.rank() > 0 && shape[0] > kSizes.back() ? 0 : Below(10);
  if (kind < 5) return shape;
  if (kind == 5 && shape.rank() > 0) return Shape{shape.dim(-1)};
  if (kind == 6 && shape.rank() > 0) return Shape{shape[0]};
  if (kind == 7) return Shape{};
  if (kind == 8 && shape.rank() > 0)
    return Shape(shape.sizes().first(static_cast<size_t>(shape.rank() - 1)));
  return SmallShape();
}

Tensor OpDraws::Value(DType dtype, const Shape& shape) {
  const auto count = static_cast<size_t>(shape.num_elements());
  if (dtype == DType::kString) {
    std::vector<std::string> texts(count);
    for (std::string& text : texts) text = Text();
    return Tensor::FromStrings(texts, shape);
  }
  if (dtype == DType::kInt64 || dtype == DType::kInt32 || IsInteger(dtype)) {
    const bool tame = Chance(40);
    std::vector<int64_t> numbers(count);
    for (int64_t& number : numbers) number = tame ? static_cast<int64_t>(Below(3)) : Integer();
    const Tensor wide = Tensor::FromVector(numbers, shape);
    return dtype == DType::kInt64 ? wide : ops::Emit1("Cast", {wide}, {{"DstT", dtype}});
  }
  std::vector<double> numbers(count);
  for (double& number : numbers) number = Real();
  const Tensor wide = Tensor::FromVector(numbers, shape);
  return dtype == DType::kFloat64 ? wide : ops::Emit1("Cast", {wide}, {{"DstT", dtype}});
}

Tensor OpDraws::Input(char kind, size_t place) {
  if (kind == 'r' || (kind == 'a' && Chance(20))) {
    const DType dtype = dtype_ == DType::kString || Chance(10) ? DType::kFloat32 : dtype_;
    const Variable variable(Value(dtype, Chance(80) ? shape_ : SmallShape()));
    return variable.state().first();
  }
  // Inputs behind the first are indices or sizes more often than not.
  if (place > 0 && Chance(35)) {
    const Shape shape = Chance(60) ? Shape{One(kSizes)} : ShapeNear(shape_);
    return Value(Chance(50) ? DType::kInt32 : DType::kInt64, shape);
  }
  return Value(Chance(85) ? dtype_ : ElementType(), ShapeNear(shape_));
}

std::vector<int64_t> OpDraws::List(const std::string& name) {
  auto length = static_cast<uint64_t>(shape_.rank());
  if (name == "paddings") length *= 2;
  if (name == "strides" && Chance(50)) length = 2;
  if (name == "ksize" || name == "dilations" || name == "key") length = 2;
  if (name == "explicit_paddings") length = 4;
  if (name == "axes") length = Below(3);
  if (Chance(15)) length = Below(10);
  std::vector<int64_t> list(length);
  const bool tame = Chance(50);
  for (int64_t& number : list) number = tame ? static_cast<int64_t>(Below(3)) : Integer();
  if (name == "perm" && Chance(70)) {
    for (size_t i = 0; i < list.size(); ++i) list[i] = static_cast<int64_t>(list.size() - 1 - i);
  }
  if ((name == "leaves" || name == "replicas") && Chance(60)) {
    list = {0, shape_.rank() > 0 ? shape_[0] : 1};
  }
  return list;
}

std::optional<ops::AttributeValue> OpDraws::Attribute(const ops::AttributeRule& rule) {
  switch (rule.kind) {
    case 0:
      return Chance(50);
    case 1:
      if (rule.name.starts_with("axis") && Chance(80)) return static_cast<int64_t>(Below(3));
      return Integer();
    case 2:
      return Real();
    case 3:
      if (rule.name == "op") return One(kByValues);
      return Text();
    case 4:
      return ElementType();
    case 5:
      return List(rule.name);
    case 6:
      return std::vector<double>{Real(), Real()};
    case 7:
      return Value(ElementType(), SmallShape());
    default:
      return std::nullopt;
  }
}

std::optional<OpCall> OpDraws::Draw(const std::vector<const ops::OpSpec*>& specs) {
  OpCall call{.spec = One(specs)};
  dtype_ = ElementType();
  shape_ = SmallShape();
  const ops::Signature& signature = *call.spec->signature;
  size_t count = signature.least;
  while (count < signature.inputs.size() && Chance(50)) ++count;
  for (size_t i = 0; i < count; ++i) call.inputs.push_back(Input(signature.inputs[i], i));
  while (signature.rest != 0 && call.inputs.size() < 9 && Chance(60))
    call.inputs.push_back(Input(signature.rest, call.inputs.size()));
  for (const ops::AttributeRule& rule : signature.attributes) {
    if (!rule.required && Chance(60)) continue;
    const std::optional<ops::AttributeValue> value = Attribute(rule);
    if (!value.has_value()) return std::nullopt;
    call.attributes.Set(rule.name, *value);
  }
  return call;
}

}  // namespace lockstep::runtime::testing
