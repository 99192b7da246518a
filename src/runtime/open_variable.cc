#include "runtime/open_variable.h"

#include <utility>

#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "ops/builder.h"
#include "runtime/eager.h"
#include "runtime/element_types.h"

namespace lockstep::runtime {

namespace {

std::shared_ptr<SharedObject> MakeOpenVariable(const std::string& name,
                                               const ops::Attributes& given) {
  const std::vector<ops::TensorType> types = ElementTypes(given);
  if (types.size() != 1) {
    throw Error(Code::kInvalidArgument, "[variable] a variable has one value; got " +
                                            std::to_string(types.size()) + " types for '" + name +
                                            "'");
  }
  return std::make_shared<OpenVariable>(name, types[0]);
}
const RegisterSharedObject kOpenVariable("open_variable", MakeOpenVariable);

const RegisterSharedOp kOpenRead("OpenVariableRead", InferElements);
const RegisterSharedOp kOpenAssign("OpenVariableAssign", InferElements);
const RegisterSharedOp kOpenAdd("OpenVariableAdd", InferElements);
const RegisterSharedOp kOpenSubtract("OpenVariableSubtract", InferElements);
const RegisterSharedOp kOpenIsInitialized("OpenVariableIsInitialized", InferDone);

}  // namespace

OpenVariable::OpenVariable(std::string name, const ops::TensorType& declared)
    : name_(std::move(name)), declared_(declared) {}

Result<std::vector<Tensor>> OpenVariable::Carry(std::string_view op,
                                                const std::vector<Tensor>& inputs) {
  if (op == "OpenVariableIsInitialized") return std::vector<Tensor>{Scalar(value_.defined())};
  if (op == "OpenVariableAssign") {
    const Tensor& value = inputs[0];
    const bool fits = !declared_.shape.ranked() || declared_.shape.CompatibleWith(value.shape());
    if (value.dtype() != declared_.dtype || !fits) {
      return Status(Code::kInvalidArgument,
                    "[assign] the value must fit the variable's dtype and shape; got " +
                        std::string(DTypeName(value.dtype())) + value.shape().ToString() +
                        " for '" + name_ + "' of " + declared_.ToString());
    }
    value_ = value;
    return std::vector<Tensor>{value_};
  }
  if (!value_.defined()) {
    return Status(Code::kFailedPrecondition,
                  "[session] a variable must have a value before it is read; got '" + name_ +
                      "', which no run of this session has assigned; run its initializer first");
  }
  if (op == "OpenVariableRead") return std::vector<Tensor>{value_};
  if (!(inputs[0].shape() == value_.shape())) {
    return Status(Code::kInvalidArgument,
                  "Cannot update variable with shape " + value_.shape().ToString() +
                      " using a Tensor with shape " + inputs[0].shape().ToString() +
                      ", shapes must be equal.");
  }
  value_ = op == "OpenVariableAdd" ? value_ + inputs[0] : value_ - inputs[0];
  return std::vector<Tensor>{value_};
}

SharedObject::Ticket OpenVariable::Start(std::string_view op, const ops::Attributes&,
                                         const std::vector<Tensor>& inputs, Done done) {
  const ops::BuilderScope eager(&EagerBuilder::Instance());
  const ops::RecordingPause pause;
  std::vector<Ended> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.push_back({std::move(done), Carry(op, inputs)});
  }
  Tell(&ended);
  return 0;
}

}  // namespace lockstep::runtime
