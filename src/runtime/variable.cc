#include "lockstep/runtime/variable.h"

#include "ops/builder.h"
#include "runtime/eager.h"
#include "runtime/variable_cell.h"

namespace lockstep {

struct Variable::State {
  VariableOptions options;
  Tensor handle;
  runtime::VariableCell* cell = nullptr;
};

Variable::Variable(const Tensor& initial, VariableOptions options) {
  Tensor value = initial;
  if (value.is_weak()) {
    std::vector<Tensor> resolved{value};
    ops::ResolveWeak(resolved, "variable");
    value = resolved[0];
  }
  if (value.is_symbolic()) {
    throw Error(Code::kFailedPrecondition,
                "[variable] the initial value of " + options.name +
                    " must exist when the variable is created; got a value of the "
                    "function being traced; create the variable outside of it, or "
                    "pass an initializer: Variable([] { return ...; })");
  }
  state_ = std::make_shared<State>();
  state_->options = std::move(options);
  auto cell = std::make_shared<runtime::VariableCell>(state_->options.name, value,
                                                      state_->options.trainable);
  state_->cell = cell.get();
  state_->handle =
      Tensor::FromObject(std::move(cell), DType::kResource, value.shape(), value.dtype());
}

Variable::Variable(const std::function<Tensor()>& initializer, VariableOptions options) {
  ops::BuilderScope eager(&runtime::EagerBuilder::Instance());
  ops::RecordingPause pause;
  *this = Variable(initializer(), std::move(options));
}

const std::string& Variable::name() const { return state_->options.name; }
DType Variable::dtype() const { return state_->handle.element_dtype(); }
const Shape& Variable::shape() const { return state_->handle.shape(); }
bool Variable::trainable() const { return state_->options.trainable; }
const VariableOptions& Variable::options() const { return state_->options; }
uint64_t Variable::version() const { return state_->cell->version(); }
const Tensor& Variable::handle() const { return state_->handle; }

Tensor Variable::value() const { return ops::Emit1("ReadVariableOp", {handle()}); }

namespace {

Tensor Update(const Variable& variable, const char* op, const Tensor& value) {
  ops::Emit(
      op, {variable.handle(), value.is_weak() ? ops::CastScalar(value, variable.dtype()) : value});
  return variable.value();
}

}  // namespace

Tensor Variable::Assign(const Tensor& value) const {
  return Update(*this, "AssignVariableOp", value);
}
Tensor Variable::AssignAdd(const Tensor& delta) const {
  return Update(*this, "AssignAddVariableOp", delta);
}
Tensor Variable::AssignSub(const Tensor& delta) const {
  return Update(*this, "AssignSubVariableOp", delta);
}

}  // namespace lockstep
