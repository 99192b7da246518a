#include "distribute/workers/flight.h"

#include <utility>

namespace lockstep::distribute {

void Flight::Tell(OnTrouble on_trouble) {
  std::lock_guard lock(mutex_);
  on_trouble_ = std::move(on_trouble);
}

void Flight::Trouble(bool aborted) {
  std::lock_guard lock(mutex_);
  if (on_trouble_) on_trouble_(recorder_.epoch(), aborted);
}

collectives::GroupOptions Flight::Options() {
  collectives::GroupOptions options;
  options.recorder = &recorder_;
  options.on_stall = [this](collectives::OpId) { Trouble(false); };
  options.on_abort = [this] { Trouble(true); };
  return options;
}

}  // namespace lockstep::distribute
