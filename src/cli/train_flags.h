#pragma once

#include "cli/options.h"

namespace CLI {
class App;
}

namespace lockstep::cli {

/// The command `train` with its flags, which fill in `options`. What contradicts each other, or
/// needs another flag, is refused while they are parsed.
CLI::App* AddTrain(CLI::App& app, TrainOptions& options);

}  // namespace lockstep::cli
