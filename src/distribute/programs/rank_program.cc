#include "distribute/programs/rank_program.h"

#include <algorithm>
#include <map>
#include <optional>

#include "collectives/all_to_all.h"
#include "distribute/programs/exchange_labels.h"
#include "distribute/programs/exchange_rows.h"
#include "distribute/programs/told_values.h"
#include "runtime/variable_cell.h"
#include "tensor/buffer.h"

namespace lockstep::distribute {

namespace {

using Numbers = std::vector<int64_t>;

// Some bytes of a tensor, where they lie.
net::Payload BytesOf(const Tensor& tensor, int64_t begin, int64_t count) {
  return {tensor.buffer(),
          {static_cast<const std::byte*>(tensor.raw_data()) + begin, static_cast<size_t>(count)}};
}

collectives::AllToAllRequest MakeRequest(Communicator& ranks, collectives::OpId id,
                                         int64_t fingerprint) {
  collectives::AllToAllRequest request{.id = id, .fingerprint = static_cast<uint32_t>(fingerprint)};
  request.peers.resize(ranks.num_ranks());
  return request;
}

}  // namespace

// Carries out the asynchronous ops of one program.
class RankProgram::Exchanges {
 public:
  Exchanges(Communicator& ranks, SpreadProgram& program)
      : ranks_(ranks),
        roles_(std::move(program.roles)),
        spacing_(Followers::SpacingFor(program.exchanged_bytes)),
        are_told_(program.resting_are_told) {}

  // False: the run is silent, and who rests has nothing to do in it.
  bool BeginRun() {
    step_ = ranks_.NextStep();
    const bool is_silent =
        roles_.AnybodyRests() &&
        ranks_.followers().BeginRun(roles_, ranks_.notes().runs() + 1, step_, spacing_,
                                    are_told_ && !ranks_.reads_follow());
    if (is_silent) {
      ranks_.notes().BeginSilentRun();
    } else {
      note_ = ranks_.BeginNotes(rests());
    }
    return !is_silent;
  }

  // Ends it, when those who rest are near enough.
  void EndRun(std::vector<Tensor> results, const runtime::OnTensors& done) {
    if (!roles_.AnybodyRests()) {
      ranks_.notes().EndRun();
      return done(std::move(results));
    }
    ranks_.followers().WhenNear([this, results = std::move(results), done](const Status& status) {
      if (!status.ok()) return done(status);
      if (ranks_.notes().EndRun(ranks_.followers().EndRun(rests())))
        ranks_.followers().Hear(ranks_.notes().heard());
      done(results);
    });
  }

  const std::map<std::string, runtime::AsynchronousOp>& handlers() const { return handlers_; }

  bool rests() const { return roles_.Rests(ranks_.rank()); }
  // Whether the same ranks are behind with it that rest here, and need not have it here either.
  bool MayStayBehind(const Communicator::Part& part) const {
    return are_told_ && part.behind == roles_.resting();
  }

  // Whose message ended the node's exchange.
  int LastFrom(const graph::Node& node) const {
    const auto found = last_from_.find(node.id);
    return found == last_from_.end() ? -1 : found->second;
  }

 private:
  // The first exchange of a run brings the notes of those that share the work to all, or another
  // one to those that rest.
  collectives::AllToAllRequest Request(const graph::Node& node) {
    const auto bucket = static_cast<uint32_t>(node.attributes.Get<int64_t>("bucket"));
    collectives::AllToAllRequest request =
        MakeRequest(ranks_, {step_, bucket}, node.attributes.Get<int64_t>("fingerprint"));
    request.label = node.attributes.Get<std::string>("label");
    if (!ranks_.notes().is_silent() && (bucket == 0 || TellsResting(node))) {
      request.note = note_;
      ranks_.notes().BringsNotes();
      request.on_note = [this](int, uint32_t note) { ranks_.notes().Hear(note); };
    }
    return request;
  }

  void AddNotes(const graph::Node& node, collectives::AllToAllRequest& request) const {
    if (request.on_note == nullptr) return;
    for (int rank = 0; rank < roles_.num_ranks(); ++rank) {
      const bool brings = are_told_ && (rests() || roles_.Rests(rank)) ? TellsResting(node)
                                                                       : request.id.bucket == 0;
      request.peers[rank].sends_note = brings && !rests();
      request.peers[rank].takes_note = brings && !roles_.Rests(rank);
    }
  }

  // What is the same in every run of an exchange.
  struct Form {
    std::vector<collectives::PeerPieces> peers;  // what comes from each; nothing to send yet
    std::vector<size_t> sent;                    // how many pieces go to each
    std::vector<Numbers> outputs;                // of each peer's pieces
  };

  const Form& FormOf(const graph::Node& node) {
    const auto [found, is_new] = forms_.try_emplace(node.id);
    Form& form = found->second;
    if (!is_new) return form;
    const size_t count = ranks_.num_ranks();
    form.peers.resize(count);
    form.sent.assign(count, 0);
    form.outputs.resize(count);
    const auto& send = node.attributes.Get<Numbers>("send");
    for (size_t i = 0; i < send.size(); i += 4) ++form.sent[send[i]];
    const auto& receive = node.attributes.Get<Numbers>("receive");
    for (size_t i = 0; i < receive.size(); i += 2) {
      const ops::TensorType& type = node.outputs[receive[i + 1]];
      form.peers[receive[i]].receive.push_back(type.shape.num_elements() * DTypeSize(type.dtype));
      form.outputs[receive[i]].push_back(receive[i + 1]);
    }
    return form;
  }

  void Exchange(const graph::Node& node, const std::vector<Tensor>& inputs,
                runtime::OnTensors done) {
    const Form& form = FormOf(node);
    auto outputs = std::make_shared<std::vector<Tensor>>(node.outputs.size());
    const auto output = [&node, outputs](int64_t index, const std::byte* data,
                                         std::shared_ptr<const void> keeper) {
      const ops::TensorType& type = node.outputs[index];
      (*outputs)[index] = Tensor::FromBuffer(
          tensor::Buffer::Borrow(type.dtype, type.shape.num_elements(), data, std::move(keeper)),
          type.dtype, type.shape);
    };
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ops::TensorType& type = node.outputs[i];
      if (type.shape.num_elements() == 0)
        (*outputs)[i] =
            Tensor::FromBuffer(tensor::Buffer::Allocate(type.dtype, 0), type.dtype, type.shape);
    }
    collectives::AllToAllRequest request = Request(node);
    request.peers = form.peers;
    AddNotes(node, request);
    for (size_t rank = 0; rank < form.sent.size(); ++rank)
      request.peers[rank].send.reserve(form.sent[rank]);
    const auto& send = node.attributes.Get<Numbers>("send");
    for (size_t i = 0; i < send.size(); i += 4) {
      request.peers[send[i]].send.push_back(BytesOf(inputs[send[i + 1]], send[i + 2], send[i + 3]));
    }
    const auto& keep = node.attributes.Get<Numbers>("keep");
    for (size_t i = 0; i < keep.size(); i += 3) {
      const Tensor& input = inputs[keep[i + 1]];
      if ((*outputs)[keep[i]].defined()) continue;
      const ops::TensorType& type = node.outputs[keep[i]];
      if (input.shape() == type.shape && input.dtype() == type.dtype) {
        (*outputs)[keep[i]] = input;
      } else {
        output(keep[i], BytesOf(input, keep[i + 2], 0).data(), input.buffer());
      }
    }
    request.on_piece = [output, &form](int from, size_t piece, const net::Payload& bytes) {
      output(form.outputs[from][piece], bytes.data(), bytes.owner());
    };
    collectives::AllToAll(ranks_.group(), std::move(request),
                          [this, id = node.id, outputs,
                           done = std::move(done)](const Result<collectives::Reduced>& result) {
                            if (result.ok()) last_from_[id] = result->last_from;
                            MirrorGathered();
                            result.ok() ? done(std::move(*outputs)) : done(result.status());
                          });
  }

  void Gather(const graph::Node& node, const std::vector<Tensor>& handles,
              runtime::OnTensors done) {
    collectives::AllToAllRequest request = Request(node);
    AddNotes(node, request);
    const auto& borders = node.attributes.Get<Numbers>("borders");
    int* const last_from = &last_from_[node.id];
    if (rests())
      return TakeRowsForLater(ranks_, std::move(request), handles, borders, last_from,
                              std::move(done));
    static const std::vector<bool> nobody;
    ExchangeRows(ranks_, std::move(request), handles, borders,
                 ranks_.notes().is_silent() ? roles_.resting() : nobody, last_from,
                 std::move(done));
    // Several are copied behind each other anyway.
    if (handles.size() == 1) unmirrored_.emplace_back(handles[0], &borders);
  }

  // Those who were sent rows give the memory of those before back once the new ones are there: a
  // wait later it serves again, and two pieces of memory are enough.
  void MirrorGathered() {
    for (const auto& [handle, borders] : unmirrored_)
      MirrorOwnRows(ranks_.group(), handle, *borders);
    unmirrored_.clear();
  }

  const std::map<std::string, runtime::AsynchronousOp> handlers_ = {
      {"_Exchange", [this](const graph::Node& node, const std::vector<Tensor>& inputs,
                           runtime::OnTensors done) { Exchange(node, inputs, std::move(done)); }},
      {"_GatherVariables",
       [this](const graph::Node& node, const std::vector<Tensor>& inputs, runtime::OnTensors done) {
         Gather(node, inputs, std::move(done));
       }}};
  Communicator& ranks_;
  const Roles roles_;
  const uint64_t spacing_;
  const bool are_told_;  // those that rest
  uint64_t step_ = 0;
  uint32_t note_ = 0;
  // By node; nodes of a map stay where they are.
  std::map<int, int> last_from_;
  std::vector<std::pair<Tensor, const Numbers*>> unmirrored_;  // gathered, with their borders
  std::map<int, Form> forms_;
};

namespace {

class NapScope {
 public:
  NapScope(base::Executor& executor, base::Duration nap) : executor_(executor) {
    executor_.set_nap(nap);
  }
  ~NapScope() { executor_.set_nap({}); }
  NapScope(const NapScope&) = delete;
  NapScope& operator=(const NapScope&) = delete;

 private:
  base::Executor& executor_;
};

// What others have written comes later, and nothing before.
void RefuseReads(runtime::VariableCell& cell) {
  cell.AssignLater([name = cell.name()](std::byte*) {
    throw Error(Code::kFailedPrecondition,
                "[multi_worker] a worker that rests must be told a variable before it is read; got "
                "a read of " +
                    name +
                    " behind a step after which nobody was to read; let the callback "
                    "say so (Callback::ReadsEvery), or read it once training has ended");
  });
}

graph::Graph Labelled(graph::Graph graph) {
  LabelExchanges(graph);
  return graph;
}

}  // namespace

RankProgram::RankProgram(SpreadProgram program, Communicator& ranks,
                         const ExecutionOptions& options)
    : ranks_(ranks),
      parts_(std::move(program.parts)),
      told_(std::move(program.told)),
      whole_(std::move(program.taken_whole)),
      program_(Labelled(std::move(program.graph)), options),
      exchanges_(std::make_unique<Exchanges>(ranks, program)) {
  for (const Communicator::Part& part : parts_) whole_.erase(part.handle.object().get());
}

RankProgram::~RankProgram() = default;

void RankProgram::Start(std::vector<Tensor> arguments, base::Team& team, runtime::OnTensors done) {
  const bool tells = exchanges_->BeginRun();
  const bool rests = exchanges_->rests();
  if (tells || left_parts_ != ranks_.parts_version()) {
    ranks_.AddParts(parts_);
    const bool falls_behind = !tells && ranks_.AddParts(told_);
    if (falls_behind && rests)
      for (const Communicator::Part& part : told_) RefuseReads(runtime::CellOf(part.handle));
    if (tells) ranks_.CatchUpWith(told_);
    left_parts_ = tells ? 0 : ranks_.parts_version();
  }
  if (!tells && rests) return exchanges_->EndRun({}, done);
  auto context = std::make_shared<runtime::SegmentedProgram::Context>(
      runtime::SegmentedProgram::Context{ranks_.executor(), team, exchanges_->handlers(),
                                         ranks_.speculation() != nullptr ? &busy_ : nullptr,
                                         [this](const graph::Node& node, base::Time from,
                                                base::Time to) { NoteWait(node, from, to); }});
  program_.Start(std::move(arguments), *context,
                 [this, context, done = std::move(done)](Result<std::vector<Tensor>> results) {
                   if (results.ok()) return exchanges_->EndRun(*std::move(results), done);
                   ranks_.group().Abort(results.status());
                   done(std::move(results));
                 });
}

void RankProgram::NoteWait(const graph::Node& node, base::Time from, base::Time to) {
  waited_ += to - from;
  if (wait_ended_ != base::Time{}) worked_ += from - wait_ended_;
  wait_ended_ = to;
  static const std::string none;
  const bool labelled = base::TraceRecorder::Current() != nullptr;
  ranks_.watch().Waited(labelled ? node.attributes.Get<std::string>("label") : none,
                        exchanges_->LastFrom(node), from, to);
}

// Whether other ranks have rows of a variable than this program leaves with them.
bool RankProgram::HasOtherRows(const Communicator::Part& part) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Communicator::Part& own) {
    return own.IsOf(part) && (own.borders != part.borders || own.behind != part.behind);
  });
}

// Whether the program needs more of the variable than some ranks have, or who reads it after this
// run.
bool RankProgram::IsStale(const Communicator::Part& part) const {
  if (HasOtherRows(part)) return true;
  if (part.behind.empty() || !exchanges_->MayStayBehind(part))
    return whole_.contains(part.handle.object().get());
  const bool is_told = std::any_of(told_.begin(), told_.end(),
                                   [&](const Communicator::Part& told) { return told.IsOf(part); });
  return ranks_.reads_follow() && !is_told;
}

std::vector<Tensor> RankProgram::Run(std::vector<Tensor> arguments, base::Team& team) {
  if (checked_ != ranks_.parts_version() || (ranks_.AnybodyIsBehind() && ranks_.reads_follow())) {
    const bool any = std::any_of(ranks_.parts().begin(), ranks_.parts().end(),
                                 [&](const Communicator::Part& part) { return IsStale(part); });
    if (any) GatherParts(ranks_);
    ranks_.AddParts(parts_);
    checked_ = ranks_.parts_version();
  }
  std::optional<Result<std::vector<Tensor>>> result;
  Start(std::move(arguments), team,
        [&result](Result<std::vector<Tensor>> results) { result = std::move(results); });
  const NapScope naps(ranks_.executor(),
                      exchanges_->rests() ? ranks_.followers().Nap() : base::Duration{});
  ranks_.WaitUntil([&result] { return result.has_value(); });
  return std::move(*result).value();
}

void GatherParts(Communicator& ranks) {
  if (ranks.parts().empty()) return;
  std::vector<Tensor> handles;
  Numbers borders;
  for (const Communicator::Part& part : ranks.parts()) {
    // Who is behind gets all of it, and has no value from before.
    if (!part.behind.empty() && part.behind[ranks.rank()])
      runtime::CellOf(part.handle).PrepareOverwrite();
    handles.push_back(part.handle);
    borders.insert(borders.end(), part.borders.begin(), part.borders.end());
  }
  std::optional<Status> status;
  int last_from = -1;
  const collectives::OpId id{ranks.NextStep(), 0};
  ExchangeRows(ranks, MakeRequest(ranks, id, static_cast<int64_t>(handles.size())), handles,
               borders, {}, &last_from,
               [&status](const Result<std::vector<Tensor>>& result) { status = result.status(); });
  ranks.AwaitPeers(
      "gather rows", [&status] { return status.has_value(); }, last_from);
  status->OrThrow();
  ranks.ClearParts();
}

}  // namespace lockstep::distribute
