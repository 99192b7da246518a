#pragma once

#include <cstddef>
#include <unordered_map>

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
  // What each adds to them, by where its elements are.
  std::unordered_map<const void*, size_t> counted_;
};

}  // namespace lockstep::distribute
