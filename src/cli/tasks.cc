#include "cli/tasks.h"

#include <unistd.h>

#include "cli/models/models.h"
#include "data/digits.h"
#include "data/mnist.h"
#include "data/synthetic_text.h"
#include "data/text.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/optimizers.h"

namespace lockstep::cli {

namespace {

// As many as real MNIST-10k has, so that a default run takes seconds.
constexpr int64_t kSyntheticExamples = 8571;
constexpr int64_t kSyntheticTestExamples = 1429;
constexpr int64_t kSyntheticWindows = 4096;

Tensor Images(const data::ImageSet& set) {
  return Tensor::FromVector(set.images, Shape{set.count, data::kDigitSide, data::kDigitSide});
}

Tensor Labels(const data::ImageSet& set) {
  return Tensor::FromVector(std::vector<int32_t>(set.labels.begin(), set.labels.end()),
                            Shape{set.count});
}

// A greater one than the machine's memory would be told by the system's killer alone.
void RequireMemory(int64_t examples, int64_t bytes_each) {
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if (static_cast<double>(examples) * bytes_each <= memory) return;
  throw Error(Code::kResourceExhausted, "[train] the synthetic examples must fit in memory; got " +
                                            std::to_string(examples) + " of " +
                                            std::to_string(bytes_each) + " bytes each, and " +
                                            std::to_string(static_cast<int64_t>(memory) >> 20) +
                                            " MiB; give fewer --examples");
}

TaskData LoadDigits(const TrainOptions& options) {
  if (options.data == "synthetic") {
    const int64_t examples = options.examples > 0 ? options.examples : kSyntheticExamples;
    RequireMemory(examples, data::kDigitSide * data::kDigitSide * int64_t{sizeof(float)});
    const auto train = data::MakeDigits(options.seed, data::DigitSplit::kTrain, 0, examples);
    const auto test =
        data::MakeDigits(options.seed, data::DigitSplit::kTest, 0, kSyntheticTestExamples);
    return {Images(train), Labels(train), Images(test), Labels(test)};
  }
  const data::ImageData mnist = data::LoadMnist(options.data).OrThrow();
  return {Images(mnist.train), Labels(mnist.train), Images(mnist.test), Labels(mnist.test)};
}

// Windows [begin, end) of a text: bytes, and the bytes after them.
void Windows(const data::TextCorpus& corpus, int64_t begin, int64_t end, Tensor& x, Tensor& y) {
  const int64_t tokens = corpus.tokens();
  std::vector<uint8_t> inputs;
  std::vector<int32_t> targets;
  inputs.reserve(static_cast<size_t>((end - begin) * tokens));
  targets.reserve(inputs.capacity());
  for (int64_t i = begin; i < end; ++i) {
    const auto window = corpus.Window(i);
    inputs.insert(inputs.end(), window.begin(), window.end() - 1);
    targets.insert(targets.end(), window.begin() + 1, window.end());
  }
  x = Tensor::FromVector(inputs, Shape{end - begin, tokens});
  y = Tensor::FromVector(targets, Shape{end - begin, tokens});
}

// The last tenth of the windows is kept for the test.
TaskData LoadText(const TrainOptions& options) {
  const int64_t count = options.examples > 0 ? options.examples : kSyntheticWindows;
  if (options.data == "synthetic")
    RequireMemory(count, kGptTokens * int64_t{sizeof(uint8_t) + sizeof(int32_t)});
  const auto corpus =
      options.data == "synthetic"
          ? data::TextCorpus::FromBytes("synthetic",
                                        data::MakeSyntheticText(static_cast<uint64_t>(options.seed),
                                                                count * kGptTokens + 1),
                                        kGptTokens)
                .OrThrow()
          : data::TextCorpus::Open(options.data, kGptTokens).OrThrow();
  const int64_t windows = corpus.num_windows();
  const int64_t test = std::max<int64_t>(1, windows / 10);
  const int64_t trained = std::max<int64_t>(1, windows - test);
  TaskData data;
  Windows(corpus, 0, trained, data.x, data.y);
  Windows(corpus, windows - test, windows, data.test_x, data.test_y);
  return data;
}

OptimizerPtr MakeOptimizer(const TrainOptions& options) {
  std::optional<LearningRate> rate;
  if (options.learning_rate > 0) rate = options.learning_rate;
  UpdateOptions update{.clipnorm = options.clipnorm,
                       .clipvalue = options.clipvalue,
                       .global_clipnorm = options.global_clipnorm};
  if (!options.optimizer.empty()) return optimizers::Get(options.optimizer, rate, update);
  if (options.model != "gpt") return optimizers::Get("adam", rate, update);
  // As PyTorch's AdamW has it by default.
  update.weight_decay = 0.01;
  return optimizers::AdamW({.learning_rate = rate.value_or(0.001), .epsilon = 1e-8}, update);
}

std::unique_ptr<Model> MakeModel(const TrainOptions& options) {
  if (options.model == "gpt") return MakeGpt();
  return options.model == "cnn" ? MakeCnn(options.cnn_plain) : MakeMlp();
}

}  // namespace

Task MakeTask(const TrainOptions& options) {
  Task task;
  task.data = options.model == "gpt" ? LoadText(options) : LoadDigits(options);
  task.model = MakeModel(options);
  task.model->Compile({.optimizer = MakeOptimizer(options),
                       .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                       .metrics = {metrics::SparseCategoricalAccuracy("accuracy")},
                       .execution = options.execution});
  return task;
}

int EpochsOf(const TrainOptions& options, int64_t examples) {
  constexpr int kDefault = 5;
  if (options.epochs >= 0) return options.epochs;
  if (options.steps == 0) return kDefault;
  const int64_t steps = (examples + options.batch_size - 1) / options.batch_size;
  return static_cast<int>((options.steps + steps - 1) / std::max<int64_t>(1, steps));
}

int64_t TestBatchOf(const TrainOptions& options) {
  return options.model == "gpt" ? options.batch_size : std::max<int64_t>(256, options.batch_size);
}

}  // namespace lockstep::cli
