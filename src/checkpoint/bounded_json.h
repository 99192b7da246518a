#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace lockstep::checkpoint {

/// Parses the JSON text of a file's header, and stops where its values would take more memory than
/// an honest header needs: nested deeper than 100, more than 20,000 keys in one object, or more
/// values in all than fit into 64 MiB plus `file_bytes`. A discarded value: no JSON, or refused.
template <typename Json>
Json ParseBoundedJson(std::string_view text, uint64_t file_bytes) {
  constexpr int kDeepest = 100;
  constexpr size_t kMostKeys = 20'000;
  // A value with its key and what allocating it costs.
  constexpr uint64_t kValueBytes = 96;
  const uint64_t most = ((uint64_t{64} << 20) + file_bytes) / kValueBytes;
  uint64_t values = 0;
  bool refused = false;
  std::vector<size_t> keys;  // in each object and array around the place
  Json parsed = Json::parse(
      text.begin(), text.end(),
      [&](int depth, typename Json::parse_event_t event, Json&) {
        using Event = typename Json::parse_event_t;
        if (refused) return false;
        if (event == Event::object_start || event == Event::array_start) keys.push_back(0);
        if (event == Event::object_end || event == Event::array_end) keys.pop_back();
        if (event == Event::key && !keys.empty()) refused = ++keys.back() > kMostKeys;
        refused = refused || depth > kDeepest || ++values > most;
        return !refused;
      },
      /*allow_exceptions=*/false);
  return refused ? Json(Json::value_t::discarded) : parsed;
}

}  // namespace lockstep::checkpoint
