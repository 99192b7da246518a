// Any bytes as a TF_CONFIG, a node list and a list of tasks per node: no fault, and what is offered
// for pasting has no mistake itself.
#include <cstdlib>

#include "cluster/node_list.h"
#include "cluster/resolvers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::cluster;
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)ExpandNodeList(text);
  (void)ExpandTasksPerNode(text);
  const auto resolver = MakeTfConfigResolver();
  const Environment environment = {{"TF_CONFIG", text}};
  if (!resolver->Finds(environment)) return 0;
  const Resolution resolution = resolver->Resolve(environment);
  if (resolution.mistakes.empty() != resolution.description.has_value()) std::abort();
  std::string again;
  if (resolution.description) {
    again = resolution.description->ToTfConfig();
  } else {
    constexpr size_t kBefore = sizeof "export TF_CONFIG='" - 1;
    again = resolution.corrected.substr(kBefore, resolution.corrected.size() - kBefore - 1);
    if (again.find('\'') != std::string::npos) return 0;  // quoted for the shell
  }
  if (!resolver->Resolve({{"TF_CONFIG", again}}).mistakes.empty()) std::abort();
  return 0;
}
