#pragma once

#include <cstdint>
#include <string>

#include "lockstep/tensor/tensor.h"

namespace lockstep::runtime {

/// The elements as TensorFlow's C++ prints them: "[[1 2]\n [3 4]]", of each axis `edge` elements at
/// each end, all where it is negative. Source: Tensor::SummarizeValue(edge, print_v2=true).
std::string SummarizedNested(const Tensor& tensor, int64_t edge);
/// The first `most` elements: "1 2 3...", "[1 2][3...]...". Source: Tensor::SummarizeValue(most).
std::string SummarizedFlat(const Tensor& tensor, int64_t most);

}  // namespace lockstep::runtime
