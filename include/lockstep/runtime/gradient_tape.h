#pragma once

#include <memory>
#include <vector>

#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

struct GradientTapeOptions {
  /// Allows several calls of `Gradient`.
  bool persistent = false;
  /// Watches every trainable variable that is read.
  bool watch_accessed_variables = true;
};

struct GradientOptions {
  /// Weights of the targets' elements; ones where empty.
  std::vector<Tensor> output_gradients = {};
  /// Zeros instead of empty tensors for sources that the targets don't depend on.
  bool zero_unconnected = false;
};

/// Records the ops of the calling thread while it lives, and differentiates them backwards. Works
/// eagerly and while a function is traced. Ops of an inner tape's `Gradient` are recorded by the
/// outer tapes, which gives higher derivatives. Source: tf.GradientTape. Threads: to be used by the
/// thread that made it.
class GradientTape {
 public:
  explicit GradientTape(GradientTapeOptions options = {});
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  void Watch(const Tensor& tensor);
  void Watch(const Variable& variable);
  /// The handles of the variables that it follows: those read so far and those watched, in the
  /// order of the first time. Source: tf.GradientTape.watched_variables.
  std::vector<Tensor> WatchedHandles() const;
  /// Stops and resumes recording.
  void StopRecording();
  void ResumeRecording();
  /// Forgets everything recorded.
  void Reset();

  /// The gradients of the sum of all elements of `targets` with respect to `sources`, an empty
  /// tensor where there is none. Shapes: as the sources. FailedPrecondition on a second call
  /// without `persistent`. The gradient of a gather wraps `IndexedSlices`.
  std::vector<Tensor> Gradient(const std::vector<Tensor>& targets,
                               const std::vector<Tensor>& sources,
                               const GradientOptions& options = {});
  std::vector<Tensor> Gradient(const Tensor& target, const std::vector<Variable>& sources,
                               const GradientOptions& options = {});
  Tensor Gradient(const Tensor& target, const Tensor& source, const GradientOptions& options = {});
  Tensor Gradient(const Tensor& target, const Variable& source,
                  const GradientOptions& options = {});

 private:
  class Recording;
  std::unique_ptr<Recording> recording_;
};

}  // namespace lockstep
