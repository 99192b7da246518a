#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lockstep/nn/model.h"

/// Keras's callbacks, with its names and defaults. Each keeps what it counts in a save, so that a
/// resumed training goes on as though it had never stopped. Source: keras.callbacks.

namespace lockstep::callbacks {

/// Which values are better. kAuto: lower for losses and errors, higher for accuracies and other
/// scores, told by the name of the compiled metric; InvalidArgument at the first epoch's end when
/// the name does not tell.
enum class Mode { kAuto, kMin, kMax };

struct EarlyStoppingOptions {
  std::string monitor = "val_loss";
  double min_delta = 0;
  int patience = 0;
  Mode mode = Mode::kAuto;
  /// Patience begins anew only for values better than this.
  std::optional<double> baseline = {};
  bool restore_best_weights = false;
  int start_from_epoch = 0;
};
/// Stops after `patience` epochs without a value better than the best by more than `min_delta`.
CallbackPtr EarlyStopping(const EarlyStoppingOptions& options = {});

struct ModelCheckpointOptions {
  std::string monitor = "val_loss";
  bool save_best_only = false;
  /// The weights alone, for Model::LoadWeights; else a save of training for ResumeTraining, in a
  /// directory of that name.
  bool save_weights_only = false;
  Mode mode = Mode::kAuto;
  /// 0: at the end of each epoch. Else after so many batches.
  int64_t save_freq = 0;
  /// What the first value must be better than.
  std::optional<double> initial_value_threshold = {};
};
/// Saves to `path`, in which {epoch}, {batch} (both counted from one) and the names of logs stand
/// for their values, with a format as in "{epoch:02d}-{val_loss:.2f}".
/// InvalidArgument for a name that is not among the logs, or a format that does not fit.
CallbackPtr ModelCheckpoint(std::string path, const ModelCheckpointOptions& options = {});

struct ReduceLROnPlateauOptions {
  std::string monitor = "val_loss";
  double factor = 0.1;
  int patience = 10;
  Mode mode = Mode::kAuto;
  double min_delta = 1e-4;
  int cooldown = 0;
  double min_lr = 0;
};
/// Multiplies the rate by `factor` after `patience` epochs without a better value. Adds
/// "learning_rate" to the logs. InvalidArgument for a factor of one or more.
CallbackPtr ReduceLROnPlateau(const ReduceLROnPlateauOptions& options = {});

/// Sets the rate to schedule(epoch, rate) when an epoch begins. Adds "learning_rate" to the logs.
CallbackPtr LearningRateScheduler(std::function<double(int epoch, double rate)> schedule);

struct CSVLoggerOptions {
  std::string separator = ",";
  /// Goes on in a file that is there, without a second header.
  bool append = false;
};
/// Writes a row an epoch: its number, then the logs in the order of names; "NA" where there is no
/// value. Numbers are written so that they read back to the same bits.
CallbackPtr CSVLogger(std::string path, const CSVLoggerOptions& options = {});

/// Stops after a batch after which the loss is NaN or infinite.
CallbackPtr TerminateOnNaN();

struct LambdaCallbackOptions {
  std::function<void(int epoch)> on_epoch_begin = {};
  std::function<void(int epoch, const Logs& logs)> on_epoch_end = {};
  std::function<void(int64_t batch)> on_train_batch_begin = {};
  std::function<void(int64_t batch, const Callback::LogsSource& logs)> on_train_batch_end = {};
  std::function<void()> on_train_begin = {};
  std::function<void()> on_train_end = {};
};
/// Calls functions.
CallbackPtr LambdaCallback(LambdaCallbackOptions options);

struct BackupAndRestoreOptions {
  /// 0: at the end of each epoch. Else after so many steps.
  int64_t save_freq = 0;
  /// Whether the directory goes when training ends, unless it was stopped inside an epoch.
  bool delete_checkpoint = true;
  /// Whether training goes on from a save that is there.
  bool restore = true;
};
/// Saves training to `directory`, also when it is stopped inside an epoch, and goes on from the
/// save that is found there when training begins: inside the epoch, where Keras begins the epoch
/// anew. To be last in the list, so that what the others have done is in the save.
CallbackPtr BackupAndRestore(std::string directory, const BackupAndRestoreOptions& options = {});

}  // namespace lockstep::callbacks
