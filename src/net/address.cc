#include "net/address.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

namespace lockstep::net {

std::string Address::ToString() const {
  std::string text;
  if (!shared_memory.empty()) text = "shm=" + host + "/" + shared_memory;
  if (!tcp.empty()) text += (text.empty() ? "tcp=" : " tcp=") + tcp;
  return text;
}

Result<Address> Address::Parse(std::string_view text) {
  const auto fault = [&](const char* rule) {
    return Status(Code::kInvalidArgument, std::string("[net] an address must ") + rule + "; got '" +
                                              std::string(text) + "'");
  };
  Address address;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t space = rest.find(' ');
    const std::string_view part = rest.substr(0, space);
    rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
    if (part.starts_with("shm=")) {
      const std::string_view value = part.substr(4);
      const size_t slash = value.find('/');
      if (slash == std::string_view::npos || slash == 0 || slash + 1 == value.size())
        return fault("name shared memory as shm=HOST/NAME");
      address.host = value.substr(0, slash);
      address.shared_memory = value.substr(slash + 1);
      if (address.shared_memory.size() > 100) return fault("have a short name");
    } else if (part.starts_with("tcp=") && part.find_last_of(':') != std::string_view::npos) {
      address.tcp = part.substr(4);
    } else {
      return fault("be made of shm=HOST/NAME and tcp=IP:PORT");
    }
  }
  if (address.shared_memory.empty() && address.tcp.empty()) return fault("name a road");
  return address;
}

std::string HostId() {
  char boot[64] = "unknown";
  if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "re")) {
    if (std::fscanf(file, "%63s", boot) != 1) boot[0] = '\0';
    std::fclose(file);
  }
  struct stat space {};
  stat("/proc/self/ns/net", &space);
  return std::string(boot) + "." + std::to_string(space.st_ino) + "." + std::to_string(geteuid());
}

}  // namespace lockstep::net
