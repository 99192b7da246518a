// Several workers end with the bits of one process.

#include "distribute/workers/worker_threads_test.h"
#include "gtest/gtest.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/callbacks.h"
#include "lockstep/nn/constraints.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/nn/regularizers.h"
#include "lockstep/ops/array.h"
#include "nn/every_option_test.h"
#include "nn/trained_test.h"

namespace lockstep {
namespace {

// Builds and compiles a model in the current scope.
using MakeModel = std::function<std::unique_ptr<Model>()>;

std::unique_ptr<Model> Compiled(std::initializer_list<LayerPtr> layers,
                                const OptimizerPtr& optimizer) {
  auto model = std::make_unique<Sequential>(layers);
  model->Compile({.optimizer = optimizer,
                  .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                  .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});
  return model;
}

// Two epochs whose last batch is uneven.
Trained Train(Strategy& strategy, const MakeModel& make, int shards, int64_t batch_size) {
  const auto scope = strategy.scope();
  const auto model = make();
  const History history = model->Fit(
      Features(), Labels(),
      {.batch_size = batch_size, .epochs = 2, .verbose = Verbosity::kSilent, .shards = shards});
  return EndOf(*model, history);
}

struct Cluster {
  int workers;
  int devices = 1;
  int cores = 0;  // of their only host; 0: nobody says
};

// Trains alone, then over workers, and compares.
void ExpectOneResult(const std::string& what, const MakeModel& make, int replicas, int shards,
                     std::initializer_list<Cluster> clusters, int64_t batch_size = 16) {
  SetRandomSeed(7);
  Trained expected;
  {
    MirroredStrategy strategy({.devices = 2, .replicas = replicas});
    expected = Train(strategy, make, shards, batch_size);
  }
  for (const Cluster& cluster : clusters) {
    std::vector<Trained> all(cluster.workers);
    distribute::RunWorkers(cluster.workers, [&](std::shared_ptr<distribute::Communicator> ranks) {
      const int rank = ranks->rank();
      if (cluster.cores > 0)
        ranks->set_host_places(distribute::OnOneHost(cluster.workers, cluster.cores));
      MultiWorkerMirroredStrategy strategy(std::move(ranks),
                                           {.devices = cluster.devices, .replicas = replicas});
      all[rank] = Train(strategy, make, shards, batch_size);
    });
    const std::string where = what + " over " + std::to_string(cluster.workers) + " workers with " +
                              std::to_string(cluster.devices) + " devices";
    for (const Trained& own : all) ExpectIs(expected, own, where);
  }
}

// A weight that is large enough to be updated by rows.
MakeModel Large(const std::function<OptimizerPtr()>& optimizer) {
  return [=] {
    return Compiled({Dense(400, DenseOptions{.activation = relu}), Dense(4)}, optimizer());
  };
}

TEST(MultiWorkerTest, EveryRuleGivesTheBitsOfOneProcess) {
  for (const std::string& name : optimizers::Names()) {
    ExpectOneResult(name, Large([&] { return optimizers::Get(name); }), 1, 4, {{2}, {3}});
  }
}

// In batches of 16 large gradients travel as the factors that they are products of, in larger ones
// as sums.
TEST(MultiWorkerTest, SumsOfGradientsGiveTheBitsOfOneProcess) {
  for (const char* name : {"adam", "momentum", "lamb"}) {
    ExpectOneResult(name, Large([&] { return optimizers::Get(name); }), 1, 4, {{2}, {3}, {4, 2}},
                    kExamples);
  }
}

// On a crowded host some workers only follow. In batches of 16 factors travel, in larger ones sums.
TEST(MultiWorkerTest, WorkersWithoutACoreEndWithTheSameBits) {
  for (const char* name : {"sgd", "adam", "lamb", "muon"}) {
    const MakeModel make = Large([&] { return optimizers::Get(name); });
    ExpectOneResult(name, make, 1, 4, {{3, 1, 1}, {4, 1, 2}, {5, 2, 3}});
    ExpectOneResult(name, make, 1, 4, {{3, 1, 1}, {4, 1, 2}}, kExamples);
  }
  const MakeModel make = [] {
    return Compiled({Dense(400, DenseOptions{.activation = relu}), BatchNormalization(),
                     Dropout(0.2), Dense(4)},
                    optimizers::Get("adam"));
  };
  ExpectOneResult("batch normalisation", make, 2, 2, {{4, 1, 2}, {4, 1, 1}});
}

// Where no callback looks at values after a batch, those who rest are not sent them; and who says
// so and looks is refused, not given old ones.
TEST(MultiWorkerTest, WhatNobodyReadsIsNotTold) {
  class Follower : public Callback {
   public:
    explicit Follower(bool reads) : reads_(reads) {}
    void OnTrainBatchEnd(int64_t, const LogsSource& logs) override {
      if (!model->strategy().ranks()->notes().is_silent()) return;
      ++silent_;
      if (logs().empty()) ++behind_;
      if (!reads_ || silent_ < 8) return;
      digest_ = model->WeightsDigest();
      throw Error(Code::kAborted, "who works could read them");
    }
    int64_t ReadsEvery() const override { return 0; }
    int silent_ = 0, behind_ = 0;
    std::string digest_;

   private:
    const bool reads_;
  };
  const MakeModel make = Large([] { return optimizers::Get("adam"); });
  const auto train = [&](Strategy& strategy, const CallbackPtr& follower) {
    const auto scope = strategy.scope();
    const auto model = make();
    std::vector<CallbackPtr> callbacks;
    if (follower != nullptr) callbacks.push_back(follower);
    const History history = model->Fit(Features(), Labels(),
                                       {.batch_size = 16,
                                        .epochs = 2,
                                        .steps_per_epoch = 150,
                                        .verbose = Verbosity::kSilent,
                                        .callbacks = callbacks,
                                        .shards = 4});
    return EndOf(*model, history);
  };
  SetRandomSeed(7);
  MirroredStrategy alone({.devices = 1, .replicas = 1});
  const Trained expected = train(alone, nullptr);
  for (const bool reads : {false, true}) {
    distribute::RunWorkers(4, [&](std::shared_ptr<distribute::Communicator> ranks) {
      const bool rests = ranks->rank() > 1;
      ranks->set_host_places(distribute::OnOneHost(4, 2));
      MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
      const auto follower = std::make_shared<Follower>(reads);
      if (!reads) {
        ExpectIs(expected, train(strategy, follower), "silent");
        EXPECT_GT(follower->silent_, 100);
        EXPECT_EQ(follower->behind_, rests ? follower->silent_ : 0);
        return;
      }
      try {
        train(strategy, follower);
        ADD_FAILURE() << "read nothing";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), rests ? Code::kFailedPrecondition : Code::kAborted);
        if (!rests) return;
        EXPECT_NE(std::string(error.what()).find("got a read of dense"), std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("ReadsEvery"), std::string::npos);
      }
    });
  }
}

// A value that is assigned whole needs none from before, as where a worker comes back.
TEST(MultiWorkerTest, WhoIsBehindMayAssign) {
  class Assigner : public Callback {
   public:
    void OnTrainBatchEnd(int64_t, const LogsSource&) override {
      if (model->position().steps % 7 != 0) return;
      const Variable kernel = model->variables()[0];
      kernel.Assign(Fill(kernel.shape(), Scalar<float>(0.01f)));
    }
    int64_t ReadsEvery() const override { return 0; }
  };
  const MakeModel make = Large([] { return optimizers::Get("adam"); });
  const auto train = [&](Strategy& strategy) {
    const auto scope = strategy.scope();
    const auto model = make();
    const History history = model->Fit(Features(), Labels(),
                                       {.batch_size = 16,
                                        .steps_per_epoch = 60,
                                        .verbose = Verbosity::kSilent,
                                        .callbacks = {std::make_shared<Assigner>()},
                                        .shards = 4});
    return EndOf(*model, history);
  };
  SetRandomSeed(7);
  MirroredStrategy alone({.devices = 1, .replicas = 1});
  const Trained expected = train(alone);
  distribute::RunWorkers(4, [&](std::shared_ptr<distribute::Communicator> ranks) {
    ranks->set_host_places(distribute::OnOneHost(4, 2));
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    ExpectIs(expected, train(strategy), "assigned while behind");
  });
}

// Also where one worker alone has a callback that looks, and rests.
TEST(MultiWorkerTest, WhoLooksNowAndThenIsToldThen) {
  class Digests : public Callback {
   public:
    void OnTrainBatchEnd(int64_t, const LogsSource&) override {
      if (model->position().steps % 7 == 0) digests_.push_back(model->WeightsDigest());
    }
    int64_t ReadsEvery() const override { return 7; }
    std::vector<std::string> digests_;
  };
  const MakeModel make = Large([] { return optimizers::Get("adam"); });
  const auto digests_of = [&](Strategy& strategy, bool looks) {
    const auto scope = strategy.scope();
    const auto model = make();
    const auto digests = std::make_shared<Digests>();
    model->Fit(Features(), Labels(),
               {.batch_size = 16,
                .steps_per_epoch = 150,
                .verbose = Verbosity::kSilent,
                .callbacks = looks ? std::vector<CallbackPtr>{digests} : std::vector<CallbackPtr>{},
                .shards = 4});
    return digests->digests_;
  };
  SetRandomSeed(7);
  MirroredStrategy alone({.devices = 1, .replicas = 1});
  const std::vector<std::string> expected = digests_of(alone, true);
  ASSERT_EQ(expected.size(), 21u);
  distribute::RunWorkers(4, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const bool looks = ranks->rank() == 3;
    ranks->set_host_places(distribute::OnOneHost(4, 2));
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    const auto digests = digests_of(strategy, looks);
    EXPECT_EQ(digests, looks ? expected : std::vector<std::string>{});
  });
}

// Sums over examples of half precision are rounded once, however many workers add to them.
TEST(MultiWorkerTest, HalfPrecisionGivesTheBitsOfOneProcess) {
  for (const char* policy : {"bfloat16", "mixed_bfloat16", "mixed_float16"}) {
    SetGlobalPolicy(DTypePolicy::Named(policy));
    const MakeModel make = [] {
      return Compiled(
          {Dense(400, DenseOptions{.activation = relu}), BatchNormalization(), Dropout(0.2),
           Dense(64, DenseOptions{.activation = gelu}), LayerNormalization(), Dense(4)},
          optimizers::Get("adam"));
    };
    ExpectOneResult(policy, make, 1, 4, {{2}, {3}, {2, 2}});
    SetGlobalPolicy({});
  }
}

// Updates that need a whole matrix are made by one worker each.
TEST(MultiWorkerTest, WholeUpdatesAreDividedOverWorkers) {
  for (const char* name : {"muon", "lamb", "adafactor"}) {
    const MakeModel make = [name] {
      return Compiled({Dense(400, DenseOptions{.activation = relu}),
                       Dense(64, DenseOptions{.activation = relu}), Dense(80), Dense(4)},
                      optimizers::Get(name));
    };
    ExpectOneResult(name, make, 1, 4, {{1}, {2}, {3}, {4}});
    ExpectOneResult(name, make, 2, 2, {{2, 2}, {3}});
  }
}

// The matrix's owner computes it, the other one gets it.
TEST(MultiWorkerTest, AWholeUpdateIsMadeOnce) {
  std::vector<int> kernels(2);
  distribute::RunWorkers(2, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const int rank = ranks->rank();
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    const auto scope = strategy.scope();
    const auto model = Large([] { return optimizers::Get("muon"); })();
    const History history = model->Fit(
        Features(), Labels(), {.batch_size = 16, .verbose = Verbosity::kSilent, .shards = 4});
    kernels[rank] = history.plan.kernels;
  });
  EXPECT_GT(std::abs(kernels[0] - kernels[1]), 10) << kernels[0] << " and " << kernels[1];
}

TEST(MultiWorkerTest, EveryOptionGivesTheBitsOfOneProcess) {
  for (const UpdateOptions& each : EveryUpdateOption()) {
    ExpectOneResult("an option", Large([&] { return optimizers::Get("adam", std::nullopt, each); }),
                    1, 4, {{2}, {3}});
  }
}

// Layers that look at a replica's whole batch, draw numbers by an example's place, or need the
// whole weight.
TEST(MultiWorkerTest, LayersGiveTheBitsOfOneProcess) {
  const MakeModel make = [] {
    return Compiled({Dense(400, DenseOptions{.activation = relu,
                                             .kernel_regularizer = regularizers::L1L2(0.001, 0.01),
                                             .kernel_constraint = constraints::MaxNorm(1.5)}),
                     BatchNormalization(), Dropout(0.2), Dense(40),
                     BatchNormalization({.synchronized = true}), Dense(4)},
                    optimizers::Get("adam"));
  };
  ExpectOneResult("1 replica", make, 1, 4, {{2}, {3}, {5, 2}});
  ExpectOneResult("3 replicas", make, 3, 2, {{2}, {3}, {4}});
  ExpectOneResult("8 replicas", make, 8, 0, {{1}, {2}, {3}, {8}});
}

TEST(MultiWorkerTest, NoiseIsThatOfAnExamplesPlace) {
  const std::pair<const char*, std::function<LayerPtr()>> layers[] = {
      {"Dropout", [] { return Dropout(0.3); }},
      {"SpatialDropout1D", [] { return SpatialDropout1D(0.3); }},
      {"GaussianNoise", [] { return GaussianNoise(0.5); }},
      {"GaussianDropout", [] { return GaussianDropout(0.3); }},
      {"AlphaDropout", [] { return AlphaDropout(0.3); }}};
  for (const auto& [name, layer] : layers) {
    const MakeModel make = [&] {
      return Compiled({Dense(24), Reshape({4, 6}), layer(), Flatten(), Dense(4)},
                      optimizers::Get("adam"));
    };
    ExpectOneResult(name, make, 1, 4, {{2}, {3, 2}});
    ExpectOneResult(name, make, 2, 0, {{2}, {4}}, 9);
  }
}

// A worker may have no example of a batch, and sizes that an op names are those of its own.
TEST(MultiWorkerTest, ConvolutionsGiveTheBitsOfOneProcessWithoutExamplesToo) {
  const std::pair<const char*, std::function<LayerPtr()>> layers[] = {
      {"Conv2D", [] { return Conv2D(3, 2); }},
      {"DepthwiseConv2D", [] { return DepthwiseConv2D(2); }},
      {"SeparableConv2D", [] { return SeparableConv2D(3, 2); }},
      {"Conv2DTranspose", [] { return Conv2DTranspose(3, 2); }},
      {"Conv2DTranspose, strides", [] { return Conv2DTranspose(3, 3, {.strides = 2}); }},
      {"UpSampling2D", [] { return UpSampling2D(2); }},
      {"BilinearUpSampling2D", [] { return BilinearUpSampling2D(2); }},
      {"LSTM", [] { return TimeDistributed(LSTM(3)); }}};
  for (const auto& [name, layer] : layers) {
    const MakeModel make = [&] {
      return Compiled({Dense(18), Reshape({3, 3, 2}), layer(), Flatten(), Dense(4)},
                      optimizers::Get("sgd"));
    };
    for (const int64_t batch_size : {1, 7})
      ExpectOneResult(name, make, 2, 0, {{2}, {3}}, batch_size);
  }
}

// A function is asked for each replica's pipeline, by all workers; a worker's results are those of
// its replicas.
TEST(MultiWorkerTest, EveryWorkerKnowsAllPipelines) {
  for (const int workers : {1, 2, 4}) {
    std::vector<std::vector<std::vector<int32_t>>> seen(workers), local(workers);
    distribute::RunWorkers(workers, [&](std::shared_ptr<distribute::Communicator> ranks) {
      const int rank = ranks->rank();
      MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 4});
      const auto dataset = strategy.DistributeDatasetsFromFunction([](const InputContext& context) {
        return [context]() -> BatchSource {
          return [context,
                  left =
                      context.input_pipeline_id]() mutable -> std::optional<std::vector<Tensor>> {
            if (left-- == 0) return std::nullopt;  // pipeline i has i batches
            return std::vector<Tensor>{
                Constant<int32_t>({context.num_input_pipelines * 10 + context.input_pipeline_id})};
          };
        };
      });
      for (const auto& batch : dataset) {
        for (const Tensor& one : batch[0].values()) seen[rank].push_back(one.ToVector<int32_t>());
        for (const Tensor& one : strategy.LocalResults(batch[0]))
          local[rank].push_back(one.ToVector<int32_t>());
      }
    });
    std::vector<std::vector<int32_t>> all;
    for (int step = 0; step < 3; ++step) {
      for (int replica = 0; replica < 4; ++replica)
        all.push_back(replica > step ? std::vector<int32_t>{40 + replica} : std::vector<int32_t>());
    }
    for (int rank = 0; rank < workers; ++rank) {
      EXPECT_EQ(seen[rank], all) << rank << " of " << workers;
      std::vector<std::vector<int32_t>> own;
      for (size_t i = 0; i < all.size(); ++i)
        if (static_cast<int>(i % 4) * workers / 4 == rank) own.push_back(all[i]);
      EXPECT_EQ(local[rank], own) << rank << " of " << workers;
    }
  }
}

// What each of two workers' Fit throws.
std::vector<Status> Failures(const Tensor& labels, FitOptions options,
                             const std::function<CallbackPtr()>& callback = nullptr) {
  std::vector<Status> statuses(2);
  distribute::RunWorkers(2, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const int rank = ranks->rank();
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 2});
    const auto scope = strategy.scope();
    const auto model = Large([] { return optimizers::Get("sgd"); })();
    FitOptions fit = options;
    if (callback != nullptr) fit.callbacks.push_back(callback());
    try {
      model->Fit(Features(), labels, fit);
    } catch (const Error& error) {
      statuses[rank] = error.status();
    }
  });
  return statuses;
}

// Changes a weight on one worker, as a fault of its memory would.
class Corrupt : public Callback {
 public:
  void OnTrainBatchEnd(int64_t batch, const LogsSource&) override {
    if (batch != 1 || model->strategy().worker() != 1) return;
    const Variable bias = model->variables()[1];
    bias.AssignAdd(Tensor::FromVector(std::vector<float>(400, 1.0f), Shape{400}));
  }
};

TEST(MultiWorkerTest, WeightsThatDifferAreNamedWithTheStep) {
  const auto statuses = Failures(
      Labels(), {.batch_size = 16, .verbose = Verbosity::kSilent, .shards = 1, .digest_check = 2},
      [] { return std::make_shared<Corrupt>(); });
  for (const Status& status : statuses) {
    EXPECT_EQ(status.code(), Code::kDataLoss);
    EXPECT_NE(status.message().find("dense/bias on worker 1 than on worker 0 after step 2"),
              std::string::npos)
        << status.message();
  }
}

TEST(MultiWorkerTest, AnErrorOfOneWorkerEndsTheStepOnAll) {
  std::vector<int32_t> labels(kExamples, 1);
  labels[40] = 9;
  const auto statuses =
      Failures(Constant<int32_t>(labels),
               {.batch_size = kExamples, .shuffle = false, .verbose = Verbosity::kSilent});
  // Example 40 is in the second half.
  EXPECT_EQ(statuses[1].code(), Code::kInvalidArgument);
  EXPECT_NE(statuses[1].message().find("example 40"), std::string::npos) << statuses[1].message();
  EXPECT_EQ(statuses[0].code(), Code::kAborted);
  EXPECT_NE(statuses[0].message().find("rank 1"), std::string::npos) << statuses[0].message();
}

TEST(MultiWorkerTest, OnlyTheChiefWrites) {
  std::vector<int> calls(3, 0);
  std::vector<Code> codes(3);
  distribute::RunWorkers(3, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const int rank = ranks->rank();
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 2});
    EXPECT_EQ(strategy.num_replicas_in_sync(), 3);  // whatever the devices
    strategy.OnChief([&] {
      ++calls[rank];
      return Status::Ok();
    });
    try {
      strategy.OnChief([] { return Status(Code::kResourceExhausted, "the disk is full"); });
    } catch (const Error& error) {
      codes[rank] = error.code();
      EXPECT_EQ(error.status().message(), "the disk is full");
    }
  });
  EXPECT_EQ(calls, (std::vector<int>{1, 0, 0}));
  EXPECT_EQ(codes, std::vector<Code>(3, Code::kResourceExhausted));
}

}  // namespace
}  // namespace lockstep
