#include "gradients.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"

namespace golden {
namespace {

using lockstep::Tensor;

Handler Binary(Tensor (*function)(const Tensor&, const Tensor&)) {
  return [function](const Case& golden, Produced& produced) {
    ForwardAndBackward(golden, produced, {"a", "b"}, [&](const std::vector<Tensor>& inputs) {
      return function(inputs[0], inputs[1]);
    });
  };
}

void NotBuilt(const Case& golden, Produced&) {
  throw Skip{"Lockstep has no op for " + golden.name()};
}

// Every function under "binary_NAME" and, on shapes that broadcast, "binary_bcast_NAME".
Handlers AllBinary() {
  Handlers handlers;
  const auto add = [&handlers](const std::string& name, const Handler& handler) {
    handlers["binary_" + name] = handler;
    handlers["binary_bcast_" + name] = handler;
  };
  add("add", Binary(lockstep::Add));
  add("sub", Binary(lockstep::Subtract));
  add("mul", Binary(lockstep::Multiply));
  add("div", Binary(lockstep::Divide));
  add("maximum", Binary(lockstep::Maximum));
  add("minimum", Binary(lockstep::Minimum));
  add("squared_difference", Binary(lockstep::SquaredDifference));
  add("atan2", Binary(lockstep::Atan2));
  add("floormod", Binary(lockstep::FloorMod));
  add("floordiv", Binary(lockstep::FloorDiv));
  add("divide_no_nan", Binary(lockstep::DivideNoNan));
  add("pow", Binary(lockstep::Pow));
  add("realdiv", Binary(lockstep::Divide));
  add("truncatediv", Binary(lockstep::TruncateDiv));
  add("truncatemod", Binary(lockstep::TruncateMod));
  add("equal", Binary(lockstep::Equal));
  add("not_equal", Binary(lockstep::NotEqual));
  add("less", Binary(lockstep::Less));
  add("less_equal", Binary(lockstep::LessEqual));
  add("greater", Binary(lockstep::Greater));
  add("greater_equal", Binary(lockstep::GreaterEqual));
  add("logical_and", Binary(lockstep::LogicalAnd));
  add("logical_or", Binary(lockstep::LogicalOr));
  for (const char* unknown : {"xlogy", "xlog1py", "xdivy", "multiply_no_nan", "logical_xor"})
    add(unknown, NotBuilt);
  return handlers;
}

const RegisterGroup kBinary("ops_binary", AllBinary());

}  // namespace
}  // namespace golden
