#include "lockstep/nn/compile_options.h"

#include "lockstep/nn/optimizers.h"

namespace lockstep {

template <>
OptimizerPtr FromName<OptimizerPtr>(const std::string& name) {
  return optimizers::Get(name);
}

template <>
LossPtr FromName<LossPtr>(const std::string& name) {
  return losses::Get(name);
}

template <>
MetricPtr FromName<MetricPtr>(const std::string& name) {
  return metrics::Get(name);
}

}  // namespace lockstep
