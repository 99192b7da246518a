#include "gradients.h"
#include "lockstep/ops/linalg.h"

namespace golden {
namespace {

using lockstep::Tensor;

void MatMul(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"a", "b"}, [&](const std::vector<Tensor>& inputs) {
    return lockstep::MatMul(inputs[0], inputs[1],
                            golden.Param("transpose_a", golden.Param("adj_x", false)),
                            golden.Param("transpose_b", golden.Param("adj_y", false)));
  });
}

void Einsum(const Case& golden, Produced& produced) {
  ForwardAndBackward(golden, produced, {"a", "b"}, [&](const std::vector<Tensor>& inputs) {
    return lockstep::Einsum(golden.params().at("equation").get<std::string>(), inputs);
  });
}

const RegisterGroup kLinalg("ops_linalg",
                            {{"matmul", MatMul}, {"batch_matmul", MatMul}, {"einsum", Einsum}});

}  // namespace
}  // namespace golden
