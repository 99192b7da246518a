#include "cluster/address.h"

#include <algorithm>

namespace lockstep::cluster {

bool IsNameCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '.' || c == '_';
}

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsName(std::string_view host) {
  return !host.empty() && host.size() <= 253 && host.front() != '.' && host.front() != '-' &&
         std::all_of(host.begin(), host.end(), IsNameCharacter);
}

// "10.0.0.300" is no name, either: all of it are digits and dots.
bool IsBrokenIpv4(std::string_view host) {
  if (host.find('.') == std::string_view::npos ||
      host.find_first_not_of("0123456789.") != std::string_view::npos) {
    return false;
  }
  int parts = 0;
  for (size_t begin = 0; begin <= host.size(); ++parts) {
    const size_t end = std::min(host.find('.', begin), host.size());
    if (!ReadNumber(host.substr(begin, end - begin), 0, 255)) return true;
    begin = end + 1;
  }
  return parts != 4;
}

// Good enough to tell it from a name with a port: hexadecimal groups, colons, a zone.
bool LooksLikeIpv6(std::string_view host) {
  const std::string_view digits = host.substr(0, host.find('%'));
  const auto colons = std::count(digits.begin(), digits.end(), ':');
  const bool groups = colons >= 7 || (colons >= 2 && digits.find("::") != std::string_view::npos);
  return groups && digits.size() <= 45 && std::all_of(digits.begin(), digits.end(), [](char c) {
           return IsHexDigit(c) || c == ':' || c == '.';
         });
}

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<AddressFault> ReadPort(std::string_view port, std::string host, Address& address) {
  if (const auto number = ReadNumber(port, 1, 65535)) {
    address = {std::move(host), *number};
    return {};
  }
  const bool digits = !port.empty() && std::all_of(port.begin(), port.end(), IsDigit);
  return AddressFault{digits ? "a port must be from 1 to 65535" : "a port must be a number",
                      "write host:port"};
}

// ReadAddress without a guess at what was meant.
std::optional<AddressFault> Check(std::string_view text, Address& address) {
  if (Trim(text).empty()) return AddressFault{"an address must be host:port", "fill it in"};
  if (text.find_first_of("$<{") != std::string_view::npos ||
      std::count(text.begin(), text.end(), '%') > 1) {
    return AddressFault{"an address must be host:port, with variables filled in",
                        "put the host's name in the place of the variable"};
  }
  if (text.find("://") != std::string_view::npos) {
    return AddressFault{"an address must be host:port alone", "leave out the protocol"};
  }
  if (text.find('/') != std::string_view::npos) {
    return AddressFault{"an address must be host:port alone", "leave out the path"};
  }
  if (text.find('@') != std::string_view::npos) {
    return AddressFault{"an address must be host:port alone", "leave out the user"};
  }
  if (text.find_first_of(" \t\r\n") != std::string_view::npos) {
    return AddressFault{"an address must not contain spaces", "leave them out"};
  }
  if (text.starts_with('[')) {
    const size_t close = text.find(']');
    const std::string_view host =
        text.substr(1, close == std::string_view::npos ? close : close - 1);
    if (close == std::string_view::npos || !LooksLikeIpv6(host)) {
      return AddressFault{"brackets must hold an IPv6 address", "write [address]:port"};
    }
    if (close + 1 == text.size() || text[close + 1] != ':') {
      return AddressFault{"an address must have a port", "write [address]:port"};
    }
    return ReadPort(text.substr(close + 2), std::string(host), address);
  }
  if (LooksLikeIpv6(text)) {
    return AddressFault{"an IPv6 address must stand in brackets", "write [address]:port"};
  }
  const size_t colon = text.find(':');
  const std::string_view host = text.substr(0, colon);
  if (!IsName(host)) {
    return AddressFault{"a host must be a name or an address of letters, digits, '-', '.' and '_'",
                        "write host:port"};
  }
  if (IsBrokenIpv4(host)) {
    return AddressFault{"an address of numbers must have four from 0 to 255", "write host:port"};
  }
  if (colon == std::string_view::npos) {
    return AddressFault{"an address must have a port", "write host:port"};
  }
  return ReadPort(text.substr(colon + 1), std::string(host), address);
}

// What somebody meant who wrote `text`, port 0 if it is missing; nothing where that cannot be told.
std::optional<Address> Guess(std::string_view text) {
  if (text.find_first_of("$<{") != std::string_view::npos) return {};
  text = Trim(text);
  if (const size_t scheme = text.find("://"); scheme != std::string_view::npos) {
    text.remove_prefix(scheme + 3);
  }
  text = Trim(text.substr(0, text.find('/')));
  text.remove_prefix(text.find('@') + 1);
  Address address;
  if (!Check(text, address)) return address;
  if (LooksLikeIpv6(text)) {
    // "fe80::1:2222" was meant to end with a port.
    const size_t last = text.rfind(':');
    const auto port = ReadNumber(text.substr(last + 1), 1, 65535);
    if (port && LooksLikeIpv6(text.substr(0, last)))
      return Address{std::string(text.substr(0, last)), *port};
    return Address{std::string(text), 0};
  }
  if (text.starts_with('[') && text.ends_with(']') &&
      LooksLikeIpv6(text.substr(1, text.size() - 2))) {
    return Address{std::string(text.substr(1, text.size() - 2)), 0};
  }
  const std::string_view host = text.substr(0, text.find(':'));
  if (IsName(host) && !IsBrokenIpv4(host)) return Address{std::string(host), 0};
  return {};
}

}  // namespace

std::string Address::ToString() const {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<AddressFault> ReadAddress(std::string_view text, Address& address) {
  auto fault = Check(text, address);
  if (fault) fault->meant = Guess(text);
  return fault;
}

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.") ||
         host == "localhost.localdomain" || host == "ip6-localhost";
}

std::optional<int> ReadNumber(std::string_view text, int low, int high) {
  if (text.empty() || text.size() > 9 || !std::all_of(text.begin(), text.end(), IsDigit)) return {};
  int number = 0;
  for (const char c : text) number = number * 10 + (c - '0');
  if (number < low || number > high) return {};
  return number;
}

}  // namespace lockstep::cluster
