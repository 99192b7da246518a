// save_benchmark [DIRECTORY [MEGABYTES]]: how fast saves of many tensors are written, against the
// same bytes written and synced as they are, before and after each; median, least and greatest of
// five rounds. And how much memory each takes besides.

#include <sys/resource.h>
#include <unistd.h>

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

struct Way {
  const char* name;
  std::function<Status()> write;
  std::vector<double> ratios = {};  // of raw bytes' time to this way's, one a round
  int64_t kilobytes = 0;            // more memory than before
};

// Seconds of one write into a folder without old files, on a disk that has nothing else to do.
double SecondsOf(const std::function<Status()>& write, const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  ::sync();
  const auto begin = std::chrono::steady_clock::now();
  write().OrThrow();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path folder =
      (count > 1 ? std::filesystem::path(arguments[1]) : std::filesystem::temp_directory_path()) /
      "lockstep_save_benchmark";
  const int64_t megabytes = count > 2 ? std::atoll(arguments[2]) : 1024;
  const std::vector<NamedTensor> tensors = Tensors(megabytes);
  std::vector<BundleTensor> parts;
  for (const NamedTensor& tensor : tensors) parts.push_back({tensor.name, tensor.value, ""});
  const std::string path = folder / "save";
  const auto raw = [&] { return WriteRaw(path, tensors); };
  Way ways[] = {{"save", [&] { return SaveState(path, {tensors}); }},
                {"tensor bundle", [&] { return WriteTensorBundle(path, parts); }},
                {"safetensors", [&] {
                   return WriteSafetensors(path, {tensors, {}});
                 }}};
  std::vector<double> speeds;
  for (int round = 0; round < 5; ++round) {
    for (Way& way : ways) {
      const double before = SecondsOf(raw, folder);
      const int64_t memory = PeakKilobytes();
      const double seconds = SecondsOf(way.write, folder);
      way.kilobytes = std::max(way.kilobytes, PeakKilobytes() - memory);
      const double after = SecondsOf(raw, folder);
      way.ratios.push_back((before + after) / 2 / seconds);
      for (const double one : {before, after}) speeds.push_back(megabytes / one);
    }
  }
  std::sort(speeds.begin(), speeds.end());
  std::printf("raw bytes %.0f MiB/s (%.0f .. %.0f)\n", speeds[speeds.size() / 2], speeds.front(),
              speeds.back());
  for (Way& way : ways) {
    std::sort(way.ratios.begin(), way.ratios.end());
    std::printf("%-14s %.2f of raw (%.2f .. %.2f), %lld KiB more memory\n", way.name,
                way.ratios[way.ratios.size() / 2], way.ratios.front(), way.ratios.back(),
                static_cast<long long>(way.kilobytes));
  }
  std::filesystem::remove_all(folder);
  return 0;
}
