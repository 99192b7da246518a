// record_benchmark [FILE]: examples a second of MNIST's form (784 bytes and a label) from a
// TFRecord file, parsed, shuffled through a buffer of 10000 and batched by 128. Without FILE it
// writes one of 60000.

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "lockstep/data/example.h"
#include "lockstep/data/files.h"

namespace {

using namespace lockstep;

constexpr int64_t kExamples = 60000;

void WriteExamples(const std::string& path) {
  auto writer = TFRecordWriter::Open(path);
  writer.status().OrThrow();
  std::string image(784, '\0');
  for (int64_t i = 0; i < kExamples; ++i) {
    for (size_t j = 0; j < image.size(); ++j) image[j] = static_cast<char>(i * 7 + j * 13);
    writer
        ->Write(SerializeExample(
            {{"image", std::vector<std::string>{image}}, {"label", std::vector<int64_t>{i % 10}}}))
        .OrThrow();
  }
  writer->Close().OrThrow();
}

double SecondsOf(const Dataset& batches, int64_t* sum) {
  const auto begin = std::chrono::steady_clock::now();
  int64_t examples = 0;
  for (const Element& batch : batches) {
    examples += batch[0].shape()[0];
    for (const int64_t label : batch[1].data<int64_t>()) *sum += label;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (examples != kExamples)
    std::printf("WRONG: %lld examples\n", static_cast<long long>(examples));
  return seconds.count();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string path =
      count > 1 ? arguments[1]
                : (std::filesystem::temp_directory_path() / "lockstep_examples.tfrecord").string();
  if (count < 2) WriteExamples(path);
  const std::vector<FeatureSpec> specs{{"image", DType::kUInt8, Shape{28, 28}},
                                       {"label", DType::kInt64, Shape{}}};
  const auto parse = [&](const Element& records) { return ParseExample(records[0], specs); };
  for (const bool indexed : {false, true}) {
    const Dataset batches = TFRecordDataset({path}, {.indexed = indexed})
                                .Shuffle(10000, {.seed = 1})
                                .Batch(128)
                                .Map(parse, {.num_parallel = kAutotune})
                                .Prefetch();
    for (int run = 0; run < 4; ++run) {
      int64_t sum = 0;
      const double seconds = SecondsOf(batches, &sum);
      std::printf("%s: %.0f examples/s (sum of labels %lld)\n", indexed ? "indexed" : "stream",
                  kExamples / seconds, static_cast<long long>(sum));
    }
  }
  if (count < 2) std::filesystem::remove(path);
  return 0;
}
