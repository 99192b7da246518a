#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"
#include "lockstep/tensor/tensor.h"

/// What tests of ops need: small inputs, kernels run in pieces, errors as values.
namespace lockstep::runtime::testing {

/// float32 0, 1, 2, ...
Tensor Counting(const Shape& shape);
/// float32 or float64 numbers in (-1, 1), from `seed`.
Tensor Random(const Shape& shape, uint64_t seed, DType dtype = DType::kFloat32);

/// The first output of an op whose kernel knows the leaves of its rows.
Tensor RunWithLeaves(std::string_view op, const std::vector<Tensor>& inputs,
                     const ops::Attributes& attributes, const kernels::LeafTable& leaves);
/// Whether the op's kernel gives the same bytes when its rows are computed in pieces of 1, 2, 3
/// and 7, last pieces first, as when they are computed at once.
bool RunSplit(std::string_view op, const std::vector<Tensor>& inputs,
              const ops::Attributes& attributes, const kernels::LeafTable& leaves = {});

/// The code or text of the error that `call` throws; kOk and "" when it throws none.
Code CodeOf(const std::function<void()>& call);
std::string MessageOf(const std::function<void()>& call);

}  // namespace lockstep::runtime::testing
