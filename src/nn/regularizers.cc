#include "lockstep/nn/regularizers.h"

#include <cmath>
#include <string>

#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"

namespace lockstep::regularizers {

namespace {

void RequireFactor(const char* where, const char* name, double value) {
  if (value >= 0 && std::isfinite(value)) return;
  throw Error(Code::kInvalidArgument, std::string("[") + where + "] " + name +
                                          " must be finite and not negative; got " +
                                          std::to_string(value));
}

class L1L2Regularizer : public Regularizer {
 public:
  L1L2Regularizer(double l1, double l2) : l1_(l1), l2_(l2) {}
  Tensor operator()(const Tensor& weight) const override {
    if (l1_ == 0) return l2_ * SumOfSquares(weight);
    const Tensor sizes = l1_ * ReduceSum(Abs(weight));
    return l2_ == 0 ? sizes : sizes + l2_ * SumOfSquares(weight);
  }

 private:
  double l1_, l2_;
};

class OrthogonalRows : public Regularizer {
 public:
  OrthogonalRows(double factor, OrthogonalMode mode) : factor_(factor), mode_(mode) {}
  Tensor operator()(const Tensor& weight) const override {
    if (weight.rank() != 2) {
      throw Error(
          Code::kInvalidArgument,
          "[orthogonal_regularizer] the weight must be a matrix; got " + weight.shape().ToString());
    }
    const bool rows = mode_ == OrthogonalMode::kRows;
    const int axis = rows ? 1 : 0;
    const Tensor squares = ReduceSum(Square(weight), axis, /*keep_dims=*/true);
    const Tensor unit = weight * Rsqrt(Maximum(squares, 1e-24));
    const Tensor cosines = MatMul(unit, unit, !rows, rows);
    const int64_t size = cosines.shape()[0];
    std::vector<int32_t> places(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) places[static_cast<size_t>(i)] = static_cast<int32_t>(i);
    const Tensor others =
        OneHot(Constant(places), size, {.on_value = 0, .off_value = 1, .dtype = weight.dtype()});
    const double pairs = static_cast<double>(size) * static_cast<double>(size - 1) / 2;
    return factor_ * 0.5 * ReduceSum(Abs(cosines * others)) / pairs;
  }

 private:
  double factor_;
  OrthogonalMode mode_;
};

}  // namespace

RegularizerPtr L1(double l1) {
  RequireFactor("l1", "l1", l1);
  return std::make_shared<L1L2Regularizer>(l1, 0);
}
RegularizerPtr L2(double l2) {
  RequireFactor("l2", "l2", l2);
  return std::make_shared<L1L2Regularizer>(0, l2);
}
RegularizerPtr L1L2(double l1, double l2) {
  RequireFactor("l1_l2", "l1", l1);
  RequireFactor("l1_l2", "l2", l2);
  return std::make_shared<L1L2Regularizer>(l1, l2);
}
RegularizerPtr OrthogonalRegularizer(double factor, OrthogonalMode mode) {
  RequireFactor("orthogonal_regularizer", "factor", factor);
  return std::make_shared<OrthogonalRows>(factor, mode);
}

}  // namespace lockstep::regularizers
