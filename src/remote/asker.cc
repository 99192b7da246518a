#include "remote/asker.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <set>

namespace lockstep::remote {

namespace {

constinit thread_local AskerScope* current_scope = nullptr;

const std::string& OwnProcessName() {
  static const auto* name = [] {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host = {"localhost"};
    return new std::string("process " + std::to_string(::getpid()) + " on " + host.data());
  }();
  return *name;
}

constexpr int kFunctions = 1 << 30;  // numbers from here on are no threads

std::string NameOf(const runtime::Actor& actor) {
  if (actor.number() >= kFunctions) return "a function of " + OwnProcessName();
  return "thread " + std::to_string(actor.number()) + " of " + OwnProcessName();
}

// What a server remembers of the last ones that have asked stays known here after their end.
void Remember(runtime::Actor& actor) {
  constexpr size_t kMost = 256;
  static std::mutex mutex;
  static auto* last = new std::deque<std::shared_ptr<runtime::Actor>>;
  thread_local uint64_t remembered = 0;
  const auto number = static_cast<uint64_t>(actor.number());
  if (remembered == number) return;
  remembered = number;
  const std::lock_guard lock(mutex);
  for (const auto& one : *last) {
    if (one.get() == &actor) return;
  }
  actor.AddRecord();
  last->push_back(actor.shared_from_this());
  if (last->size() <= kMost) return;
  last->front()->DropRecord();
  last->pop_front();
}

// Names of files for as long as a log may refer to them; a client can't make up any number.
const char* KeptFileName(const std::string& name) {
  constexpr size_t kMost = 65536;
  static std::mutex mutex;
  static auto* names = new std::set<std::string>;
  static constinit thread_local const char* last = "";  // mostly it is this one again
  if (name == last) return last;
  const std::lock_guard lock(mutex);
  if (names->size() >= kMost && !names->contains(name)) return "";
  return last = names->insert(name).first->c_str();
}

void PutPlace(const runtime::AccessPlace& place, cluster::FieldWriter* writer) {
  writer->Put(place.version).Put(place.process).Put(static_cast<int32_t>(place.thread));
  writer->PutText(place.who).PutText(place.site.file).Put(place.site.line);
}

// A coordinator's variable as its program names it.
std::string ShownName(std::string name) {
  const size_t first = name.find('/');
  const size_t second = first == std::string::npos ? first : name.find('/', first + 1);
  return name.starts_with("@") && second != std::string::npos ? name.substr(second + 1) : name;
}

runtime::AccessPlace TakePlace(cluster::FieldReader* reader) {
  runtime::AccessPlace place;
  place.version = reader->Take<uint64_t>();
  place.process = reader->Take<uint64_t>();
  place.thread = reader->Take<int32_t>();
  place.who = reader->TakeText();
  place.site.file = KeptFileName(reader->TakeText());
  place.site.line = reader->Take<uint32_t>();
  if (place.process == runtime::ProcessNumber()) {
    place.process = 0;
    place.who = place.thread < kFunctions ? "" : "a function";
  }
  return place;
}

}  // namespace

Asker Asker::Current(const ops::SourceSite& site) {
  if (!runtime::FollowsAccesses()) return {};
  return Of(runtime::Actor::Current(), site);
}

Asker Asker::Of(runtime::Actor& actor, const ops::SourceSite& site) {
  if (!runtime::FollowsAccesses() || actor.serves()) return {};
  Remember(actor);
  Asker asker{.process = runtime::ProcessNumber(),
              .number = actor.number(),
              .epoch = actor.epoch(),
              .refuses = runtime::RaceHookRefuses(),
              .name = NameOf(actor),
              .line = site.line};
  const std::string_view path = site.file;
  asker.file = path.substr(path.find_last_of('/') + 1);
  for (const runtime::Known& known : actor.known()) {
    const uint64_t process = known.actor->process();
    asker.knows.push_back({process != 0 ? process : runtime::ProcessNumber(), known.actor->number(),
                           known.certain, known.hinted});
  }
  return asker;
}

void Put(const Asker& asker, cluster::FieldWriter* writer) {
  writer->Put(asker.process);
  if (!asker.follows()) return;
  writer->Put(asker.number).Put(asker.epoch).Put(static_cast<uint8_t>(asker.refuses));
  writer->PutText(asker.name).PutText(asker.file).Put(asker.line);
  writer->Put(static_cast<uint32_t>(asker.knows.size()));
  for (const Asker::Knows& known : asker.knows) {
    writer->Put(known.process).Put(known.number).Put(known.certain).Put(known.hinted);
  }
}

Asker TakeAsker(cluster::FieldReader* reader) {
  Asker asker;
  asker.process = reader->Take<uint64_t>();
  if (!asker.follows()) return asker;
  asker.number = reader->Take<int32_t>();
  asker.epoch = reader->Take<uint64_t>();
  asker.refuses = reader->Take<uint8_t>() != 0;
  asker.name = reader->TakeText();
  asker.file = reader->TakeText();
  asker.line = reader->Take<uint32_t>();
  for (uint32_t i = reader->TakeCount(); reader->ok() && i > 0; --i) {
    Asker::Knows known;
    known.process = reader->Take<uint64_t>();
    known.number = reader->Take<int32_t>();
    known.certain = reader->Take<uint64_t>();
    known.hinted = reader->Take<uint64_t>();
    asker.knows.push_back(known);
  }
  if (asker.number <= 0) reader->Refuse();
  return asker;
}

void Put(const std::vector<runtime::RaceFinding>& findings, cluster::FieldWriter* writer) {
  writer->Put(static_cast<uint32_t>(findings.size()));
  for (const runtime::RaceFinding& finding : findings) {
    writer->Put(static_cast<uint8_t>(finding.kind)).Put(static_cast<uint8_t>(finding.certain));
    writer->PutText(finding.variable);
    for (const auto* place : {&finding.read, &finding.written, &finding.assigned})
      PutPlace(*place, writer);
  }
}

std::vector<runtime::RaceFinding> TakeFindings(cluster::FieldReader* reader) {
  std::vector<runtime::RaceFinding> findings;
  for (uint32_t i = reader->TakeCount(); reader->ok() && i > 0; --i) {
    runtime::RaceFinding finding;
    finding.kind = reader->Take<uint8_t>() == 0 ? runtime::RaceFinding::Kind::kLostUpdate
                                                : runtime::RaceFinding::Kind::kMixedGradient;
    finding.certain = reader->Take<uint8_t>() != 0;
    finding.variable = ShownName(reader->TakeText());
    finding.on_server = true;
    for (auto* place : {&finding.read, &finding.written, &finding.assigned})
      *place = TakePlace(reader);
    findings.push_back(std::move(finding));
  }
  return findings;
}

Status TellFindings(const std::vector<runtime::RaceFinding>& findings) {
  const runtime::RaceHook hook = runtime::CurrentRaceHook();
  try {
    for (const runtime::RaceFinding& finding : findings) {
      if (hook != nullptr) hook(finding);
    }
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

std::shared_ptr<runtime::Actor> MakeActorOfFunctions() {
  static std::atomic<int> next{kFunctions};
  return std::make_shared<runtime::Actor>(runtime::ProcessNumber(), next.fetch_add(1),
                                          "a function of " + OwnProcessName());
}

AskerScope::AskerScope(const Asker& asker, std::vector<runtime::RaceFinding>* findings)
    : follows_(asker.follows() && runtime::FollowsAccesses()),
      refuses_(asker.refuses),
      findings_(findings),
      outer_(current_scope) {
  hook_.emplace(follows_ ? &Collect : nullptr);
  if (!follows_) return;
  actor_ = runtime::Actor::Elsewhere(asker.process, asker.number, asker.name);
  runtime::Knowledge knowledge;
  for (const Asker::Knows& known : asker.knows) {
    auto other = runtime::Actor::Elsewhere(known.process, known.number);
    if (other != nullptr) knowledge.push_back({std::move(other), known.certain, known.hinted, 0});
  }
  actor_->BeAt(asker.epoch, std::move(knowledge));
  acts_.emplace(*actor_);
  if (asker.line != 0) site_.emplace(ops::SourceSite{KeptFileName(asker.file), asker.line});
  current_scope = this;
}

AskerScope::~AskerScope() { current_scope = outer_; }

void AskerScope::Collect(const runtime::RaceFinding& finding) {
  current_scope->findings_->push_back(finding);
  if (!current_scope->refuses_) return;
  throw Error(Code::kFailedPrecondition, "[race] a lost update of `" + finding.variable +
                                             "` is refused; got an assignment of what was computed "
                                             "from version " +
                                             std::to_string(finding.read.version));
}

}  // namespace lockstep::remote
