// Products and weights' gradients of the example models, one thread, against oneDNN (where it is
// there).
#include "kernels/cpu/product.h"

#include <cmath>
#include <cstring>

#include "kernels/cpu/benchmark_rounds.h"

#ifdef LOCKSTEP_WITH_DNNL
#include <dnnl.h>
extern "C" void omp_set_num_threads(int);
#endif

namespace lockstep::kernels {
namespace {

void CheckSome(const ProductArguments<float>& p) {
  for (int64_t i = 0; i < 50; ++i) {
    const int64_t m = i * 7919 % p.rows;
    const int64_t n = i * 104729 % p.columns;
    float sum = 0;
    for (int64_t k = 0; k < p.depth; ++k) {
      sum = std::fma(p.a_transposed ? p.a[k * p.a_stride + m] : p.a[m * p.a_stride + k],
                     p.b_transposed ? p.b[n * p.b_stride + k] : p.b[k * p.b_stride + n], sum);
    }
    Require(std::memcmp(&sum, &p.c[m * p.c_stride + n], sizeof(float)) == 0, "product");
  }
}

void Compare(int64_t rows, int64_t depth, int64_t columns, bool a_transposed, bool b_transposed) {
  const Floats a = RandomFloats(rows * depth, 1);
  const Floats b = RandomFloats(columns * depth, 2);
  Floats c(static_cast<size_t>(rows * columns));
  ProductArguments<float> p;
  p.rows = rows;
  p.columns = columns;
  p.depth = depth;
  p.a = a.data();
  p.a_transposed = a_transposed;
  p.a_stride = a_transposed ? rows : depth;
  p.b = b.data();
  p.b_transposed = b_transposed;
  p.b_stride = b_transposed ? depth : columns;
  p.c = c.data();
  p.c_stride = columns;
  Product(p);
  CheckSome(p);
  std::vector<Competitor> competitors = {{"lockstep", [&] { Product(p); }}};
#ifdef LOCKSTEP_WITH_DNNL
  Floats other(c.size());
  competitors.push_back({"oneDNN sgemm", [&] {
                           dnnl_sgemm(a_transposed ? 'T' : 'N', b_transposed ? 'T' : 'N', rows,
                                      columns, depth, 1.0f, a.data(), p.a_stride, b.data(),
                                      p.b_stride, 0.0f, other.data(), columns);
                         }});
#endif
  const std::string title = "[" + std::to_string(rows) + "," + std::to_string(depth) + "]" +
                            (a_transposed ? "^T" : "") + " x [" + std::to_string(depth) + "," +
                            std::to_string(columns) + "]" + (b_transposed ? "^T" : "");
  RunRounds(title, 2.0 * static_cast<double>(rows * columns * depth), competitors);
}

void CompareLeaves(int64_t examples, int64_t rows, int64_t columns) {
  const Floats a = RandomFloats(examples * rows, 1);
  const Floats g = RandomFloats(examples * columns, 2);
  Floats c(static_cast<size_t>(rows * columns));
  std::vector<std::vector<int64_t>> tables;
  std::vector<Competitor> competitors;
  for (const int64_t leaves : {1, 2, 4, 8, 16}) {
    std::vector<int64_t> offsets;
    for (int64_t l = 0; l <= leaves; ++l) offsets.push_back(examples * l / leaves);
    competitors.push_back({"lockstep, leaves: " + std::to_string(leaves), [&, offsets] {
                             LeafProduct<float>({rows, columns, a.data(), rows, g.data(), columns,
                                                 c.data(), columns, offsets});
                           }});
  }
  competitors[0].run();
  ProductArguments<float> check = {rows,     columns, examples, a.data(), rows,   true,
                                   g.data(), columns, false,    c.data(), columns};
  CheckSome(check);
#ifdef LOCKSTEP_WITH_DNNL
  Floats other(c.size());
  competitors.push_back({"oneDNN sgemm, one leaf", [&] {
                           dnnl_sgemm('T', 'N', rows, columns, examples, 1.0f, a.data(), rows,
                                      g.data(), columns, 0.0f, other.data(), columns);
                         }});
#endif
  const std::string title = "gradient [" + std::to_string(rows) + "," + std::to_string(columns) +
                            "] of " + std::to_string(examples) + " examples";
  RunRounds(title, 2.0 * static_cast<double>(rows * columns * examples), competitors);
}

void RunAll() {
  PrintMachine();
  Compare(32, 784, 128, false, false);
  Compare(32, 128, 10, false, false);
  Compare(32, 10, 128, false, true);
  Compare(256, 784, 128, false, false);
  Compare(1, 784, 128, false, false);
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      Compare(1024, 256, 768, a_transposed, b_transposed);
    }
  }
  Compare(1024, 1024, 256, false, false);
  Compare(128, 64, 128, false, true);
  Compare(128, 128, 64, false, false);
  Compare(8, 8, 8, false, false);
  CompareLeaves(32, 784, 128);
  CompareLeaves(256, 784, 128);
  CompareLeaves(1024, 256, 768);
  CompareLeaves(4096, 256, 256);
}

}  // namespace
}  // namespace lockstep::kernels

int main() {
#ifdef LOCKSTEP_WITH_DNNL
  omp_set_num_threads(1);
#endif
  lockstep::kernels::RunAll();
}
