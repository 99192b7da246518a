#include "lockstep/nn/activations.h"

#include "lockstep/nn/layers.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/nn.h"

namespace lockstep {

const Activation linear{};
const Activation relu{"relu", [](const Tensor& x) { return Relu(x); }};
const Activation softmax{"softmax", [](const Tensor& x) { return Softmax(x, -1); }};

}  // namespace lockstep
