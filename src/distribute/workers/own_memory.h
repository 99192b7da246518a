#pragma once

#include <cstddef>
#include <map>

#include "lockstep/tensor/tensor.h"

namespace lockstep::distribute {

/// How much memory tensors take that are kept for later, beyond what their program keeps anyway:
/// what is kept several times, as the whole data in each call, is the program's own and counts
/// nothing. Lifetime: the tensors outlive their count, or `Clear`.
class OwnMemory {
 public:
  void Add(const Tensor& kept);
  void Clear();
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
  std::map<const void*, size_t> counted_;  // what each adds to `bytes_`, by where its elements are
};

}  // namespace lockstep::distribute
