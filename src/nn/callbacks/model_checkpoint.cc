#include <fmt/args.h>
#include <fmt/format.h>

#include "base/file.h"
#include "nn/callbacks/monitor.h"
#include "nn/callbacks/writable.h"

namespace lockstep::callbacks {

namespace {

std::string Format(const std::string& path, int epoch, int64_t batch, const Logs& logs) {
  fmt::dynamic_format_arg_store<fmt::format_context> values;
  std::string known = "epoch";
  values.push_back(fmt::arg("epoch", epoch));
  if (batch > 0) {
    values.push_back(fmt::arg("batch", batch));
    known += ", batch";
  }
  for (const auto& [name, value] : logs) {
    values.push_back(fmt::arg(name.c_str(), value));
    known += ", " + name;
  }
  try {
    return fmt::vformat(path, values);
  } catch (const fmt::format_error& error) {
    throw Error(Code::kInvalidArgument,
                "[model_checkpoint] the path must name logs and formats that fit them; got " +
                    path + " (" + error.what() + "); there are " + known);
  }
}

class ModelCheckpointCallback : public Callback {
 public:
  ModelCheckpointCallback(std::string path, const ModelCheckpointOptions& options)
      : path_(std::move(path)),
        options_(options),
        monitor_("model_checkpoint", options.monitor, options.mode, 0),
        best_(options.initial_value_threshold) {}

  // Of a path that depends on the epoch, up to the first part that does.
  void OnTrainBegin() override {
    const std::string fixed = path_.substr(0, path_.find('{'));
    const bool is_directory = !options_.save_weights_only && fixed.size() == path_.size();
    const size_t slash = fixed.rfind('/');
    const std::string parent = slash == std::string::npos ? "." : fixed.substr(0, slash + 1);
    RequireWritableByItsWriter(*model, is_directory ? path_ : parent);
    if (!is_directory && fixed.size() == path_.size() && base::LocalFiles().IsDirectory(path_))
      throw Error(Code::kInvalidArgument,
                  "[model_checkpoint] weights are saved to a file; got the "
                  "directory " +
                      path_ + "; name a file in it");
  }
  void OnTrainBatchEnd(int64_t batch, const LogsSource& logs) override {
    if (options_.save_freq == 0 || ++batches_ < options_.save_freq) return;
    batches_ = 0;
    Save(model->position().epoch, batch + 1, logs());
  }
  int64_t ReadsEvery() const override { return options_.save_freq > 0 ? 1 : 0; }
  void OnEpochEnd(int epoch, Logs& logs) override {
    if (options_.save_freq == 0) Save(epoch, 0, logs);
  }

  std::string name() const override { return "model_checkpoint"; }
  std::vector<NamedTensor> State() const override {
    std::vector<NamedTensor> state{Kept("batches", static_cast<double>(batches_))};
    if (best_) state.push_back(Kept("best", *best_));
    return state;
  }
  void SetState(const SavedState& state) override {
    batches_ = static_cast<int64_t>(KeptIn(state, "batches", 0));
    if (state.Find("best") != nullptr) best_ = KeptIn(state, "best", 0);
  }

 private:
  void Save(int epoch, int64_t batch, const Logs& logs) {
    const std::string path = Format(path_, epoch + 1, batch, logs);
    if (options_.save_best_only) {
      const auto current = monitor_.Value(logs);
      if (!current || !monitor_.Better(*current, best_)) return;
      best_ = current;
    }
    if (options_.save_weights_only) {
      model->SaveWeights(path);
    } else {
      model->SaveTraining(path);
    }
  }

  std::string path_;
  ModelCheckpointOptions options_;
  Monitor monitor_;
  std::optional<double> best_;
  int64_t batches_ = 0;  // since the last save
};

}  // namespace

CallbackPtr ModelCheckpoint(std::string path, const ModelCheckpointOptions& options) {
  return std::make_shared<ModelCheckpointCallback>(std::move(path), options);
}

}  // namespace lockstep::callbacks
