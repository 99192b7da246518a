#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "net/payload.h"

namespace lockstep::net {

inline Payload TextPayload(std::string text) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  return {owner, std::as_bytes(std::span(*owner))};
}

/// For as long as the payload lasts.
inline std::string_view TextOf(const Payload& payload) {
  return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

}  // namespace lockstep::net
