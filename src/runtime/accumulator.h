#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/shared_object.h"

namespace lockstep::runtime {

/// Gradients that are gathered until there are enough, and taken as their mean or sum. One of an
/// older step than the accumulator's is dropped. The sum does not depend on the order in which they
/// have come: they are added in the order of their bytes, which is where this differs from
/// TensorFlow. Sparse ones are rows of a larger tensor; a row's mean is over those that have it.
/// Source: TF core/framework/conditional_accumulator_base.h, core/kernels/
/// {typed_,sparse_}conditional_accumulator*.h.
class Accumulator : public SharedObject {
 public:
  struct Spec {
    DType dtype = DType::kFloat32;
    Shape shape;
    bool has_shape = false;
    bool mean = true;
    bool sparse = false;
  };
  Accumulator(std::string name, const Spec& spec);

  /// "AccumulatorApplyGradient" (local_step int64, then the gradient, or indices int64, values and
  /// shape int64, which may be empty), "AccumulatorTakeGradient" (how many it needs, int32),
  /// "AccumulatorNumAccumulated", "AccumulatorSetGlobalStep" (int64).
  Ticket Start(std::string_view op, const ops::Attributes& attributes,
               const std::vector<Tensor>& inputs, Done done) override;
  void Cancel(Ticket ticket) override;

 private:
  struct Gradient {
    Tensor indices;  // of a sparse one
    Tensor values;
  };
  struct Taking {
    Ticket ticket;
    int64_t needed;
    Done done;
  };
  Status Apply(const std::vector<Tensor>& inputs);
  Status CheckSparse(const Tensor& indices, const Tensor& values, const Tensor& shape) const;
  std::vector<Tensor> Take();
  std::vector<Tensor> TakeSparse() const;

  const std::string name_;
  const Spec spec_;
  std::mutex mutex_;
  // All below are guarded by mutex_.
  std::vector<Gradient> gradients_;
  int64_t step_ = 0;
  Ticket next_ = 0;
  std::list<Taking> taking_;
};

}  // namespace lockstep::runtime
