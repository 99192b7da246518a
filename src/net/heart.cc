#include "net/heart.h"

#include <algorithm>
#include <utility>

namespace lockstep::net {

void Heart::Add(std::shared_ptr<Beating> beating) {
  thread_.executor().Post([this, beating = std::move(beating)] {
    beating->Begin();
    beatings_.push_back(beating);
    if (!beats_) Beat();
  });
}

void Heart::Remove(std::shared_ptr<Beating> beating) {
  thread_.executor().Post([this, beating = std::move(beating)] {
    std::erase(beatings_, beating);
    beating->End();
  });
}

void Heart::Beat() {
  for (const auto& beating : beatings_) beating->Beat();
  beats_ = !beatings_.empty();
  if (!beats_) return;
  thread_.executor().PostAfter(interval_, [this] { Beat(); });
}

}  // namespace lockstep::net
