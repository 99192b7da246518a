#include <filesystem>

#include "base/file.h"
#include "lockstep/nn/callbacks.h"
#include "nn/callbacks/writable.h"

namespace lockstep::callbacks {

namespace {

class Backup : public Callback {
 public:
  Backup(std::string directory, const BackupAndRestoreOptions& options)
      : directory_(std::move(directory)), options_(options) {}

  void OnTrainBegin() override {
    RequireWritableByItsWriter(*model, directory_);
    if (options_.restore && base::LocalFiles().Open(directory_ + "/latest").ok())
      model->ResumeTraining(directory_);
  }
  void OnTrainBatchEnd(int64_t, const LogsSource&) override {
    if (options_.save_freq > 0 && model->position().steps % options_.save_freq == 0) Save();
  }
  int64_t ReadsEvery() const override { return options_.save_freq; }
  void OnTrainStop() override {
    if (saved_ != model->position().steps) Save();
  }
  // An epoch that was stopped inside has been saved there.
  void OnEpochEnd(int, Logs&) override {
    if (model->position().step == 0 && (options_.save_freq == 0 || model->stop_training)) Save();
  }
  void OnTrainEnd() override {
    if (options_.delete_checkpoint && model->position().step == 0) {
      std::error_code ignored;
      std::filesystem::remove_all(directory_, ignored);
    }
  }

 private:
  void Save() {
    model->SaveTraining(directory_);
    saved_ = model->position().steps;
  }

  std::string directory_;
  BackupAndRestoreOptions options_;
  int64_t saved_ = -1;  // the step behind which the last save was made
};

}  // namespace

CallbackPtr BackupAndRestore(std::string directory, const BackupAndRestoreOptions& options) {
  return std::make_shared<Backup>(std::move(directory), options);
}

}  // namespace lockstep::callbacks
