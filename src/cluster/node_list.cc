#include "cluster/node_list.h"

#include <algorithm>
#include <set>

#include "cluster/address.h"

namespace lockstep::cluster {

namespace {

constexpr size_t kMostHosts = 100'000;

Status Broken(std::string_view text, size_t place, std::string rule) {
  return Status(Code::kInvalidArgument, std::move(rule) + "; got '" + std::string(text) +
                                            "' (column " + std::to_string(place + 1) + ")");
}

std::string Padded(int number, size_t width) {
  std::string digits = std::to_string(number);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

// "01-03,7" into 01, 02, 03, 7. `place`: where it begins in `text`.
Status ExpandRanges(std::string_view text, size_t place, std::string_view ranges,
                    std::vector<std::string>& out) {
  for (size_t begin = 0; begin <= ranges.size();) {
    const size_t end = std::min(ranges.find(',', begin), ranges.size());
    const std::string_view range = ranges.substr(begin, end - begin);
    const size_t dash = range.find('-');
    const std::string_view low_text = range.substr(0, dash);
    const auto low = ReadNumber(low_text, 0, 999'999'999);
    const auto high =
        dash == std::string_view::npos ? low : ReadNumber(range.substr(dash + 1), 0, 999'999'999);
    if (!low || !high) {
      return Broken(text, place + begin, "a range must be two numbers, as in [01-03,7]");
    }
    if (*high < *low) return Broken(text, place + begin, "a range must not run backwards");
    if (static_cast<size_t>(*high - *low) >= kMostHosts - std::min(out.size(), kMostHosts - 1)) {
      return Status(Code::kOutOfRange, "a list must have at most 100000 hosts; got '" +
                                           std::string(text.substr(0, 64)) + "'");
    }
    for (int i = *low; i <= *high; ++i) out.push_back(Padded(i, low_text.size()));
    begin = end + 1;
  }
  return Status::Ok();
}

// Every name of `names` followed by every one of `parts`.
Status Multiply(std::vector<std::string>& names, const std::vector<std::string>& parts) {
  if (names.size() * parts.size() > kMostHosts) {
    return Status(Code::kOutOfRange, "a list must have at most 100000 hosts; got " +
                                         std::to_string(names.size() * parts.size()));
  }
  std::vector<std::string> product;
  product.reserve(names.size() * parts.size());
  for (const std::string& name : names) {
    for (const std::string& part : parts) product.push_back(name + part);
  }
  names = std::move(product);
  return Status::Ok();
}

}  // namespace

Result<std::vector<std::string>> ExpandNodeList(std::string_view text) {
  std::vector<std::string> hosts, names = {""};
  for (size_t i = 0;; ++i) {
    const char sign = i < text.size() ? text[i] : ',';
    if (sign == ',') {
      if (names.front().empty()) return Broken(text, i, "a host must have a name");
      if (hosts.size() + names.size() > kMostHosts) {
        return Status(Code::kOutOfRange, "a list must have at most 100000 hosts; got more");
      }
      hosts.insert(hosts.end(), names.begin(), names.end());
      names = {""};
      if (i < text.size()) continue;
      const std::set<std::string> each(hosts.begin(), hosts.end());
      if (each.size() < hosts.size()) return Broken(text, 0, "each host must be there once");
      return hosts;
    } else if (sign == '[') {
      const size_t close = text.find(']', i);
      if (close == std::string_view::npos) {
        return Broken(text, i, "a bracket must be closed by ]");
      }
      std::vector<std::string> parts;
      LOCKSTEP_RETURN_IF_ERROR(ExpandRanges(text, i + 1, text.substr(i + 1, close - i - 1), parts));
      LOCKSTEP_RETURN_IF_ERROR(Multiply(names, parts));
      i = close;
    } else if (sign == ']' || sign == ' ' || sign == '\t' || sign == '\n') {
      return Broken(text, i, sign == ']' ? "a ] must have its [" : "a list must not have spaces");
    } else if (!IsNameCharacter(sign)) {
      return Broken(text, i, "a host must be a name of letters, digits, '-', '.' and '_'");
    } else {
      for (std::string& name : names) name += sign;
    }
  }
}

Result<std::vector<int>> ExpandTasksPerNode(std::string_view text) {
  std::vector<int> counts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string_view entry = text.substr(begin, end - begin);
    int times = 1;
    if (const size_t open = entry.find("(x"); open != std::string_view::npos) {
      const auto number = entry.ends_with(')')
                              ? ReadNumber(entry.substr(open + 2, entry.size() - open - 3), 1,
                                           static_cast<int>(kMostHosts))
                              : std::nullopt;
      if (!number) return Broken(text, begin, "an entry must be a number or number(xtimes)");
      times = *number;
      entry = entry.substr(0, open);
    }
    const auto number = ReadNumber(entry, 0, 999'999);
    if (!number) return Broken(text, begin, "an entry must be a number or number(xtimes)");
    if (counts.size() + static_cast<size_t>(times) > kMostHosts) {
      return Status(Code::kOutOfRange, "a list must have at most 100000 hosts; got more");
    }
    counts.insert(counts.end(), static_cast<size_t>(times), *number);
    begin = end + 1;
  }
  return counts;
}

}  // namespace lockstep::cluster
