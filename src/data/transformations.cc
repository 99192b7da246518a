// Reduce, take_while, unique, ignore_errors and interleave.

#include "lockstep/data/transformations.h"

#include <set>
#include <string>
#include <utility>

#include "base/cores.h"
#include "base/log.h"
#include "data/dataset_node.h"
#include "data/rows.h"

namespace lockstep {

namespace {

using Reader = std::shared_ptr<data::ElementReader>;

// What tells two scalars apart.
std::string Key(const Element& element) {
  const bool fits = element.size() == 1 && element[0].rank() == 0 &&
                    (element[0].dtype() == DType::kString || IsInteger(element[0].dtype()));
  if (!fits) {
    data::Refuse("unique", "the elements must be scalars of an integer or string",
                 data::Describe(data::SpecsOf(element)), "take one component by Map");
  }
  if (element[0].dtype() == DType::kString) return element[0].data<std::string>()[0];
  return {static_cast<const char*>(element[0].raw_data()), element[0].num_bytes()};
}

}  // namespace

Dataset Interleave(const Dataset& dataset, Dataset::Expansion function,
                   const InterleaveOptions& options) {
  const int64_t cores = base::Cores();
  const int64_t cycle = options.cycle_length == kAutotune ? cores : options.cycle_length;
  const int64_t threads =
      options.num_parallel_calls == kAutotune ? cores : options.num_parallel_calls;
  if (threads < 0) {
    data::Refuse("interleave", "the number of threads must not be negative",
                 std::to_string(threads), "0 reads nothing ahead, kAutotune takes the cores");
  }
  return Dataset(data::MakeInterleave(dataset.node(), std::move(function), cycle,
                                      options.block_length, static_cast<int>(threads)));
}

Element Reduce(
    const Dataset& dataset, Element state,
    const std::function<Element(const Element& state, const Element& element)>& function) {
  for (const Element& element : dataset) state = function(state, element);
  return state;
}

Dataset TakeWhile(const Dataset& dataset, std::function<bool(const Element&)> predicate) {
  data::StreamStep step{"take_while", "where it ends is known when it is read"};
  step.spec = dataset.element_spec();
  step.open = [predicate = std::move(predicate)](Reader reader) -> Dataset::Generator {
    return [predicate, reader, ended = false]() mutable -> std::optional<Element> {
      if (ended) return std::nullopt;
      std::optional<Element> element = reader->Next();
      ended = !element || !predicate(*element);
      return ended ? std::nullopt : std::move(element);
    };
  };
  return Dataset(data::MakeStream(dataset.node(), std::move(step)));
}

Dataset Unique(const Dataset& dataset) {
  data::StreamStep step{"unique", "which elements are new is known when they are read"};
  step.spec = dataset.element_spec();
  step.open = [](Reader reader) -> Dataset::Generator {
    return [reader, seen = std::set<std::string>()]() mutable -> std::optional<Element> {
      std::optional<Element> element;
      do element = reader->Next();
      while (element && !seen.insert(Key(*element)).second);
      return element;
    };
  };
  return Dataset(data::MakeStream(dataset.node(), std::move(step)));
}

Dataset IgnoreErrors(const Dataset& dataset, bool log_warning) {
  data::StreamStep step{"ignore_errors", "which elements fail is known when they are read"};
  step.spec = dataset.element_spec();
  step.open = [log_warning](Reader reader) -> Dataset::Generator {
    return [reader, log_warning]() -> std::optional<Element> {
      while (true) {
        try {
          return reader->Next();
        } catch (const Error& error) {
          if (log_warning) {
            base::Log(base::Severity::kWarning,
                      "[dataset.ignore_errors] left out: " + error.status().message());
          }
        }
      }
    };
  };
  return Dataset(data::MakeStream(dataset.node(), std::move(step)));
}

}  // namespace lockstep
