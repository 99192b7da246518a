#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "data/idx.h"

/// libFuzzer's entry: any bytes are an error or a whole array, without more memory than they hold.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count) {
  using namespace lockstep::data;
  auto reader = ByteReader::FromMemory("fuzz", std::span(bytes, count));
  if (!reader.ok()) return 0;
  const auto array = ReadIdx(*reader);
  if (!array.ok()) {
    if (array.status().message().find("(fuzz)") == std::string::npos)
      std::abort();  // names no file
    return 0;
  }
  const int64_t most = reader->largest_content().value();
  if (static_cast<int64_t>(array->bytes.size()) != array->header.bytes) std::abort();
  if (array->header.bytes > most) std::abort();
  return 0;
}
