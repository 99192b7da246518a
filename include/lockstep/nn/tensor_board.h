#pragma once

#include <string>

#include "lockstep/nn/model.h"

namespace lockstep::callbacks {

struct TensorBoardOptions {
  /// After how many epochs the weights' histograms are written; 0: never.
  int histogram_freq = 0;
  /// After how many batches the running values are written; 0: at the end of each epoch alone.
  int64_t update_freq = 0;
  bool write_steps_per_second = false;
  /// Norms of the weights, <weight>/norm, at the end of each epoch.
  bool write_weight_norms = false;
  /// Norms of the gradients of the last step, <weight>/gradient_norm and, of all together,
  /// epoch_gradient_norm, at the end of each epoch, and with `update_freq` batch_gradient_norm. Of
  /// the sum over replicas, before clipping; where servers update weights: none. Costs a pass over
  /// the gradients in each step (`Optimizer::KeepGradientNorms`).
  bool write_gradient_norms = false;
  /// What the task's metrics say, at the end of each epoch, from each worker into a run of its own,
  /// LOG_DIR/worker-K: seconds waited by peer, bytes sent and received, memory, how long steps
  /// take, recoveries, staleness where there is any.
  bool write_metrics = false;
  /// These steps, both ends included, are profiled into LOG_DIR/profile; 0: none. See `Profiler`.
  int64_t profile_first = 0;
  int64_t profile_last = 0;
};
/// Writes event files for TensorBoard into LOG_DIR/train and LOG_DIR/validation, with Keras's tags:
/// epoch_<name> by epoch, epoch_learning_rate, batch_<name> by batch,
/// evaluation_<name>_vs_iterations by iteration, <weight>/histogram by epoch. Of several workers
/// the first one writes all but `write_metrics`. InvalidArgument for negative frequencies, and
/// for steps to profile that are none.
CallbackPtr TensorBoard(std::string log_dir = "logs", const TensorBoardOptions& options = {});

}  // namespace lockstep::callbacks
