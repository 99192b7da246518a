// save_benchmark [DIRECTORY [MEGABYTES]]: how fast saves of many tensors are written, against the
// same bytes written and synced as they are; and how much memory each takes besides.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "base/file.h"
#include "lockstep/checkpoint/safetensors.h"
#include "lockstep/checkpoint/tensor_bundle.h"

namespace {

using namespace lockstep;

constexpr int64_t kTensorFloats = int64_t{4} << 20;  // 16 MiB each

std::vector<NamedTensor> Tensors(int64_t megabytes) {
  std::vector<NamedTensor> tensors;
  for (int64_t i = 0; i < std::max<int64_t>(megabytes / 16, 1); ++i) {
    std::vector<float> values(kTensorFloats);
    for (int64_t j = 0; j < kTensorFloats; ++j) values[j] = static_cast<float>(i * 31 + j % 1000);
    tensors.push_back({"layer_" + std::to_string(i) + "/kernel",
                       Tensor::FromVector(values, Shape{2048, kTensorFloats / 2048})});
  }
  return tensors;
}

Status WriteRaw(const std::string& path, const std::vector<NamedTensor>& tensors) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto file, base::LocalFiles().Create(path));
  for (const NamedTensor& tensor : tensors) {
    LOCKSTEP_RETURN_IF_ERROR(file->Append(
        {static_cast<const std::byte*>(tensor.value.raw_data()), tensor.value.num_bytes()}));
  }
  LOCKSTEP_RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

int64_t PeakKilobytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path folder =
      count > 1 ? std::filesystem::path(arguments[1]) : std::filesystem::temp_directory_path();
  const int64_t megabytes = count > 2 ? std::atoll(arguments[2]) : 1024;
  const std::vector<NamedTensor> tensors = Tensors(megabytes);
  std::vector<BundleTensor> parts;
  for (const NamedTensor& tensor : tensors) parts.push_back({tensor.name, tensor.value, ""});
  const std::string path = (folder / "lockstep_save_benchmark").string();
  const std::pair<const char*, std::function<Status()>> ways[] = {
      {"raw bytes", [&] { return WriteRaw(path + ".raw", tensors); }},
      {"save", [&] { return SaveState(path + ".lockstep", {tensors}); }},
      {"tensor bundle", [&] { return WriteTensorBundle(path, parts); }},
      {"safetensors", [&] {
         return WriteSafetensors(path + ".safetensors", {tensors, {}});
       }}};
  double raw = 0;
  for (int run = 0; run < 3; ++run) {
    for (const auto& [name, write] : ways) {
      const int64_t before = PeakKilobytes();
      const auto begin = std::chrono::steady_clock::now();
      write().OrThrow();
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      const double speed = static_cast<double>(megabytes) / seconds.count();
      if (std::string(name) == "raw bytes") raw = speed;
      std::printf("%-14s %7.0f MiB/s, %.2f of raw, %lld KiB more memory\n", name, speed,
                  speed / raw, static_cast<long long>(PeakKilobytes() - before));
    }
  }
  for (const char* suffix : {".raw", ".lockstep", ".safetensors", ".index", ".data-00000-of-00001"})
    std::filesystem::remove(path + suffix);
  return 0;
}
