#include "lockstep/runtime/variable.h"

#include <ostream>

#include "lockstep/runtime/lock.h"
#include "ops/builder.h"
#include "ops/source_site.h"
#include "runtime/autocast.h"
#include "runtime/eager.h"
#include "runtime/variable_cell.h"
#include "runtime/variable_state.h"

namespace lockstep {

namespace runtime {
namespace {

class PlainCreator : public VariableCreator {
 public:
  std::shared_ptr<VariableState> Create(const std::function<Tensor()>& initial,
                                        VariableOptions options) override {
    return std::make_shared<VariableState>(initial(), std::move(options));
  }
};

thread_local VariableCreator* creator = nullptr;

std::shared_ptr<VariableState> Create(const std::function<Tensor()>& initial,
                                      VariableOptions options) {
  PlainCreator plain;
  return (creator != nullptr ? creator : &plain)->Create(initial, std::move(options));
}

Tensor Resolved(const Tensor& value) {
  std::vector<Tensor> one{value};
  ops::ResolveWeak(one, "variable");
  return one[0];
}

}  // namespace

VariableCreatorScope::VariableCreatorScope(VariableCreator* inner) : outer_(creator) {
  creator = inner;
}
VariableCreatorScope::~VariableCreatorScope() { creator = outer_; }

namespace {
bool BuildsGraph() { return creator != nullptr && creator->builds_graph(); }
}  // namespace

}  // namespace runtime

Variable::Variable(const Tensor& initial, VariableOptions options) {
  if (initial.is_symbolic() && !runtime::BuildsGraph()) {
    throw Error(Code::kFailedPrecondition,
                "[variable] the initial value of " + options.name +
                    " must exist when the variable is created; got a value of the "
                    "function being traced; create the variable outside of it, or "
                    "pass an initializer: Variable([] { return ...; })");
  }
  state_ = runtime::Create([&] { return runtime::Resolved(initial); }, std::move(options));
}

Variable::Variable(const std::function<Tensor()>& initializer, VariableOptions options) {
  const auto initial = [&] {
    if (runtime::BuildsGraph()) return initializer();
    ops::BuilderScope eager(&runtime::EagerBuilder::Instance());
    ops::RecordingPause pause;
    return runtime::Resolved(initializer());
  };
  state_ = runtime::Create(initial, std::move(options));
}

runtime::VariableState& Variable::state() const {
  if (state_ != nullptr) return *state_;
  throw Error(Code::kFailedPrecondition,
              "[variable] a variable must be made before it is used; got one without a value, such "
              "as Variable() or one that was moved from");
}
const std::string& Variable::name() const { return state().options().name; }
DType Variable::dtype() const { return state().first().element_dtype(); }
const Shape& Variable::shape() const { return state().first().shape(); }
bool Variable::trainable() const { return state().trainable(); }
const VariableOptions& Variable::options() const { return state().options(); }
uint64_t Variable::version() const { return runtime::CellOf(state().first()).version(); }
const Tensor& Variable::handle() const { return state().Handle(); }
Tensor Variable::value(std::source_location where) const {
  const ops::SiteScope site(where);
  const auto computing =
      options().autocast ? runtime::AutocastScope::Current() : std::optional<DType>();
  return computing ? runtime::CastFloating(state().Read(), *computing) : state().Read();
}
std::string Variable::ToString() const { return state().Describe(); }

Tensor Variable::Assign(const Tensor& value, std::source_location where) const {
  const ops::SiteScope site(where);
  state().Update("AssignVariableOp", {value});
  return state().ReadAssigned();
}
Tensor Variable::AssignAdd(const Tensor& delta, std::source_location where) const {
  const ops::SiteScope site(where);
  state().Update("AssignAddVariableOp", {delta});
  return state().ReadAssigned();
}
Tensor Variable::AssignSub(const Tensor& delta, std::source_location where) const {
  const ops::SiteScope site(where);
  state().Update("AssignSubVariableOp", {delta});
  return state().ReadAssigned();
}

Tensor Variable::Update(const std::function<Tensor(const Tensor&)>& function,
                        std::source_location where) const {
  const auto one = [&](const std::vector<Tensor>& values) {
    return std::vector<Tensor>{function(values[0])};
  };
  return lockstep::Update({*this}, one, where)[0];
}

Tensor Variable::CompareAndAssign(const Tensor& expected, const Tensor& desired,
                                  std::source_location where) const {
  const ops::SiteScope site(where);
  return state().Update("CompareAndAssignVariableOp", {expected, desired})[0];
}

Tensor Variable::Scatter(ScatterKind kind, const Tensor& indices, const Tensor& updates,
                         std::source_location where) const {
  const ops::SiteScope site(where);
  state().Update(ScatterOpName(kind), {indices, updates});
  return state().ReadAssigned();
}

std::ostream& operator<<(std::ostream& out, const Variable& variable) {
  return out << variable.ToString() << " = " << variable.value();
}

}  // namespace lockstep
