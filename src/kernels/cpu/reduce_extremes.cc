// Max, Min, Prod, All, Any.

#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/reduce_operators.h"

namespace lockstep::kernels {
namespace {

template <template <typename> typename Operator>
std::unique_ptr<Kernel> MakeReduction(const KernelSpec& spec) {
  return ForDType(NumberTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<ReduceKernel<T, Operator<T>, T>>(spec);
  });
}
const RegisterKernel kMax("Max", MakeReduction<MaxOperator>);
const RegisterKernel kMin("Min", MakeReduction<MinOperator>);
const RegisterKernel kProd("Prod", MakeReduction<ProductOperator>);

template <typename Operator>
std::unique_ptr<Kernel> MakeLogical(const KernelSpec& spec) {
  return std::make_unique<ReduceKernel<bool, Operator, bool>>(spec);
}
const RegisterKernel kAll("All", MakeLogical<AllOperator>);
const RegisterKernel kAny("Any", MakeLogical<AnyOperator>);

}  // namespace
}  // namespace lockstep::kernels
