#include "net/shared_memory_hub.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/printf.h"
#include "base/probe.h"
#include "net/shared_memory_layout.h"
#include "net/shared_memory_link.h"

namespace lockstep::net {

Result<std::unique_ptr<SharedMemoryHub>> SharedMemoryHub::Create(const Place& place,
                                                                 const SharedMemoryOptions& options,
                                                                 base::EventLoop& loop,
                                                                 Heart& heart, LinkEvents& events) {
  auto control = Segment::Create(ControlBytes(place.num_ranks));
  if (!control.ok()) return control.status();
  ControlHead& head = HeadOf((*control)->data());
  head.magic = kControlMagic;
  head.version = kControlVersion;
  head.rank = static_cast<uint32_t>(place.rank);
  head.num_ranks = static_cast<uint32_t>(place.num_ranks);
  head.membership = place.membership;
  return std::unique_ptr<SharedMemoryHub>(
      new SharedMemoryHub(place, options, loop, heart, events, std::move(*control)));
}

SharedMemoryHub::SharedMemoryHub(const Place& place, const SharedMemoryOptions& options,
                                 base::EventLoop& loop, Heart& heart, LinkEvents& events,
                                 std::shared_ptr<Segment> control)
    : place_(place),
      options_(options),
      loop_(loop),
      heart_(heart),
      events_(events),
      control_(std::move(control)),
      arena_(std::make_shared<SharedArena>(options.limit_bytes)),
      pulse_(std::make_shared<SharedMemoryPulse>(control_, place.num_ranks, heart.interval(),
                                                 options.beat_limit, loop)),
      links_(place.num_ranks) {
  HeadOf(control_->data()).core = base::kNoCore;
  HeadOf(control_->data()).barriers = sleep_barrier_.works() ? 1 : 0;
  heart_.Add(pulse_);
  loop_.AddPoller(*this);
}

SharedMemoryHub::~SharedMemoryHub() {
  loop_.AddNeighbours(-neighbours_);
  loop_.RemovePoller(*this);
  SayLeave();
  pulse_->Detach();
  heart_.Remove(pulse_);
}

void SharedMemoryHub::SayLeave() { HeadOf(control_->data()).left.store(1); }

std::unique_ptr<Link> SharedMemoryHub::MakeLink(int peer) {
  auto link = std::make_unique<SharedMemoryLink>(*this, peer);
  links_[peer] = link.get();
  return link;
}

Status SharedMemoryHub::Connect(int peer, FileDescriptor socket, FileDescriptor control) {
  auto segment = Segment::Map(std::move(control), ControlBytes(place_.num_ranks));
  if (!segment.ok()) return segment.status();
  const ControlHead& head = HeadOf((*segment)->data());
  if (head.magic != kControlMagic || head.version != kControlVersion ||
      head.rank != static_cast<uint32_t>(peer) || head.membership != place_.membership) {
    return Status(Code::kFailedPrecondition,
                  "[shared memory] the control segment of rank " + std::to_string(peer) +
                      " must have layout " + std::to_string(kControlVersion) + "; got layout " +
                      std::to_string(head.version) + " of rank " + std::to_string(head.rank) +
                      "; run the same build on all ranks");
  }
  pulse_->Watch(peer, *segment);
  links_[peer]->Open(std::move(socket), std::move(*segment));
  loop_.AddNeighbours(1);
  ++neighbours_;
  return Status::Ok();
}

void SharedMemoryHub::Refuse(int peer, Status why) {
  if (links_[peer] != nullptr) links_[peer]->Fail(std::move(why));
}

bool SharedMemoryHub::Poll() {
  bool any = false;
  PublishCore(base::CurrentCore());
  if (pulse_->TakeNews()) {
    for (int peer = 0; peer < place_.num_ranks; ++peer) {
      const Ailment ailment = pulse_->ailment(peer);
      if (links_[peer] == nullptr || ailment == Ailment::kNone) continue;
      Status why = StatusOf(peer, ailment);
      ailment == Ailment::kSilent ? links_[peer]->Fail(std::move(why))
                                  : links_[peer]->FailAfterMessages(std::move(why));
      any = true;
    }
  }
  for (SharedMemoryLink* link : links_)
    if (link != nullptr) any = link->Poll() || any;
  return any;
}

void SharedMemoryHub::BeforeBlocking() {
  HeadOf(control_->data()).sleep.fetch_add(1, std::memory_order_seq_cst);
  sleep_barrier_.BeforeLooking();
}

void SharedMemoryHub::AfterBlocking() {
  HeadOf(control_->data()).sleep.fetch_add(1, std::memory_order_seq_cst);
}

void SharedMemoryHub::PublishCore(int core) {
  if (core == core_) return;
  core_ = core;
  HeadOf(control_->data()).core.store(core, std::memory_order_relaxed);
}

void SharedMemoryHub::BeforeSleep() { PublishCore(base::kNoCore); }

void SharedMemoryHub::AfterYield() {
  const auto is_taken = [this](int core) {
    return std::ranges::any_of(links_, [core](const SharedMemoryLink* link) {
      return link != nullptr && link->PeersCore() == core;
    });
  };
  own_core_.Seek(is_taken, [this](int core) { PublishCore(core); });
}

void SharedMemoryHub::PublishAbort(Epoch epoch, const Abort& abort) {
  if (published_abort_ == epoch) return;
  published_abort_ = epoch;
  ControlHead& head = HeadOf(control_->data());
  const uint64_t number = head.aborts.load(std::memory_order_relaxed);
  AbortRecord& record = head.records[number % kAbortRecords];
  record.sequence.store(0, std::memory_order_seq_cst);
  record.epoch = epoch;
  record.by = abort.by;
  record.code = static_cast<uint32_t>(abort.reason.code());
  const std::string& text = abort.reason.message();
  record.text_bytes = static_cast<uint32_t>(std::min(text.size(), sizeof(record.text)));
  std::memcpy(record.text, text.data(), record.text_bytes);
  record.sequence.store(number + 1, std::memory_order_release);
  head.aborts.store(number + 1, std::memory_order_seq_cst);
}

Status SharedMemoryHub::StatusOf(int peer, Ailment ailment) const {
  const std::string place =
      base::Printf("(shared memory, rank %d of %d)", place_.rank, place_.num_ranks);
  if (ailment == Ailment::kSilent) {
    return Status(
        Code::kUnavailable,
        base::Printf("[net] rank %d must beat within %.1f ms; got silence for %.1f ms %s; see "
                     "whether it was stopped or its machine is overloaded, or raise the beat's "
                     "limit",
                     peer, base::Milliseconds(pulse_->limit()),
                     base::Milliseconds(pulse_->silence(peer)), place.c_str()));
  }
  const char* end = ailment == Ailment::kLeft ? "its leave" : "the end of its process";
  return Status(Code::kUnavailable, base::Printf("[net] rank %d must outlive the epoch; got %s %s",
                                                 peer, end, place.c_str()));
}

}  // namespace lockstep::net
