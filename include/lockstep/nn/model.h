#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/checkpoint/save.h"
#include "lockstep/data/dataset.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/compile_options.h"
#include "lockstep/nn/layer.h"

namespace lockstep {

class Callback;

enum class Verbosity { kSilent = 0, kBar = 1, kLine = 2, kAuto = 3 };

/// What a model is tested on while it trains: arrays, or a dataset of batches.
struct ValidationData {
  ValidationData() = default;
  ValidationData(Dataset batches) : dataset(std::move(batches)) {}  // NOLINT: implicit by design
  ValidationData(Tensor x, Tensor y, Tensor sample_weight = {})
      : x(std::move(x)), y(std::move(y)), sample_weight(std::move(sample_weight)) {}

  std::optional<Dataset> dataset;
  Tensor x, y, sample_weight;
};

/// Options of Fit. Source: keras.Model.fit.
struct FitOptions {
  int64_t batch_size = 32;  // of all replicas together; a dataset brings its batches
  int epochs = 1;
  int initial_epoch = 0;
  int64_t max_steps = 0;  // ends training after so many steps in all; 0: no limit
  /// Arrays: each epoch has an order of its own, that of Dataset::Shuffle over all examples with
  /// the seed 0. A dataset brings its order.
  bool shuffle = true;
  /// Which pass of a dataset an epoch reads, where passes differ, as those of a shuffled one do:
  /// epoch e reads pass `first_pass` + e * `passes_per_epoch`. (Keras reads every second one.)
  int64_t first_pass = 0;
  int64_t passes_per_epoch = 1;
  /// Of arrays: the last part is kept for validation; cut off before shuffling.
  double validation_split = 0;
  ValidationData validation_data = {};
  int validation_freq = 1;  // validates after every so many epochs
  /// 0: an epoch is a pass over the data. Else the data go on from one epoch to the next.
  int64_t steps_per_epoch = 0;
  /// Of arrays, [n]: what each example counts; a dataset brings it as its third component.
  Tensor sample_weight = {};
  /// By class: what an example of the class counts; 1 for a class that is missing.
  std::map<int64_t, float> class_weight = {};
  /// Refuses NaN and infinity in the data, which are looked through once.
  bool check_data = true;
  Verbosity verbose = Verbosity::kAuto;
  std::vector<std::shared_ptr<Callback>> callbacks = {};
  int shards = 0;  // leaves a replica; 0: follows from the batch
  /// After every so many steps the workers compare their weights; DataLoss naming the variable and
  /// the step if they differ. 0: never.
  int64_t digest_check = 0;
  /// Measures where a step's time goes, from the first compilation on; see `History::breakdown`.
  bool measure_steps = false;
};

/// Values by name, in the order of names.
using Logs = std::map<std::string, double>;

/// What training gathered: a value an epoch by name.
struct History {
  std::map<std::string, std::vector<double>> history;
  std::vector<int> epoch;
  int64_t steps = 0;
  double seconds = 0;
  std::vector<float> step_microseconds;  // of every step, input and callbacks included
  std::string breakdown;                 // microseconds by op, where they were measured
  PlanSummary plan;                      // of the first step
};

/// Where training stands.
struct TrainingPosition {
  int epoch = 0;      // the epoch in progress, or to come
  int64_t step = 0;   // how many of its steps are done
  int64_t steps = 0;  // how many were done in all
};

/// Hooks into `Fit`, in the order OnTrainBegin; for each epoch OnEpochBegin, for each step
/// OnTrainBatchBegin and OnTrainBatchEnd, OnTrainStop if training stops inside of it, for a
/// validation OnTestBegin, its batches' hooks and OnTestEnd, then OnEpochEnd; at last OnTrainEnd.
/// Several callbacks are called in the order of their list. All hooks have a default that does
/// nothing. Source: keras.callbacks.Callback.
class Callback {
 public:
  /// The running values; computed when called, so that not calling it costs nothing.
  using LogsSource = std::function<Logs()>;

  virtual ~Callback() = default;
  virtual void OnTrainBegin() {}
  virtual void OnTrainEnd() {}
  virtual void OnEpochBegin(int epoch) {}
  /// What is added to `logs` gets into the history and is seen by callbacks behind this one.
  virtual void OnEpochEnd(int epoch, Logs& logs) {}
  virtual void OnTrainBatchBegin(int64_t batch) {}
  virtual void OnTrainBatchEnd(int64_t batch, const LogsSource& logs) {}
  /// After how many steps it reads variables or logs: at the end of each one whose number, counted
  /// as `position().steps`, is a multiple, or at the beginning of the next one; 0: not inside of an
  /// epoch. Asked when training begins, or others come. Workers that rest are sent values only
  /// where a callback of any worker reads; FailedPrecondition for a read all the same.
  virtual int64_t ReadsEvery() const { return 1; }
  /// Training stops between two steps of an epoch: a save made here goes on with the next one.
  virtual void OnTrainStop() {}
  virtual void OnTestBegin() {}
  virtual void OnTestEnd(const Logs& logs) {}
  virtual void OnTestBatchBegin(int64_t batch) {}
  virtual void OnTestBatchEnd(int64_t batch, const LogsSource& logs) {}

  /// What a save keeps of this callback, so that a resumed training goes on as though it had never
  /// stopped; `name` finds it again. A callback without a name keeps nothing.
  virtual std::string name() const { return {}; }
  virtual std::vector<NamedTensor> State() const { return {}; }
  /// Called between OnTrainBegin and the first epoch with what `State` gave, all by name.
  virtual void SetState(const SavedState& state) {}
  /// This worker came into a training that others had begun, and has their weights and what their
  /// callbacks counted: their history so far.
  virtual void OnTrainEnter(const History& history) {}

  class Model* model = nullptr;  // set by Fit
};
using CallbackPtr = std::shared_ptr<Callback>;

/// A network of layers with what is needed to train it. Source: keras.Model.
class Model {
 public:
  explicit Model(std::string name = "model");
  virtual ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Maps a batch to predictions. Axis 0 holds the examples.
  virtual Tensor Call(const Tensor& inputs, bool training) = 0;
  Tensor operator()(const Tensor& inputs, bool training = false);

  /// InvalidArgument without an optimizer or a loss.
  void Compile(CompileOptions options);
  /// Trains on `x` and `y`, whose axis 0 holds the examples.
  /// Errors: InvalidArgument for shapes and options that do not fit, no examples, numbers that are
  /// not finite, and labels out of range: with the place in the data.
  History Fit(const Tensor& x, const Tensor& y, const FitOptions& options = {});
  /// Trains on batches {x, y} or {x, y, sample_weight} of all replicas together; a smaller one
  /// counts by its size. Epoch e reads pass e, so that a resumed training reads on where it was.
  /// The same batches give the same bits, whether arrays or a dataset bring them.
  History Fit(const Dataset& batches, const FitOptions& options = {});
  /// The loss, then the metrics, over all examples. Keys: "loss" and the metrics' names.
  Logs Evaluate(const Tensor& x, const Tensor& y, int64_t batch_size = 32);
  /// The same over batches, all or the first `steps`.
  Logs Evaluate(const Dataset& batches, int64_t steps = 0);
  /// The predictions for all examples; the model need not be compiled. Shape: [n, ...].
  Tensor Predict(const Tensor& x, int64_t batch_size = 32);
  /// The same for the first component of batches, all or the first `steps`.
  Tensor Predict(const Dataset& batches, int64_t steps = 0);

  const std::string& name() const { return name_; }
  std::vector<Weight> weights() const;
  std::vector<Variable> variables() const;
  /// The weights of trainable layers that are trainable themselves.
  std::vector<Weight> trainable_weights() const;
  std::vector<Variable> trainable_variables() const;
  /// Counters of random streams, which belong to the state but not to the weights.
  std::vector<Variable> counters() const;
  int64_t CountParameters() const;
  /// A table of layers, output shapes and parameters, as Keras prints it.
  std::string Summary() const;
  /// FailedPrecondition once the strategy has ended, which must live as long as its models.
  Strategy& strategy() const;
  const CompileOptions& compiled() const;

  /// Set by a callback to end training after the current step.
  bool stop_training = false;
  /// Where `Fit` stands, or where it has ended.
  TrainingPosition position() const;
  /// What was said before the first step about things that cannot be meant, a line each.
  const std::vector<std::string>& advice() const;

  /// Writes all that decides how training goes on into `directory`: weights, slots, counters,
  /// metrics, history, callbacks' state and position. Between steps, so from callbacks too; the
  /// newest two saves are kept. Format: docs/save-format.md. Throws what SaveState reports.
  void SaveTraining(const std::string& directory);
  /// Lets the next `Fit` go on from a save (or the newest one of a directory) instead of its
  /// initial epoch: with the same data and options it ends with the bits of a training that never
  /// stopped. Errors: those of LoadState here; FailedPrecondition in `Fit` when the save is of
  /// another model, optimizer, R, seed or division of the data, naming the first difference.
  void ResumeTraining(const std::string& path);
  /// The same from a save that was read already.
  void ResumeTrainingFrom(SavedState save);
  /// Writes the weights to a file, or reads them (from a save of training too).
  /// FailedPrecondition when the model has no weights yet, or others than the file.
  void SaveWeights(const std::string& path) const;
  void LoadWeights(const std::string& path);
  /// The same from what was read already: a save of weights, which must hold no others, or of
  /// training.
  void LoadWeightsFrom(const SavedState& state);

  /// xxh3-128 over name, dtype, shape and bytes of all weights, in the order of their names.
  std::string WeightsDigest() const;
  /// The same over weights, slots, counters and `position()`'s epoch and step.
  std::string StateDigest() const;

 protected:
  /// To be called by the constructor of a model for each of its layers, in order.
  LayerPtr Track(LayerPtr layer);
  const std::vector<LayerPtr>& layers() const { return layers_; }

 private:
  class Training;
  Training& training();

  std::string name_;
  Strategy* strategy_;
  std::weak_ptr<const void> strategy_lives_;
  std::vector<LayerPtr> layers_;
  std::unique_ptr<Training> training_;
  std::unique_ptr<Training> predicting_;  // until there is one that trains
};

/// Layers one after another. Source: keras.Sequential.
class Sequential : public Model {
 public:
  Sequential(std::initializer_list<LayerPtr> layers);
  explicit Sequential(const std::vector<LayerPtr>& layers);
  void Add(LayerPtr layer) { Track(std::move(layer)); }
  Tensor Call(const Tensor& inputs, bool training) override;
};

}  // namespace lockstep
