// Steps over several datasets, in an order that something else decides.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "data/dataset_node.h"
#include "data/rows.h"
#include "lockstep/data/transformations.h"
#include "random/philox.h"
#include "random/unit_interval.h"
#include "runtime/op_seed.h"

namespace lockstep {

namespace {

using data::ElementReader;
using data::NodePtr;
using data::Refuse;

// Inputs 1, 2, ... in the order that input 0 says.
class ChosenNode : public data::DatasetNode {
 public:
  ChosenNode(std::string name, std::vector<NodePtr> inputs, bool stop_on_empty)
      : DatasetNode(std::move(name), std::move(inputs)), stop_on_empty_(stop_on_empty) {}
  int64_t cardinality() const override { return kUnknownCardinality; }
  data::Spec spec() const override { return inputs()[1]->spec(); }
  std::string stream_reason() const override { return "another dataset decides whose turn it is"; }
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<ChosenNode>(name(), inputs, stop_on_empty_);
  }
  std::unique_ptr<ElementReader> Read(data::Pass pass, int64_t first) const override {
    auto reader = std::make_unique<Reader>();
    reader->choices = inputs()[0]->Read(pass, 0);
    for (size_t i = 1; i < inputs().size(); ++i)
      reader->sources.push_back(inputs()[i]->Read(pass, 0));
    reader->left = reader->sources.size();
    reader->stop_on_empty = stop_on_empty_;
    data::Discard(*reader, first);
    return reader;
  }

 private:
  struct Reader : ElementReader {
    std::optional<Element> Next() override {
      while (left > 0 && choices != nullptr) {
        const std::optional<Element> choice = choices->Next();
        if (!choice) break;
        auto& source = sources[Place(*choice)];
        if (source == nullptr) continue;
        std::optional<Element> element = source->Next();
        if (element) return element;
        source.reset();
        --left;
        if (stop_on_empty) break;
      }
      choices.reset();
      return std::nullopt;
    }
    size_t Place(const Element& choice) const {
      const bool fits =
          choice.size() == 1 && choice[0].dtype() == DType::kInt64 && choice[0].rank() == 0;
      const int64_t place = fits ? choice[0].scalar<int64_t>() : -1;
      if (place >= 0 && place < static_cast<int64_t>(sources.size())) return place;
      Refuse("choose_from_datasets",
             "a choice is an int64 scalar below " + std::to_string(sources.size()),
             fits ? std::to_string(place) : data::Describe(data::SpecsOf(choice)),
             "choose among the datasets");
    }
    std::unique_ptr<ElementReader> choices;
    std::vector<std::unique_ptr<ElementReader>> sources;
    size_t left = 0;
    bool stop_on_empty = false;
  };
  bool stop_on_empty_;
};

Dataset Chosen(const char* name, const std::vector<Dataset>& datasets, const Dataset& choices,
               bool stop_on_empty) {
  if (datasets.empty()) Refuse(name, "there must be a dataset", "none", "name one or several");
  std::vector<NodePtr> inputs{choices.node()};
  for (const Dataset& dataset : datasets) inputs.push_back(dataset.node());
  return Dataset(std::make_shared<ChosenNode>(
      std::string(name) + "(" + std::to_string(datasets.size()) + " datasets)", std::move(inputs),
      stop_on_empty));
}

// The class that a categorical draw with the stateless seed (a, b) gives. Source: TF
// stateless_multinomial: one double against the running sums of exp(logit - largest logit).
int64_t Draw(const std::vector<double>& sums, int64_t a, int64_t b) {
  const auto words = random::PhiloxBlock(random::StatelessStream(a, b));
  const double target = random::UnitDouble(words[0], words[1]) * sums.back();
  return std::upper_bound(sums.begin(), sums.end(), target) - sums.begin();
}

std::vector<double> RunningSums(const SampleOptions& options, size_t count) {
  std::vector<double> weights = options.weights;
  if (weights.empty()) weights.assign(count, 1.0);
  double largest = 0, total = 0;
  for (const double weight : weights) {
    largest = std::max(largest, weight);
    total = weight >= 0 && std::isfinite(weight) ? total + weight
                                                 : std::numeric_limits<double>::quiet_NaN();
  }
  if (weights.size() != count || !(total > 0)) {
    Refuse("sample_from_datasets", "there is a weight a dataset, not negative, and one above 0",
           std::to_string(weights.size()) + " weights for " + std::to_string(count) + " datasets",
           "leave them out for equal chances");
  }
  double sum = 0;
  for (double& weight : weights) weight = sum += weight / largest;
  return weights;
}

}  // namespace

Dataset ChooseFromDatasets(const std::vector<Dataset>& datasets, const Dataset& choices,
                           bool stop_on_empty_dataset) {
  return Chosen("choose_from_datasets", datasets, choices, stop_on_empty_dataset);
}

Dataset SampleFromDatasets(const std::vector<Dataset>& datasets, const SampleOptions& options) {
  const std::vector<double> sums = RunningSums(options, datasets.size());
  const Dataset choices =
      Dataset::Random(options.seed).Batch(2).Map([sums](const Element& pair) -> Element {
        const auto seed = pair[0].data<int64_t>();
        return {Scalar<int64_t>(Draw(sums, seed[0], seed[1]))};
      });
  return Chosen("sample_from_datasets", datasets, choices, options.stop_on_empty_dataset);
}

Dataset RejectionResample(const Dataset& dataset, std::function<int64_t(const Element&)> class_of,
                          const ResampleOptions& options) {
  const size_t classes = options.target.size();
  if (classes == 0 || (!options.initial.empty() && options.initial.size() != classes)) {
    Refuse("rejection_resample", "there is a chance a class, in both distributions alike",
           std::to_string(classes) + " and " + std::to_string(options.initial.size()),
           "name one for each class");
  }
  const random::SeedPair pair = runtime::NextOpSeed(options.seed);
  data::StreamStep step{"rejection_resample", "which elements stay is known when they are read"};
  step.open = [=](std::shared_ptr<ElementReader> reader) -> Dataset::Generator {
    // Without given chances every class has been seen once before the first element.
    std::vector<double> seen(classes, 1);
    random::WordReader words(pair.stream());
    return [=]() mutable -> std::optional<Element> {
      while (std::optional<Element> element = reader->Next()) {
        const int64_t kind = class_of(*element);
        if (kind < 0 || kind >= static_cast<int64_t>(classes))
          Refuse("rejection_resample", "a class is below " + std::to_string(classes),
                 std::to_string(kind), "correct class_of");
        seen[kind] += 1;
        const std::vector<double>& initial = options.initial.empty() ? seen : options.initial;
        double largest = 0;
        for (size_t c = 0; c < classes; ++c) {
          if (initial[c] > 0) largest = std::max(largest, options.target[c] / initial[c]);
        }
        const double chance =
            initial[kind] > 0 ? options.target[kind] / initial[kind] / largest : 0;
        const uint32_t high = words.Next();
        if (random::UnitDouble(high, words.Next()) >= chance) continue;
        element->insert(element->begin(), Scalar<int64_t>(kind));
        return element;
      }
      return std::nullopt;
    };
  };
  return Dataset(data::MakeStream(dataset.node(), std::move(step)));
}

}  // namespace lockstep
