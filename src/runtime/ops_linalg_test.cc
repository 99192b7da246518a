// MatMul, BiasAdd and their gradients, carried out eagerly.

#include <cmath>
#include <random>

#include "gmock/gmock.h"
#include "kernels/division_test.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"
#include "runtime/gradient_check_test.h"

namespace lockstep {
namespace {

using kernels::ExpectDivisionKeepsBits;
using ::testing::HasSubstr;

template <typename T>
Tensor Random(const Shape& shape, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<T> values(static_cast<size_t>(shape.num_elements()));
  for (T& value : values) {
    value = static_cast<T>(static_cast<float>(static_cast<int>(engine() % 2001) - 1000) / 500);
  }
  return Tensor::FromVector(values, shape);
}

Shape Transposed(const Shape& shape) { return {shape[1], shape[0]}; }

TEST(MatMul, IsAChainOfFusedMultiplyAdds) {
  for (const auto& [m, k, n] :
       {std::array{3, 4, 2}, {1, 1, 1}, {17, 33, 19}, {5, 0, 3}, {0, 3, 2}}) {
    const Shape a_shape{m, k}, b_shape{k, n};
    for (int mask = 0; mask < 4; ++mask) {
      const bool ta = mask & 1, tb = mask & 2;
      const Tensor a = Random<float>(ta ? Transposed(a_shape) : a_shape, 1);
      const Tensor b = Random<float>(tb ? Transposed(b_shape) : b_shape, 2);
      const Tensor c = MatMul(a, b, ta, tb);
      ASSERT_EQ(c.shape(), (Shape{m, n}));
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
          float sum = 0;
          for (int l = 0; l < k; ++l) {
            sum = std::fma(a.data<float>()[ta ? l * m + i : i * k + l],
                           b.data<float>()[tb ? j * k + l : l * n + j], sum);
          }
          ASSERT_EQ(c.data<float>()[i * n + j], sum) << m << ' ' << k << ' ' << n << ' ' << mask;
        }
      }
    }
  }
}

TEST(MatMul, MultipliesIntegersAndHalves) {
  const Tensor a = Constant<int32_t>({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(MatMul(a, a, true).ToVector<int32_t>(), (std::vector<int32_t>{10, 14, 14, 20}));
  // 1 + 2^-8 is not a bfloat16; the sum is rounded once.
  const bfloat16 one(1.0f), tiny(0x1p-9f);
  const Tensor x = Constant<bfloat16>({one, tiny, tiny}, {1, 3});
  const Tensor ones = Constant<bfloat16>({one, one, one}, {3, 1});
  EXPECT_EQ(float(MatMul(x, ones).data<bfloat16>()[0]), 1.0f);
  const Tensor y = Constant<float16>({float16(1.0f), float16(0x1p-11f), float16(0x1p-11f)}, {1, 3});
  const Tensor halves = Constant<float16>({float16(1), float16(1), float16(1)}, {3, 1});
  EXPECT_EQ(float(MatMul(y, halves).data<float16>()[0]), 1.0f + 0x1p-10f);
}

TEST(MatMul, RefusesWhatDoesNotFit) {
  const Tensor a = Random<float>({2, 3}, 1);
  auto message = [](auto call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      return error.status().message();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(message([&] { MatMul(a, a); }),
            "[MatMul] the inner sizes must agree; got float32[2,3] and float32[2,3]");
  EXPECT_EQ(message([&] {
              MatMul(a, Random<float>({2, 4}, 1), false, true);
            }),
            "[MatMul] the inner sizes must agree; got float32[2,3] and float32[2,4], the second "
            "transposed");
  EXPECT_THAT(message([&] {
                MatMul(a, Random<double>({3, 2}, 1));
              }),
              HasSubstr("dtypes must agree; got float32[2,3] and float64[3,2]"));
  EXPECT_THAT(message([&] { BiasAdd(a, Random<float>({2}, 1)); }),
              HasSubstr("[BiasAdd] the bias must be a vector"));
}

TEST(MatMul, GradientsAreTheDerivative) {
  const Shape a_shape{3, 4}, b_shape{4, 2};
  const ops::OpSpec& spec = ops::OpRegistry::Global().Find("MatMul");
  for (int mask = 0; mask < 4; ++mask) {
    const bool ta = mask & 1, tb = mask & 2;
    const Tensor a = Random<double>(ta ? Transposed(a_shape) : a_shape, 1);
    const Tensor b = Random<double>(tb ? Transposed(b_shape) : b_shape, 2);
    const Tensor g = Random<double>({3, 2}, 3);
    const std::vector<Tensor> inputs = {a, b}, outputs = {MatMul(a, b, ta, tb)}, upstream = {g};
    const ops::Attributes attributes = {{"transpose_a", ta}, {"transpose_b", tb}};
    const auto gradients = spec.gradient({spec, attributes, inputs, outputs, upstream});
    for (int which = 0; which < 2; ++which) {
      ASSERT_EQ(gradients[which].shape(), inputs[which].shape());
      for (int64_t e = 0; e < inputs[which].num_elements(); ++e) {
        auto loss_at = [&](double step) {
          std::vector<double> values = inputs[which].ToVector<double>();
          values[e] += step;
          const Tensor moved = Tensor::FromVector(values, inputs[which].shape());
          const Tensor y = which == 0 ? MatMul(moved, b, ta, tb) : MatMul(a, moved, ta, tb);
          double loss = 0;
          for (int i = 0; i < 6; ++i) loss += y.data<double>()[i] * g.data<double>()[i];
          return loss;
        };
        const double slope = (loss_at(1e-5) - loss_at(-1e-5)) / 2e-5;
        EXPECT_NEAR(gradients[which].data<double>()[e], slope, 1e-8);
      }
    }
  }
}

TEST(MatMul, AnyDivisionOfRowsGivesTheSameBits) {
  for (int mask = 0; mask < 4; ++mask) {
    const bool ta = mask & 1, tb = mask & 2;
    const Shape a_shape = ta ? Shape{37, 29} : Shape{29, 37};
    const Shape b_shape = tb ? Shape{21, 37} : Shape{37, 21};
    const ops::Attributes attributes = {{"transpose_a", ta}, {"transpose_b", tb}};
    ExpectDivisionKeepsBits(
        {"MatMul", {Random<float>(a_shape, 1), Random<float>(b_shape, 2)}, attributes});
    ExpectDivisionKeepsBits(
        {"MatMul", {Random<double>(a_shape, 1), Random<double>(b_shape, 2)}, attributes});
    ExpectDivisionKeepsBits(
        {"MatMul", {Random<int64_t>(a_shape, 1), Random<int64_t>(b_shape, 2)}, attributes});
    ops::Attributes fused = attributes;
    fused.Set("fused_ops", std::string("bias,relu"));
    ExpectDivisionKeepsBits(
        {"_FusedMatMul",
         {Random<float>(a_shape, 1), Random<float>(b_shape, 2), Random<float>({21}, 3)},
         fused});
  }
  ExpectDivisionKeepsBits({"MatMul",
                           {Random<float>({37, 29}, 1), Random<float>({37, 21}, 2)},
                           {{"transpose_a", true}},
                           {0, 5, 5, 20, 37}});
}

TEST(MatMul, SumsOverExamplesByTheTree) {
  const Tensor a = Random<float>({6, 3}, 1), g = Random<float>({6, 2}, 2);
  const kernels::KernelCase given = {"MatMul", {a, g}, {{"transpose_a", true}}, {0, 2, 4, 6}};
  const Tensor sum = kernels::DividedKernel(given).RunWhole()[0];
  for (int m = 0; m < 3; ++m) {
    for (int n = 0; n < 2; ++n) {
      float leaf[3] = {0, 0, 0};
      for (int r = 0; r < 6; ++r) {
        leaf[r / 2] = std::fma(a.data<float>()[r * 3 + m], g.data<float>()[r * 2 + n], leaf[r / 2]);
      }
      EXPECT_EQ(sum.data<float>()[m * 2 + n], (leaf[0] + leaf[1]) + leaf[2]);
    }
  }
}

TEST(FusedMatMul, IsTheThreeOpsInOne) {
  const Tensor x = Random<float>({7, 5}, 1), w = Random<float>({5, 6}, 2),
               b = Random<float>({6}, 3);
  const std::vector<float> sum = BiasAdd(MatMul(x, w), b).ToVector<float>();
  EXPECT_EQ(
      ops::Emit1("_FusedMatMul", {x, w, b}, {{"fused_ops", std::string("bias")}}).ToVector<float>(),
      sum);
  std::vector<float> relu = sum;
  for (float& value : relu) value = value > 0 ? value : 0;
  EXPECT_EQ(ops::Emit1("_FusedMatMul", {x, w, b}, {{"fused_ops", std::string("bias,relu")}})
                .ToVector<float>(),
            relu);
}

TEST(BiasAdd, AddsAlongTheLastAxis) {
  const Tensor x = Random<float>({2, 3, 4}, 1), b = Random<float>({4}, 2);
  const Tensor y = BiasAdd(x, b);
  for (int i = 0; i < 24; ++i) {
    EXPECT_EQ(y.data<float>()[i], x.data<float>()[i] + b.data<float>()[i % 4]);
  }
  ExpectDivisionKeepsBits({"BiasAdd", {Random<float>({9, 3, 5}, 1), Random<float>({5}, 2)}});
  ExpectDivisionKeepsBits({"BiasAdd", {Random<bfloat16>({9, 3, 5}, 1), Random<bfloat16>({5}, 2)}});
}

TEST(BiasAddGrad, SumsOverAllOtherAxesByTheTree) {
  const Tensor g = Random<float>({4, 2, 3}, 1);
  const std::span<const float> v = g.data<float>();
  const Tensor chain = ops::Emit1("BiasAddGrad", {g});
  const Tensor tree = kernels::DividedKernel({"BiasAddGrad", {g}, {}, {0, 1, 2, 4}}).RunWhole()[0];
  for (int c = 0; c < 3; ++c) {
    float sum = v[c];
    for (int r = 1; r < 8; ++r) sum += v[r * 3 + c];
    EXPECT_EQ(chain.data<float>()[c], sum);
    const float last = ((v[12 + c] + v[15 + c]) + v[18 + c]) + v[21 + c];
    EXPECT_EQ(tree.data<float>()[c], ((v[c] + v[3 + c]) + (v[6 + c] + v[9 + c])) + last);
  }
  ExpectDivisionKeepsBits({"BiasAddGrad", {Random<float>({9, 3, 70}, 1)}, {}, {0, 4, 4, 9}});
  ExpectDivisionKeepsBits({"BiasAddGrad", {Random<float16>({9, 3, 70}, 1)}, {}, {0, 4, 4, 9}});
}

TEST(BatchMatMul, BroadcastsTheLeadingAxes) {
  const Tensor a = Random<float>({2, 1, 3, 4}, 1), b = Random<float>({3, 4, 2}, 2);
  const Tensor c = MatMul(a, b);
  ASSERT_EQ(c.shape(), (Shape{2, 3, 3, 2}));
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Tensor one = MatMul(Tensor::FromHost(a.data<float>().subspan(i * 12, 12), {3, 4}),
                                Tensor::FromHost(b.data<float>().subspan(j * 8, 8), {4, 2}));
      const auto got = c.data<float>().subspan((i * 3 + j) * 6, 6);
      EXPECT_EQ(std::vector<float>(got.begin(), got.end()), one.ToVector<float>());
    }
  }
  EXPECT_EQ(MatMul(Random<float>({2, 0, 3, 4}, 1), Random<float>({4, 5}, 1)).shape(),
            (Shape{2, 0, 3, 5}));
}

TEST(BatchMatMul, GradientsAreTheDerivativeToAnyOrder) {
  for (int mask = 0; mask < 4; ++mask) {
    const bool ta = mask & 1, tb = mask & 2;
    auto function = [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{MatMul(in[0], in[1], ta, tb)};
    };
    const std::vector<Tensor> inputs = {
        Random<double>(ta ? Shape{2, 1, 4, 3} : Shape{2, 1, 3, 4}, 1),
        Random<double>(tb ? Shape{3, 2, 4} : Shape{3, 4, 2}, 2)};
    runtime::ExpectGradients(function, inputs);
    runtime::ExpectSecondGradients(function, inputs);
  }
}

TEST(BatchMatMul, AnyDivisionOfRowsGivesTheSameBits) {
  for (const int64_t batch : {2, 9}) {
    for (int mask = 0; mask < 4; ++mask) {
      const bool ta = mask & 1, tb = mask & 2;
      const ops::Attributes attributes = {{"adj_x", ta}, {"adj_y", tb}};
      const Tensor a = Random<float>(ta ? Shape{batch, 2, 5, 7} : Shape{batch, 2, 7, 5}, 1);
      const Tensor b = Random<float>(tb ? Shape{1, 3, 5} : Shape{1, 5, 3}, 2);
      const Tensor per_row = Random<float>(tb ? Shape{batch, 2, 3, 5} : Shape{batch, 2, 5, 3}, 2);
      ExpectDivisionKeepsBits({"BatchMatMulV2", {a, b}, attributes});
      ExpectDivisionKeepsBits({"BatchMatMulV2", {a, per_row}, attributes});
    }
  }
}

TEST(Einsum, ReadsItsEquation) {
  const Tensor a = Random<double>({2, 3}, 1), b = Random<double>({3, 4}, 2);
  auto values = [](const Tensor& t) { return t.ToVector<double>(); };
  EXPECT_EQ(values(Einsum("ij,jk->ik", {a, b})), values(MatMul(a, b)));
  EXPECT_EQ(values(Einsum("ij,jk", {a, b})), values(MatMul(a, b)));
  EXPECT_EQ(values(Einsum("ij,kj->ki", {a, Random<double>({4, 3}, 3)})),
            values(MatMul(Random<double>({4, 3}, 3), a, false, true)));
  EXPECT_EQ(Einsum("ba", {a}).shape(), (Shape{3, 2}));
  EXPECT_EQ(values(Einsum("ab->", {Constant<double>({1, 2, 3, 4}, {2, 2})})),
            std::vector<double>{10});
  EXPECT_EQ(values(Einsum("ii->i", {Constant<double>({1, 2, 3, 4}, {2, 2})})),
            (std::vector<double>{1, 4}));
  EXPECT_EQ(values(Einsum("ii", {Constant<double>({1, 2, 3, 4}, {2, 2})})), std::vector<double>{5});
  EXPECT_EQ(values(Einsum("i,j->ij", {Constant<double>({1, 2}), Constant<double>({3, 4})})),
            (std::vector<double>{3, 4, 6, 8}));
  const Tensor c = Random<double>({2, 1, 3, 4}, 1), d = Random<double>({3, 4, 2}, 2);
  EXPECT_EQ(values(Einsum("...ij,...jk->...ik", {c, d})), values(MatMul(c, d)));
  EXPECT_EQ(
      Einsum("bthd,bshd->bhts", {Random<float>({2, 5, 3, 4}, 1), Random<float>({2, 6, 3, 4}, 2)})
          .shape(),
      (Shape{2, 3, 5, 6}));
}

TEST(Einsum, GradientsAreTheDerivative) {
  for (const char* equation : {"abc,acd->abd", "abc,cd->abd", "abc,acd->bd", "abc,acd->"}) {
    auto function = [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{Einsum(equation, in)};
    };
    const bool matrix = std::string(equation).find(",cd") != std::string::npos;
    runtime::ExpectGradients(function, {Random<double>({2, 3, 4}, 1),
                                        Random<double>(matrix ? Shape{4, 2} : Shape{2, 4, 2}, 2)});
  }
}

TEST(Einsum, RefusesWhatDoesNotFit) {
  const Tensor a = Random<float>({2, 3}, 1);
  auto message = [&](const char* equation, const std::vector<Tensor>& inputs) -> std::string {
    try {
      Einsum(equation, inputs);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      return error.status().message();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(message("ij,jk", {a}),
            "[einsum] there must be a term for each of the 1 operands; got \"ij,jk\"");
  EXPECT_EQ(message("ij,jk->ik", {a, a}),
            "[einsum] a label must have one size, not 3 and 2; got \"ij,jk->ik\"");
  EXPECT_EQ(message("ij->k", {a}),
            "[einsum] the result's labels must occur in an operand, and once in the result; got "
            "\"ij->k\"");
  EXPECT_EQ(message("ijk->i", {a}),
            "[einsum] operand 0 of shape [2,3] must have a label for each axis; got \"ijk->i\"");
}

}  // namespace
}  // namespace lockstep
