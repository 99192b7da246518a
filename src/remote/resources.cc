#include "remote/resources.h"

#include "remote/wire_origins.h"
#include "runtime/shared_object.h"
#include "runtime/variable_cell.h"

namespace lockstep::remote {

Tensor Resources::VariableFor(const WireVariable& variable) {
  Tensor& handle = variables_[variable.name];
  if (!handle.defined()) {
    auto cell = variable.begins_with.defined()
                    ? std::make_shared<runtime::VariableCell>(variable.name, variable.begins_with,
                                                              variable.trainable)
                    : std::make_shared<runtime::VariableCell>(variable.name, variable.dtype,
                                                              variable.shape, variable.trainable);
    TellOfVariable(cell->number());
    handle = Tensor::FromObject(std::move(cell), DType::kResource, variable.shape, variable.dtype);
  } else if (handle.element_dtype() != variable.dtype || !(handle.shape() == variable.shape)) {
    throw Error(Code::kInvalidArgument,
                "[remote] graphs that name one variable of a server give it one type; got " +
                    std::string(DTypeName(variable.dtype)) + variable.shape.ToString() + " for '" +
                    variable.name + "', which is " +
                    std::string(DTypeName(handle.element_dtype())) + handle.shape().ToString() +
                    " on " + task_ + "; give it another name");
  }
  return handle;
}

Tensor Resources::ObjectFor(const WireObject& object) {
  const std::string spec = object.kind + " " + object.spec.Signature();
  Object& own = objects_[object.name];
  if (!own.handle.defined()) {
    own = {spec,
           Tensor::FromObject(runtime::MakeSharedObject(object.kind, object.name, object.spec),
                              DType::kResource, Shape(), DType::kBool)};
  } else if (own.spec != spec) {
    throw Error(
        Code::kInvalidArgument,
        "[remote] graphs that name one queue or accumulator of a server make it alike; got '" +
            object.name + "' as " + spec + ", which is " + own.spec + " on " + task_ +
            "; give it another name");
  }
  return own.handle;
}

void Resources::Release(std::string_view prefix) {
  const auto own = [&](const auto& entry) { return entry.first.starts_with(prefix); };
  std::erase_if(variables_, own);
  std::erase_if(objects_, own);
}

}  // namespace lockstep::remote
