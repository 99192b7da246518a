#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/dataset_node.h"
#include "lockstep/data/dataset.h"

namespace lockstep::nn {

/// What a step's plan is given: whole tensors and, last, the numbers of the batch's rows in them,
/// which the plan gathers; or the batch itself.
struct StepData {
  std::vector<Tensor> arguments;
  bool gathered = false;
  int64_t examples = 0;
  int64_t pass = 0;
  int64_t batch = 0;  // in the pass

  /// The components of a batch: {x}, {x, y} or {x, y, sample_weight}.
  size_t components() const { return arguments.size() - (gathered ? 1 : 0); }
  /// The batch itself; `given`: `arguments`, or what a step traces in their place.
  std::vector<Tensor> BatchOf(std::vector<Tensor> given) const;
};

/// Batches of whole tensors, in an order of its own each pass where `shuffle` is set.
/// InvalidArgument for sizes that differ along axis 0, no rows, and batch_size < 1.
Dataset BatchesOf(const std::vector<Tensor>& tensors, int64_t batch_size, bool shuffle);

/// Where in the data a loop stands: a pass, and a batch of it.
struct StepCursor {
  int64_t pass = 0;
  int64_t batch = 0;
};

struct StepInputOptions {
  int64_t steps_per_epoch = 0;
  std::map<int64_t, float> class_weight;
  bool check_data = false;
  int64_t first_pass = 0;
  int64_t passes_per_epoch = 1;
};

/// Feeds a loop over epochs with steps: the one place that knows arrays, indexable datasets and
/// streams apart. Rows of whole tensors stay there; the step gathers them.
class StepInput {
 public:
  /// InvalidArgument for data that do not fit the options.
  StepInput(const Dataset& batches, const StepInputOptions& options);

  /// How many steps an epoch has; -1 where that is not known yet.
  int64_t steps() const;
  void BeginEpoch(int64_t epoch);
  /// Goes on in an epoch of which `taken` steps are done, at the batch that `cursor` gave.
  void Resume(const StepCursor& cursor, int64_t taken);
  /// The next step's data, valid until the next call; nullptr at the end of the epoch.
  const StepData* Next();
  /// How many steps the epoch will have. Where only reading tells the length of a pass, one is read
  /// through by itself, as far as the epoch goes, and its length then holds for all.
  int64_t CountSteps();
  /// `Next` goes on with step `step` of the epoch. A stream is read up to there, from its beginning
  /// where it is past it.
  void Seek(int64_t step);
  /// The epoch ends with the pass, before its last step.
  void EndPass();
  /// The data of that step, valid until the next call.
  const StepData* At(int64_t step) {
    Seek(step);
    return Next();
  }
  /// A step of [begin, end) whose batch is the last of a pass, and perhaps smaller; -1: none.
  int64_t ShortStep(int64_t begin, int64_t end) const;
  /// What the next call of `Next` will give.
  const StepData* Peek();
  /// The place of the next step's data.
  StepCursor cursor() const;
  /// What decides the steps, by name: what a resumed loop must agree with.
  std::map<std::string, int64_t> recipe() const;
  /// The place of row `row` of the current batch in the data, in words.
  std::string PlaceOf(int64_t row) const;

 private:
  void Open(int64_t pass, int64_t batch);
  const StepData* Advance();
  bool Read();
  bool ReadRows();
  bool ReadBatch();
  bool SkipTo(int64_t batch);
  void CheckWholeTensors();
  void WeighClasses();
  void WarnOfEnd(int64_t steps) const;

  Dataset dataset_;
  StepInputOptions options_;
  int64_t batches_;  // of a pass
  bool gathered_ = false;
  StepData step_;
  bool open_ = false;
  int64_t first_pass_ = 0;
  int64_t pass_ = 0;
  int64_t next_ = 0;   // batch of the pass
  int64_t taken_ = 0;  // steps of the epoch
  int64_t first_pass_of_epoch_ = 0;
  int64_t first_batch_of_epoch_ = 0;
  int64_t learned_ = -1;
  int64_t epoch_ = -1;
  bool peeked_ = false;
  const StepData* ahead_ = nullptr;  // what was peeked at
  std::unique_ptr<data::ElementTable> table_;
  std::vector<int64_t> rows_;
  std::unique_ptr<data::ElementReader> reader_;
  std::unique_ptr<data::ElementReader> counting_;  // of a pass whose length is not known yet
  int64_t counted_ = 0;                            // its batches so far
  bool is_counted_ = false;                        // all
};

}  // namespace lockstep::nn
