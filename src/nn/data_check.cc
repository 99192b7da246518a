#include "nn/data_check.h"

#include <algorithm>
#include <cmath>

#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"

namespace lockstep::nn {

namespace {

const char* ComponentName(size_t component) {
  static const char* const kNames[] = {"x", "y", "sample_weight"};
  return component < 3 ? kNames[component] : "the data";
}

// Whether all bits of an exponent are set somewhere; a plain OR, so that it costs a read.
template <typename Bits>
bool AnyExponentFull(const void* values, int64_t count, Bits exponent) {
  const Bits* bits = static_cast<const Bits*>(values);
  constexpr int64_t kBlock = 4096;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, count);
    Bits any = 0;
    for (int64_t i = begin; i < end; ++i)
      any |= static_cast<Bits>((bits[i] & exponent) == exponent);
    if (any) return true;
  }
  return false;
}

bool AllFinite(const Tensor& tensor) {
  const void* values = tensor.raw_data();
  const int64_t count = tensor.num_elements();
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return !AnyExponentFull<uint32_t>(values, count, 0x7f800000u);
    case DType::kFloat64:
      return !AnyExponentFull<uint64_t>(values, count, 0x7ff0000000000000u);
    case DType::kBFloat16:
      return !AnyExponentFull<uint16_t>(values, count, 0x7f80u);
    case DType::kFloat16:
      return !AnyExponentFull<uint16_t>(values, count, 0x7c00u);
    default:
      return true;
  }
}

[[noreturn]] void RefuseNotFinite(const Tensor& tensor, const char* name, const RowPlace& place) {
  const Tensor wide = Cast(tensor, DType::kFloat64);
  const auto values = wide.data<double>();
  int64_t at = 0;
  while (std::isfinite(values[at])) ++at;
  const int64_t row_size = tensor.num_elements() / std::max<int64_t>(1, tensor.shape()[0]);
  const std::string value = std::isnan(values[at]) ? "nan" : values[at] > 0 ? "inf" : "-inf";
  throw Error(Code::kInvalidArgument, "[fit] the data must be finite; got " + value + " (" + name +
                                          ", " + place(at / row_size) + ", element " +
                                          std::to_string(at % row_size) + " of " +
                                          std::to_string(row_size) +
                                          "); clean the data, or allow it by check_data = false");
}

}  // namespace

void RequireFinite(const std::vector<Tensor>& components, const RowPlace& place) {
  for (size_t i = 0; i < components.size(); ++i) {
    if (!AllFinite(components[i])) RefuseNotFinite(components[i], ComponentName(i), place);
  }
}

void RequireLabelsBelow(const Tensor& labels, int64_t classes, const RowPlace& place) {
  if (!IsInteger(labels.dtype()) || classes < 1) return;
  const Tensor wide = Cast(labels, DType::kInt64);
  const auto values = wide.data<int64_t>();
  const auto wrong = std::find_if(values.begin(), values.end(),
                                  [&](int64_t label) { return label < 0 || label >= classes; });
  if (wrong == values.end()) return;
  const int64_t at = wrong - values.begin();
  const int64_t row_size = labels.num_elements() / labels.shape()[0];
  throw Error(Code::kInvalidArgument, "[fit] a label must lie in [0, " + std::to_string(classes) +
                                          "); got " + std::to_string(*wrong) + " (" +
                                          place(at / row_size) +
                                          "); check the labels or the width of the last layer");
}

Tensor ClassWeights(const Tensor& labels, const std::map<int64_t, float>& table) {
  Tensor classes = labels;
  if (labels.rank() > 1) {
    const bool columns = labels.shape().product(1, labels.rank()) != 1;
    if (labels.rank() > 2 && columns) {
      throw Error(Code::kInvalidArgument,
                  "[fit] class_weight needs a label an example, [n], [n,1] or [n,classes]; got " +
                      labels.shape().ToString());
    }
    classes = columns ? ArgMax(labels, -1) : labels;
  }
  if (IsFloating(classes.dtype())) classes = Round(classes);
  classes = Cast(classes, DType::kInt64);
  std::vector<float> weights;
  for (const int64_t label : classes.data<int64_t>()) {
    const auto known = table.find(label);
    weights.push_back(known == table.end() ? 1.0f : known->second);
  }
  return Tensor::FromVector(weights, Shape{static_cast<int64_t>(weights.size())});
}

}  // namespace lockstep::nn
