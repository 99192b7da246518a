#include "cli/tasks.h"

#include "cli/models/models.h"
#include "data/digits.h"
#include "data/mnist.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/optimizers.h"

namespace lockstep::cli {

namespace {

// As many as real MNIST-10k has, so that a default run takes seconds.
constexpr int64_t kSyntheticExamples = 8571;
constexpr int64_t kSyntheticTestExamples = 1429;

Tensor Images(const data::ImageSet& set) {
  return Tensor::FromVector(set.images, Shape{set.count, data::kDigitSide, data::kDigitSide});
}

Tensor Labels(const data::ImageSet& set) {
  return Tensor::FromVector(std::vector<int32_t>(set.labels.begin(), set.labels.end()),
                            Shape{set.count});
}

TaskData LoadDigits(const TrainOptions& options) {
  if (options.data == "synthetic") {
    const int64_t examples = options.examples > 0 ? options.examples : kSyntheticExamples;
    const auto train = data::MakeDigits(options.seed, data::DigitSplit::kTrain, 0, examples);
    const auto test =
        data::MakeDigits(options.seed, data::DigitSplit::kTest, 0, kSyntheticTestExamples);
    return {Images(train), Labels(train), Images(test), Labels(test)};
  }
  const data::ImageData mnist = data::LoadMnist(options.data).OrThrow();
  return {Images(mnist.train), Labels(mnist.train), Images(mnist.test), Labels(mnist.test)};
}

OptimizerPtr MakeOptimizer(const TrainOptions& options) {
  std::optional<LearningRate> rate;
  if (options.learning_rate > 0) rate = options.learning_rate;
  return optimizers::Get(options.optimizer, rate,
                         {.clipnorm = options.clipnorm,
                          .clipvalue = options.clipvalue,
                          .global_clipnorm = options.global_clipnorm});
}

}  // namespace

Task MakeTask(const TrainOptions& options) {
  Task task;
  task.data = LoadDigits(options);
  task.model = options.model == "cnn" ? MakeCnn(options.cnn_plain) : MakeMlp();
  task.model->Compile({.optimizer = MakeOptimizer(options),
                       .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                       .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});
  return task;
}

}  // namespace lockstep::cli
