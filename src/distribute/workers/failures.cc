#include "distribute/workers/failures.h"

#include <algorithm>
#include <utility>

#include "base/probe.h"
#include "cluster/fields.h"
#include "distribute/workers/communicator.h"
#include "distribute/workers/journal.h"
#include "net/text_payload.h"

namespace lockstep::distribute {

namespace {

constexpr size_t kMostText = 400;

// The first line; of a traceback of Python, the first one behind the last of its places, which are
// indented.
std::string NameOf(const std::string& text) {
  size_t begin = 0;
  if (text.starts_with("Traceback")) {
    const size_t places = text.rfind("\n ");
    const size_t end = places == std::string::npos ? places : text.find('\n', places + 1);
    if (end != std::string::npos) begin = end + 1;
  }
  const size_t end = std::min(text.find('\n', begin), text.size());
  return text.substr(begin, std::min(end - begin, kMostText));
}

}  // namespace

void Failures::BeginEpoch(net::Transport& transport) {
  transport_ = &transport;
  transport.Listen(net::Channel::kFailures, [this](int from, const net::Message& message) {
    cluster::FieldReader reader(net::TextOf(message.payload));
    News news{.who = ranks_.watch().tasks()[static_cast<size_t>(from)]};
    news.activity = reader.Take<uint64_t>();
    news.calls = reader.Take<uint64_t>();
    news.why = reader.TakeText();
    if (reader.ok()) Hear(std::move(news));
    return net::Receipt::kTaken;
  });
}

void Failures::EndEpoch() {
  end_.Stop();
  early_.reset();
  if (transport_ != nullptr) transport_->Listen(net::Channel::kFailures, nullptr);
  transport_ = nullptr;
}

void Failures::Tell(uint64_t activity, uint64_t calls, const std::string& why) {
  if (transport_ == nullptr) return;
  const net::Payload payload =
      net::TextPayload(cluster::FieldWriter().Put(activity).Put(calls).PutText(NameOf(why)).Take());
  for (int to = 0; to < transport_->num_ranks(); ++to) {
    if (to == transport_->rank()) continue;
    transport_->Send(to, {transport_->epoch(), net::Channel::kFailures, payload, {}});
  }
}

void Failures::BeginActivity() {
  if (early_) Hear(*std::exchange(early_, std::nullopt));
}

void Failures::Hear(News news) {
  if (news.activity > ranks_.journal().last_activity_number()) {
    LOCKSTEP_PROBE("a rank hears that another one has left what it has not begun");
    early_ = std::move(news);
    return;
  }
  end_.StartAfter(ranks_.executor(), kGrace, [this, news = std::move(news)] {
    if (!ranks_.journal().Misses(news.activity, news.calls)) {
      LOCKSTEP_PROBE("a rank does not miss who has left an activity by an error");
      return;
    }
    LOCKSTEP_PROBE("an activity ends as a rank has left it by an error of its own");
    const std::string what = Journal::NameOfActivity(news.activity);
    ranks_.group().Abort(
        Status(Code::kAborted, "[" + what + "] all workers must come to the end of the " + what +
                                   "; got an error on " + news.who + ", which has left the " +
                                   what + ": " + news.why +
                                   "; its output has more; mend the program, and start all again"));
  });
}

}  // namespace lockstep::distribute
