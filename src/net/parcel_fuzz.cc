#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "net/parcel.h"

/// libFuzzer's entry: any bytes are a parcel, whose bodies lie in them and which is packed into the
/// same bytes but for the gaps, or an error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t count) {
  using namespace lockstep::net;
  const auto owner = std::make_shared<int>(0);
  const Payload bytes(owner, std::as_bytes(std::span(data, count)));
  const auto parcel = Unpack(bytes);
  if (!parcel.ok()) return 0;
  for (const Payload& body : parcel->bodies) {
    if (body.size() == 0) continue;
    if (body.data() < bytes.data() || body.data() + body.size() > bytes.data() + count)
      std::abort();
  }
  if (Pack(*parcel).size() > count + 64) std::abort();
  return 0;
}
