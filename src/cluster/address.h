#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::cluster {

/// A host and a port, as in "host:port" and "[::1]:port". Port 0: not known yet, its task publishes
/// it.
struct Address {
  std::string host;
  int port = 0;

  std::string ToString() const;
  bool operator==(const Address&) const = default;
};

/// The port of tasks whose description names a host alone; Kubeflow's training jobs use it, too.
constexpr int kUsualPort = 2222;

/// What is wrong with an address, and what was probably meant.
struct AddressFault {
  std::string rule;
  std::string cure;
  std::optional<Address> meant = {};  // with port 0 where the port is missing
};

/// Reads "host:port". A fault if it is not one; `address` is then left alone.
std::optional<AddressFault> ReadAddress(std::string_view text, Address& address);

/// Whether a host's name may contain it.
bool IsNameCharacter(char c);

/// Whether the host is this machine's own, whoever asks: localhost, 127.x.y.z, ::1.
bool IsLoopback(std::string_view host);

/// A whole number in [low, high], written in decimal digits and nothing else.
std::optional<int> ReadNumber(std::string_view text, int low, int high);

}  // namespace lockstep::cluster
