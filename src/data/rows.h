#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lockstep/data/dataset.h"

namespace lockstep::data {

/// Row `index` of `tensor` along axis 0, copied.
Tensor RowOf(const Tensor& tensor, int64_t index);
/// Rows of `tensor`, stacked.
Tensor GatherRows(const Tensor& tensor, std::span<const int64_t> rows);
/// Each component of the elements, stacked along a new axis 0. InvalidArgument, starting with
/// `where`, when the numbers of components, dtypes or shapes differ.
Element StackElements(const std::vector<Element>& elements, const char* where);

/// The strings, which are moved out of `texts`, as a tensor of as many elements.
Tensor TensorOfTexts(std::span<std::string> texts, const Shape& shape);

/// The specs of one row of each of `tensors`.
std::vector<TensorSpec> RowSpecs(const std::vector<Tensor>& tensors);
std::vector<TensorSpec> SpecsOf(const Element& element);
/// "float32 [2], int32 []"
std::string Describe(const std::vector<TensorSpec>& specs);

}  // namespace lockstep::data
