#include "ops/builder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/end_task.h"
#include "lockstep/ops/indexed_slices.h"
#include "ops/check_numerics.h"
#include "ops/source_site.h"

namespace lockstep::ops {

namespace {

thread_local std::vector<Builder*> builders;
thread_local std::vector<Recorder*> recorders;
thread_local size_t outside_recorders = 0;  // so many, the first ones, record around a run

Builder*& EagerBuilder() {
  static Builder* eager = nullptr;
  return eager;
}

double WeakValue(const Tensor& value) {
  switch (value.dtype()) {
    case DType::kFloat64:
      return value.data<double>()[0];
    case DType::kInt64:
      return static_cast<double>(value.data<int64_t>()[0]);
    default:
      return value.data<bool>()[0] ? 1 : 0;
  }
}

std::string TextOf(const Tensor& value) {
  return value.dtype() == DType::kInt64 ? std::to_string(value.data<int64_t>()[0])
                                        : std::to_string(WeakValue(value));
}

// A whole number that fits.
template <std::integral T>
Tensor Converted(const Tensor& value) {
  using Limits = std::numeric_limits<T>;
  if (value.dtype() == DType::kInt64 || value.dtype() == DType::kBool) {
    const int64_t number = value.dtype() == DType::kInt64 ? value.data<int64_t>()[0]
                                                          : static_cast<int64_t>(WeakValue(value));
    if (std::in_range<T>(number)) return Scalar<T>(static_cast<T>(number));
  } else {
    // The largest number and 1 is a power of two, which a double holds.
    const double number = WeakValue(value);
    if (number == std::trunc(number) && number >= static_cast<double>(Limits::min()) &&
        number < 2.0 * static_cast<double>(Limits::max() / 2 + 1)) {
      return Scalar<T>(static_cast<T>(number));
    }
  }
  throw Error(Code::kInvalidArgument,
              "[cast] a number must be whole and fit the dtype; got " + TextOf(value) + " for " +
                  std::string(DTypeName(kDTypeOf<T>)) + ", which holds " +
                  std::to_string(Limits::min()) + " to " + std::to_string(Limits::max()) +
                  "; give a number that fits, or a tensor of a wider dtype");
}

template <std::floating_point T>
Tensor Converted(const Tensor& value) {
  return Scalar<T>(static_cast<T>(WeakValue(value)));
}

}  // namespace

BuilderScope::BuilderScope(Builder* builder) { builders.push_back(builder); }
BuilderScope::~BuilderScope() { builders.pop_back(); }

Builder& CurrentBuilder() {
  if (!builders.empty()) return *builders.back();
  LOCKSTEP_CHECK(EagerBuilder() != nullptr);
  return *EagerBuilder();
}

std::span<Builder* const> BuilderStack() { return builders; }

void SetEagerBuilder(Builder* builder) { EagerBuilder() = builder; }

void AddRecorder(Recorder* recorder) { recorders.push_back(recorder); }

void RemoveRecorder(Recorder* recorder) {
  const auto place = std::find(recorders.begin(), recorders.end(), recorder);
  if (place == recorders.end()) return;
  if (static_cast<size_t>(place - recorders.begin()) < outside_recorders) --outside_recorders;
  recorders.erase(place);
}

bool IsRecording() { return !recorders.empty(); }

bool IsFollowed(const Tensor& tensor) {
  return std::any_of(recorders.begin(), recorders.end(),
                     [&](const Recorder* recorder) { return recorder->Follows(tensor); });
}

bool MayDifferentiateTwice() {
  return recorders.size() > 1 || (recorders.size() == 1 && recorders[0]->Repeats());
}

RecordingPause::RecordingPause() {
  saved_.swap(recorders);
  std::swap(saved_outside_, outside_recorders);
}
RecordingPause::~RecordingPause() {
  saved_.swap(recorders);
  std::swap(saved_outside_, outside_recorders);
}

std::vector<Recorder*> Recorders() { return recorders; }

ReplicaRecording::ReplicaRecording(const std::vector<Recorder*>& outside)
    : outer_(outside_recorders), joined_(recorders.empty()) {
  if (joined_) recorders = outside;
  outside_recorders = recorders.size();
}
ReplicaRecording::~ReplicaRecording() {
  if (joined_) recorders.clear();
  outside_recorders = std::min(outer_, recorders.size());
}

MeetingRecording::MeetingRecording()
    : inside_(recorders.begin() + static_cast<long>(outside_recorders), recorders.end()) {
  recorders.resize(outside_recorders);
}
MeetingRecording::~MeetingRecording() {
  recorders.insert(recorders.end(), inside_.begin(), inside_.end());
}

namespace {

std::atomic<bool> checks_numerics{false};

// Each floating output, behind an op that throws for NaN and infinity.
void CheckOutputs(const OpSpec& spec, std::vector<Tensor>* outputs) {
  if (spec.name == "CheckNumerics") return;
  const SourceSite site = CurrentSite();
  const std::string place =
      site.line == 0 ? "" : std::string("; at ") + site.file + ":" + std::to_string(site.line);
  for (size_t i = 0; i < outputs->size(); ++i) {
    Tensor& output = (*outputs)[i];
    const bool plain = output.defined() && !output.is_weak() && IsFloating(output.dtype()) &&
                       IndexedSlices::Of(output) == nullptr;
    if (!plain) continue;
    output = Emit1("CheckNumerics", {output},
                   {{"of", spec.name}, {"output", static_cast<int64_t>(i)}, {"place", place}});
  }
}

}  // namespace

void SetCheckNumerics(bool on) { checks_numerics.store(on, std::memory_order_relaxed); }

namespace {

// What a kernel takes besides its results comes from the standard library, whose errors are none of
// ours.
[[noreturn]] void ThrowExhausted(const OpSpec& spec, const std::vector<Tensor>& inputs) {
  const std::string cause = base::StatusOf(std::current_exception()).message();
  std::string got;
  for (const Tensor& input : inputs) {
    got += (got.empty() ? "" : ", ") + TensorType::Of(input).ToString();
  }
  throw Error(Code::kResourceExhausted, "[" + spec.name +
                                            "] memory for its work is needed; got inputs " + got +
                                            " and this error: " + cause);
}

std::vector<Tensor> EmitOn(Builder& builder, const OpSpec& spec, const std::vector<Tensor>& inputs,
                           const Attributes& attributes) {
  try {
    return builder.Emit(spec, inputs, attributes);
  } catch (const std::bad_alloc&) {
    ThrowExhausted(spec, inputs);
  } catch (const std::length_error&) {
    ThrowExhausted(spec, inputs);
  }
}

}  // namespace

std::vector<Tensor> Emit(std::string_view op, std::vector<Tensor> inputs, Attributes attributes) {
  const OpSpec& spec = OpRegistry::Global().Find(op);
  for (Tensor& input : inputs) {
    if (const IndexedSlices* slices = IndexedSlices::Of(input)) input = slices->ToDense();
  }
  std::vector<Tensor> outputs = EmitOn(CurrentBuilder(), spec, inputs, attributes);
  // A copy: recording may itself add or remove recorders.
  const std::vector<Recorder*> told = recorders;
  for (size_t i = spec.meets ? outside_recorders : 0; i < told.size(); ++i) {
    told[i]->Record(spec, attributes, inputs, outputs);
  }
  if (checks_numerics.load(std::memory_order_relaxed)) [[unlikely]]
    CheckOutputs(spec, &outputs);
  return outputs;
}

Tensor Emit1(std::string_view op, std::vector<Tensor> inputs, Attributes attributes) {
  return Emit(op, std::move(inputs), std::move(attributes))[0];
}

Tensor CastScalar(const Tensor& value, DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return Converted<float>(value);
    case DType::kFloat64:
      return Converted<double>(value);
    case DType::kInt8:
      return Converted<int8_t>(value);
    case DType::kInt16:
      return Converted<int16_t>(value);
    case DType::kInt32:
      return Converted<int32_t>(value);
    case DType::kInt64:
      return Converted<int64_t>(value);
    case DType::kUInt8:
      return Converted<uint8_t>(value);
    case DType::kBool:
      return Scalar<bool>(WeakValue(value) != 0);
    case DType::kBFloat16:
      return Scalar(bfloat16(static_cast<float>(WeakValue(value))));
    case DType::kFloat16:
      return Scalar(float16(static_cast<float>(WeakValue(value))));
    default:
      throw Error(Code::kInvalidArgument,
                  "[cast] a number becomes a numeric dtype; got " + std::string(DTypeName(dtype)));
  }
}

void ResolveWeak(std::vector<Tensor>& operands, const char* where) {
  DType wanted = DType::kInvalid;
  bool weak_real = false;
  for (const Tensor& operand : operands) {
    if (!operand.is_weak()) {
      if (wanted == DType::kInvalid) wanted = operand.dtype();
    } else {
      weak_real |= operand.dtype() == DType::kFloat64;
    }
  }
  if (wanted == DType::kInvalid) {
    const bool all_bool = std::all_of(operands.begin(), operands.end(),
                                      [](const Tensor& t) { return t.dtype() == DType::kBool; });
    const bool wide = std::any_of(operands.begin(), operands.end(), [](const Tensor& t) {
      return t.dtype() == DType::kInt64 && !std::in_range<int32_t>(t.data<int64_t>()[0]);
    });
    wanted = all_bool    ? DType::kBool
             : weak_real ? DType::kFloat32
             : wide      ? DType::kInt64
                         : DType::kInt32;
  } else if (weak_real && !IsFloating(wanted)) {
    throw Error(Code::kInvalidArgument,
                std::string("[") + where +
                    "] a real number needs a floating tensor; got a tensor of " +
                    std::string(DTypeName(wanted)) + "; cast the tensor first");
  }
  for (Tensor& operand : operands) {
    if (operand.is_weak()) operand = CastScalar(operand, wanted);
  }
}

}  // namespace lockstep::ops
