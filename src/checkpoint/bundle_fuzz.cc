#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/memory_files.h"
#include "checkpoint/bundle_format.h"
#include "checkpoint/object_graph.h"
#include "checkpoint/table.h"
#include "lockstep/checkpoint/tensor_bundle.h"

namespace {

void Put(lockstep::base::FileSystem& files, const std::string& path, const std::string& content) {
  const auto file = files.Create(path);
  if (!file.ok() || !(*file)->Append(std::as_bytes(std::span(content))).ok()) std::abort();
}

}  // namespace

/// libFuzzer's entry: the first byte says how much of the bytes are the index. Either file may be
/// anything; and, as checksums stop most of what is wrong, so may the values behind them be.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count) {
  using namespace lockstep;
  using namespace lockstep::checkpoint;
  if (count == 0) return 0;
  const std::string all(reinterpret_cast<const char*>(bytes) + 1, count - 1);
  const size_t cut = all.size() * bytes[0] / 256;
  (void)ReadTable(all, "fuzz");
  (void)DecodeObjectGraph(all);
  TableBuilder table;
  table.Add("", EncodeHeader({}));
  table.Add("w", all.substr(0, cut));
  base::MemoryFiles files;
  Put(files, IndexPath("f"), table.Finish());
  Put(files, DataPath("f", 0, 1), all.substr(cut));
  const auto bundle = TensorBundle::OpenOn(files, "f");
  if (!bundle.ok()) return 0;
  const auto tensor = bundle->Read("w");
  if (tensor.ok() && tensor->dtype() != DType::kString && tensor->num_bytes() > all.size())
    std::abort();
  return 0;
}
