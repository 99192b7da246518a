#include "lockstep/check/races.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <set>
#include <string>

#include "base/thread_watch.h"
#include "python/bind.h"
#include "python/convert.h"
#include "python/guard.h"
#include "python/site.h"
#include "runtime/access_log.h"
#include "runtime/actor.h"
#include "runtime/schedule.h"

namespace lockstep::python {

namespace {

// File names for as long as anybody may report them.
const char* Kept(const char* name) {
  static std::mutex mutex;
  static auto* names = new std::set<std::string, std::less<>>;
  const std::lock_guard lock(mutex);
  auto found = names->find(std::string_view(name));
  if (found == names->end()) found = names->emplace(name).first;
  return found->c_str();
}

nb::dict PlaceOf(const RaceAccess& access) {
  nb::dict place;
  place["version"] = access.version;
  place["thread"] = access.thread;
  place["file"] = nb::str(access.file.c_str());
  place["line"] = access.line;
  place["who"] = nb::str(access.who.c_str());
  return place;
}

nb::list Reports() {
  nb::list list;
  for (const RaceReport& report : TakeRaceReports()) {
    nb::dict one;
    one["kind"] = report.kind == RaceReport::Kind::kLostUpdate ? "lost update" : "mixed gradient";
    one["variable"] = nb::str(report.variable.c_str());
    one["read"] = PlaceOf(report.read);
    one["written"] = PlaceOf(report.written);
    one["assigned"] = PlaceOf(report.assigned);
    one["count"] = report.count;
    one["text"] = nb::str(report.ToString().c_str());
    list.append(one);
  }
  return list;
}

// A thread of Python's, which the library does not see begin and end.
class ThreadLink {
 public:
  // In the thread that starts it.
  ThreadLink() {
    actor_->Learn(runtime::Actor::Current().Publish());
    if (schedule_ != nullptr) runner_ = schedule_->Starting();
  }
  // In the thread itself, first and last.
  void Begin() {
    runtime::Actor::Become(actor_);
    if (schedule_ != nullptr) schedule_->Started(runner_);
  }
  void End() {
    end_ = runtime::Actor::Current().Publish();
    if (schedule_ != nullptr) schedule_->Ending(*runner_);
  }
  // In a thread that an exception ends, before.
  void Failed(const std::string& what) const {
    if (schedule_ != nullptr) schedule_->Fail(what);
  }
  // In one that waits for its end, and in one that has waited.
  void Joining() const {
    if (schedule_ != nullptr) schedule_->Joining(*runner_);
  }
  void Joined() const {
    runtime::Actor::Current().Learn(end_);
    if (schedule_ != nullptr) schedule_->Joined();
  }

 private:
  // Where the library sees the program's threads anyway, it schedules them without this.
  runtime::Schedule* const schedule_ =
      base::WatchesThreads() ? nullptr : runtime::Schedule::Active();
  const std::shared_ptr<runtime::Actor> actor_ = std::make_shared<runtime::Actor>(true);
  std::shared_ptr<runtime::Schedule::Runner> runner_;  // where there is a schedule
  runtime::Knowledge end_;
};

// A thread that waits for its turn keeps the interpreter from nobody.
void* LeaveInterpreter() {
  return Py_IsInitialized() && PyGILState_Check() ? PyEval_SaveThread() : nullptr;
}
void EnterInterpreter(void* left) { PyEval_RestoreThread(static_cast<PyThreadState*>(left)); }

}  // namespace

ops::SourceSite PythonSite() {
  return runtime::FollowsAccesses() ? PythonLine() : ops::SourceSite();
}

ops::SourceSite PythonLine() {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  ops::SourceSite site;
  while (frame != nullptr && site.line == 0) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    if (!IsPackageFile(code->co_filename)) {
      const char* name = PyUnicode_AsUTF8(code->co_filename);
      if (name != nullptr) site = {Kept(name), static_cast<uint32_t>(PyFrame_GetLineNumber(frame))};
      PyErr_Clear();
    }
    Py_DECREF(code);
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  return site;
}

void BindRaces(nb::module_& m) {
  runtime::Schedule::SetLetGo({&LeaveInterpreter, &EnterInterpreter});
  m.def("set_race_check", [](int check) { SetRaceCheck(static_cast<RaceCheck>(check)); });
  nb::class_<ThreadLink>(m, "ThreadLink")
      .def(nb::init<>())
      .def("begin", &ThreadLink::Begin)
      .def("end", &ThreadLink::End)
      .def("failed", &ThreadLink::Failed)
      .def("joining", &ThreadLink::Joining)
      .def("joined", &ThreadLink::Joined);
  nb::class_<runtime::HandOver>(m, "HandOver")
      .def(nb::init<>())
      .def("give", &runtime::HandOver::Give)
      .def("take", [](const runtime::HandOver& it) { it.Take(runtime::Order::kHint); });
  m.def("is_scheduled", [] { return runtime::Schedule::Active() != nullptr; });
  m.def("got_it", [] {
    if (runtime::Schedule::Active() != nullptr) runtime::Schedule::Active()->Got();
  });
  m.def("yield_turn", [](const std::string& place) {
    runtime::Schedule* schedule = runtime::Schedule::Active();
    return schedule != nullptr && schedule->Yield(place);
  });
  m.def("offer_turn", [] {
    if (runtime::IsScheduled()) runtime::Schedule::Active()->Touch({});
  });
  m.def("race_check", [] { return static_cast<int>(CurrentRaceCheck()); });
  m.def("take_race_reports", &Reports);
}

}  // namespace lockstep::python
