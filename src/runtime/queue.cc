#include "runtime/queue.h"

#include <algorithm>

#include "base/randomness.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "ops/builder.h"
#include "runtime/eager.h"
#include "runtime/element_types.h"

namespace lockstep::runtime {

namespace {

const char* KindOf(Queue::Order order) {
  switch (order) {
    case Queue::Order::kFirstIn:
      return "FIFOQueue";
    case Queue::Order::kPadding:
      return "PaddingFIFOQueue";
    case Queue::Order::kRandom:
      return "RandomShuffleQueue";
    case Queue::Order::kPriority:
      return "PriorityQueue";
  }
  return "queue";
}

random::Stream StreamOf(const Queue::Spec& spec) {
  if (spec.seed != 0 || spec.seed2 != 0) return random::PairStream(spec.seed, spec.seed2);
  base::SystemRandomness randomness;
  return random::PairStream(static_cast<int64_t>(randomness.Next()),
                            static_cast<int64_t>(randomness.Next()));
}

// Zeros behind each, up to the largest.
std::vector<Tensor> Padded(std::vector<Tensor> parts) {
  if (parts.empty()) return parts;
  std::vector<int64_t> most(parts[0].shape().sizes().begin(), parts[0].shape().sizes().end());
  for (const Tensor& part : parts) {
    for (size_t i = 0; i < most.size(); ++i) {
      most[i] = std::max(most[i], part.shape()[static_cast<int>(i)]);
    }
  }
  for (Tensor& part : parts) {
    std::vector<AxisPadding> paddings;
    for (size_t i = 0; i < most.size(); ++i) {
      paddings.push_back({0, most[i] - part.shape()[static_cast<int>(i)]});
    }
    if (!(part.shape() == Shape(most))) part = Pad(part, paddings);
  }
  return parts;
}

std::shared_ptr<SharedObject> MakeQueue(const std::string& name, const ops::Attributes& given) {
  Queue::Spec spec;
  const int64_t order = given.GetOr<int64_t>("order", 0);
  if (order < 0 || order > static_cast<int64_t>(Queue::Order::kPriority)) {
    throw Error(Code::kInvalidArgument, "[queue] a queue has one of four orders; got number " +
                                            std::to_string(order) + " for '" + name + "'");
  }
  spec.order = static_cast<Queue::Order>(order);
  spec.capacity = given.GetOr<int64_t>("capacity", 0);
  spec.min_after_dequeue = given.GetOr<int64_t>("min_after_dequeue", 0);
  spec.seed = given.GetOr<int64_t>("seed", 0);
  spec.seed2 = given.GetOr<int64_t>("seed2", 0);
  for (const ops::TensorType& type : ElementTypes(given)) {
    spec.dtypes.push_back(type.dtype);
    spec.shapes.push_back(type.shape);
  }
  if (!given.GetOr("has_shapes", true)) spec.shapes.clear();
  if (spec.dtypes.empty()) {
    throw Error(Code::kInvalidArgument,
                "[queue] elements have one component and more; got none for '" + name + "'");
  }
  return std::make_shared<Queue>(name, std::move(spec));
}
const RegisterSharedObject kQueue("queue", MakeQueue);

const RegisterSharedOp kEnqueue("QueueEnqueue", InferDone);
const RegisterSharedOp kEnqueueMany("QueueEnqueueMany", InferDone);
const RegisterSharedOp kDequeue("QueueDequeue", InferElements);
const RegisterSharedOp kDequeueMany("QueueDequeueMany", InferElements);
const RegisterSharedOp kDequeueUpTo("QueueDequeueUpTo", InferElements);
const RegisterSharedOp kSize("QueueSize", InferCount);
const RegisterSharedOp kIsClosed("QueueIsClosed", InferDone);
const RegisterSharedOp kClose("QueueClose", InferDone);

}  // namespace

Queue::Queue(std::string name, Spec spec)
    : name_(std::move(name)), spec_(std::move(spec)), draw_(StreamOf(spec_)) {}

Status Queue::CheckShape(size_t component, const Shape& got) const {
  if (spec_.shapes.empty()) return Status::Ok();
  const Shape& expected = spec_.shapes[component];
  if (expected.CompatibleWith(got)) return Status::Ok();
  return Status(Code::kInvalidArgument, "Shape mismatch in tuple component " +
                                            std::to_string(component) + ". Expected " +
                                            expected.ToString() + ", got " + got.ToString());
}

Result<std::deque<Queue::Element>> Queue::Elements(const std::vector<Tensor>& inputs,
                                                   bool many) const {
  std::deque<Element> elements;
  if (!many) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      LOCKSTEP_RETURN_IF_ERROR(CheckShape(i, inputs[i].shape()));
    }
    elements.push_back(inputs);
    return elements;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape& shape = inputs[i].shape();
    if (shape.rank() == 0 || shape[0] != inputs[0].shape()[0]) {
      return Status(Code::kInvalidArgument,
                    "All input tensors must have the same size in the 0th dimension. Component " +
                        std::to_string(i) + " has " + shape.ToString() + ", and should have " +
                        (inputs[0].shape().rank() == 0 ? std::string("one")
                                                       : std::to_string(inputs[0].shape()[0])));
    }
    if (shape[0] == 0) continue;
    const std::vector<Tensor> rows = Unstack(inputs[i]);
    LOCKSTEP_RETURN_IF_ERROR(CheckShape(i, rows[0].shape()));
    elements.resize(rows.size());
    for (size_t row = 0; row < rows.size(); ++row) elements[row].push_back(rows[row]);
  }
  return elements;
}

SharedObject::Ticket Queue::Start(std::string_view op, const ops::Attributes& attributes,
                                  const std::vector<Tensor>& inputs, Done done) {
  const ops::BuilderScope eager(&EagerBuilder::Instance());
  const ops::RecordingPause pause;
  std::vector<Ended> ended;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    Pending pending{.ticket = ++next_, .done = std::move(done)};
    ticket = pending.ticket;
    if (op == "QueueEnqueue" || op == "QueueEnqueueMany") {
      Result<std::deque<Element>> elements = Elements(inputs, op == "QueueEnqueueMany");
      if (elements.ok()) {
        pending.elements = *std::move(elements);
        putting_.push_back(std::move(pending));
      } else {
        ended.push_back({std::move(pending.done), elements.status()});
      }
    } else if (op == "QueueSize") {
      const Tensor size = Scalar<int32_t>(static_cast<int32_t>(elements_.size()));
      ended.push_back({std::move(pending.done), std::vector<Tensor>{size}});
    } else if (op == "QueueIsClosed") {
      ended.push_back({std::move(pending.done), std::vector<Tensor>{Scalar(closed_)}});
    } else if (op == "QueueClose") {
      if (attributes.GetOr("cancel_pending_enqueues", false)) {
        CancelPuts(&ended);
        closed_ = true;
        ended.push_back({std::move(pending.done), std::vector<Tensor>{Scalar(true)}});
      } else {
        pending.closes = true;
        putting_.push_back(std::move(pending));
      }
    } else {
      pending.stacked = op != "QueueDequeue";
      pending.fewer_at_the_end = op == "QueueDequeueUpTo";
      pending.wanted = pending.stacked ? inputs[0].scalar<int32_t>() : 1;
      if (pending.wanted < 0) {
        ended.push_back(
            {std::move(pending.done),
             Status(Code::kInvalidArgument, std::string(KindOf(spec_.order)) +
                                                "::DequeueMany needs a number of elements; got " +
                                                std::to_string(pending.wanted))});
      } else {
        taking_.push_back(std::move(pending));
      }
    }
    Proceed(&ended);
  }
  Tell(&ended);
  return ticket;
}

void Queue::Cancel(Ticket ticket) {
  std::vector<Ended> ended;
  {
    const std::lock_guard lock(mutex_);
    for (std::list<Pending>* list : {&putting_, &taking_}) {
      const auto place = std::find_if(list->begin(), list->end(),
                                      [&](const Pending& one) { return one.ticket == ticket; });
      if (place == list->end()) continue;
      if (list == &taking_) GiveBack(&*place);
      ended.push_back(
          {std::move(place->done),
           Status(Code::kCancelled, list == &taking_ ? "Dequeue operation was cancelled"
                                                     : "Enqueue operation was cancelled")});
      list->erase(place);
    }
    const ops::BuilderScope eager(&EagerBuilder::Instance());
    const ops::RecordingPause pause;
    Proceed(&ended);
  }
  Tell(&ended);
}

void Queue::Proceed(std::vector<Ended>* ended) {
  bool goes_on = true;
  while (goes_on) {
    goes_on = Put(ended);
    goes_on |= Take(ended);
  }
}

// What the first who waits can do; whether that was anything.
bool Queue::Put(std::vector<Ended>* ended) {
  if (putting_.empty()) return false;
  Pending& pending = putting_.front();
  bool moved = false;
  if (closed_ && (pending.closes || !pending.elements.empty())) {
    const std::string what =
        (pending.closes ? "Queue" : KindOf(spec_.order)) + (" '" + name_) + "' is ";
    ended->push_back(
        {std::move(pending.done),
         Status(Code::kCancelled, what + (pending.closes ? "already " : "") + "closed.")});
    putting_.pop_front();
    return true;
  }
  while (!pending.elements.empty() &&
         (spec_.capacity <= 0 || static_cast<int64_t>(elements_.size()) < spec_.capacity)) {
    elements_.push_back(std::move(pending.elements.front()));
    pending.elements.pop_front();
    moved = true;
  }
  if (pending.elements.empty()) {
    closed_ |= pending.closes;
    ended->push_back({std::move(pending.done), std::vector<Tensor>{Scalar(true)}});
    putting_.pop_front();
    moved = true;
  }
  return moved;
}

bool Queue::Take(std::vector<Ended>* ended) {
  if (taking_.empty()) return false;
  Pending& pending = taking_.front();
  const auto missing = [&] {
    return pending.wanted - static_cast<int64_t>(pending.elements.size());
  };
  const auto there = static_cast<int64_t>(elements_.size());
  bool moved = false;
  if (closed_ && there < missing()) {
    const int64_t all = there + static_cast<int64_t>(pending.elements.size());
    if (!pending.fewer_at_the_end || all == 0) {
      GiveBack(&pending);
      ended->push_back({std::move(pending.done), NotEnough(pending)});
      taking_.pop_front();
      return true;
    }
    pending.wanted = all;
  }
  const int64_t stays = closed_ || spec_.order != Order::kRandom ? 0 : spec_.min_after_dequeue;
  while (missing() > 0 && static_cast<int64_t>(elements_.size()) > stays) {
    pending.elements.push_back(TakeOne());
    moved = true;
  }
  if (missing() == 0) {
    Result<std::vector<Tensor>> joined = Status(Code::kInternal, "[queue] not joined");
    try {
      joined = Joined(pending);
    } catch (const Error& error) {
      joined = error.status();
    }
    ended->push_back({std::move(pending.done), std::move(joined)});
    taking_.pop_front();
    moved = true;
  }
  return moved;
}

Queue::Element Queue::TakeOne() {
  size_t place = 0;
  if (spec_.order == Order::kRandom) {
    place = draw_.Next() % elements_.size();
    std::swap(elements_[place], elements_.back());
    Element element = std::move(elements_.back());
    elements_.pop_back();
    return element;
  }
  if (spec_.order == Order::kPriority) {
    const auto first = std::min_element(elements_.begin(), elements_.end(),
                                        [](const Element& a, const Element& b) {
                                          return a[0].scalar<int64_t>() < b[0].scalar<int64_t>();
                                        });
    place = static_cast<size_t>(first - elements_.begin());
  }
  Element element = std::move(elements_[place]);
  elements_.erase(elements_.begin() + static_cast<std::ptrdiff_t>(place));
  return element;
}

// To the front, in the order in which they were taken.
void Queue::GiveBack(Pending* pending) {
  while (!pending->elements.empty()) {
    elements_.push_front(std::move(pending->elements.back()));
    pending->elements.pop_back();
  }
}

void Queue::CancelPuts(std::vector<Ended>* ended) {
  for (Pending& pending : putting_) {
    ended->push_back(
        {std::move(pending.done), Status(Code::kCancelled, "Enqueue operation was cancelled")});
  }
  putting_.clear();
}

std::vector<Tensor> Queue::Joined(const Pending& pending) const {
  if (!pending.stacked) return pending.elements.front();
  std::vector<Tensor> joined;
  for (size_t i = 0; i < spec_.dtypes.size(); ++i) {
    std::vector<Tensor> column;
    for (const Element& element : pending.elements) column.push_back(element[i]);
    if (column.empty()) {
      Shape shape{0};
      if (!spec_.shapes.empty()) {
        for (int64_t size : spec_.shapes[i].sizes()) shape.Append(std::max<int64_t>(size, 0));
      }
      joined.push_back(Zeros(shape, spec_.dtypes[i]));
      continue;
    }
    if (spec_.order == Order::kPadding) column = Padded(std::move(column));
    joined.push_back(Stack(column));
  }
  return joined;
}

Status Queue::NotEnough(const Pending& pending) const {
  return Status(Code::kOutOfRange, std::string(KindOf(spec_.order)) + " '" + name_ +
                                       "' is closed and has insufficient elements (requested " +
                                       std::to_string(pending.wanted) + ", current size " +
                                       std::to_string(elements_.size()) + ")");
}

}  // namespace lockstep::runtime
