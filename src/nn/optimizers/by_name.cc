// Optimizers by the names of the command line.

#include <algorithm>

#include "lockstep/nn/optimizers.h"
#include "nn/known_names.h"

namespace lockstep::optimizers {

namespace {

using Rate = std::optional<LearningRate>;

// An optimizer with the defaults in `options` but for the rate.
template <typename Options>
OptimizerPtr Make(OptimizerPtr (*factory)(const Options&, const UpdateOptions&), Options options,
                  const Rate& rate, const UpdateOptions& update) {
  if (rate.has_value()) options.learning_rate = *rate;
  return factory(options, update);
}

struct Entry {
  const char* name;
  OptimizerPtr (*make)(const Rate& rate, const UpdateOptions& update);
};

constexpr Entry kEntries[] = {
    {"sgd", [](const Rate& r, const UpdateOptions& u) { return Make<SgdOptions>(Sgd, {}, r, u); }},
    {"momentum",
     [](const Rate& r, const UpdateOptions& u) {
       return Make<SgdOptions>(Sgd, {.momentum = 0.9}, r, u);
     }},
    {"nesterov",
     [](const Rate& r, const UpdateOptions& u) {
       return Make<SgdOptions>(Sgd, {.momentum = 0.9, .nesterov = true}, r, u);
     }},
    {"rmsprop",
     [](const Rate& r, const UpdateOptions& u) { return Make<RmspropOptions>(Rmsprop, {}, r, u); }},
    {"adagrad",
     [](const Rate& r, const UpdateOptions& u) { return Make<AdagradOptions>(Adagrad, {}, r, u); }},
    {"adadelta", [](const Rate& r,
                    const UpdateOptions& u) { return Make<AdadeltaOptions>(Adadelta, {}, r, u); }},
    {"adam",
     [](const Rate& r, const UpdateOptions& u) { return Make<AdamOptions>(Adam, {}, r, u); }},
    {"adamw",
     [](const Rate& r, const UpdateOptions& u) { return Make<AdamOptions>(AdamW, {}, r, u); }},
    {"amsgrad",
     [](const Rate& r, const UpdateOptions& u) {
       return Make<AdamOptions>(Adam, {.amsgrad = true}, r, u);
     }},
    {"nadam",
     [](const Rate& r, const UpdateOptions& u) { return Make<NadamOptions>(Nadam, {}, r, u); }},
    {"adamax",
     [](const Rate& r, const UpdateOptions& u) { return Make<AdamaxOptions>(Adamax, {}, r, u); }},
    {"ftrl",
     [](const Rate& r, const UpdateOptions& u) { return Make<FtrlOptions>(Ftrl, {}, r, u); }},
    {"lion",
     [](const Rate& r, const UpdateOptions& u) { return Make<LionOptions>(Lion, {}, r, u); }},
    {"lamb",
     [](const Rate& r, const UpdateOptions& u) { return Make<LambOptions>(Lamb, {}, r, u); }},
    {"adafactor",
     [](const Rate& r, const UpdateOptions& u) {
       return Make<AdafactorOptions>(Adafactor, {}, r, u);
     }},
    {"muon",
     [](const Rate& r, const UpdateOptions& u) { return Make<MuonOptions>(Muon, {}, r, u); }},
};

}  // namespace

const std::vector<std::string>& Names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Entry& entry : kEntries) all.emplace_back(entry.name);
    return all;
  }();
  return names;
}

OptimizerPtr Get(const std::string& name, const Rate& learning_rate, const UpdateOptions& update) {
  for (const Entry& entry : kEntries) {
    if (name == entry.name) return entry.make(learning_rate, update);
  }
  nn::RefuseName("optimizers", name, Names());
}

}  // namespace lockstep::optimizers
