#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/memory_files.h"
#include "base/record_format.h"
#include "monitor/event_files.h"

/// libFuzzer's entry: any bytes, as an event file and as the data of its only record, are an error
/// or values.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count) {
  using namespace lockstep;
  const std::string all(reinterpret_cast<const char*>(bytes), count);
  base::MemoryFiles files;
  for (const std::string& content :
       {all, base::RecordHeader(count) + all + base::RecordFooter(all)}) {
    const auto file = files.Create("events");
    if (!file.ok() || !(*file)->Append(std::as_bytes(std::span(content))).ok()) std::abort();
    const auto read = monitor::ReadEventFile(files, "events");
    if (!read.ok()) {
      if (read.status().code() != Code::kDataLoss) std::abort();
      continue;
    }
    if (read->values.size() > content.size()) std::abort();
  }
  return 0;
}
