#include "kernels/failure.h"

#include <map>
#include <string>

#include "base/check.h"

namespace lockstep::kernels {

namespace {

// Filled while the library is loaded.
std::map<std::string, Failure, std::less<>>& Table() {
  static std::map<std::string, Failure, std::less<>> table;
  return table;
}

}  // namespace

bool MayFail(std::string_view op, std::span<const ops::TensorType> inputs) {
  const auto place = Table().find(op);
  if (place == Table().end()) return false;
  return place->second == Failure::kAlways || inputs.empty() || !IsFloating(inputs[0].dtype);
}

RegisterFailure::RegisterFailure(std::string_view op, Failure failure) {
  const bool fresh = Table().emplace(std::string(op), failure).second;
  LOCKSTEP_CHECK(fresh);
}

}  // namespace lockstep::kernels
