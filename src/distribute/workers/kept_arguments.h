#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep::distribute {

/// The arguments of a call, kept for later in little memory, as thousands of calls may be: copies
/// of those that take up to 1 KiB, one behind the other, whole numbers as narrow as their values
/// allow, and the tensors themselves of the rest, once for calls in succession that have the same.
/// A tensor that stands for something, that has no lasting dtype, or was computed from variables
/// (as checks for races know) is kept itself, too.
class KeptArguments {
 public:
  KeptArguments() = default;
  /// `before`: of the call before.
  KeptArguments(std::span<const Tensor> arguments, const KeptArguments& before);

  /// The arguments: those that were copied are new tensors with the same bits.
  std::vector<Tensor> Get() const;
  size_t num_bytes_copied() const { return copies_.size(); }
  /// Those that are kept themselves.
  std::span<const Tensor> themselves() const;

 private:
  std::string copies_;  // of each argument a dtype; if it is valid, width, sizes and elements
  std::shared_ptr<const std::vector<Tensor>> themselves_;
};

}  // namespace lockstep::distribute
