#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "graph/graph_def.h"

/// libFuzzer's entry: any bytes are an error that names the file, or a graph that both forms keep.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count) {
  using namespace lockstep::graph;
  const std::string_view given(reinterpret_cast<const char*>(bytes), count);
  for (const bool text : {false, true}) {
    const auto read = text ? ReadGraphDefText(given, "fuzz") : ReadGraphDefBinary(given, "fuzz");
    if (!read.ok()) {
      if (read.status().message().find("fuzz") == std::string::npos) std::abort();
      continue;
    }
    const std::string binary = GraphDefBinary(*read->graph);
    const auto again = ReadGraphDefBinary(binary, "fuzz");
    if (!again.ok() || GraphDefBinary(*again->graph) != binary) std::abort();
  }
  return 0;
}
