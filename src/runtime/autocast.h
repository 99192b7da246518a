#pragma once

#include <optional>

#include "lockstep/tensor/dtype.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep::runtime {

/// While it lives, what the calling thread reads of variables that were made to be cast is of a
/// floating dtype: the one in which a layer computes. The innermost one counts.
class AutocastScope {
 public:
  explicit AutocastScope(DType dtype);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;
  static std::optional<DType> Current();

 private:
  const std::optional<DType> outer_;
};

/// The same from now on, for callers that end it themselves; gives what it was.
std::optional<DType> SetAutocast(std::optional<DType> dtype);

/// `value` in a floating dtype, where its own is another floating one.
Tensor CastFloating(const Tensor& value, DType dtype);
/// Whole numbers in a floating dtype, as layers compute with them; others as they are.
Tensor WholeToFloating(const Tensor& value, DType dtype);
/// bfloat16 and float16 as float32, other dtypes as they are: for what must not be rounded so.
Tensor WidenHalf(const Tensor& value);

}  // namespace lockstep::runtime
