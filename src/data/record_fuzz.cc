#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "lockstep/data/example.h"
#include "lockstep/data/record.h"

/// libFuzzer's entry: any bytes, as a file of records of each compression and as an Example, are an
/// error or what they should be.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count) {
  using namespace lockstep;
  const std::string_view all(reinterpret_cast<const char*>(bytes), count);
  for (const auto compression : {Compression::kNone, Compression::kGzip, Compression::kZlib}) {
    auto reader = TFRecordReader::FromMemory("fuzz", all, compression);
    if (!reader.ok()) std::abort();  // the first bytes alone are never wrong
    std::string record;
    Result<bool> more = true;
    while ((more = reader->Next(record)).ok() && *more) {
      if (compression == Compression::kNone && record.size() > count) std::abort();
    }
    if (!more.ok() && more.status().code() != Code::kDataLoss) std::abort();
  }
  const auto example = DeserializeExample(all);
  if (example.ok() && DeserializeExample(SerializeExample(*example)).status().code() != Code::kOk)
    std::abort();
  (void)DeserializeSequenceExample(all);
  return 0;
}
