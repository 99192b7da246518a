#include "nn/step_input.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/log.h"
#include "data/rows.h"
#include "lockstep/ops/array.h"
#include "nn/data_check.h"

namespace lockstep::nn {

namespace {

void RequireBatch(const std::vector<Tensor>& components, const char* what) {
  bool fits = !components.empty() && components.size() <= 3;
  for (const Tensor& tensor : components) {
    fits = fits && tensor.defined() && tensor.rank() > 0 &&
           tensor.shape()[0] == components[0].shape()[0];
  }
  if (fits) return;
  throw Error(Code::kInvalidArgument,
              std::string("[fit] ") + what +
                  " must be x, y and perhaps sample_weight with as many examples along axis 0; "
                  "got " +
                  data::Describe(data::SpecsOf(components)) +
                  "; a dataset must be batched: call Batch(size of a global batch)");
}

}  // namespace

std::vector<Tensor> StepData::BatchOf(std::vector<Tensor> given) const {
  if (!gathered) return given;
  const Tensor rows = given.back();
  given.pop_back();
  for (Tensor& whole : given) whole = Gather(whole, rows);
  return given;
}

Dataset BatchesOf(const std::vector<Tensor>& tensors, int64_t batch_size, bool shuffle) {
  RequireBatch(tensors, "the data");
  if (batch_size < 1) {
    throw Error(Code::kInvalidArgument,
                "[fit] batch_size must be positive; got " + std::to_string(batch_size));
  }
  const int64_t examples = tensors[0].shape()[0];
  if (examples == 0) {
    throw Error(Code::kInvalidArgument,
                "[fit] there must be an example; got " + tensors[0].shape().ToString());
  }
  Dataset rows = Dataset::FromTensorSlices(tensors);
  if (shuffle) rows = rows.Shuffle(examples, {.seed = 0});
  return rows.Batch(batch_size);
}

StepInput::StepInput(const Dataset& batches, const StepInputOptions& options)
    : dataset_(batches), options_(options), batches_(batches.Cardinality()) {
  if (batches_ == kInfiniteCardinality && options.steps_per_epoch == 0) {
    throw Error(Code::kInvalidArgument, "[fit] an endless dataset needs steps_per_epoch; got 0 (" +
                                            batches.node()->name() + ")");
  }
  if (batches_ == 0) {
    throw Error(Code::kInvalidArgument,
                "[fit] the dataset must have a batch; got 0 (" + batches.node()->name() + ")");
  }
  const auto rows = batches.indexable() ? batches.node()->rows() : std::nullopt;
  if (!rows || !rows->batched) return;
  gathered_ = true;
  RequireBatch(rows->tensors, "the batches");
  step_.gathered = true;
  step_.arguments = rows->tensors;
  CheckWholeTensors();
  step_.arguments.emplace_back();
}

void StepInput::CheckWholeTensors() {
  if (options_.check_data) {
    RequireFinite(step_.arguments, [](int64_t row) { return "example " + std::to_string(row); });
  }
  WeighClasses();
}

void StepInput::WeighClasses() {
  if (options_.class_weight.empty()) return;
  if (step_.arguments.size() != 2) {
    throw Error(Code::kInvalidArgument,
                "[fit] class_weight needs x and y without sample_weight; got " +
                    std::to_string(step_.arguments.size()) + " components; give one of the two");
  }
  step_.arguments.push_back(ClassWeights(step_.arguments[1], options_.class_weight));
}

int64_t StepInput::steps() const {
  if (options_.steps_per_epoch > 0) return options_.steps_per_epoch;
  return batches_ >= 0 ? batches_ : learned_;
}

void StepInput::Open(int64_t pass, int64_t batch) {
  reader_.reset();
  table_.reset();
  if (gathered_) {
    table_ = dataset_.node()->Table(pass);
  } else {
    reader_ = dataset_.node()->Read(pass, batch);
  }
  if (!open_) first_pass_ = pass;
  pass_ = pass;
  next_ = batch;
  open_ = true;
  peeked_ = false;
}

void StepInput::Resume(const StepCursor& cursor, int64_t taken) {
  Open(cursor.pass, cursor.batch);
  taken_ = taken;
  first_pass_of_epoch_ = cursor.pass;
  first_batch_of_epoch_ = cursor.batch - taken;  // negative where the epoch began passes before
}

void StepInput::Seek(int64_t step) {
  int64_t pass = first_pass_of_epoch_, batch = first_batch_of_epoch_ + step;
  // A pass ends after its last batch; the next one begins with the step behind.
  const bool wraps = options_.steps_per_epoch > 0 && batches_ > 0;
  for (; wraps && batch >= batches_; batch -= batches_) ++pass;
  for (; wraps && batch < 0; batch += batches_) --pass;
  const bool here = open_ && pass == pass_;
  const bool is_stream = !gathered_ && !dataset_.indexable();
  if (!here || (is_stream ? !SkipTo(batch) : !gathered_ && (batch != next_ || peeked_)))
    Open(pass, batch);
  next_ = batch;
  peeked_ = false;
  taken_ = step;
}

// Forward in the stream that is open.
bool StepInput::SkipTo(int64_t batch) {
  if (reader_ == nullptr || peeked_ || batch < next_) return false;
  for (; next_ < batch; ++next_)
    if (!ReadBatch()) return false;
  return true;
}

int64_t StepInput::CountSteps() {
  if (batches_ != kUnknownCardinality) return steps();
  const int64_t wanted = options_.steps_per_epoch;
  const int64_t end = wanted > 0 ? first_batch_of_epoch_ + wanted : -1;
  if (counting_ == nullptr && !is_counted_) counting_ = dataset_.node()->Read(pass_, 0);
  while (!is_counted_ && (end < 0 || counted_ <= end)) {  // one more: is it the last one?
    const std::optional<Element> batch = counting_->Next();
    is_counted_ = !batch.has_value();
    if (batch && !batch->empty() && batch->front().rank() > 0)
      counted_ += batch->front().shape()[0] > 0;
  }
  if (is_counted_) counting_.reset();
  const int64_t left = counted_ - first_batch_of_epoch_;
  return wanted > 0 ? std::min(wanted, left) : left;
}

void StepInput::EndPass() {
  WarnOfEnd(counted_ - first_batch_of_epoch_);
  Open(pass_ + 1, 0);
}

void StepInput::WarnOfEnd(int64_t steps) const {
  base::Log(base::Severity::kWarning, "the data have ended after " + std::to_string(steps) +
                                          " of " + std::to_string(options_.steps_per_epoch) +
                                          " steps of an epoch; repeat the dataset");
}

int64_t StepInput::ShortStep(int64_t begin, int64_t end) const {
  const int64_t batches = is_counted_ ? counted_ : batches_;
  if (batches <= 0) return -1;
  for (int64_t step = begin; step < end; ++step)
    if ((first_batch_of_epoch_ + step + 1) % batches == 0) return step;
  return -1;
}

StepCursor StepInput::cursor() const {
  if (peeked_ && ahead_ != nullptr) return {ahead_->pass, ahead_->batch};
  return {pass_, next_};
}

std::map<std::string, int64_t> StepInput::recipe() const {
  std::map<std::string, int64_t> recipe{{"steps_per_epoch", options_.steps_per_epoch},
                                        {"batches", batches_}};
  if (gathered_) recipe["examples"] = step_.arguments[0].shape()[0];
  return recipe;
}

const StepData* StepInput::Peek() {
  if (!peeked_) ahead_ = Advance();
  peeked_ = true;
  return ahead_;
}

const StepData* StepInput::Next() {
  if (!peeked_) return Advance();
  peeked_ = false;
  return ahead_;
}

void StepInput::BeginEpoch(int64_t epoch) {
  if (peeked_ && epoch_ == epoch && taken_ <= 1) return;  // begun, and only peeked into
  epoch_ = epoch;
  peeked_ = false;
  taken_ = 0;
  first_pass_of_epoch_ = options_.first_pass + epoch * options_.passes_per_epoch;
  first_batch_of_epoch_ = 0;
  if (options_.steps_per_epoch == 0) return Open(first_pass_of_epoch_, 0);
  int64_t pass = open_ ? pass_ : first_pass_of_epoch_;
  int64_t batch = open_ ? next_ : 0;
  if (batches_ != kUnknownCardinality) {
    const int64_t first = epoch * options_.steps_per_epoch;
    pass = options_.first_pass + (batches_ > 0 ? first / batches_ : 0);
    batch = batches_ > 0 ? first % batches_ : first;
  }
  first_pass_of_epoch_ = pass;
  first_batch_of_epoch_ = batch;
  if (!open_ || pass != pass_ || batch != next_) Open(pass, batch);
}

const StepData* StepInput::Advance() {
  const int64_t steps = options_.steps_per_epoch;
  if (steps > 0 && taken_ == steps) return nullptr;
  bool read = Read();
  if (!read && steps > 0 && batches_ > 0) {
    Open(pass_ + 1, 0);
    read = Read();
  }
  if (!read) {
    if (next_ == 0) {
      throw Error(Code::kInvalidArgument, "[fit] the dataset must have a batch; got none in pass " +
                                              std::to_string(pass_) + " (" +
                                              dataset_.node()->name() + ")");
    }
    if (steps > 0) {
      WarnOfEnd(taken_);
      Open(pass_ + 1, 0);
    }
    learned_ = taken_;
    return nullptr;
  }
  ++taken_;
  return &step_;
}

bool StepInput::Read() {
  if (!(gathered_ ? ReadRows() : ReadBatch())) return false;
  step_.pass = pass_;
  step_.batch = next_++;
  return true;
}

bool StepInput::ReadRows() {
  if (batches_ >= 0 && next_ >= batches_) return false;
  rows_.clear();
  table_->AppendRows(next_, next_ + 1, rows_);
  step_.examples = static_cast<int64_t>(rows_.size());
  step_.arguments.back() = Tensor::FromHost(std::span<const int64_t>(rows_), Shape{step_.examples});
  return true;
}

bool StepInput::ReadBatch() {
  do {  // a batch without examples changes nothing
    std::optional<Element> batch = reader_->Next();
    if (!batch) return false;
    RequireBatch(*batch, "a batch");
    step_.arguments = std::move(*batch);
    step_.examples = step_.arguments[0].shape()[0];
  } while (step_.examples == 0);
  if (options_.check_data && pass_ == first_pass_) {
    step_.batch = next_;
    RequireFinite(step_.arguments, [this](int64_t row) { return PlaceOf(row); });
  }
  WeighClasses();
  return true;
}

std::string StepInput::PlaceOf(int64_t row) const {
  const std::string batch = "batch " + std::to_string(step_.batch) + " of pass " +
                            std::to_string(pass_) + ", example " + std::to_string(row);
  return gathered_ ? batch + " of it, example " + std::to_string(rows_[row]) + " of the data"
                   : batch + " of it";
}

}  // namespace lockstep::nn
