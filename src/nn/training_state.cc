// What a save of training holds, and how it is taken over; see docs/save-format.md.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "base/log.h"
#include "checkpoint/save_directory.h"
#include "checkpoint/saved_names.h"
#include "kernels/isa.h"
#include "lockstep/checkpoint/convert.h"
#include "nn/training.h"
#include "runtime/plan.h"
#include "runtime/replica.h"
#include "runtime/variable_cell.h"

namespace lockstep {

namespace {

using nlohmann::ordered_json;

constexpr char kCallbacks[] = "callbacks/";
constexpr char kHistory[] = "history/";
constexpr char kOthers[] = "others/";

[[noreturn]] void Refuse(const char* where, const std::string& text) {
  throw Error(Code::kFailedPrecondition, std::string("[") + where + "] " + text);
}

// Names of callbacks, those of one kind told apart by number.
std::vector<std::string> NamesOf(const std::vector<CallbackPtr>& callbacks) {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  for (const CallbackPtr& callback : callbacks) {
    const std::string name = callback->name();
    const int number = seen[name]++;
    names.push_back(name.empty() || number == 0 ? name : name + "_" + std::to_string(number));
  }
  return names;
}

bool Prefixed(const std::string& name) {
  return name.starts_with(kCallbacks) || name.starts_with(kHistory) || name.starts_with(kOthers);
}

using NamedVariables = std::vector<std::pair<std::string, Variable>>;

// The values of a model that a process has made again, so that its names have other numbers than
// the save: the same things in the same order. Empty: by their names, as ever.
std::vector<const Tensor*> ValuesByPlace(const SavedState& state, const NamedVariables& variables) {
  const auto is_there = [&](const auto& named) { return state.Find(named.first) != nullptr; };
  if (std::all_of(variables.begin(), variables.end(), is_there)) return {};
  std::vector<const Tensor*> values;
  for (const NamedTensor& tensor : state.tensors) {
    if (Prefixed(tensor.name)) continue;
    if (values.size() == variables.size()) return {};
    const auto& [name, variable] = variables[values.size()];
    const bool alike = checkpoint::Unnumbered(tensor.name) == checkpoint::Unnumbered(name) &&
                       tensor.value.dtype() == variable.dtype() &&
                       tensor.value.shape() == variable.shape();
    if (!alike) return {};
    values.push_back(&tensor.value);
  }
  return values.size() == variables.size() ? values : std::vector<const Tensor*>();
}

[[noreturn]] void RefuseOther(const char* where, const TensorAbout& saved,
                              const Variable& variable) {
  Refuse(where, "the save must be of this model; got " +
                    checkpoint::Describe(saved.name, saved.dtype, saved.shape) +
                    " in it where the model has " + std::string(DTypeName(variable.dtype())) +
                    variable.shape().ToString() + "; build the model that was saved");
}

TensorAbout AboutOf(const NamedTensor& tensor) {
  return {tensor.name, tensor.value.dtype(), tensor.value.shape(), 0};
}

// Refuses a tensor that has another form than the model's variable of its name, before its elements
// are read. Of a tensor without a variable, only what the file says about it is kept, in `others`.
TensorFilter OnlyVariablesOf(const NamedVariables& variables, std::vector<TensorAbout>& others) {
  std::map<std::string, Variable> known(variables.begin(), variables.end());
  return [known = std::move(known), &others](const TensorAbout& about) -> Result<bool> {
    const auto variable = known.find(about.name);
    if (variable == known.end()) {
      others.push_back(about);
      return false;
    }
    if (about.dtype != variable->second.dtype() || !(about.shape == variable->second.shape()))
      RefuseOther("load_weights", about, variable->second);
    return true;
  };
}

// Assigns the saved values, all or none: first everything is compared. `others`: tensors of the
// save that were not read.
void AssignAll(const char* where, const SavedState& state, const NamedVariables& variables,
               bool all_used, std::vector<TensorAbout> others = {}) {
  std::set<std::string> known;
  std::vector<const Tensor*> values;
  for (const auto& [name, variable] : variables) {
    known.insert(name);
    const Tensor* value = state.Find(name);
    if (value == nullptr) {
      Refuse(where, "the save must be of this model; got none of " +
                        checkpoint::Describe(name, variable.dtype(), variable.shape()) +
                        " in it; build the model and the optimizer that were saved");
    }
    if (value->dtype() != variable.dtype() || !(value->shape() == variable.shape()))
      RefuseOther(where, {name, value->dtype(), value->shape(), 0}, variable);
    values.push_back(value);
  }
  for (const NamedTensor& tensor : state.tensors) others.push_back(AboutOf(tensor));
  for (const TensorAbout& other : others) {
    if (all_used && !Prefixed(other.name) && known.count(other.name) == 0) {
      Refuse(where, "the save must be of this model; got " +
                        checkpoint::Describe(other.name, other.dtype, other.shape) +
                        " in it, which the model does not have; build the model and the "
                        "optimizer that were saved");
    }
  }
  for (size_t i = 0; i < variables.size(); ++i) variables[i].second.Assign(*values[i]);
}

// One thing that decides the bits and must be as it was.
template <typename T>
void RequireEqual(const char* what, const ordered_json& saved, const T& now, const char* cure) {
  if (!saved.contains(what) || saved[what] == ordered_json(now)) return;
  Refuse("resume", std::string("the save is of a training with ") + what + " " +
                       saved[what].dump() + "; got " + ordered_json(now).dump() + "; " + cure);
}

// The one policy of all layers, or that of each.
std::string PoliciesOf(const std::vector<LayerPtr>& layers) {
  std::string all;
  bool is_one = true;
  for (const LayerPtr& layer : layers) {
    is_one &= layer->dtype_policy() == layers[0]->dtype_policy();
    all += (all.empty() ? "" : ",") + layer->dtype_policy().name();
  }
  return is_one && !layers.empty() ? layers[0]->dtype_policy().name() : all;
}

NamedVariables Named(const std::vector<Variable>& variables, const std::string& prefix = "") {
  NamedVariables named;
  for (const Variable& variable : variables) named.emplace_back(prefix + variable.name(), variable);
  return named;
}

bool IsOfWeights(const SavedState& state) {
  return state.metadata.find(R"("kind":"weights")") != std::string::npos;
}

void RequireWeights(const Model& model, const char* where) {
  if (!model.variables().empty()) return;
  Refuse(where,
         "the model must have weights; got none (" + model.name() + "); call it on a batch first");
}

}  // namespace

std::vector<std::pair<std::string, Variable>> Model::Training::StateVariables() const {
  auto all = Named(model.variables());
  const auto add = [&](const std::vector<Variable>& variables, const std::string& prefix = "") {
    for (auto& named : Named(variables, prefix)) all.push_back(std::move(named));
  };
  add(model.counters());
  add(options.optimizer->variables());
  add(MetricVariables(), "metrics/");
  return all;
}

std::vector<std::pair<std::string, std::shared_ptr<runtime::VariableCell>>>
Model::Training::OtherCells() const {
  std::set<const void*> known;
  for (const auto& [name, variable] : StateVariables())
    known.insert(variable.handle().object().get());
  std::vector<std::pair<std::string, std::shared_ptr<runtime::VariableCell>>> others;
  for (const StepPlan& plan : plans_) {
    if (plan.kind != Kind::kTrain) continue;
    for (const std::vector<Tensor>& copies : runtime::CopiesIn(plan.program->graph())) {
      const bool is_known = std::any_of(copies.begin(), copies.end(), [&](const Tensor& handle) {
        return known.contains(handle.object().get());
      });
      for (const Tensor& handle : copies) {
        if (is_known || !known.insert(handle.object().get()).second) continue;
        auto cell = std::dynamic_pointer_cast<runtime::VariableCell>(handle.object());
        if (cell == nullptr || cell->shape().num_elements() == 0) continue;
        std::string name =
            kOthers + std::to_string(others.size()) + "/" + checkpoint::Unnumbered(cell->name());
        others.emplace_back(std::move(name), std::move(cell));
      }
    }
  }
  return others;
}

void Model::Training::RestoreOthers() {
  if (others_.empty()) return;
  for (const auto& [name, cell] : OtherCells()) {
    const auto saved = others_.find(name);
    if (saved == others_.end()) continue;
    if (saved->second.dtype() == cell->dtype() && saved->second.shape() == cell->shape())
      cell->Assign(saved->second);
    others_.erase(saved);
  }
}

History Model::Training::WholeEpochs() const {
  History history;
  history.history = history_.history;
  history.epoch = history_.epoch;
  const bool whole = position.step == 0;
  if (whole && !recorded_) Record(ended_epoch_, epoch_logs_, history);
  if (!whole && recorded_ && !history.epoch.empty() && history.epoch.back() == position.epoch) {
    history.epoch.pop_back();
    for (const auto& [name, value] : epoch_logs_) history.history[name].pop_back();
  }
  return history;
}

SavedState Model::Training::Snapshot() const {
  GatherState();
  SavedState state;
  for (const auto& [name, variable] : StateVariables())
    state.tensors.push_back({name, variable.value()});
  for (const auto& [name, cell] : OtherCells()) state.tensors.push_back({name, cell->Read()});
  const History history = WholeEpochs();
  for (const auto& [name, values] : history.history) {
    state.tensors.push_back(
        {kHistory + name, Tensor::FromVector(values, Shape{static_cast<int64_t>(values.size())})});
  }
  const auto names = NamesOf(callbacks_);
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    for (NamedTensor& tensor : callbacks_[i]->State())
      state.tensors.push_back({kCallbacks + names[i] + "/" + tensor.name, tensor.value});
  }
  ordered_json about;
  about["kind"] = "training";
  about["epoch"] = position.epoch;
  about["step"] = position.step;
  about["steps"] = position.steps;
  about["seed"] = RandomSeed();
  about["replicas"] = model.strategy().num_replicas_in_sync();
  about["data"] = recipe_;
  about["pass"] = cursor_.pass;
  about["batch"] = cursor_.batch;
  about["optimizer"] = options.optimizer->name();
  about["dtype_policy"] = PoliciesOf(model.layers());
  about["isa"] = std::string(kernels::IsaName());
  about["devices"] = model.strategy().num_devices();
  about["history_epochs"] = history.epoch;
  state.metadata = about.dump();
  return state;
}

void Model::Training::SaveTo(const std::string& directory) {
  const SavedState state = Snapshot();
  if (distribute::Communicator* ranks = model.strategy().ranks()) ranks->journal().Rebase();
  model.strategy().OnChief([&] {
    return checkpoint::SaveDirectory(base::LocalFiles(), directory).Write(position.steps, state);
  });
}

void Model::Training::RestorePosition(const SavedState& state) {
  const auto about = ordered_json::parse(state.metadata, nullptr, /*allow_exceptions=*/false);
  const auto number = [&](const char* key) {
    if (!about.is_object() || !about.contains(key) || !about[key].is_number_integer()) {
      Refuse("resume",
             "a save of training is needed; got another kind of save; give the directory that "
             "SaveTraining or --checkpoint named");
    }
    return about[key].get<int64_t>();
  };
  position = {static_cast<int>(number("epoch")), number("step"), number("steps")};
  cursor_ = {number("pass"), number("batch")};
  RequireEqual("replicas", about, model.strategy().num_replicas_in_sync(),
               "R belongs to the program, so give as many replicas (devices may differ)");
  const std::string optimizer = about.value("optimizer", "");
  if (checkpoint::Unnumbered(optimizer) != checkpoint::Unnumbered(options.optimizer->name()))
    RequireEqual("optimizer", about, options.optimizer->name(), "compile with the saved one");
  RequireEqual("dtype_policy", about, PoliciesOf(model.layers()),
               "set the saved one before the layers are made");
  RequireEqual("seed", about, RandomSeed(), "set the saved one before the model is made");
  const ordered_json data = about.value("data", ordered_json::object());
  for (const auto& [what, now] : recipe_)
    RequireEqual(what.c_str(), data, now, "give the saved data, cut into the same batches");
  history_.steps = position.steps;
  history_.epoch = about.value("history_epochs", std::vector<int>{});
}

void Model::Training::RestoreValues(const SavedState& state) {
  const NamedVariables variables = StateVariables();
  if (const auto values = ValuesByPlace(state, variables); !values.empty()) {
    for (size_t i = 0; i < values.size(); ++i) variables[i].second.Assign(*values[i]);
  } else {
    AssignAll("resume", state, variables, /*all_used=*/true);
  }
  others_.clear();
  for (const NamedTensor& tensor : state.tensors)
    if (tensor.name.starts_with(kOthers)) others_.emplace(tensor.name, tensor.value);
  RestoreOthers();
  const auto names = NamesOf(callbacks_);
  std::vector<SavedState> kept(names.size());
  for (const NamedTensor& tensor : state.tensors) {
    if (tensor.name.starts_with(kHistory) && tensor.value.dtype() == DType::kFloat64)
      history_.history[tensor.name.substr(sizeof kHistory - 1)] = tensor.value.ToVector<double>();
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string prefix = kCallbacks + names[i] + "/";
      if (!names[i].empty() && tensor.name.starts_with(prefix))
        kept[i].tensors.push_back({tensor.name.substr(prefix.size()), tensor.value});
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!kept[i].tensors.empty()) {
      callbacks_[i]->SetState(kept[i]);
    } else if (!names[i].empty() && !callbacks_[i]->State().empty()) {
      base::Log(base::Severity::kWarning,
                "[resume] the save holds nothing of the callback " + names[i] + "; it starts anew");
    }
  }
}

void Model::SaveTraining(const std::string& directory) { training().SaveTo(directory); }

void Model::ResumeTraining(const std::string& path) {
  ResumeTrainingFrom(checkpoint::ReadSaveOrNewest(base::LocalFiles(), path).OrThrow());
}

void Model::ResumeTrainingFrom(SavedState save) { training().resumed = std::move(save); }

void Model::Training::DumpIfAsked() {
  if (!dump_ || dump_->step != history_.steps) return;
  nlohmann::json writers = nlohmann::json::array();
  const runtime::Plan* plan = plans_.empty() ? nullptr : plans_.front().program->plan();
  if (plan != nullptr) {
    for (const auto& writer : plan->Writers()) {
      writers.push_back({{"variable", writer.variable},
                         {"op", writer.op},
                         {"phase", writer.phase},
                         {"from", writer.from}});
    }
  }
  GatherState();
  SavedState state;
  state.metadata =
      nlohmann::json{{"kind", "dump"}, {"step", history_.steps}, {"writers", writers}}.dump();
  for (const auto& [name, variable] : StateVariables()) {
    state.tensors.push_back({name, variable.value()});
  }
  model.strategy().OnChief([&] { return SaveState(dump_->path, state); });
}

void Model::SaveWeights(const std::string& path) const {
  RequireWeights(*this, "save_weights");
  SavedState state{{}, R"({"kind":"weights"})"};
  for (const Variable& variable : variables())
    state.tensors.push_back({variable.name(), variable.value()});
  const FileFormat format = FormatOfName(path);
  const bool other = format == FileFormat::kSafetensors || format == FileFormat::kNpz;
  strategy().OnOne(path, [&] {
    return SaveTensors({path, other ? format : FileFormat::kSave}, state);
  });
}

void Model::LoadWeights(const std::string& path) {
  RequireWeights(*this, "load_weights");
  const auto file = FindTensorFile(path);
  if (!file.ok() || file->format == FileFormat::kSave) {
    LoadWeightsFrom(checkpoint::ReadSaveOrNewest(base::LocalFiles(), path).OrThrow());
    return;
  }
  std::vector<TensorAbout> others;
  const NamedVariables named = Named(variables());
  const SavedState state = LoadTensors(*file, OnlyVariablesOf(named, others)).value();
  AssignAll("load_weights", state, named, IsOfWeights(state), std::move(others));
}

void Model::LoadWeightsFrom(const SavedState& state) {
  RequireWeights(*this, "load_weights");
  AssignAll("load_weights", state, Named(variables()), IsOfWeights(state));
}

}  // namespace lockstep
