#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/hash.h"
#include "base/memory_files.h"
#include "checkpoint/checkpoint_state.h"
#include "checkpoint/save_file.h"

/// libFuzzer's entry: a save whose index is any text and whose data are any bytes, behind checksums
/// that fit, is an error or tensors of no more bytes than it has. The first byte says how much is
/// the index. All of it as a save and as the state file of checkpoints, too.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count) {
  using namespace lockstep;
  using namespace lockstep::checkpoint;
  if (count == 0) return 0;
  const std::string all(reinterpret_cast<const char*>(bytes) + 1, count - 1);
  const std::string index = all.substr(0, all.size() * bytes[0] / 255);
  const std::string data = all.substr(index.size());
  std::string file(kHeaderBytes, '\0');
  const auto put = [&](size_t place, uint64_t value) {
    std::memcpy(file.data() + place, &value, sizeof value);
  };
  const uint64_t data_offset = kHeaderBytes + Aligned(index.size());
  std::memcpy(file.data(), kMagic, 8);
  put(8, kVersion | kHeaderBytes << 32);
  put(16, index.size());
  put(24, base::Hash64(index));
  put(32, data_offset);
  put(40, data_offset + data.size());
  put(56, base::Hash64({file.data(), 56}));
  file += index;
  file.resize(data_offset, '\0');
  file += data;
  base::MemoryFiles files;
  for (const std::string& content : {file, all}) {
    const auto save = files.Create("s");
    if (!save.ok() || !(*save)->Append(std::as_bytes(std::span(content))).ok()) std::abort();
    const auto read = ReadSave(files, "s");
    if (!read.ok()) continue;
    for (const NamedTensor& tensor : read->tensors) {
      if (tensor.value.dtype() != DType::kString && tensor.value.num_bytes() > content.size())
        std::abort();
    }
  }
  (void)DecodeCheckpointState(all);
  return 0;
}
