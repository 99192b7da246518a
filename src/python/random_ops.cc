#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "lockstep/nn/initializers.h"
#include "lockstep/ops/random.h"
#include "lockstep/runtime/random.h"
#include "python/bind.h"
#include "python/convert.h"
#include "runtime/op_seed.h"

namespace lockstep::python {

namespace {

using Seed = std::optional<int64_t>;

void BindStateful(nb::module_& m) {
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def("set_seed", &SetSeed);
  m.def("global_seed", &GlobalSeed);
  m.def(
      "next_seed_pair",
      [](Seed seed) -> std::optional<std::pair<int64_t, int64_t>> {
        const auto pair = runtime::NextSeedPair(seed);
        if (!pair) return std::nullopt;
        return std::pair(pair->seed, pair->seed2);
      },
      nb::arg().none());
  m.def("set_random_seed", &SetRandomSeed);
  m.def("next_default_seed", &NextDefaultSeed);
  m.def(
      "random_uniform",
      [](const RandomSizes& shape, double low, double high, DType dtype, Seed seed) {
        return RandomUniform(shape, low, high, {dtype, seed});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), unlocked);
  m.def(
      "random_uniform_int",
      [](const RandomSizes& shape, int64_t low, int64_t high, DType dtype, Seed seed) {
        return RandomUniformInt(shape, low, high, {dtype, seed});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), unlocked);
  m.def(
      "random_normal",
      [](const RandomSizes& shape, double mean, double deviation, DType dtype, Seed seed) {
        return RandomNormal(shape, mean, deviation, {dtype, seed});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), unlocked);
  m.def(
      "random_truncated_normal",
      [](const RandomSizes& shape, double mean, double deviation, DType dtype, Seed seed) {
        return RandomTruncatedNormal(shape, mean, deviation, {dtype, seed});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), unlocked);
  m.def(
      "random_categorical",
      [](const Tensor& logits, int64_t samples, DType dtype, Seed seed) {
        return RandomCategorical(logits, samples, {dtype, seed});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), unlocked);
  m.def(
      "random_gamma",
      [](int64_t samples, const Tensor& alphas, DType dtype, Seed seed) {
        return RandomGamma(samples, alphas, {dtype, seed});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), unlocked);
  m.def(
      "random_poisson",
      [](int64_t samples, const Tensor& rates, double highest, DType dtype, Seed seed) {
        return RandomPoisson(samples, rates, highest, {dtype, seed});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), unlocked);
  m.def("random_shuffle", &RandomShuffle, nb::arg(), nb::arg().none(), unlocked);
}

void BindStateless(nb::module_& m) {
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def("stateless_uniform", &StatelessRandomUniform, unlocked);
  m.def("stateless_uniform_int", &StatelessRandomUniformInt, unlocked);
  m.def("stateless_uniform_full_int", &StatelessRandomUniformFullInt, unlocked);
  m.def("stateless_normal", &StatelessRandomNormal, unlocked);
  m.def("stateless_truncated_normal", &StatelessTruncatedNormal, unlocked);
  m.def("stateless_categorical", &StatelessCategorical, unlocked);
  m.def("stateless_dropout", &StatelessDropout, unlocked);
  m.def("stateless_gamma", &StatelessGamma, unlocked);
  m.def("stateless_poisson", &StatelessPoisson, unlocked);
  m.def("stateless_binomial", &StatelessBinomial, unlocked);
  m.def("random_split", &RandomSplit, unlocked);
  m.def("random_fold_in", &RandomFoldIn, unlocked);
  m.def("random_permutation", &RandomPermutation, unlocked);
}

void BindGenerator(nb::module_& m) {
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Generator>(m, "Generator")
      .def_static("from_state", [](std::array<int64_t, 3> state) { return Generator(state); })
      .def_static("from_seed", [](int64_t seed) { return Generator::FromSeed(seed); })
      .def_static("from_key_counter", &Generator::FromKeyCounter)
      .def("uniform", &Generator::Uniform, unlocked)
      .def("uniform_int", &Generator::UniformInt, unlocked)
      .def("uniform_full_int", &Generator::UniformFullInt, unlocked)
      .def("normal", &Generator::Normal, unlocked)
      .def("truncated_normal", &Generator::TruncatedNormal, unlocked)
      .def("binomial", &Generator::Binomial, unlocked)
      .def("make_seeds", &Generator::MakeSeeds, unlocked)
      .def("split", &Generator::Split, unlocked)
      .def("skip", &Generator::Skip, unlocked)
      .def("reset_from_seed", &Generator::ResetFromSeed, unlocked)
      .def("reset_from_key_counter", &Generator::ResetFromKeyCounter, unlocked)
      .def_prop_ro("state", [](const Generator& g) { return g.state(); });
}

}  // namespace

void BindRandomOps(nb::module_& m) {
  BindStateful(m);
  BindStateless(m);
  BindGenerator(m);
}

}  // namespace lockstep::python
