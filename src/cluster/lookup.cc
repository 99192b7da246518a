#include "cluster/resolver.h"

namespace lockstep::cluster {

std::optional<std::string> Lookup(const Environment& environment, const std::string& name) {
  const auto place = environment.find(name);
  if (place == environment.end() || place->second.empty()) return {};
  return place->second;
}

}  // namespace lockstep::cluster
