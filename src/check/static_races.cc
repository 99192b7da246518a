#include "lockstep/check/static_races.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "check/find_in_graph.h"
#include "check/race_report.h"
#include "check/runs.h"
#include "graph/graph_def.pb.h"

namespace lockstep {

namespace check {
namespace {

RaceKind KindOf(Conflict conflict) {
  if (conflict == Conflict::kRounding) return RaceKind::kRounding;
  return conflict == Conflict::kUnlocked ? RaceKind::kUnlocked : RaceKind::kRace;
}

// A variable on a worker is that worker's own.
bool Shared(const Object& object) { return object.device.find("job:worker") == std::string::npos; }

bool SharedMutex(const Object& object) {
  return object.kind != Object::Kind::kMutex || Shared(object);
}

class RaceFinder {
 public:
  RaceFinder(const graph::ReadGraph& read, const StaticRaceOptions& options)
      : read_(read), options_(options) {}

  Status Run(const RunNodes& run) {
    LOCKSTEP_ASSIGN_OR_RETURN(const FlatGraph flat,
                              Flatten(read_, run.nodes, run.fetched, run.elsewhere));
    return Look(flat, nullptr, run.initializes, run.born);
  }

  Status Function(int index) {
    LOCKSTEP_ASSIGN_OR_RETURN(const FlatGraph flat, FlattenFunction(read_, index));
    return Look(flat, &read_.graph->library().function(index), false, {});
  }

  std::vector<StaticRace> Take() { return std::move(races_); }

 private:
  Status Look(const FlatGraph& flat, const graph_def::FunctionDef* entry, bool initializes,
              const std::set<std::string>& born) {
    const Values values = FollowHandles(flat, entry);
    const Conditions conditions(flat);
    const Order order(flat, conditions);
    std::vector<Access> accesses = AccessesOf(flat, values, conditions, initializes, born);
    if (options_.replicas <= 1) DropOrdered(flat, order, &accesses);
    const Locks locks(flat, values, order, accesses);
    LOCKSTEP_ASSIGN_OR_RETURN(
        const std::vector<Pair> pairs,
        PairsOf(flat, values, conditions, order, accesses, locks, options_.replicas > 1));
    direct_.clear();
    for (const Pair& pair : pairs) {
      const Access& a = accesses[pair.a];
      const Access& b = accesses[pair.b];
      if (a.through >= 0 || b.through >= 0) continue;
      direct_[{a.object, a.node, b.node}] = pair.before;
      direct_[{a.object, b.node, a.node}] = pair.after;
    }
    const Analysis analysis{read_, flat, values, conditions, order, accesses, pairs, locks};
    std::vector<Found> found;
    for (size_t i = 0; i < pairs.size(); ++i)
      Judge(analysis, static_cast<int>(i), initializes, &found);
    const auto place = [&](const Found& one) {
      const int a = flat.rank[accesses[pairs[one.pair].a].node];
      const int b = flat.rank[accesses[pairs[one.pair].b].node];
      return std::pair(std::min(a, b), std::max(a, b));
    };
    std::stable_sort(found.begin(), found.end(),
                     [&](const Found& a, const Found& b) { return place(a) < place(b); });
    const std::vector<RaceEffect> effects = EffectsOf(analysis, found);
    const std::vector<RaceCure> cures = CuresOf(analysis, found);
    for (size_t i = 0; i < found.size(); ++i) {
      Tell(analysis, found[i], effects[i], cures[i]);
    }
    return Status::Ok();
  }

  void Judge(const Analysis& in, int number, bool initializes, std::vector<Found>* found) const {
    const Pair& pair = in.pairs[number];
    const Access& a = in.accesses[pair.a];
    const Access& b = in.accesses[pair.b];
    const auto keep = [&](RaceScope over, int loop, bool b_first = false) {
      const Access &one = b_first ? b : a, &other = b_first ? a : b;
      const Conflict conflict = ConflictOf(one, other, in.flat, loop, over == RaceScope::kReplicas);
      if (conflict == Conflict::kNone) return false;
      found->push_back({number, conflict, over, loop});
      return true;
    };
    bool told = pair.unordered() && !HiddenByRead(in, pair) && keep(RaceScope::kRun, -1);
    for (auto loop = pair.loops.rbegin(); loop != pair.loops.rend(); ++loop) {
      if (told) {
        if (StaysOver(in, *loop, found->back())) found->back().also.push_back(loop->loop);
        continue;
      }
      told = (loop->a_first && keep(RaceScope::kIterations, loop->loop)) ||
             (loop->b_first && keep(RaceScope::kIterations, loop->loop, true));
    }
    if (told) return;
    const bool late = a.through >= 0 || b.through >= 0;
    const bool locked =
        pair.locked && std::all_of(in.values.objects.begin(), in.values.objects.end(), SharedMutex);
    if (options_.replicas > 1 && !initializes && !late && !locked &&
        Shared(in.values.objects[a.object])) {
      keep(RaceScope::kReplicas, -1);
    }
  }

  // Whether a pair that is told is one over another loop, too, when it is cured, and no pair of one
  // of its ops with itself is, whose cure would be enough.
  static bool StaysOver(const Analysis& in, const UnorderedIterations& other, const Found& told) {
    const Pair& pair = in.pairs[told.pair];
    const Access& a = in.accesses[pair.a];
    const Access& b = in.accesses[pair.b];
    const auto conflict = [&](const Access& one, const Access& then) {
      return ConflictOf(one, then, in.flat, other.loop, false) != Conflict::kNone;
    };
    if (!(other.a_first && conflict(a, b)) && !(other.b_first && conflict(b, a))) return false;
    if (pair.a != pair.b) return !conflict(a, a) && !conflict(b, b);
    // What comes out of the inner loop may lead to the next iteration of the outer one.
    std::vector<char> blocked(in.flat.loops.size());
    for (int around = in.flat.loops[other.loop].parent; around >= 0;
         around = in.flat.loops[around].parent)
      blocked[around] = true;
    for (size_t i = 0; i < in.flat.nodes.size(); ++i) {
      const FlatNode& node = in.flat.nodes[i];
      if (!IsOp(node, {"Exit", "RefExit"}) || node.loop != told.loop) continue;
      const auto after =
          in.order.After(std::vector<int>{static_cast<int>(i)}, blocked, other.loop, 1);
      if (after[in.flat.nodes.size() + a.node] & 1) return false;
    }
    return true;
  }

  // A late use of a buffer is told only where its read itself comes before the write.
  bool HiddenByRead(const Analysis& in, const Pair& pair) const {
    const Access& a = in.accesses[pair.a];
    const Access& b = in.accesses[pair.b];
    if (a.through < 0 && b.through < 0) return false;
    const int read = a.through >= 0 ? a.through : b.through;
    const int writer = a.through >= 0 ? b.node : a.node;
    const auto before = direct_.find({a.object, read, writer});
    if (before == direct_.end()) return !pair.sampled;
    return !before->second;
  }

  void Tell(const Analysis& in, const Found& one, RaceEffect effect, const RaceCure& cure) {
    const Pair& pair = in.pairs[one.pair];
    const Access* first = &in.accesses[pair.a];
    const Access* second = &in.accesses[pair.b];
    if (in.flat.rank[second->node] < in.flat.rank[first->node]) std::swap(first, second);
    StaticRace race{KindOf(one.conflict), effect, one.over};
    if (one.loop >= 0) race.loop = in.flat.loops[one.loop].name;
    race.variable = in.values.objects[first->object].name;
    race.first = Described(in, *first);
    race.second = Described(in, *second);
    race.cure = cure;
    for (const Access* access : {first, second}) {
      if (access->ahead < 0) continue;
      race.cure.text += ", and a dataset that makes no elements ahead, as \"" +
                        in.flat.NameOf(access->ahead) + "\" does";
      break;
    }
    race.more = pair.more;
    const std::string key = race.variable + "\n" + race.first.node + "\n" + race.second.node +
                            "\n" + race.first.function;
    if (told_.insert(key).second) races_.push_back(std::move(race));
  }

  RaceOp Described(const Analysis& in, const Access& access) const {
    const FlatNode& node = in.flat.nodes[access.node];
    RaceOp described;
    described.node = in.flat.NameOf(access.node);
    described.op = node.def->op();
    described.function = in.flat.scopes[node.scope].function;
    described.line = node.line;
    int scope = node.scope;
    while (scope > 0 && in.flat.scopes[scope].parent > 0) scope = in.flat.scopes[scope].parent;
    if (scope > 0) described.call = in.flat.NameOf(in.flat.scopes[scope].begin);
    described.source = SourceOf(node.def->name(), described.function);
    if (access.through >= 0) described.through = in.flat.NameOf(access.through);
    described.reads = access.reads();
    described.writes = access.writes();
    return described;
  }

  // The line of the user's program, if the graph has kept it.
  std::string SourceOf(const std::string& node, const std::string& function) const {
    const graph_def::GraphDebugInfo& info = read_.graph->debug_info();
    const graph_def::GraphDebugInfo::StackTrace* trace = nullptr;
    for (const std::string& key : {node + "@" + function, node}) {
      if (const auto place = info.traces().find(key); place != info.traces().end()) {
        trace = &place->second;
      } else if (const auto id = info.name_to_trace_id().find(key);
                 id != info.name_to_trace_id().end()) {
        const auto by_id = info.traces_by_id().find(id->second);
        if (by_id != info.traces_by_id().end()) trace = &by_id->second;
      }
      if (trace != nullptr) break;
    }
    if (trace == nullptr) return "";
    std::vector<const graph_def::GraphDebugInfo::FileLineCol*> frames;
    for (const auto& frame : trace->file_line_cols()) frames.push_back(&frame);
    for (uint64_t id : trace->frame_id()) {
      const auto frame = info.frames_by_id().find(id);
      if (frame != info.frames_by_id().end()) frames.push_back(&frame->second);
    }
    return UsersLine(frames);
  }

  using Frame = graph_def::GraphDebugInfo::FileLineCol;
  std::string FileOf(const Frame& frame) const {
    const auto& files = read_.graph->debug_info().files();
    const bool known = frame.file_index() >= 0 && frame.file_index() < files.size();
    return known ? files[frame.file_index()] : "";
  }

  // The innermost frame that is no library's. TensorFlow writes the outermost first; others write
  // it the other way round, so that the library's frames come first.
  std::string UsersLine(std::vector<const Frame*> frames) const {
    const auto is_library = [&](const Frame* frame) {
      const std::string file = FileOf(*frame);
      return file.empty() || file.find("site-packages") != std::string::npos ||
             file.find("dist-packages") != std::string::npos;
    };
    if (frames.empty()) return "";
    const bool innermost_first = is_library(frames.front()) && !is_library(frames.back());
    if (!innermost_first) std::reverse(frames.begin(), frames.end());
    const auto place = std::find_if_not(frames.begin(), frames.end(), is_library);
    if (place == frames.end()) return "";
    return FileOf(**place) + ":" + std::to_string((*place)->line());
  }

  const graph::ReadGraph& read_;
  const StaticRaceOptions& options_;
  std::vector<StaticRace> races_;
  std::set<std::string> told_;
  // By object and two nodes: whether the first surely comes before the second.
  std::map<std::tuple<int, int, int>, bool> direct_;
};

}  // namespace

Result<std::vector<StaticRace>> FindInGraph(const graph::ReadGraph& read,
                                            const StaticRaceOptions& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<RunNodes> runs, RunsOf(read, options));
  RaceFinder finder(read, options);
  for (const RunNodes& run : runs) LOCKSTEP_RETURN_IF_ERROR(finder.Run(run));
  if (options.runs.empty()) {
    for (int index : FunctionsNobodyCalls(read)) LOCKSTEP_RETURN_IF_ERROR(finder.Function(index));
  }
  return finder.Take();
}

}  // namespace check

std::string_view RaceKindName(RaceKind kind) {
  switch (kind) {
    case RaceKind::kRounding:
      return "rounding";
    case RaceKind::kUnlocked:
      return "unlocked";
    default:
      return "race";
  }
}

std::string_view RaceEffectName(RaceEffect effect) {
  switch (effect) {
    case RaceEffect::kTornGroup:
      return "torn group";
    case RaceEffect::kStaleRead:
      return "stale read";
    case RaceEffect::kMixedOrder:
      return "mixed order";
    case RaceEffect::kRounding:
      return "rounding";
    default:
      return "lost update";
  }
}

std::string_view RaceScopeName(RaceScope scope) {
  switch (scope) {
    case RaceScope::kIterations:
      return "iterations";
    case RaceScope::kReplicas:
      return "replicas";
    default:
      return "run";
  }
}

namespace {

std::string Words(const RaceOp& access) {
  std::string words = access.op + " \"" + access.node + "\"";
  std::string place = access.source;
  if (access.line > 0) place += (place.empty() ? "line " : ", line ") + std::to_string(access.line);
  if (!place.empty()) words += " (" + place + ")";
  if (!access.through.empty())
    words += ", which uses the buffer read by \"" + access.through + "\"";
  return words;
}

std::string Consequence(const StaticRace& race) {
  switch (race.effect) {
    case RaceEffect::kLostUpdate:
      return race.kind == RaceKind::kUnlocked
                 ? "lost update: without use_locking, additions at the same time can be lost"
                 : "lost update: what one has written can be overwritten unseen";
    case RaceEffect::kTornGroup:
      return "torn group: of the variables written together, some are read old and some new";
    case RaceEffect::kStaleRead:
      return "stale read: the value from before or from after the write";
    case RaceEffect::kMixedOrder:
      return "mixed order: who comes first decides who gets what";
    default:
      return "rounding: the order of additions shows in the last bits";
  }
}

}  // namespace

std::string StaticRace::ToString() const {
  const bool alone = first.node == second.node;
  std::string text = std::string(RaceKindName(kind)) + ": variable \"" + variable + "\": ";
  text += alone ? Words(first) + " is not ordered with itself"
                : Words(first) + " and " + Words(second) + " are not ordered";
  if (over == RaceScope::kIterations) text += " between iterations of \"" + loop + "\"";
  if (over == RaceScope::kReplicas) text += " between replicas";
  text += "\n  what can go wrong: " + Consequence(*this) + "\n  cure: " + cure.text + "\n";
  if (more > 0)
    text += "  and up to " + std::to_string(more) + " more pairs of its accesses, not listed\n";
  return text;
}

namespace {

// A file that was cut to nothing is no graph without races.
Status HasNodes(const graph::ReadGraph& read) {
  if (read.graph->node_size() > 0 || read.graph->library().function_size() > 0) return Status::Ok();
  return Status(Code::kInvalidArgument,
                "[race] a graph must have nodes or functions; got none (" + read.where + ")");
}

}  // namespace

Result<std::vector<StaticRace>> FindRaces(std::string_view text, const std::string& where,
                                          const StaticRaceOptions& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(const graph::ReadGraph read, graph::ReadGraphDef(text, where));
  LOCKSTEP_RETURN_IF_ERROR(HasNodes(read));
  return check::FindInGraph(read, options);
}

Result<std::vector<StaticRace>> FindRacesInFile(const std::string& path,
                                                const StaticRaceOptions& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(const graph::ReadGraph read, graph::ReadGraphDefFile(path));
  LOCKSTEP_RETURN_IF_ERROR(HasNodes(read));
  return check::FindInGraph(read, options);
}

}  // namespace lockstep
