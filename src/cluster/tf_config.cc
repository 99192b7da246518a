#include <algorithm>
#include <array>
#include <set>

#include "cluster/address.h"
#include "cluster/json_text.h"
#include "cluster/names.h"
#include "cluster/resolvers.h"

namespace lockstep::cluster {

namespace {

using Kind = JsonValue::Kind;

std::string Shortened(std::string text) {
  constexpr size_t kMost = 40;
  return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
}
std::string Typed(const JsonValue& value) { return Shortened(WriteJson(value)); }

// Reads one TF_CONFIG. Goes on behind mistakes with what was probably meant, so that all are found
// and the corrected form can be printed.
class TfConfig {
 public:
  TfConfig(const char* variable, const std::string& text) : variable_(variable), text_(text) {}

  Resolution Read() {
    if (!Unwrap()) return Finish();
    const JsonText read = ReadJson(text_);
    NoteFaults(read.faults);
    if (!read.value.is(Kind::kObject)) {
      if (read.faults.empty()) {
        Wrong(read.value, "", "the value must be an object", Typed(read.value),
              "give \"cluster\" and \"task\"");
      }
    } else {
      ReadCluster(read.value);
      CheckAddresses();
      ReadTask(read.value);
      DoubtLoneWorker();
      description_.rpc_layer = ReadText(read.value, "rpc_layer");
      description_.environment = ReadText(read.value, "environment");
    }
    return Finish();
  }

 private:
  // Takes off what shells, files and templates leave around the value. False where there is none.
  bool Unwrap() {
    const std::string start = "line 1, column 1";
    const size_t first = text_.find_first_not_of(" \t\r\n");
    const std::string_view begin = std::string_view(text_).substr(std::min(first, text_.size()));
    const std::string name = std::string(variable_) + "=";
    if (begin.starts_with(name)) {
      mistakes_.push_back(
          {variable_, start, "the value must be the object alone", name, "leave out the name"});
      text_.replace(first, name.size(), name.size(), ' ');
    } else if (begin.find_first_of("{[") == std::string_view::npos &&
               (begin.starts_with('/') || begin.starts_with('@') || begin.starts_with('.') ||
                begin.ends_with(".json"))) {
      mistakes_.push_back({variable_, start, "the value must be the object itself, no file's name",
                           Shortened(text_), "write $(cat FILE) in double quotes"});
      return false;
    } else if (begin.find_first_of("{[\"") == std::string_view::npos &&
               begin.find(": ") != std::string_view::npos) {
      mistakes_.push_back({variable_, start, "the value must be JSON, which begins with {",
                           Shortened(text_.substr(0, text_.find('\n'))), "write it as JSON"});
      return false;
    }
    if (begin.starts_with("{\\\"")) {
      Replace("\\\"", "\"", "the quotes must not be escaped", "leave out the backslashes");
    }
    Replace("\xC2\xA0", "  ", "spaces must be plain ones", "type them anew");
    return true;
  }
  // Each `what` by `with`, and a mistake at the first one.
  void Replace(const std::string& what, const char* with, const char* rule, const char* cure) {
    const size_t place = text_.find(what);
    if (place == std::string::npos) return;
    const auto line =
        std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(place), '\n');
    const size_t last = text_.rfind('\n', place);
    const Spot spot{static_cast<int>(line) + 1,
                    static_cast<int>(last == std::string::npos ? place + 1 : place - last)};
    mistakes_.push_back({variable_, spot.ToString(), rule, Shortened(text_.substr(place)), cure});
    for (size_t at = 0; (at = text_.find(what, at)) != std::string::npos;) {
      text_.replace(at, what.size(), with);
    }
  }

  // Each broken rule of JSON once, with how often.
  void NoteFaults(const std::vector<JsonFault>& faults) {
    std::vector<std::string> seen;
    for (const JsonFault& fault : faults) {
      if (std::find(seen.begin(), seen.end(), fault.rule) != seen.end()) continue;
      seen.push_back(fault.rule);
      const auto more =
          std::count_if(faults.begin(), faults.end(),
                        [&](const JsonFault& other) { return other.rule == fault.rule; }) -
          1;
      mistakes_.push_back(
          {variable_,
           fault.spot.ToString() + (more > 0 ? ", and " + std::to_string(more) + " more" : ""),
           fault.rule, Shortened(fault.got), ""});
    }
  }

  void Wrong(const JsonValue& value, const std::string& path, std::string expected, std::string got,
             std::string cure) {
    const std::string place = (path.empty() ? "" : path + ", ") + value.spot.ToString();
    mistakes_.push_back({variable_, place, std::move(expected), std::move(got), std::move(cure)});
  }
  void Doubt(const std::string& path, std::string expected, std::string got, std::string cure) {
    doubts_.push_back({variable_, path, std::move(expected), std::move(got), std::move(cure)});
  }

  // The member of this name, or one whose name was probably meant to be it.
  const JsonValue* FindMeant(const JsonValue& object, const std::string& path, const char* name,
                             const Synonyms& synonyms) {
    if (const JsonValue* found = object.Find(name)) return found;
    for (const auto& member : object.members) {
      if (MeantName(member.key, {name}, synonyms) != name) continue;
      JsonValue key{.spot = member.spot};
      Wrong(key, path.empty() ? member.key : path + "." + member.key,
            std::string("the name must be \"") + name + "\"", Quoted(member.key),
            std::string("call it \"") + name + "\"");
      return &member.value;
    }
    return nullptr;
  }

  void ReadCluster(const JsonValue& root) {
    const JsonValue* cluster =
        FindMeant(root, "", "cluster", {{"clusterspec", "cluster"}, {"sparsecluster", ""}});
    if (cluster == nullptr) {
      cluster = root.Find("sparseCluster");
      if (cluster == nullptr) cluster = root.Find("sparse_cluster");
      sparse_ = cluster != nullptr;
    }
    if (cluster == nullptr) cluster = FindJobs(root);
    if (cluster == nullptr && root.Find("task") != nullptr) {
      Doubt("cluster", "the value should say who else is there", "no \"cluster\"",
            "add it, or unset the variable");
    }
    if (cluster == nullptr) return;
    if (cluster->is(Kind::kNull) && root.Find("task") == nullptr) return;
    JsonText inner;
    if (cluster->is(Kind::kString) && cluster->text.find('{') != std::string::npos) {
      Wrong(*cluster, "cluster", "the value must be an object", "a text that holds one",
            "leave out the quotes around it");
      inner = ReadJson(cluster->text);
      cluster = &inner.value;
    }
    NoteSaid(*cluster);
    if (cluster->is(Kind::kList)) {
      Wrong(*cluster, "cluster", "the value must be an object from jobs to tasks", "a list",
            "name the job, as in {\"worker\": [...]}");
      ReadTasks("worker", *cluster, "cluster");
      return;
    }
    if (!cluster->is(Kind::kObject)) {
      Wrong(*cluster, "cluster", "the value must be an object from jobs to tasks", Typed(*cluster),
            "give {\"worker\": [...]}");
      return;
    }
    for (const auto& member : cluster->members) ReadJob(member);
    if (AllTasks() > 0 || cluster->members.empty()) return;
    const auto& job = cluster->members.front();
    Wrong(job.value, "cluster." + job.key, "a job must have tasks", Typed(job.value),
          "list their addresses");
  }

  // Every address that is right where it stands: no correction may take it.
  void NoteSaid(const JsonValue& cluster) {
    const auto note = [&](const JsonValue& value) {
      Address address;
      if (value.is(Kind::kString) && !ReadAddress(value.text, address))
        said_.insert(address.ToString());
    };
    for (const JsonValue& item : cluster.items) note(item);
    for (const auto& job : cluster.members) {
      for (const JsonValue& item : job.value.items) note(item);
      for (const auto& task : job.value.members) note(task.value);
    }
  }

  // An object of another name that can be nothing but the cluster.
  const JsonValue* FindJobs(const JsonValue& root) {
    for (const auto& member : root.members) {
      for (const auto& job : member.value.members) {
        if (!IsJob(job.key) || !(job.value.is(Kind::kList) || job.value.is(Kind::kObject)))
          continue;
        JsonValue key{.spot = member.spot};
        Wrong(key, member.key, "the name must be \"cluster\"", Quoted(member.key),
              "call it \"cluster\"");
        return &member.value;
      }
    }
    return nullptr;
  }

  void ReadJob(const JsonValue::Member& member) {
    std::string job = member.key;
    const std::string path = "cluster." + job;
    if (!IsJob(job)) {
      const std::string meant = MeantName(job, JobNames(), JobSynonyms());
      JsonValue key{.spot = member.spot};
      Wrong(key, path, "a job must be chief, worker, ps or evaluator", Quoted(job),
            meant.empty() ? "leave it out" : "call it \"" + meant + "\"");
      if (meant.empty()) return;
      job = meant;
    }
    ReadTasks(job, member.value, path);
    const size_t count = CountOf(job);
    if ((job == "chief" || job == "evaluator") && count > 1) {
      Wrong(member.value, path, "there must be at most one " + job, std::to_string(count),
            job == "chief" ? "make the others workers" : "keep one");
      auto& jobs = jobs_;
      while (jobs[job].size() > 1) {
        const auto last = std::prev(jobs[job].end());
        if (job == "chief") AddTask("worker", last->second);
        jobs[job].erase(last);
      }
    }
  }

  void ReadTasks(const std::string& job, const JsonValue& tasks, const std::string& path) {
    switch (tasks.kind) {
      case Kind::kNull:
        return;
      case Kind::kList:
        for (size_t i = 0; i < tasks.items.size(); ++i) {
          ReadListItem(job, tasks.items[i], path + "[" + std::to_string(i) + "]");
        }
        return;
      case Kind::kObject:
        for (const auto& member : tasks.members) ReadSparse(job, member, path);
        return;
      case Kind::kString:
        Wrong(tasks, path, "the tasks must be a list or an object by index", Typed(tasks),
              "make a list with a text for each address");
        AddListed(job, tasks.text);
        return;
      default:
        Wrong(tasks, path, "the tasks must be a list or an object by index", Typed(tasks),
              "give [\"host:port\", ...]");
    }
  }

  void ReadListItem(const std::string& job, const JsonValue& item, const std::string& path) {
    if (item.is(Kind::kList)) {
      Wrong(item, path, "the tasks must be one list of addresses", "a list in a list",
            "leave out the inner brackets");
      for (const JsonValue& inner : item.items) AddTask(job, Meant(inner.text));
      return;
    }
    if (item.text.find_first_of(",;") != std::string::npos) {
      Wrong(item, path, "an entry must hold one address", Typed(item), "make a text of each");
      return AddListed(job, item.text);
    }
    AddTask(job, ReadTaskAddress(item, path));
  }
  // "a:1,b:2"
  void AddListed(const std::string& job, const std::string& text) {
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find_first_of(",; ", begin), text.size());
      if (end > begin) AddTask(job, Meant(text.substr(begin, end - begin)));
      begin = end + 1;
    }
  }

  void ReadSparse(const std::string& job, const JsonValue::Member& member,
                  const std::string& path) {
    auto index = ReadNumber(member.key, 0, kMaxIndex);
    const std::string inside = path + "." + member.key;
    if (!index) {
      JsonValue key{.spot = member.spot};
      Wrong(key, inside, "an index must be a number from 0 on", Quoted(member.key),
            "write \"0\", \"1\", ...");
      index = TrailingNumber(member.key, kMaxIndex);
    }
    if (index && jobs_[job].contains(*index)) {
      JsonValue key{.spot = member.spot};
      Wrong(key, inside, "each index must be there once", Quoted(member.key),
            "number the tasks from 0 on");
    }
    const std::string address = ReadTaskAddress(member.value, inside);
    if (!index || jobs_[job].contains(*index)) {
      AddTask(job, address);
    } else {
      jobs_[job][*index] = address;
    }
  }

  // The address, or what was meant by it; "" if that cannot be told.
  std::string ReadTaskAddress(const JsonValue& value, const std::string& path) {
    if (!value.is(Kind::kString)) {
      const JsonValue* host = value.Find("host");
      const JsonValue* port = value.Find("port");
      Wrong(value, path, "an address must be a text",
            value.is(Kind::kObject) ? "an object" : Typed(value), "write \"host:port\"");
      return host && port ? Meant(host->text + ":" + port->text) : std::string();
    }
    Address address;
    const auto fault = ReadAddress(value.text, address);
    if (fault) {
      Wrong(value, path, fault->rule, Quoted(Shortened(value.text)), fault->cure);
      return Meant(value.text);
    }
    if (address.host == "0.0.0.0" || address.host == "::") {
      Wrong(value, path, "an address must be one that the others can reach", Quoted(value.text),
            "write the host's name");
      return "";
    }
    if (const auto first = places_.find(address.ToString()); first != places_.end()) {
      Wrong(value, path, "every task must have an address of its own", Quoted(value.text),
            first->second + " has it already");
      return Free(address);
    }
    places_[address.ToString()] = path;
    return address.ToString();
  }

  std::string Meant(const std::string& text) {
    Address address;
    const auto fault = ReadAddress(text, address);
    if (fault && !fault->meant) return "";
    if (fault) address = *fault->meant;
    if (address.port == 0) address.port = kUsualPort;
    return Free(address);
  }
  // With the next port that no task has on this host.
  std::string Free(Address address) {
    const auto taken = [&](const std::string& text) {
      return places_.contains(text) || said_.contains(text) || given_.contains(text);
    };
    while (taken(address.ToString()) && address.port < 65535) ++address.port;
    given_.insert(address.ToString());
    return address.ToString();
  }
  void AddTask(const std::string& job, const std::string& address) {
    auto& tasks = jobs_[job];
    const int index = tasks.empty() ? 0 : tasks.rbegin()->first + 1;
    if (index <= kMaxIndex) tasks[index] = address;
  }

  size_t CountOf(const std::string& job) const {
    const auto place = jobs_.find(job);
    return place == jobs_.end() ? 0 : place->second.size();
  }

  void CheckAddresses() {
    std::erase_if(jobs_, [](const auto& job) { return job.second.empty(); });
    std::set<std::string> own, others;
    for (auto& [job, tasks] : jobs_) {
      for (auto& [index, text] : tasks) {
        Address address;
        if (text.empty()) {
          text = Unused({job, index});
        } else if (!ReadAddress(text, address)) {
          (IsLoopback(address.host) ? own : others).insert(address.host);
        }
      }
    }
    if (!own.empty() && !others.empty()) {
      Doubt("cluster", "an address must mean the same on every host",
            *own.begin() + " beside " + *others.begin(), "write the host's name");
    }
    // Our launcher names every task.
    if (CountOf("ps") > 0 && CountOf("evaluator") > 0 &&
        variable_ == std::string_view("TF_CONFIG")) {
      Doubt("cluster.evaluator", "the evaluator should not be in a cluster with ps",
            "evaluator and ps", "name it in the evaluator's own \"task\" alone");
    }
  }

  std::string Unused(const TaskName& task) {
    Address address;
    return ReadAddress(Placeholder(task), address) ? Placeholder(task) : Free(address);
  }
  static std::string Placeholder(const TaskName& task) {
    return "HOST-OF-" + task.job + "-" + std::to_string(task.index) + ":" +
           std::to_string(kUsualPort);
  }

  // ---- the task ----

  void ReadTask(const JsonValue& root) {
    const JsonValue* task = FindMeant(root, "", "task", {{"tasks", "task"}});
    if (task == nullptr || task->is(Kind::kNull)) {
      if (AllTasks() > 1) {
        Wrong(root, "task", "the value must say which task this is", "no \"task\"",
              "add \"task\": {\"type\": ..., \"index\": ...}");
      }
      if (!jobs_.empty()) {
        description_.task = {jobs_.begin()->first, jobs_.begin()->second.begin()->first};
      }
      return;
    }
    JsonValue split;
    if (!task->is(Kind::kObject)) {
      Wrong(*task, "task", "the value must be {\"type\": ..., \"index\": ...}", Typed(*task),
            "give type and index");
      split = SplitTask(*task);
      task = &split;
    }
    const JsonValue* type = FindMeant(*task, "task", "type",
                                      {{"job", "type"},
                                       {"name", "type"},
                                       {"jobname", "type"},
                                       {"tasktype", "type"},
                                       {"role", "type"}});
    const JsonValue* index = FindMeant(*task, "task", "index",
                                       {{"id", "index"},
                                        {"taskid", "index"},
                                        {"idx", "index"},
                                        {"taskindex", "index"},
                                        {"rank", "index"}});
    ReadType(*task, type);
    ReadIndex(*task, index);
  }

  // "worker:0", ["worker", 0]
  static JsonValue SplitTask(const JsonValue& task) {
    JsonValue split{.kind = Kind::kObject, .spot = task.spot};
    const auto add = [&](const char* name, JsonValue value) {
      split.members.push_back({name, task.spot, std::move(value)});
    };
    if (task.is(Kind::kString)) {
      const size_t end = task.text.find_first_of(":/ ");
      add("type", {.kind = Kind::kString, .text = task.text.substr(0, end), .spot = task.spot});
      if (const auto number = TrailingNumber(task.text, kMaxIndex)) {
        add("index", {.kind = Kind::kNumber, .text = std::to_string(*number), .spot = task.spot});
      }
    } else if (task.is(Kind::kList) && task.items.size() == 2) {
      add("type", task.items[0]);
      add("index", task.items[1]);
    }
    return split;
  }

  void ReadType(const JsonValue& task, const JsonValue* type) {
    const std::string usual =
        jobs_.contains("worker") || jobs_.empty() ? "worker" : jobs_.begin()->first;
    description_.task.job = usual;
    if (type == nullptr) {
      if (AllTasks() > 1) {
        Wrong(task, "task", "the task must have a \"type\"", "none",
              "add \"type\": \"" + usual + "\"");
      }
      return;
    }
    if (!type->is(Kind::kString)) {
      Wrong(*type, "task.type", "a type must be a text", Typed(*type), "write \"" + usual + "\"");
      return;
    }
    std::string job = type->text;
    const bool known = IsJob(job);
    if (!known) job = MeantName(job, JobNames(), JobSynonyms());
    const bool listed = jobs_.empty() || jobs_.contains(job) || job == "evaluator";
    const bool leads = job == "chief" && !listed && jobs_.contains("worker");
    const char* const kLead = "start it as worker 0, which leads where there is no chief";
    if (!known) {
      Wrong(*type, "task.type", "a type must be chief, worker, ps or evaluator", Typed(*type),
            leads                    ? kLead
            : job.empty() || !listed ? "name a job of the cluster"
                                     : "write \"" + job + "\"");
    } else if (!listed) {
      Wrong(*type, "task.type", "the type must be a job of the cluster",
            Quoted(job) + " (jobs: " + JobsListed() + ")",
            leads ? kLead : "add \"" + job + "\" to the cluster, or name one of its jobs");
    }
    if (leads) force_index_ = 0;
    if (job.empty() || !listed) job = usual;
    description_.task.job = job;
  }

  void ReadIndex(const JsonValue& task, const JsonValue* value) {
    int& index = description_.task.index;
    const std::string& job = description_.task.job;
    const auto place = jobs_.find(job);
    const int first = place == jobs_.end() ? 0 : place->second.begin()->first;
    const std::string written = "write " + std::to_string(first);
    index = first;
    if (value == nullptr) {
      if (CountOf(job) > 1) {
        Wrong(task, "task", "the task must have an \"index\"", "none",
              "add \"index\": 0 to " + std::to_string(CountOf(job) - 1));
      }
      return;
    }
    std::optional<int> number;
    if (value->is(Kind::kNumber) || value->is(Kind::kString)) {
      number = ReadNumber(value->text, 0, kMaxIndex);
    }
    if (!number) {
      const auto meant =
          value->is(Kind::kString) ? TrailingNumber(value->text, kMaxIndex) : std::optional<int>();
      Wrong(*value, "task.index", "an index must be a whole number from 0 on", Typed(*value),
            meant ? "write " + std::to_string(*meant) : written);
      if (!meant) return;
      number = meant;
    }
    index = force_index_.value_or(*number);
    if (place == jobs_.end() && jobs_.empty() && index > 0 && job != "evaluator") {
      Wrong(*value, "task.index", "the cluster must list this task",
            job + " " + std::to_string(index) + " of no cluster", "add \"cluster\"");
      for (int i = 0; i <= std::min(index, kMostListed); ++i) jobs_[job][i] = Unused({job, i});
      index = std::min(index, kMostListed);
      return;
    }
    if (place == jobs_.end() || place->second.contains(index)) return;
    const ClusterSpec::Tasks& tasks = place->second;
    if (tasks.rbegin()->first != static_cast<int>(tasks.size()) - 1) {
      Wrong(*value, "task.index", "the cluster must list this task",
            job + " " + std::to_string(index) + " (listed: " + IndicesListed(tasks) + ")",
            "add its address, or take an index that is listed");
      jobs_[job][index] = Unused({job, index});
      return;
    }
    const int count = static_cast<int>(tasks.size());
    std::string cure = "count from 0 to " + std::to_string(count - 1);
    if (job == "worker" && jobs_.contains("chief") && index == count) {
      cure = "the chief is counted apart, so the workers are 0 to " + std::to_string(count - 1);
    }
    Wrong(*value, "task.index", "an index must be below the number of its job's tasks",
          std::to_string(index) + " of " + std::to_string(count) + " in " + job, cure);
    index = count - 1;
  }

  std::string ReadText(const JsonValue& root, const char* name) {
    const JsonValue* value = root.Find(name);
    if (value == nullptr || value->is(Kind::kNull)) return "";
    if (value->is(Kind::kString)) return value->text;
    Wrong(*value, name, "the value must be a text", Typed(*value), "write it in quotes");
    return "";
  }

  // A worker that knows itself alone, as Kubeflow's dynamic workers do, would train alone.
  void DoubtLoneWorker() {
    const TaskName& task = description_.task;
    if (task.job != "worker" || CountOf("worker") != 1 || CountOf("chief") > 0) return;
    if (!sparse_ && task.index == 0) return;
    Doubt(sparse_ ? "sparseCluster.worker" : "cluster.worker", "it should list all workers",
          task.ToString() + " alone",
          "it trains by itself; list the others, as in {\"worker\": {\"0\": ..., \"1\": ...}}");
  }

  // ---- the end ----

  size_t AllTasks() const {
    size_t count = 0;
    for (const auto& [job, tasks] : jobs_) count += tasks.size();
    return count;
  }
  std::string JobsListed() const {
    std::string text;
    for (const auto& [job, tasks] : jobs_) text += (text.empty() ? "" : ", ") + job;
    return text;
  }
  static std::string IndicesListed(const ClusterSpec::Tasks& tasks) {
    std::string text;
    for (const auto& [index, address] : tasks) {
      text += (text.empty() ? "" : ", ") + std::to_string(index);
    }
    return Shortened(text);
  }

  Resolution Finish() {
    description_.cluster = ClusterSpec(jobs_);
    Resolution resolution;
    if (!mistakes_.empty()) {
      resolution.corrected = ExportLine(variable_, Corrected());
    } else {
      NoteFacts();
      resolution.description = description_;
    }
    resolution.mistakes = std::move(mistakes_);
    resolution.doubts = std::move(doubts_);
    return resolution;
  }
  // What was meant, if that can be told; else an example.
  std::string Corrected() {
    std::string text = description_.ToTfConfig();
    if (!jobs_.empty() && TfConfig(variable_, text).IsRight()) return text;
    description_.cluster = {{"worker", {Placeholder({"worker", 0}), Placeholder({"worker", 1})}}};
    description_.task = {"worker", 0};
    description_.rpc_layer.clear();
    description_.environment.clear();
    return description_.ToTfConfig();
  }
  bool IsRight() {
    const JsonText read = ReadJson(text_);
    if (!read.faults.empty()) return false;
    ReadCluster(read.value);
    ReadTask(read.value);
    return mistakes_.empty();
  }
  void NoteFacts() {
    for (const auto& [job, tasks] : jobs_) {
      description_.facts.push_back({job + " tasks", std::to_string(tasks.size()),
                                    std::string(variable_) + ": cluster." + job});
    }
    description_.facts.push_back(
        {"this task", description_.task.ToString(), std::string(variable_) + ": task"});
    if (!description_.rpc_layer.empty()) {
      description_.facts.push_back(
          {"rpc_layer", description_.rpc_layer, std::string(variable_) + ": rpc_layer"});
    }
    CountLocalTasks();
  }
  // Those with this task's host.
  void CountLocalTasks() {
    Address own;
    if (ReadAddress(description_.AddressOf(description_.task), own)) return;
    description_.local_size = 0;
    for (const TaskName& name : description_.Tasks()) {
      Address other;
      if (ReadAddress(description_.AddressOf(name), other) || other.host != own.host) continue;
      if (name == description_.task) description_.local_index = description_.local_size;
      ++description_.local_size;
    }
  }

  static constexpr int kMaxIndex = 99'999;
  static constexpr int kMostListed = 7;  // of tasks whose addresses nobody knows

  const char* variable_;
  std::string text_;
  ClusterSpec::Jobs jobs_;
  std::map<std::string, std::string> places_;  // address → who has it
  std::set<std::string> said_, given_;         // addresses: in the value, in the corrected form
  bool sparse_ = false;                        // the cluster is under "sparseCluster"
  std::optional<int> force_index_;
  Description description_;
  std::vector<Mistake> mistakes_, doubts_;
};

// Two variables of one form.
class TfConfigResolver final : public Resolver {
 public:
  TfConfigResolver(const char* name, const char* variable) : name_(name), variable_(variable) {}
  const char* name() const override { return name_; }
  std::vector<std::string> variables() const override { return {variable_}; }
  bool Finds(const Environment& environment) const override {
    const auto text = Lookup(environment, variable_);
    return text && text->find_first_not_of(" \t\r\n") != std::string::npos;
  }
  Resolution Resolve(const Environment& environment) const override {
    return TfConfig(variable_, environment.at(variable_)).Read();
  }

 private:
  const char* name_;
  const char* variable_;
};

}  // namespace

std::unique_ptr<Resolver> MakeTfConfigResolver() {
  return std::make_unique<TfConfigResolver>("TF_CONFIG", "TF_CONFIG");
}
std::unique_ptr<Resolver> MakeLaunchResolver() {
  return std::make_unique<TfConfigResolver>("lockstep launch", "LOCKSTEP_CLUSTER");
}

}  // namespace lockstep::cluster
