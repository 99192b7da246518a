#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/cpu/product.h"
#include "kernels/cpu/product_reference.h"
#include "kernels/kernel.h"
#include "ops/training.h"

namespace lockstep::kernels {
namespace {

const ops::Attributes kConstants = {{"beta_1", 0.9},
                                    {"beta_2", 0.999},
                                    {"epsilon", 1e-7},
                                    {"rho", 0.9},
                                    {"momentum", 0.5},
                                    {"nesterov", true},
                                    {"learning_rate_power", -0.5},
                                    {"l1", 0.01},
                                    {"l2", 0.01},
                                    {"l2_shrinkage", 0.0},
                                    {"beta", 0.1}};

struct UpdateCase {
  const ops::UpdateRule& rule;
  int64_t rows, columns, examples;
  std::vector<int64_t> leaves;
  int64_t extras = 0;
  bool enabled = true;
  bool sparse = false;  // four of five elements of A are zero
};

// Weight and slots, one behind the other, after an update whose gradient is given as it is (one
// input) or as two factors.
template <typename T>
class Updated {
 public:
  explicit Updated(const UpdateCase& given) : given_(given) {
    const int64_t size = given.rows * given.columns;
    for (int i = 0; i <= given.rule.slots; ++i) {
      cells_.push_back(RandomValues<T>(size, static_cast<uint32_t>(i + 1)));
      if (i > 0) {
        for (T& value : cells_.back()) value = std::abs(value);
      }
    }
  }

  std::vector<std::vector<T>> Run(const std::vector<const T*>& gradient, int64_t cut) {
    const bool product = gradient.size() == 2;
    const DType dtype = kDTypeOf<T>;
    const Shape shape({given_.rows, given_.columns});
    std::vector<ops::TensorType> types;
    std::vector<const void*> inputs;
    const auto add = [&](DType type, const Shape& of, const void* at) {
      types.push_back({type, of, type});
      inputs.push_back(at);
    };
    const T scalar = T{0.125};
    for (auto& cell : cells_) add(dtype, shape, cell.data());
    add(dtype, product ? Shape({given_.examples, given_.rows}) : shape, gradient[0]);
    for (int i = 0; i < given_.rule.scalars; ++i) add(dtype, Shape(), &scalar);
    if ((given_.extras & ops::kUpdateDecay) != 0) add(dtype, Shape(), &scalar);
    if ((given_.extras & ops::kUpdateEnabled) != 0) add(DType::kBool, Shape(), &given_.enabled);
    if (product) add(dtype, Shape({given_.examples, given_.columns}), gradient[1]);
    ops::Attributes attributes = kConstants;
    attributes.Set("extras", given_.extras);
    const std::string op = std::string(product ? "_Product" : "") + given_.rule.op;
    const auto kernel = KernelRegistry::Cpu().Make(
        {ops::OpRegistry::Global().Find(op), attributes, types, {}, given_.leaves});
    std::vector<T> mirror(cells_[0].size());
    EXPECT_EQ(kernel->mirrors(), (given_.extras & ops::kUpdateEnabled) == 0);
    bool finite = true;
    KernelMemory memory = {inputs.data(), nullptr};
    if (kernel->mirrors()) memory.mirror = {mirror.data(), &finite};
    kernel->Run(memory, cut, given_.rows);
    kernel->Run(memory, 0, cut);
    if (!kernel->mirrors()) return cells_;
    ExpectSameBits<T>(mirror, cells_[0]);
    EXPECT_EQ(finite, std::all_of(mirror.begin(), mirror.end(),
                                  [](T value) { return std::isfinite(value); }));
    return cells_;
  }

  std::vector<T>& weight() { return cells_[0]; }

 private:
  const UpdateCase& given_;
  std::vector<std::vector<T>> cells_;
};

template <typename T>
void CheckUpdate(const UpdateCase& given) {
  SCOPED_TRACE(testing::Message() << given.rule.op << " " << given.rows << "x" << given.columns
                                  << " of " << given.examples << " in " << given.leaves.size() - 1
                                  << " leaves, extras " << given.extras);
  std::vector<T> a = RandomValues<T>(given.examples * given.rows, 11);
  for (size_t i = 0; given.sparse && i < a.size(); ++i)
    if (i * 7919 % 1009 % 5 != 0) a[i] = T{0};
  const std::vector<T> g = RandomValues<T>(given.examples * given.columns, 12);
  std::vector<T> gradient(static_cast<size_t>(given.rows * given.columns));
  OnEveryTarget([&] {
    LeafProduct<T>({given.rows, given.columns, a.data(), given.rows, g.data(), given.columns,
                    gradient.data(), given.columns, given.leaves});
    const auto expected = Updated<T>(given).Run({gradient.data()}, 0);
    for (const int64_t cut : {int64_t{0}, given.rows / 3}) {
      const auto cells = Updated<T>(given).Run({a.data(), g.data()}, cut);
      for (size_t i = 0; i < cells.size(); ++i) ExpectSameBits<T>(cells[i], expected[i]);
    }
  });
}

// Wherever the one number stands: among vectors that go together, alone, and in the rest of a row.
TEST(ProductUpdate, SaysOfAMirrorWhatIsNotFinite) {
  constexpr int64_t kRows = 5, kColumns = 77, kExamples = 3;
  const std::vector<float> gradient = RandomValues<float>(kRows * kColumns, 1);
  for (const ops::UpdateRule& rule : ops::kUpdateRules) {
    if (rule.direction) continue;
    const UpdateCase given = {rule, kRows, kColumns, kExamples, {0, kExamples}};
    OnEveryTarget([&] {
      for (size_t at = 0; at < gradient.size(); at += 3) {
        Updated<float> updated(given);
        updated.weight()[at] = at % 2 == 0 ? std::numeric_limits<float>::infinity()
                                           : std::numeric_limits<float>::quiet_NaN();
        updated.Run({gradient.data()}, 2);
      }
    });
  }
}

TEST(ProductUpdate, EveryRuleGivesTheBitsOfProductAndUpdate) {
  for (const ops::UpdateRule& rule : ops::kUpdateRules) {
    if (rule.direction) continue;
    CheckUpdate<float>({rule, 53, 77, 20, {0, 5, 5, 11, 20}});
    CheckUpdate<float>({rule, 53, 77, 20, {0, 20}, ops::kUpdateDecay});
    CheckUpdate<double>({rule, 9, 40, 7, {0, 4, 7}});
  }
}

TEST(ProductUpdate, AnyShapeAndAnyLeaves) {
  const ops::UpdateRule& adam = ops::RuleOf("ResourceApplyAdam");
  for (const int64_t rows : {1, 25, 50}) {
    for (const int64_t columns : {10, 64, 130}) {
      for (const int64_t examples : {0, 32, 40}) {
        for (const std::vector<int64_t>& leaves : LeafTables(examples)) {
          CheckUpdate<float>({adam, rows, columns, examples, leaves});
        }
      }
    }
  }
}

TEST(ProductUpdate, OfAnInputThatIsMostlyZero) {
  const ops::UpdateRule& adam = ops::RuleOf("ResourceApplyAdam");
  for (const int64_t columns : {32, 40, 128, 130}) {
    for (const int64_t examples : {1, 40, 150}) {
      for (const std::vector<int64_t>& leaves : LeafTables(examples)) {
        CheckUpdate<float>({adam, 70, columns, examples, leaves, 0, true, true});
      }
    }
  }
  CheckUpdate<double>({adam, 70, 40, 40, {0, 16, 40}, 0, true, true});
}

TEST(ProductUpdate, OfAGradientThatIsNoNumberReachesEveryWeightOfItsColumn) {
  const ops::UpdateRule& descent = ops::RuleOf("ResourceApplyGradientDescent");
  const UpdateCase given = {descent, 64, 40, 8, {0, 8}};
  const std::vector<float> a(8 * 64, 0);
  std::vector<float> g = RandomValues<float>(8 * 40, 2);
  g[7] = std::numeric_limits<float>::infinity();  // times zero
  OnEveryTarget([&] {
    const std::vector<float> weight = Updated<float>(given).Run({a.data(), g.data()}, 0)[0];
    for (size_t i = 0; i < weight.size(); ++i) EXPECT_EQ(std::isnan(weight[i]), i % 40 == 7);
  });
}

TEST(ProductUpdate, DoesNothingWhereItIsNotEnabled) {
  const ops::UpdateRule& adam = ops::RuleOf("ResourceApplyAdam");
  const UpdateCase off = {adam, 30, 20, 8, {0, 8}, ops::kUpdateEnabled, false};
  const UpdateCase on = {adam, 30, 20, 8, {0, 8}, ops::kUpdateEnabled, true};
  CheckUpdate<float>(off);
  CheckUpdate<float>(on);
  const std::vector<float> a = RandomValues<float>(8 * 30, 1), g = RandomValues<float>(8 * 20, 2);
  const auto kept = Updated<float>(off).Run({a.data(), g.data()}, 0);
  ExpectSameBits<float>(kept[0], RandomValues<float>(30 * 20, 1));
  EXPECT_NE(Updated<float>(on).Run({a.data(), g.data()}, 0)[0], kept[0]);
}

}  // namespace
}  // namespace lockstep::kernels
