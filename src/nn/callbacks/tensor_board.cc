#include "lockstep/nn/tensor_board.h"

#include <chrono>
#include <cmath>
#include <map>

#include "base/metrics.h"
#include "distribute/workers/communicator.h"
#include "lockstep/distribute/parameter_server.h"
#include "lockstep/monitor/summary.h"
#include "lockstep/nn/profiler.h"

namespace lockstep::callbacks {

namespace {

constexpr std::string_view kValidation = "val_";

class TensorBoardCallback : public Callback {
 public:
  TensorBoardCallback(std::string log_dir, TensorBoardOptions options)
      : log_dir_(std::move(log_dir)), options_(options) {
    if (options.profile_first == 0 && options.profile_last == 0) return;
    profiler_ = Profiler({.first = options.profile_first,
                          .last = options.profile_last,
                          .directory = log_dir_ + "/profile"});
  }

  void OnTrainBegin() override {
    writers_.clear();
    train_batch_ = 0;
    if (options_.write_gradient_norms) model->compiled().optimizer->KeepGradientNorms(true);
    if (Writes()) Writer("train");
    if (profiler_ == nullptr) return;
    profiler_->model = model;
    profiler_->OnTrainBegin();
  }
  void OnTrainEnd() override {
    if (profiler_ != nullptr) profiler_->OnTrainEnd();
    if (options_.write_gradient_norms) model->compiled().optimizer->KeepGradientNorms(false);
    for (auto& [name, writer] : writers_) writer->Close();
    writers_.clear();
  }

  void OnEpochBegin(int) override {
    epoch_begin_ = std::chrono::steady_clock::now();
    steps_before_ = model->position().steps;
  }
  void OnEpochEnd(int epoch, Logs& logs) override {
    if (options_.write_metrics) Metrics(epoch);
    if (!Writes()) return;
    Logs own;
    for (const auto& [name, value] : logs) {
      if (name.starts_with(kValidation)) {
        Scalar("validation", "epoch_" + name.substr(kValidation.size()), value, epoch);
      } else {
        own[name] = value;
      }
    }
    own["learning_rate"] = model->compiled().optimizer->learning_rate().scalar<float>();
    if (options_.write_steps_per_second) own["steps_per_second"] = StepsPerSecond();
    for (const auto& [name, value] : own) Scalar("train", "epoch_" + name, value, epoch);
    if (options_.histogram_freq > 0 && epoch % options_.histogram_freq == 0) Histograms(epoch);
    if (options_.write_weight_norms) Norms(epoch);
    if (options_.write_gradient_norms) GradientNorms(epoch);
    Staleness(epoch);
    for (auto& [name, writer] : writers_) writer->Flush();
  }

  void OnTrainBatchEnd(int64_t, const LogsSource& logs) override {
    ++train_batch_;
    if (profiler_ != nullptr) profiler_->OnTrainBatchEnd(train_batch_, logs);
    if (options_.update_freq == 0 || train_batch_ % options_.update_freq != 0) return;
    const Logs values = logs();  // on all workers, as making them may need all
    if (!Writes()) return;
    for (const auto& [name, value] : values) Scalar("train", "batch_" + name, value, train_batch_);
    const auto norms = GradientNormsNow();
    if (!norms.empty()) Scalar("train", "batch_gradient_norm", Together(norms), train_batch_);
  }

  int64_t ReadsEvery() const override { return options_.update_freq > 0 ? 1 : 0; }
  void OnTestEnd(const Logs& logs) override {
    if (!Writes()) return;
    const int64_t iterations = model->compiled().optimizer->iterations().value().scalar<int64_t>();
    for (const auto& [name, value] : logs) {
      const std::string plain =
          name.starts_with(kValidation) ? name.substr(kValidation.size()) : name;
      Scalar("validation", "evaluation_" + plain + "_vs_iterations", value, iterations);
    }
  }

 private:
  bool Writes() const { return model->strategy().worker() == 0; }

  summary::FileWriter& Writer(const std::string& run) {
    auto& writer = writers_[run];
    if (writer == nullptr) writer = std::make_unique<summary::FileWriter>(log_dir_ + "/" + run);
    return *writer;
  }
  void Scalar(const char* run, const std::string& tag, double value, int64_t step) {
    Writer(run).Scalar(tag, value, step);
  }
  // Of asynchronous training: an entry for each of the epoch's updates.
  void Staleness(int epoch) {
    const auto* servers = dynamic_cast<const ParameterServerStrategy*>(&model->strategy());
    if (servers == nullptr || servers->staleness() == staleness_before_) return;
    std::vector<float> values;
    for (const auto& [value, count] : servers->staleness())
      values.insert(values.end(), count - staleness_before_[value], static_cast<float>(value));
    staleness_before_ = servers->staleness();
    Writer("train").Histogram(
        "staleness", Tensor::FromVector(values, Shape{static_cast<int64_t>(values.size())}), epoch);
  }
  void Histograms(int epoch) {
    for (const Weight& weight : model->weights())
      Writer("train").Histogram(weight.variable.name() + "/histogram", weight.variable.value(),
                                epoch);
  }
  // In float64, in the order of the elements.
  void Norms(int epoch) {
    for (const Weight& weight : model->weights()) {
      const Tensor value = weight.variable.value();
      if (value.dtype() != DType::kFloat32) continue;
      double sum = 0;
      for (const float element : value.ToVector<float>()) sum += double{element} * element;
      Scalar("train", weight.variable.name() + "/norm", std::sqrt(sum), epoch);
    }
  }
  std::vector<std::pair<std::string, double>> GradientNormsNow() const {
    using None = std::vector<std::pair<std::string, double>>;
    return options_.write_gradient_norms ? model->compiled().optimizer->gradient_norms() : None();
  }
  static double Together(const std::vector<std::pair<std::string, double>>& norms) {
    double sum = 0;
    for (const auto& [weight, norm] : norms) sum += norm * norm;
    return std::sqrt(sum);
  }
  void GradientNorms(int epoch) {
    const auto norms = GradientNormsNow();
    for (const auto& [weight, norm] : norms)
      Scalar("train", weight + "/gradient_norm", norm, epoch);
    if (!norms.empty()) Scalar("train", "epoch_gradient_norm", Together(norms), epoch);
  }
  void Metrics(int epoch) {
    const auto metrics = base::MetricsScope::Current();
    if (metrics == nullptr) return;
    const distribute::Communicator* ranks = model->strategy().ranks();
    const std::string run = "worker-" + std::to_string(ranks == nullptr ? 0 : ranks->rank());
    for (const base::MetricSample& sample : metrics->Read()) {
      std::string tag = sample.name;
      for (const auto& [name, value] : sample.labels) tag += "/" + value;
      if (sample.kind != base::MetricSample::Kind::kHistogram) {
        Scalar(run.c_str(), tag, sample.value, epoch);
      } else if (sample.count() > 0) {
        Scalar(run.c_str(), tag + "/mean", sample.value / static_cast<double>(sample.count()),
               epoch);
      }
    }
    Writer(run).Flush();
  }
  double StepsPerSecond() const {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - epoch_begin_;
    return static_cast<double>(model->position().steps - steps_before_) / seconds.count();
  }

  std::string log_dir_;
  TensorBoardOptions options_;
  std::map<std::string, std::unique_ptr<summary::FileWriter>> writers_;
  CallbackPtr profiler_;
  std::map<int64_t, int64_t> staleness_before_;
  int64_t train_batch_ = 0;
  int64_t steps_before_ = 0;
  std::chrono::steady_clock::time_point epoch_begin_;
};

}  // namespace

CallbackPtr TensorBoard(std::string log_dir, const TensorBoardOptions& options) {
  if (options.histogram_freq < 0 || options.update_freq < 0) {
    throw Error(Code::kInvalidArgument, "[tensor_board] frequencies must not be negative; got " +
                                            std::to_string(options.histogram_freq) + " and " +
                                            std::to_string(options.update_freq) +
                                            "; 0 is never, or once an epoch");
  }
  return std::make_shared<TensorBoardCallback>(std::move(log_dir), options);
}

}  // namespace lockstep::callbacks
