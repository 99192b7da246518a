#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "checkpoint/npy_format.h"
#include "checkpoint/npz.h"
#include "checkpoint/safetensors.h"

/// libFuzzer's entry: any bytes, as safetensors, .npy and .npz, are an error or whole arrays,
/// without more memory than they hold.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count) {
  using namespace lockstep;
  using namespace lockstep::checkpoint;
  const std::string_view all(reinterpret_cast<const char*>(bytes), count);
  const auto tensors = ParseSafetensors(std::as_bytes(std::span(all)), "fuzz", nullptr);
  if (tensors.ok()) {
    for (const NamedTensor& tensor : tensors->tensors) {
      if (tensor.value.num_bytes() > count) std::abort();
    }
  }
  const auto array = ParseNpy(all, "fuzz");
  if (array.ok() && array->dtype() != DType::kString && array->num_bytes() > count) std::abort();
  (void)ParseNpz(all, "fuzz");
  return 0;
}
