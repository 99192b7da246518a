#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lockstep/data/dataset.h"
#include "runtime/element_draws.h"

namespace lockstep::data {

/// Which pass over a step a reader makes. Everything about the pass follows from both numbers.
struct Pass {
  Pass(int64_t number, int64_t round = 0) : number(number), round(round) {}
  bool operator==(const Pass&) const = default;

  int64_t number;  // of all passes, by which shuffles differ
  int64_t round;   // of those that one iterator makes, as of a repeat
};

/// The elements of one pass, in order. An error that `Next` throws belongs to the element in turn;
/// the next call goes on behind it where the source can.
class ElementReader {
 public:
  virtual ~ElementReader() = default;
  virtual std::optional<Element> Next() = 0;
};

/// A pass whose elements are one string each: steps that move elements ask for the strings, so that
/// no tensor is made of each.
class TextReader : public ElementReader {
 public:
  /// The next element, in place of what `text` held; false at the end.
  virtual bool NextText(std::string& text) = 0;
  std::optional<Element> Next() final;
};

/// The elements of one pass of an indexable dataset, by number. One thread at a time.
class ElementTable {
 public:
  virtual ~ElementTable() = default;
  /// 0 <= index < the cardinality.
  virtual Element At(int64_t index) = 0;
  /// Appends the rows of the node's `rows` of which the elements [begin, end) consist.
  virtual void AppendRows(int64_t begin, int64_t end, std::vector<int64_t>& rows);
};

/// Whole tensors whose rows the elements are: one an element, or several where they are batched.
struct RowSource {
  std::vector<Tensor> tensors;
  bool batched = false;
};

using Spec = std::optional<std::vector<TensorSpec>>;

class DatasetNode;
using NodePtr = std::shared_ptr<const DatasetNode>;

/// One step of a pipeline. Everything about pass k follows from k, so that any task can read it.
class DatasetNode {
 public:
  DatasetNode(std::string name, std::vector<NodePtr> inputs);
  virtual ~DatasetNode() = default;

  /// "shuffle(buffer 1000)"
  const std::string& name() const { return name_; }
  const std::vector<NodePtr>& inputs() const { return inputs_; }
  virtual int64_t cardinality() const = 0;
  virtual Spec spec() const { return std::nullopt; }

  /// Why this step is a stream over inputs that are all indexable; empty where it is not.
  virtual std::string stream_reason() const { return {}; }
  bool indexable() const;
  /// A reader of pass `pass` from element `first` on; at the end of the pass where there are fewer.
  virtual std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const;
  /// Of an indexable node.
  virtual std::unique_ptr<ElementTable> Table(Pass pass) const;
  /// Of an indexable node: what its tables' AppendRows speaks of; none where elements are computed.
  virtual std::optional<RowSource> rows() const { return std::nullopt; }

  /// The same step over other inputs; nothing where it cannot be made again.
  virtual NodePtr WithInputs(const std::vector<NodePtr>& inputs) const { return nullptr; }

  /// Whether this step gives the elements of its input in another order, and does nothing else.
  virtual bool moves_elements() const { return false; }

  /// The number of the next pass that an iterator without a place begins.
  int64_t NextPass() const { return CountPasses(1); }
  /// Counts so many as begun; the number of the first of them.
  int64_t CountPasses(int64_t count) const { return next_pass_.fetch_add(count); }

 protected:
  const DatasetNode& input() const { return *inputs_[0]; }

 private:
  const std::string name_;
  const std::vector<NodePtr> inputs_;
  mutable std::atomic<int64_t> next_pass_{0};
};

/// A cardinality as a bound for loops: the largest number where it is infinite or unknown.
int64_t Bound(int64_t cardinality);

/// Reads and forgets `count` elements, or as many as there are.
void Discard(ElementReader& reader, int64_t count);
/// The elements [first, end) of a table.
std::unique_ptr<ElementReader> ReadTable(std::unique_ptr<ElementTable> table, int64_t first,
                                         int64_t end);

/// "[dataset.batch] rule; got VALUE; cure"
[[noreturn]] void Refuse(const char* where, const std::string& rule, const std::string& got,
                         const std::string& cure);

/// The number of a step that calls a function. A step that is made again over other inputs keeps
/// it.
int64_t NextFunctionStep();

/// The places of elements, for the draws of the function that a step calls for each of them.
class ElementCounter {
 public:
  /// `step`: of `NextFunctionStep`.
  ElementCounter(const DatasetNode& input, Pass pass, int64_t step, int64_t first = 0);
  /// The place of element `index` of the pass.
  runtime::ElementPlace At(int64_t index) const;
  /// The place of the next element; the first one's at first.
  runtime::ElementPlace Next() { return At(next_++); }

 private:
  runtime::ElementPlace start_;
  int64_t next_;
};

/// A stream that `open` makes from a reader of its input; the result gives one element a call.
/// `open_counted` in its place is for steps that call functions.
struct StreamStep {
  std::string name;
  std::string reason;
  int64_t cardinality = kUnknownCardinality;
  Spec spec;
  std::function<Dataset::Generator(std::shared_ptr<ElementReader>)> open;
  std::function<Dataset::Generator(std::shared_ptr<ElementReader>, ElementCounter)> open_counted =
      {};
  Dataset::Expansion expansion = {};  // of an interleave
  int64_t function_step = NextFunctionStep();
};
NodePtr MakeStream(NodePtr input, StreamStep step);

// The steps; each checks its arguments. Named as the functions of Dataset.
NodePtr MakeTensors(const Element& components);
NodePtr MakeSlices(const std::vector<Tensor>& components);
NodePtr MakeRange(int64_t start, int64_t stop, int64_t step);
NodePtr MakeGenerator(std::function<Dataset::Generator()> make, std::vector<TensorSpec> signature);
NodePtr MakeRandom(std::optional<int64_t> seed);
/// `count` elements that `element` makes from their number, from any thread.
NodePtr MakeIndexed(std::string name, int64_t count, std::vector<TensorSpec> spec,
                    std::function<Element(int64_t)> element);
NodePtr MakeIdx(const std::string& path);
NodePtr MakeMnist(const std::string& directory, bool train);
NodePtr MakeDigitSet(uint64_t seed, int64_t count, bool train);
NodePtr MakeTextWindows(const std::string& path, int64_t tokens);
NodePtr MakeMap(NodePtr input, std::function<Element(const Element&)> function,
                const MapOptions& options);
NodePtr MakeFilter(NodePtr input, std::function<bool(const Element&)> predicate);
NodePtr MakeScan(NodePtr input, const Element& state, Dataset::ScanFunction function);
NodePtr MakeInterleave(NodePtr input, Dataset::Expansion function, int64_t cycle, int64_t block,
                       int threads = 0);
/// For an interleave of any kind what it makes of an element; nothing for other steps.
const Dataset::Expansion* ExpansionOf(const DatasetNode& node);
NodePtr MakeWindow(NodePtr input, int64_t size, int64_t shift, int64_t stride, bool drop_remainder);
NodePtr MakePaddedBatch(NodePtr input, int64_t size, const std::vector<Shape>& shapes,
                        const std::vector<Tensor>& padding_values, bool drop_remainder);
NodePtr MakePieces(NodePtr input, int64_t replicas);
NodePtr MakeBatch(NodePtr input, int64_t size, bool drop_remainder);
NodePtr MakeUnbatch(NodePtr input);
NodePtr MakeRebatch(NodePtr input, const std::vector<int64_t>& sizes, bool drop_remainder);
NodePtr MakeShuffle(NodePtr input, int64_t buffer, const ShuffleOptions& options);
NodePtr MakeRepeat(NodePtr input, int64_t count);
NodePtr MakeShard(NodePtr input, int64_t shards, int64_t index);
NodePtr MakeTake(NodePtr input, int64_t count);
NodePtr MakeSkip(NodePtr input, int64_t count);
NodePtr MakeZip(const std::vector<NodePtr>& inputs);
NodePtr MakeConcatenate(NodePtr first, NodePtr second);
NodePtr MakeCache(NodePtr input);
NodePtr MakePrefetch(NodePtr input, int elements);

}  // namespace lockstep::data
