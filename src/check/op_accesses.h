#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::graph_def {
class NodeDef;
}

namespace lockstep::check {

/// How an op hands on handles and references.
enum class Pass : uint8_t {
  kNone,
  kFirst,  // both outputs are the first input
  kSame,   // output i is input i
  kAny,    // the output is one of the inputs
  kLater,  // the output is one of the inputs but the first
  kMixes,  // each output may be each input
};
Pass PassOf(std::string_view op);
/// A text attribute; empty where the node has none of that name.
std::string TextOf(const graph_def::NodeDef& node, const char* name);
/// Whether what comes out of the op is still a reference of version 1; other ops take the value
/// behind it.
bool KeepsReference(std::string_view op);
/// Whether an output of the op is an input's buffer under another name, and whether it is that of
/// input `input`.
bool KeepsBuffer(std::string_view op);
bool KeepsBufferOf(std::string_view op, int input);
/// Whether the op looks at an input's shape or existence alone.
bool IgnoresValue(std::string_view op);

enum class AccessKind : uint8_t {
  kRead,
  kWrite,       // the new value does not depend on the old one
  kUpdate,      // it does
  kAccumulate,  // it does, by an operation that commutes with itself
};
enum class Accumulation : uint8_t {
  kNone,
  kAddition,
  kMultiplication,
  kDivision,
  kMinimum,
  kMaximum
};

/// What keeps other changes of the variable out.
enum class Lock : uint8_t {
  kOwn,     // all that take one
  kShared,  // those that take one of their own
  kNone
};
/// The lock of an op that changes a variable (`reference`: of version 1) and is not told to lock
/// it.
Lock LockWithoutAsking(std::string_view op, bool reference);

struct OpAccess {
  AccessKind kind = AccessKind::kRead;
  Accumulation accumulation = Accumulation::kNone;
  int rows = -1;           // the input that lists the rows, the only ones that are touched
  bool tuples = false;     // it lists places by several indices each
  int slice = -1;          // the input with the begins of a slice, which is all that is touched
  int value = -1;          // the input that becomes the value
  bool part = false;       // of the rows only
  bool in_turn = false;    // an update that gives each who comes something else, and loses nothing
  bool existence = false;  // a read of whether there is a value, and not of the value
};

/// Whether input `input` of the op surely is a handle of a variable, whoever made it.
bool TakesVariable(std::string_view op, int input);

/// What the op does to a variable that input `input` is a handle of (`reference`: version 1), or
/// nothing. What is not known of an op that takes a handle counts as an update.
std::optional<OpAccess> AccessOfVariable(const graph_def::NodeDef& node, int input, bool reference);
/// The same for iterators and tables.
std::optional<OpAccess> AccessOfIterator(std::string_view op);
/// Whether the op takes an iterator's next element.
bool TakesElement(std::string_view op);
/// Whether the dataset makes elements before they are asked for.
bool MakesElementsAhead(std::string_view op);
std::optional<OpAccess> AccessOfTable(std::string_view op);

/// Whether `op` begins a life: of a variable (`Assign`), an iterator or a table.
bool Assigns(std::string_view op);
bool InitializesObject(std::string_view op);

}  // namespace lockstep::check
