#include "gradients.h"
#include "lockstep/ops/linalg.h"

namespace golden {
namespace {

using lockstep::Tensor;

void MatMul(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"a", "b"}, [&](const std::vector<Tensor>& inputs) {
    // All numbers are real, so an adjoint is a transposed matrix.
    const auto turned = [&](const char* a, const char* b, const char* c) {
      return golden.Param(a, false) || golden.Param(b, false) || golden.Param(c, false);
    };
    return lockstep::MatMul(inputs[0], inputs[1], turned("transpose_a", "adjoint_a", "adj_x"),
                            turned("transpose_b", "adjoint_b", "adj_y"));
  });
}

void Einsum(const Case& golden, Produced& produced) {
  std::vector<std::string> names;
  for (const auto& [name, value] : golden.inputs().items()) {
    if (name != "dy") names.push_back(name);
  }
  ForwardAndBackward(golden, produced, names, [&](const std::vector<Tensor>& inputs) {
    return lockstep::Einsum(golden.Get<std::string>("equation"), inputs);
  });
}

const RegisterGroup kLinalg("ops_linalg",
                            {{"matmul", MatMul}, {"batch_matmul", MatMul}, {"einsum", Einsum}});

}  // namespace
}  // namespace golden
