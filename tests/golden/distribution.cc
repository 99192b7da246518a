#include <stdexcept>

#include "case.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/loss.h"
#include "lockstep/nn/metric.h"
#include "lockstep/nn/model.h"
#include "make_optimizer.h"

namespace golden {
namespace {

using lockstep::Tensor;

Tensor Floats(const std::vector<double>& values) {
  return lockstep::Constant<float>({values.begin(), values.end()});
}

// Data-parallel training of a layer of one unit, without shuffling, by Keras's rule for the batches
// that replicas do not divide.
void KerasFit(const Case& golden, Produced& produced) {
  const int replicas = golden.Param("replicas", 1);
  lockstep::MirroredStrategy strategy({.devices = replicas, .replicas = replicas});
  const auto scope = strategy.scope();
  const Tensor x = golden.Input("x");
  lockstep::Sequential model{lockstep::Dense(golden.Input("w0").shape().dim(-1))};
  model(x);  // makes the weights
  const auto weights = model.variables();
  weights.at(0).Assign(golden.Input("w0"));
  model.Compile({.optimizer = ParseOptimizer(golden.params().at("optimizer").get<std::string>()),
                 .loss = lockstep::losses::Get(golden.params().at("loss").get<std::string>()),
                 .metrics = {lockstep::metrics::Get("mae")},
                 .uneven_batches = lockstep::UnevenBatches::kKeras});
  const auto history = model
                           .Fit(x, golden.Input("y"),
                                {.batch_size = golden.params().at("batch_size").get<int64_t>(),
                                 .epochs = golden.Param("epochs", 1),
                                 .shuffle = false,
                                 .verbose = lockstep::Verbosity::kSilent})
                           .history;
  for (const std::string name : {"loss", "mae"}) produced[name] = Floats(history.at(name));
  produced["kernel"] = weights.at(0).value();
  produced["bias"] = weights.at(1).value();
}

void Partitioners(const Case&, Produced&) {
  throw Skip{"partitioners of parameter servers are not built yet"};
}

const RegisterGroup kDistribution("distribution",
                                  {{"keras_fit", KerasFit}, {"partitioners", Partitioners}});

}  // namespace
}  // namespace golden
