#include "lockstep/nn/model.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bind.h"
#include "python/callback.h"
#include "python/nn_values.h"

namespace lockstep::python {

namespace {

// A model whose call is Python's, and whose layers are those that Python's layers are made of.
class PythonModel : public Model {
 public:
  PythonModel(const std::string& name, nb::object call) : Model(name), call_(std::move(call)) {}
  Tensor Call(const Tensor& inputs, bool training) override {
    const nb::gil_scoped_acquire lock;
    return Arg{call_.get()(inputs, training)}.Strong();
  }
  void Add(const std::shared_ptr<Layer>& layer) { Track(LayerPtr(layer)); }

 private:
  Held call_;
};

nb::dict ToDict(const Logs& logs) {
  nb::dict dict;
  for (const auto& [name, value] : logs) dict[nb::str(name.c_str())] = value;
  return dict;
}

nb::dict ToDict(const History& history) {
  nb::dict values;
  for (const auto& [name, list] : history.history) values[nb::str(name.c_str())] = nb::cast(list);
  nb::dict result;
  result["history"] = values;
  result["epoch"] = nb::cast(history.epoch);
  result["steps"] = history.steps;
  return result;
}

// Calls the hooks of one Python object; Ctrl-C is noticed between steps.
class PythonCallback : public Callback {
 public:
  explicit PythonCallback(nb::object hooks) : hooks_(std::move(hooks)) {}
  void Release() { hooks_ = Held(nb::none()); }
  // What Python's callbacks count, as a text that they make themselves.
  std::string name() const override { return "python"; }
  std::vector<NamedTensor> State() const override {
    const nb::gil_scoped_acquire lock;
    const auto state = nb::cast<std::string>(hooks_.get().attr("state")());
    return {{"state", Tensor::FromStrings({state}, Shape{})}};
  }
  void SetState(const SavedState& state) override {
    const Tensor* text = state.Find("state");
    if (text == nullptr) return;
    const nb::gil_scoped_acquire lock;
    hooks_.get().attr("set_state")(text->scalar<std::string>());
  }
  void OnTrainEnter(const History& history) override {
    const nb::gil_scoped_acquire lock;
    hooks_.get().attr("train_enter")(ToDict(history));
  }
  void OnTrainBegin() override {
    const nb::gil_scoped_acquire lock;
    hooks_.get().attr("train_begin")();
    reads_after_batches_ = nb::cast<bool>(hooks_.get().attr("reads_after_batches")());
  }
  int64_t ReadsEvery() const override { return reads_after_batches_ ? 1 : 0; }
  void OnTrainEnd() override { Call("train_end"); }
  void OnEpochBegin(int epoch) override { Call("epoch_begin", epoch); }
  void OnEpochEnd(int epoch, Logs& logs) override {
    const nb::gil_scoped_acquire lock;
    const nb::dict dict = ToDict(logs);
    hooks_.get().attr("epoch_end")(epoch, dict);
    for (auto [name, value] : dict) {
      PyObject* number = PyNumber_Float(value.ptr());
      if (number == nullptr) {
        PyErr_Clear();
        continue;
      }
      logs[nb::cast<std::string>(nb::str(name))] = PyFloat_AS_DOUBLE(number);
      Py_DECREF(number);
    }
  }
  void OnTrainBatchBegin(int64_t batch) override { Call("train_batch_begin", batch); }
  void OnTrainBatchEnd(int64_t batch, const LogsSource& logs) override {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    Batch("train_batch_end", batch, logs);
  }
  void OnTestBegin() override { Call("test_begin"); }
  void OnTestEnd(const Logs& logs) override {
    const nb::gil_scoped_acquire lock;
    hooks_.get().attr("test_end")(ToDict(logs));
  }
  void OnTestBatchBegin(int64_t batch) override { Call("test_batch_begin", batch); }
  void OnTestBatchEnd(int64_t batch, const LogsSource& logs) override {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    Batch("test_batch_end", batch, logs);
  }

 private:
  template <typename... Arguments>
  void Call(const char* hook, Arguments... arguments) {
    const nb::gil_scoped_acquire lock;
    hooks_.get().attr(hook)(arguments...);
  }
  // Values are computed only when Python asks for them.
  void Batch(const char* hook, int64_t batch, const LogsSource& logs) {
    const nb::object source =
        nb::cpp_function([&logs] { return ToDict(Unlocked([&] { return logs(); })); });
    hooks_.get().attr(hook)(batch, source);
  }

  Held hooks_;
  bool reads_after_batches_ = true;
};

FitOptions OptionsOf(nb::dict options) {
  const Given g(options);
  FitOptions fit;
  fit.batch_size = g.Get<int64_t>("batch_size", 32);
  fit.epochs = g.Get("epochs", 1);
  fit.initial_epoch = g.Get("initial_epoch", 0);
  fit.shuffle = g.Get("shuffle", true);
  fit.validation_split = g.Get("validation_split", 0.0);
  fit.validation_freq = g.Get("validation_freq", 1);
  fit.steps_per_epoch = g.Get<int64_t>("steps_per_epoch", 0);
  fit.class_weight = g.Get<std::map<int64_t, float>>("class_weight", {});
  fit.check_data = g.Get("check_data", false);
  fit.first_pass = g.Get<int64_t>("first_pass", 0);
  fit.passes_per_epoch = g.Get<int64_t>("passes_per_epoch", 1);
  fit.shards = g.Get("shards", 0);
  fit.verbose = Verbosity::kSilent;
  fit.sample_weight = g.Get("sample_weight", Tensor());
  if (g.Has("validation_dataset")) {
    fit.validation_data = ValidationData(nb::cast<Dataset>(options["validation_dataset"]));
  } else if (g.Has("validation_x")) {
    fit.validation_data =
        ValidationData(g.Get("validation_x", Tensor()), g.Get("validation_y", Tensor()),
                       g.Get("validation_weight", Tensor()));
  }
  return fit;
}

// The hooks of one fit. A model remembers the callbacks of its last fit, and what it keeps is
// unseen by Python's collector: so they are let go.
struct HooksOfFit {
  std::shared_ptr<PythonCallback> callback;
  ~HooksOfFit() { callback->Release(); }
};

// Trains on (inputs, targets) or on a dataset of batches.
template <typename... Data>
nb::dict Fit(PythonModel& model, const Data&... data, nb::dict options, nb::object hooks) {
  FitOptions fit = OptionsOf(options);
  const HooksOfFit of_fit{std::make_shared<PythonCallback>(std::move(hooks))};
  fit.callbacks.push_back(of_fit.callback);
  return ToDict(Unlocked([&] { return model.Fit(data..., fit); }));
}

void CompileModel(PythonModel& model, OptimizerPtr optimizer, const Box<Loss>& loss,
                  std::vector<MetricPtr> metrics, std::vector<MetricPtr> weighted) {
  CompileOptions options;
  options.optimizer = std::move(optimizer);
  options.loss = loss.value;
  options.metrics = std::move(metrics);
  options.weighted_metrics = std::move(weighted);
  options.auto_scale_loss = false;  // the package has seen to it
  model.Compile(std::move(options));
}

}  // namespace

void BindModel(nb::module_& m) {
  nb::class_<PythonModel>(m, "PythonModel")
      .def(nb::init<const std::string&, nb::object>())
      .def("add", &PythonModel::Add)
      .def("compile", &CompileModel)
      .def("fit_arrays", &Fit<Tensor, Tensor>)
      .def("fit_dataset", &Fit<Dataset>)
      .def("evaluate",
           [](PythonModel& model, const Dataset& batches, int64_t steps) {
             return ToDict(Unlocked([&] { return model.Evaluate(batches, steps); }));
           })
      .def("predict",
           [](PythonModel& model, const Dataset& batches, int64_t steps) {
             return Unlocked([&] { return model.Predict(batches, steps); });
           })
      .def_rw("stop_training", &PythonModel::stop_training)
      .def("advice", [](const PythonModel& model) { return model.advice(); })
      .def("save_training", &PythonModel::SaveTraining, nb::call_guard<nb::gil_scoped_release>())
      .def("resume_training", &PythonModel::ResumeTraining,
           nb::call_guard<nb::gil_scoped_release>())
      .def("save_weights", &PythonModel::SaveWeights, nb::call_guard<nb::gil_scoped_release>())
      .def("load_weights", &PythonModel::LoadWeights, nb::call_guard<nb::gil_scoped_release>())
      .def("weights_digest", &PythonModel::WeightsDigest)
      .def("state_digest", &PythonModel::StateDigest);
}

}  // namespace lockstep::python
