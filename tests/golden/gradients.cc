#include "gradients.h"

#include "lockstep/ops/indexed_slices.h"
#include "lockstep/runtime/gradient_tape.h"

namespace golden {

using lockstep::DType;
using lockstep::Tensor;

void ProduceGradient(Produced& produced, const std::string& name, const Tensor& gradient) {
  if (!gradient.defined()) {
    produced[name] = std::string("None");
  } else if (const auto* slices = lockstep::IndexedSlices::Of(gradient)) {
    produced[name] = slices->ToDense();
  } else {
    produced[name] = gradient;
  }
}

void ForwardAndBackward(const Case& golden, Produced& produced,
                        const std::vector<std::string>& names, const Forward& forward) {
  std::vector<Tensor> inputs, sources;
  std::vector<std::string> source_names;
  for (const std::string& name : names) {
    inputs.push_back(golden.Input(name));
    const DType dtype = inputs.back().dtype();
    if (!lockstep::IsFloating(dtype)) continue;
    sources.push_back(inputs.back());
    source_names.push_back(name);
  }
  lockstep::GradientTape tape;
  for (const Tensor& source : sources) tape.Watch(source);
  const Tensor y = forward(inputs);
  produced["y"] = y;
  if (!golden.HasInput("dy") || sources.empty()) return;
  lockstep::GradientOptions options;
  options.output_gradients = {golden.Input("dy")};
  const std::vector<Tensor> gradients = tape.Gradient({y}, sources, options);
  for (size_t i = 0; i < sources.size(); ++i)
    ProduceGradient(produced, "d_" + source_names[i], gradients[i]);
}

}  // namespace golden
