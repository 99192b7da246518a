// Steps that can only be read from the front: filter, scan, interleave, window, pieces.

#include <algorithm>
#include <deque>
#include <utility>

#include "base/event_loop.h"
#include "data/dataset_node.h"
#include "data/read_ahead.h"
#include "data/rows.h"

namespace lockstep::data {

namespace {

class StepReader : public ElementReader {
 public:
  explicit StepReader(Dataset::Generator next) : next_(std::move(next)) {}
  std::optional<Element> Next() override { return next_(); }

 private:
  Dataset::Generator next_;
};

class StreamNode : public DatasetNode {
 public:
  StreamNode(NodePtr input, StreamStep step)
      : DatasetNode(step.name, {std::move(input)}), step_(std::move(step)) {}
  int64_t cardinality() const override { return step_.cardinality; }
  Spec spec() const override { return step_.spec; }
  std::string stream_reason() const override { return step_.reason; }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    auto elements = input().Read(pass, 0);
    auto reader = std::make_unique<StepReader>(
        step_.open_counted
            ? step_.open_counted(std::move(elements), {input(), pass, step_.function_step})
            : step_.open(std::move(elements)));
    Discard(*reader, first);
    return reader;
  }
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<StreamNode>(inputs[0], step_);
  }
  const StreamStep& step() const { return step_; }

 private:
  StreamStep step_;
};

using Reader = std::shared_ptr<ElementReader>;

// The open datasets of an interleave.
struct Slots {
  Slots(Reader reader, const ElementCounter& of) : input(std::move(reader)), places(of) {}

  struct Slot {
    std::optional<Dataset> dataset;  // which the reader uses
    std::unique_ptr<ElementReader> reader;
  };

  std::optional<Element> Next() {
    for (size_t idle = 0; idle < slots.size();) {
      Slot& slot = slots[turn];
      if (slot.reader == nullptr && !Refill(slot)) {
        ++idle;
        Turn();
        continue;
      }
      idle = 0;
      std::optional<Element> element = slot.reader->Next();
      if (!element) {
        slot.reader.reset();
        Turn();
        continue;
      }
      if (++given == block) Turn();
      return element;
    }
    return std::nullopt;
  }
  bool Refill(Slot& slot) {
    if (ended) return false;
    const std::optional<Element> element = input->Next();
    ended = !element;
    if (ended) return false;
    const runtime::ElementPlace place = places.Next();
    {
      const runtime::ElementScope scope(place);
      slot.dataset = function(*element);
    }
    slot.reader = slot.dataset->node()->Read({0, place.number}, 0);
    if (!threads.empty()) {
      const size_t number = static_cast<size_t>(&slot - slots.data());
      slot.reader = ReadAhead(std::move(slot.reader), slot.dataset->node(), block + 1,
                              threads[number % threads.size()].executor());
    }
    return true;
  }
  void Turn() {
    turn = (turn + 1) % slots.size();
    given = 0;
  }

  Reader input;
  ElementCounter places;
  Dataset::Expansion function;
  int64_t block = 1;
  std::vector<base::EventThread> threads;  // before the readers that they read ahead
  std::vector<Slot> slots;
  size_t turn = 0;
  int64_t given = 0;
  bool ended = false;
};

// The elements that windows still need.
struct Windows {
  std::optional<Element> Next() {
    while (skip > 0 && Available(0)) {
      held.pop_front();
      --skip;
    }
    if (!Available(0)) return std::nullopt;
    std::vector<Element> window;
    for (int64_t j = 0; j < size && Available(j * stride); ++j) window.push_back(held[j * stride]);
    if (drop && static_cast<int64_t>(window.size()) < size) return std::nullopt;
    skip = shift;
    return StackElements(window, "window");
  }
  bool Available(int64_t place) {
    while (!ended && static_cast<int64_t>(held.size()) <= place) {
      std::optional<Element> element = input->Next();
      ended = !element;
      if (element) held.push_back(std::move(*element));
    }
    return place < static_cast<int64_t>(held.size());
  }

  Reader input;
  int64_t size, shift, stride;
  bool drop;
  std::deque<Element> held;
  int64_t skip = 0;
  bool ended = false;
};

int64_t WindowCount(int64_t elements, int64_t size, int64_t shift, int64_t stride, bool drop) {
  if (elements < 0) return elements;
  const int64_t needed = drop ? (size - 1) * stride + 1 : 1;
  return elements < needed ? 0 : (elements - needed) / shift + 1;
}

// Rows [begin, end) of each component.
Element RowRange(const Element& batch, int64_t begin, int64_t end) {
  std::vector<int64_t> rows;
  for (int64_t row = begin; row < end; ++row) rows.push_back(row);
  Element piece;
  for (const Tensor& tensor : batch) piece.push_back(GatherRows(tensor, rows));
  return piece;
}

struct Pieces {
  std::optional<Element> Next() {
    if (piece == replicas) {
      std::optional<Element> next = input->Next();
      if (!next) return std::nullopt;
      batch = std::move(*next);
      if (batch[0].rank() == 0) {
        Refuse("pieces", "the dataset must be batched", Describe(SpecsOf(batch)),
               "call Batch(size of a global batch)");
      }
      piece = 0;
    }
    const int64_t rows = batch[0].shape()[0];
    const int64_t size = (rows + replicas - 1) / replicas;
    const int64_t begin = std::min(rows, piece * size);
    ++piece;
    return RowRange(batch, begin, std::min(rows, begin + size));
  }
  Reader input;
  int64_t replicas;
  Element batch = {};
  int64_t piece = replicas;
};

}  // namespace

NodePtr MakeStream(NodePtr input, StreamStep step) {
  return std::make_shared<StreamNode>(std::move(input), std::move(step));
}

NodePtr MakeFilter(NodePtr input, std::function<bool(const Element&)> predicate) {
  StreamStep step{"filter", "which elements stay is known when they are read"};
  step.spec = input->spec();
  step.open_counted = [predicate = std::move(predicate)](
                          Reader reader, ElementCounter places) -> Dataset::Generator {
    return [predicate, reader, places]() mutable -> std::optional<Element> {
      while (std::optional<Element> element = reader->Next()) {
        const runtime::ElementScope scope(places.Next());
        if (predicate(*element)) return element;
      }
      return std::nullopt;
    };
  };
  return MakeStream(std::move(input), std::move(step));
}

NodePtr MakeScan(NodePtr input, const Element& state, Dataset::ScanFunction function) {
  StreamStep step{"scan", "an element depends on those before it", input->cardinality()};
  step.open_counted = [state, function = std::move(function)](
                          Reader reader, ElementCounter places) -> Dataset::Generator {
    return [now = state, function, reader, places]() mutable -> std::optional<Element> {
      const std::optional<Element> element = reader->Next();
      if (!element) return std::nullopt;
      const runtime::ElementScope scope(places.Next());
      auto [next, result] = function(now, *element);
      now = std::move(next);
      return result;
    };
  };
  return MakeStream(std::move(input), std::move(step));
}

NodePtr MakeInterleave(NodePtr input, Dataset::Expansion function, int64_t cycle, int64_t block,
                       int threads) {
  if (cycle < 1 || block < 1) {
    Refuse("interleave", "cycle and block must be at least 1",
           std::to_string(cycle) + " and " + std::to_string(block), "1 and 1 is a flat map");
  }
  StreamStep step{
      threads > 0 ? "interleave(" + std::to_string(threads) + " threads)" : "interleave",
      "how many elements an element gives is known when it is read"};
  step.expansion = function;
  step.open_counted = [=](Reader reader, ElementCounter places) -> Dataset::Generator {
    auto slots = std::make_shared<Slots>(std::move(reader), places);
    slots->function = function;
    slots->block = block;
    slots->threads = std::vector<base::EventThread>(std::min<int64_t>(threads, cycle));
    slots->slots.resize(cycle);
    return [slots] { return slots->Next(); };
  };
  return MakeStream(std::move(input), std::move(step));
}

const Dataset::Expansion* ExpansionOf(const DatasetNode& node) {
  const auto* stream = dynamic_cast<const StreamNode*>(&node);
  return stream != nullptr && stream->step().expansion ? &stream->step().expansion : nullptr;
}

NodePtr MakeWindow(NodePtr input, int64_t size, int64_t shift, int64_t stride,
                   bool drop_remainder) {
  if (size < 1 || shift < 1 || stride < 1) {
    Refuse("window", "size, shift and stride must be at least 1",
           std::to_string(size) + ", " + std::to_string(shift) + " and " + std::to_string(stride),
           "a shift as large as the size gives batches");
  }
  StreamStep step{"window", "windows overlap and are read in order",
                  WindowCount(input->cardinality(), size, shift, stride, drop_remainder)};
  step.open = [=](Reader reader) -> Dataset::Generator {
    auto windows = std::make_shared<Windows>(
        Windows{std::move(reader), size, shift, stride, drop_remainder, {}});
    return [windows] { return windows->Next(); };
  };
  return MakeStream(std::move(input), std::move(step));
}

NodePtr MakePieces(NodePtr input, int64_t replicas) {
  const int64_t batches = input->cardinality();
  StreamStep step{"pieces", "how many rows an element has is known when it is read",
                  batches < 0 ? batches : batches * replicas};
  step.open = [replicas](Reader reader) -> Dataset::Generator {
    auto pieces = std::make_shared<Pieces>(Pieces{std::move(reader), replicas});
    return [pieces] { return pieces->Next(); };
  };
  return MakeStream(std::move(input), std::move(step));
}

}  // namespace lockstep::data
