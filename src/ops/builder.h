#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace lockstep::ops {

/// Who carries out an op: at once (eager) or as a node of a graph that is being traced.
class Builder {
 public:
  virtual ~Builder() = default;
  virtual std::vector<Tensor> Emit(const OpSpec& spec, const std::vector<Tensor>& inputs,
                                   const Attributes& attributes) = 0;
};

/// Somebody who is told of every op with its results: a gradient tape.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void Record(const OpSpec& spec, const Attributes& attributes,
                      const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) = 0;
  /// Whether an op that takes `tensor` would be kept.
  virtual bool Follows(const Tensor& tensor) const = 0;
  /// Whether it may be asked for gradients while it goes on recording.
  virtual bool Repeats() const = 0;
};

/// The calling thread's stack of builders and its recorders. Below the stack lies the eager
/// builder.
class BuilderScope {
 public:
  explicit BuilderScope(Builder* builder);
  ~BuilderScope();
  BuilderScope(const BuilderScope&) = delete;
  BuilderScope& operator=(const BuilderScope&) = delete;
};
/// The builder in force on this thread.
Builder& CurrentBuilder();
/// All builders of this thread but the eager one at the bottom, the one in force last.
std::span<Builder* const> BuilderStack();
/// Called once, by the room that can execute at once.
void SetEagerBuilder(Builder* builder);

void AddRecorder(Recorder* recorder);
void RemoveRecorder(Recorder* recorder);
/// Whether anybody on this thread records.
bool IsRecording();
/// Whether anybody who records on this thread follows `tensor`.
bool IsFollowed(const Tensor& tensor);
/// Whether gradients of what happens now may themselves be recorded.
bool MayDifferentiateTwice();
/// While one lives, nothing is recorded on this thread.
class RecordingPause {
 public:
  RecordingPause();
  ~RecordingPause();

 private:
  std::vector<Recorder*> saved_;
  size_t saved_outside_ = 0;
};

/// All who record on this thread.
std::vector<Recorder*> Recorders();
/// While one lives, this thread runs a replica, and `outside`, who record around the replicas' run,
/// record here, too, if they don't yet. Of an op that meets they are not told: they see what the
/// meeting is made of.
class ReplicaRecording {
 public:
  explicit ReplicaRecording(const std::vector<Recorder*>& outside);
  ~ReplicaRecording();
  ReplicaRecording(const ReplicaRecording&) = delete;
  ReplicaRecording& operator=(const ReplicaRecording&) = delete;

 private:
  size_t outer_;
  bool joined_;
};
/// While one lives, only those record on this thread who record around the replicas' run.
class MeetingRecording {
 public:
  MeetingRecording();
  ~MeetingRecording();
  MeetingRecording(const MeetingRecording&) = delete;
  MeetingRecording& operator=(const MeetingRecording&) = delete;

 private:
  std::vector<Recorder*> inside_;
};

/// Emits the op on the current builder and tells the recorders.
std::vector<Tensor> Emit(std::string_view op, std::vector<Tensor> inputs,
                         Attributes attributes = {});
/// The same for an op with one output.
Tensor Emit1(std::string_view op, std::vector<Tensor> inputs, Attributes attributes = {});

/// Gives weak scalars the dtype of the first operand that is not weak: float32 if all are weak
/// reals, int32 if all are weak integers (TensorFlow's rule for Python numbers). InvalidArgument
/// when a weak real meets an integer tensor.
void ResolveWeak(std::vector<Tensor>& operands, const char* where);
/// `value` with another dtype, computed on the host at once.
Tensor CastScalar(const Tensor& value, DType dtype);

}  // namespace lockstep::ops
