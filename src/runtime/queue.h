#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "random/philox.h"
#include "runtime/shared_object.h"

namespace lockstep::runtime {

/// A queue of elements, each of some tensors. Who puts one in waits while it is full, who takes one
/// out waits for one; each kind of waiters is served in the order in which they have come. The
/// orders of elements, what closing does to waiters and the texts of errors are TensorFlow's.
/// Source: TF core/kernels/{queue_base,fifo_queue,padding_fifo_queue,random_shuffle_queue_op,
/// priority_queue}.cc.
class Queue : public SharedObject {
 public:
  enum class Order : uint8_t { kFirstIn, kPadding, kRandom, kPriority };
  struct Spec {
    Order order = Order::kFirstIn;
    int64_t capacity = 0;  // 0 and less: any number
    int64_t min_after_dequeue = 0;
    int64_t seed = 0, seed2 = 0;  // both 0: another order each time
    std::vector<DType> dtypes;
    std::vector<Shape> shapes;  // of components, sizes -1 unknown; empty: any
  };
  using Element = std::vector<Tensor>;

  Queue(std::string name, Spec spec);

  /// "QueueEnqueue", "QueueEnqueueMany", "QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo",
  /// "QueueSize", "QueueIsClosed", "QueueClose".
  Ticket Start(std::string_view op, const ops::Attributes& attributes,
               const std::vector<Tensor>& inputs, Done done) override;
  void Cancel(Ticket ticket) override;

 private:
  // An op that waits, or has not begun.
  struct Pending {
    Ticket ticket = 0;
    std::deque<Element> elements;  // to be put in, or taken so far
    int64_t wanted = 0;            // elements in all, of a dequeue
    bool stacked = false;
    bool fewer_at_the_end = false;
    bool closes = false;  // when what was to be put in before is in
    Done done;
  };
  Result<std::deque<Element>> Elements(const std::vector<Tensor>& inputs, bool many) const;
  Status CheckShape(size_t component, const Shape& got) const;
  void Proceed(std::vector<Ended>* ended);
  bool Put(std::vector<Ended>* ended);
  bool Take(std::vector<Ended>* ended);
  Element TakeOne();
  void GiveBack(Pending* pending);
  void CancelPuts(std::vector<Ended>* ended);
  std::vector<Tensor> Joined(const Pending& pending) const;
  Status NotEnough(const Pending& pending) const;

  const std::string name_;
  const Spec spec_;
  std::mutex mutex_;
  // All below are guarded by mutex_.
  std::deque<Element> elements_;
  random::WordReader draw_;
  bool closed_ = false;
  Ticket next_ = 0;
  std::list<Pending> putting_, taking_;
};

}  // namespace lockstep::runtime
