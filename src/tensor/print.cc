#include <ostream>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

std::string Tensor::ToString() const {
  if (!defined()) return "Tensor(none)";
  std::string type =
      ", shape=" + shape().ToString() + ", dtype=" + std::string(DTypeName(dtype())) + ")";
  return (is_symbolic() ? "Tensor(symbolic" : "Tensor(...") + type;
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << tensor.ToString();
}

}  // namespace lockstep
