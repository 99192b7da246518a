#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep::nn {

/// Says where a row is: "example 17".
using RowPlace = std::function<std::string(int64_t row)>;

/// Throws InvalidArgument, naming component, row, element and value, when a floating-point
/// component has a NaN or an infinity.
void RequireFinite(const std::vector<Tensor>& components, const RowPlace& place);

/// Throws InvalidArgument with the first label of `labels` (integers, or [n] of anything else:
/// nothing happens) outside of [0, classes).
void RequireLabelsBelow(const Tensor& labels, int64_t classes, const RowPlace& place);

/// The weight of each row's class: labels [n] or [n, 1] are classes, rounded where they are
/// floating-point; of [n, k] the largest column is. 1 for classes that are not in the table.
/// Shapes: result float32 [n]. Source: keras class_weight.
Tensor ClassWeights(const Tensor& labels, const std::map<int64_t, float>& table);

}  // namespace lockstep::nn
