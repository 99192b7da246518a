#include <map>

#include "base/fiber.h"
#include "distribute/context.h"
#include "distribute/distributed_variable.h"
#include "distribute/leaves.h"
#include "distribute/meeting.h"
#include "distribute/run.h"
#include "distribute/workers/owners_values.h"
#include "ops/builder.h"
#include "ops/known_site.h"
#include "runtime/actor.h"
#include "runtime/variable_cell.h"
#include "runtime/variable_hold.h"

namespace lockstep::distribute {

namespace {

// The fibers of one run, and what passes between them and the meetings.
class Fibers {
 public:
  Fibers(Strategy& strategy, const ReplicaFunction& function,
         const std::vector<PerReplica>& arguments)
      : strategy_(strategy),
        function_(function),
        arguments_(arguments),
        creations_(strategy),
        outside_(ops::Recorders()),
        places_(strategy.num_replicas_in_sync()),
        group_(strategy.num_replicas_in_sync(), [this](int replica) { RunReplica(replica); }) {}

  std::vector<std::vector<Tensor>> Run() {
    if (!shared_) return RunHere();
    try {
      return RunHere();
    } catch (...) {
      if (!comparing_) TellOfError();
      throw;
    }
  }

 private:
  std::vector<std::vector<Tensor>> RunHere() {
    const int replicas = static_cast<int>(places_.size());
    std::vector<Standing> standings(replicas);
    while (true) {
      for (int r = 0; r < replicas; ++r) {
        standings[r].ended = standings[r].ended || !group_.Resume(r);
        if (standings[r].ended) continue;
        ++standings[r].meetings;
        standings[r].op = places_[r].part.spec->name;
      }
      if (AllEnded(standings)) break;
      std::vector<Part> parts;
      for (Place& place : places_) parts.push_back(std::move(place.part));
      if (shared_) TakeOwnersParts(standings, &parts);
      std::vector<std::vector<Tensor>> answers = CarryOut(strategy_, parts);
      for (int r = 0; r < replicas; ++r) places_[r].answer = std::move(answers[r]);
    }
    std::vector<std::vector<Tensor>> results;
    for (Place& place : places_) results.push_back(std::move(place.answer));
    if (shared_) TakeOwnersResults(&results);
    return results;
  }

  // An error within stands for itself; the others wait for nobody.
  void TakeOwners(const std::string& where, std::vector<std::vector<Tensor>>* by_replica) {
    comparing_ = true;
    TakeOwnersValues(strategy_, where, by_replica);
    comparing_ = false;
  }

  // The other workers have the same error, or throw that this one has it.
  void TellOfError() {
    try {
      std::vector<std::vector<Tensor>> nothing(places_.size());
      TakeOwnersValues(strategy_, "an error", &nothing);
    } catch (const Error&) {  // this worker's own error says more
    }
  }

  void TakeOwnersParts(const std::vector<Standing>& standings, std::vector<Part>* parts) {
    std::vector<std::vector<Tensor>> inputs;
    for (Part& part : *parts) inputs.push_back(std::move(part.inputs));
    TakeOwners(standings[0].op + ", meeting " + std::to_string(standings[0].meetings) + LineOf(0),
               &inputs);
    for (size_t r = 0; r < parts->size(); ++r) (*parts)[r].inputs = std::move(inputs[r]);
  }

  // The copies of variables that were written travel behind the results.
  void TakeOwnersResults(std::vector<std::vector<Tensor>>* results) {
    std::string where = "the results of a run";
    std::vector<std::vector<Tensor>> written(places_.size());
    for (const auto& [name, cells] : written_) {
      where += ", copies of " + name;
      for (size_t r = 0; r < cells.size(); ++r)
        written[r].push_back(runtime::CellOf(cells[r]).Read());
    }
    for (size_t r = 0; r < written.size(); ++r)
      (*results)[r].insert((*results)[r].end(), written[r].begin(), written[r].end());
    TakeOwners(where, results);
    for (size_t r = 0; r < written.size(); ++r) {
      for (auto last = written_.rbegin(); last != written_.rend(); ++last) {
        const Tensor now = (*results)[r].back();
        (*results)[r].pop_back();
        if (now.id() != written[r].back().id()) runtime::CellOf(last->second[r]).Assign(now);
        written[r].pop_back();
      }
    }
  }

  // That the replica is at, as it is compared: without folders, which hosts may call otherwise.
  std::string LineOf(int replica) const {
    const ops::SourceSite& site = places_[replica].site;
    if (site.line == 0) return {};
    const std::string file = site.file;
    return "\tat " + file.substr(file.rfind('/') + 1) + ":" + std::to_string(site.line);
  }

  struct Place : Meeter {
    std::vector<Tensor> Meet(Part own) override {
      part = std::move(own);
      site = ops::CurrentSite();
      const ops::SitePause pause;  // others are at their own lines meanwhile
      group->Suspend(replica);
      return std::move(answer);
    }
    void Writes(const std::string& variable, const std::vector<Tensor>& cells) override {
      if (written != nullptr) written->insert_or_assign(variable, cells);
    }
    std::map<std::string, std::vector<Tensor>>* written = nullptr;
    base::FiberGroup* group = nullptr;
    int replica = 0;
    Part part;
    ops::SourceSite site;
    std::vector<Tensor> answer;  // of the last meeting; in the end the results
  };

  void RunReplica(int replica) {
    Place& place = places_[replica];
    place.group = &group_;
    place.replica = replica;
    if (shared_) place.written = &written_;
    const runtime::HoldScope hold(hold_);
    const runtime::ActorScope actor(actor_);
    const ReplicaScope scope(strategy_, replica, &place, creations_.CreatorOf(replica));
    const ops::ReplicaRecording recording(outside_);
    std::vector<Tensor> own;
    for (const PerReplica& argument : arguments_) own.push_back(argument.value(replica));
    place.answer = function_(own);
  }

  Strategy& strategy_;
  const ReplicaFunction& function_;
  const std::vector<PerReplica>& arguments_;
  SharedCreations creations_;
  const std::vector<ops::Recorder*> outside_;          // who records around the run
  runtime::Actor& actor_ = runtime::Actor::Current();  // replicas take turns: one line of events
  const runtime::VariableHold* const hold_ = runtime::VariableHold::Current();
  const bool shared_ = SharesReplicas(strategy_);
  bool comparing_ = false;
  std::map<std::string, std::vector<Tensor>> written_;  // variables with a copy for each replica
  std::vector<Place> places_;
  base::FiberGroup group_;  // last: its end unwinds fibers that use the rest
};

std::vector<PerReplica> Regroup(const std::vector<std::vector<Tensor>>& by_replica) {
  for (size_t r = 1; r < by_replica.size(); ++r) {
    if (by_replica[r].size() == by_replica[0].size()) continue;
    throw Error(Code::kInvalidArgument,
                "[run] all replicas must give as many results; got " +
                    std::to_string(by_replica[0].size()) + " from replica 0 and " +
                    std::to_string(by_replica[r].size()) + " from replica " + std::to_string(r));
  }
  std::vector<PerReplica> results;
  for (size_t i = 0; i < by_replica[0].size(); ++i) {
    std::vector<Tensor> values;
    bool one_object = true;
    for (const auto& own : by_replica) {
      values.push_back(own[i]);
      one_object &= own[i].defined() && values[0].defined() && own[i].id() == values[0].id();
    }
    if (one_object) {
      results.emplace_back(values[0]);
    } else {
      results.emplace_back(std::move(values));
    }
  }
  return results;
}

}  // namespace

std::vector<PerReplica> RunEagerly(Strategy& strategy, const ReplicaFunction& function,
                                   const std::vector<PerReplica>& arguments) {
  if (strategy.num_replicas_in_sync() == 1) {
    SharedCreations creations(strategy);
    SoloMeeter meeter(strategy);
    const ReplicaBatchScope whole(0, 1);
    const ReplicaScope scope(strategy, 0, &meeter, creations.CreatorOf(0));
    const ops::ReplicaRecording recording(ops::Recorders());
    std::vector<Tensor> own;
    for (const PerReplica& argument : arguments) own.push_back(argument.value(0));
    return Regroup({function(own)});
  }
  return Regroup(Fibers(strategy, function, arguments).Run());
}

}  // namespace lockstep::distribute
