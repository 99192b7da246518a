#pragma once

#include <span>
#include <string_view>

#include "ops/op.h"

namespace lockstep::kernels {

/// When the kernel of an op can throw for what it finds in its inputs' elements.
enum class Failure { kAlways, kForIntegers };

/// Whether the op's kernel may throw while it runs. Whoever runs it together with writes has to
/// think of that.
bool MayFail(std::string_view op, std::span<const ops::TensorType> inputs);

/// At namespace scope: `const RegisterFailure kGatherFails("GatherV2", Failure::kAlways);`
struct RegisterFailure {
  RegisterFailure(std::string_view op, Failure failure);
};

}  // namespace lockstep::kernels
