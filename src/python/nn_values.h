#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/nn/constraints.h"
#include "lockstep/nn/initializers.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/loss.h"
#include "lockstep/nn/regularizers.h"
#include "lockstep/nn/schedules.h"
#include "python/convert.h"

namespace lockstep::python {

/// Something immutable that Python holds.
template <typename T>
struct Box {
  std::shared_ptr<const T> value;
};

/// The options that Python gives for a layer or an optimizer, by name.
class Given {
 public:
  explicit Given(nb::dict values) : values_(std::move(values)) {}

  bool Has(const char* name) const {
    return values_.contains(name) && !nb::object(values_[name]).is_none();
  }
  template <typename T>
  T Get(const char* name, T fallback) const {
    return Has(name) ? nb::cast<T>(values_[name]) : fallback;
  }
  template <typename T>
  std::optional<T> Optional(const char* name) const {
    if (!Has(name)) return std::nullopt;
    return nb::cast<T>(values_[name]);
  }
  /// nullptr where it is not given.
  template <typename T>
  std::shared_ptr<const T> Boxed(const char* name) const {
    return Has(name) ? nb::cast<Box<T>>(values_[name]).value : nullptr;
  }
  InitializerPtr Initial(const char* name, InitializerPtr fallback) const {
    return Has(name) ? Boxed<Initializer>(name) : fallback;
  }
  const Activation& Function(const char* name) const {
    return activations::Get(Get<std::string>(name, "linear"));
  }
  Size2D Size(const char* name, int64_t fallback) const {
    if (!Has(name)) return Size2D(fallback);
    const auto pair = nb::cast<std::pair<int64_t, int64_t>>(values_[name]);
    return Size2D(pair.first, pair.second);
  }

 private:
  nb::dict values_;
};

}  // namespace lockstep::python
