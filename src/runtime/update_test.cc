// Atomic updates and locks of variables.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/gradient_tape.h"
#include "lockstep/runtime/lock.h"

namespace lockstep {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int kThreads = 5;
constexpr int kRuns = 50;

void OnThreads(const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(body, t);
  for (std::thread& thread : threads) thread.join();
}

Variable Named(const char* name, const Tensor& value) {
  return Variable(value, VariableOptions{.name = name});
}

TEST(Variables, RefuseToBeUsedBeforeTheyAreMade) {
  const Variable none;
  EXPECT_FALSE(none.defined());
  EXPECT_THROW(none.value(), Error);
  EXPECT_THROW(none.Assign(Scalar(1.0f)), Error);
  EXPECT_THROW(none.name(), Error);
  EXPECT_THROW(none.ToString(), Error);
}

TEST(Variables, OfWholeNumbersTakeNoRealOnes) {
  const Variable count(Scalar<int32_t>(1));
  EXPECT_THAT([&] { count.AssignAdd(1.5); },
              testing::ThrowsMessage<Error>(HasSubstr("a real number needs a floating variable")));
  EXPECT_THROW(count.Assign(2.7), Error);
  count.AssignAdd(2);
  EXPECT_EQ(count.value().scalar<int32_t>(), 3);
}

TEST(Tapes, OfAnotherThreadAreRefusedAndEndWithoutHarm) {
  const Tensor x = Constant<float>({1, 2});
  auto tape = std::make_unique<GradientTape>();
  tape->Watch(x);
  const Tensor y = x * x;
  std::thread([&] {
    EXPECT_THROW(tape->Gradient(y, x), Error);
    tape.reset();
  }).join();
  const Variable v(x);
  EXPECT_EQ((v * 2.0f + x).ToVector<float>(), (std::vector<float>{3, 6}));
}

TEST(Functions, TakeTheirArgumentsAndNoOthers) {
  const Function sum([](const Tensor& a, const Tensor& b) { return a + b; }, "sum");
  EXPECT_THAT(
      [&] { sum(Scalar(1.0f)); },
      testing::ThrowsMessage<Error>(HasSubstr("[sum] the function takes 2 arguments; got 1")));
  EXPECT_THROW(sum(Scalar(1.0f), Scalar(1.0f), Scalar(1.0f)), Error);
}

TEST(Functions, ThatCallThemselvesAreRefused) {
  std::unique_ptr<Function> function;
  function = std::make_unique<Function>([&](const Tensor& x) { return (*function)(x) + 1.0f; });
  EXPECT_THAT([&] { (*function)(Scalar(1.0f)); },
              testing::ThrowsMessage<Error>(HasSubstr("a function that calls itself")));
  const Function fine([](const Tensor& x) { return x + 1.0f; });
  EXPECT_EQ(fine(Scalar(1.0f)).scalar<float>(), 2);
}

void ExpectError(const std::function<void()>& call, Code code,
                 const testing::Matcher<std::string>& text) {
  try {
    call();
    ADD_FAILURE() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_THAT(std::string(error.what()), text);
  }
}

TEST(Update, LosesNothingOverThreads) {
  const Variable sum(Tensor({0, 0}));
  OnThreads([&](int) {
    for (int i = 0; i < kRuns; ++i) sum.Update([](const Tensor& value) { return value + 1; });
  });
  EXPECT_EQ(sum.value().ToVector<float>(),
            (std::vector<float>{kThreads * kRuns, kThreads * kRuns}));
  EXPECT_EQ(sum.version(), uint64_t{kThreads * kRuns});
}

TEST(Update, GivesTheNewValueInTheVariablesDType) {
  const Variable count(Scalar<int64_t>(3));
  const Tensor result = count.Update([](const Tensor&) { return Tensor(8); });
  EXPECT_EQ(result.dtype(), DType::kInt64);
  EXPECT_EQ(result.scalar<int64_t>(), 8);
  EXPECT_EQ(count.version(), 1u);
}

TEST(Update, OverSeveralVariablesIsOneStep) {
  const Variable a(Scalar(100.0f)), b(Scalar(0.0f));
  const Function sum([&] { return a.value() + b.value(); });
  std::atomic<int> torn{0};
  OnThreads([&](int thread) {
    for (int i = 0; i < kRuns; ++i) {
      if (thread == 0) {
        torn += sum().scalar<float>() != 100;
      } else {
        // Both orders: nobody waits for ever.
        const bool swapped = thread % 2 == 0;
        Update({swapped ? b : a, swapped ? a : b}, [&](const std::vector<Tensor>& v) {
          const float step = swapped ? 1.0f : -1.0f;
          return std::vector<Tensor>{v[0] + step, v[1] - step};
        });
      }
    }
  });
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(a.value().scalar<float>(), 100 - (kThreads - 1) * kRuns);
  EXPECT_EQ(b.value().scalar<float>(), (kThreads - 1) * kRuns);
}

TEST(Update, ItsFunctionMayCallFunctionsAndDifferentiate) {
  const Variable w(Scalar(3.0f));
  const Function square([](const Tensor& x) { return x * x; });
  const Tensor after = w.Update([&](const Tensor& value) {
    GradientTape tape;
    tape.Watch(w);
    const Tensor loss = square(w.value());
    return value - 0.5f * tape.Gradient(loss, w);
  });
  EXPECT_EQ(after.scalar<float>(), 0);
}

TEST(Update, InATracedFunctionIsPartOfTheRun) {
  const Variable count(Scalar(0.0f));
  const Function increment([&] {
    return count.Update([](const Tensor& value) {
      return Cond(
          GreaterEqual(value, 0), [&] { return value + 1; }, [&] { return value; });
    });
  });
  OnThreads([&](int) {
    for (int i = 0; i < kRuns; ++i) increment();
  });
  EXPECT_EQ(count.value().scalar<float>(), kThreads * kRuns);
}

TEST(Update, KeepsEverythingWhenItsFunctionThrows) {
  const Variable a(Scalar(1.0f)), b(Scalar(2.0f));
  EXPECT_THROW(Update({a, b}, [](const std::vector<Tensor>&) -> std::vector<Tensor> { throw 5; }),
               int);
  EXPECT_EQ(a.version(), 0u);
  a.Update([](const Tensor& value) { return value + 1; });  // no lock has stayed
  EXPECT_EQ(a.value().scalar<float>(), 2);
  EXPECT_EQ(b.value().scalar<float>(), 2);
}

TEST(Update, RefusesWhatDoesNotFit) {
  const Variable a = Named("a", Tensor({1, 2})), b = Named("b", Scalar(2.0f));
  ExpectError([&] { a.Update([](const Tensor&) {
                      return Tensor({1, 2, 3});
                    }); },
              Code::kInvalidArgument,
              AllOf(HasSubstr("got float32[3]"), HasSubstr("for a of float32[2]")));
  ExpectError([&] { a.Update([](const Tensor&) {
                      return Constant<int32_t>({1, 2});
                    }); },
              Code::kInvalidArgument, HasSubstr("got int32[2] for a"));
  ExpectError(
      [&] {
        Update({a, b}, [](const std::vector<Tensor>& v) { return std::vector{v[0]}; });
      },
      Code::kInvalidArgument, HasSubstr("got 1 for 2 variables"));
  ExpectError(
      [&] {
        Update({b, a, b}, [](const std::vector<Tensor>& v) { return v; });
      },
      Code::kInvalidArgument, HasSubstr("got b as variables 0 and 2"));
  EXPECT_EQ(a.version() + b.version(), 0u);
}

TEST(Update, RefusesOtherVariablesAndItself) {
  const Variable a = Named("a", Scalar(1.0f)), b = Named("b", Scalar(2.0f));
  const auto same = [](const Tensor& value) { return value; };
  const Function assign_b([&] { return b.Assign(5.0f); });
  for (const bool traced : {false, true}) {
    const auto update = [&](const std::function<void()>& inside) {
      const auto call = [&] {
        return a.Update([&](const Tensor& value) {
          inside();
          return value;
        });
      };
      traced ? Function(call)() : call();
    };
    const auto refused = HasSubstr("assigns nothing itself; got ");
    ExpectError([&] { update([&] { b.Assign(5.0f); }); }, Code::kFailedPrecondition, refused);
    ExpectError([&] { update([&] { a.AssignAdd(5.0f); }); }, Code::kFailedPrecondition, refused);
    ExpectError([&] { update([&] { assign_b(); }); }, Code::kFailedPrecondition, refused);
    ExpectError([&] { update([&] { a.Update(same); }); }, Code::kFailedPrecondition, refused);
    if (traced) continue;
    ExpectError([&] { update([&] { b.value(); }); }, Code::kFailedPrecondition,
                HasSubstr("got b; name it, too, or read it before"));
    ExpectError([&] { update([&] { Lock lock(b); }); }, Code::kFailedPrecondition, refused);
  }
  EXPECT_EQ(a.version() + b.version(), 0u);
  b.Assign(1.0f);  // no lock has stayed
}

TEST(Lock, MakesReadAndAssignmentOneStep) {
  const Variable shared(Scalar(0.0f));
  OnThreads([&](int) {
    for (int i = 0; i < kRuns; ++i) {
      const Lock lock(shared);
      const Tensor value = shared.value();
      shared.Assign(value + 1);
    }
  });
  EXPECT_EQ(shared.value().scalar<float>(), kThreads * kRuns);
}

TEST(Lock, HoldsForFunctionsAndUpdatesInside) {
  const Variable a(Scalar(0.0f)), b(Scalar(0.0f)), rate(Scalar(2.0f));
  const Function both([&] {
    a.AssignAdd(rate);
    b.AssignAdd(rate);
    return a.value();
  });
  OnThreads([&](int thread) {
    for (int i = 0; i < kRuns; ++i) {
      const Lock lock(thread % 2 == 0 ? std::vector{a, b} : std::vector{b, a}, {rate});
      const float before = a.value().scalar<float>();
      const Lock inner(a);
      EXPECT_EQ(both().scalar<float>(), before + 2);
      EXPECT_EQ(a.Update([](const Tensor& value) { return value - 1; }).scalar<float>(),
                before + 1);
    }
  });
  EXPECT_EQ(a.value().scalar<float>(), kThreads * kRuns);
  EXPECT_EQ(b.value().scalar<float>(), 2 * kThreads * kRuns);
}

TEST(Lock, LetsReadersInTogether) {
  const Variable a(Scalar(1.0f));
  const Lock lock(std::vector<Variable>{}, {a});
  std::thread([&] {
    const Lock another(std::vector<Variable>{}, {a});
    EXPECT_EQ(a.value().scalar<float>(), 1);
  }).join();
}

TEST(Lock, RefusesWhatItDoesNotName) {
  const Variable a = Named("a", Scalar(1.0f)), b = Named("b", Scalar(2.0f));
  const Function sum([&] { return a.value() + b.value(); });
  const Function assign([&] { return a.Assign(5.0f); });
  {
    const Lock lock(a);
    const auto refused = HasSubstr("[lock] inside of it only what it names may be touched");
    ExpectError([&] { b.value(); }, Code::kFailedPrecondition, AllOf(refused, HasSubstr("got b")));
    ExpectError([&] { b.Assign(1.0f); }, Code::kFailedPrecondition, refused);
    ExpectError([&] { sum(); }, Code::kFailedPrecondition, refused);
    ExpectError([&] { Lock other(std::vector{a, b}); }, Code::kFailedPrecondition, refused);
  }
  {
    const Lock lock(std::vector<Variable>{}, {a});
    const auto refused = HasSubstr("[lock] what is held for reading may not be assigned; got a");
    ExpectError([&] { a.Assign(1.0f); }, Code::kFailedPrecondition, refused);
    ExpectError([&] { assign(); }, Code::kFailedPrecondition, refused);
    ExpectError([&] { Lock other(a); }, Code::kFailedPrecondition, refused);
  }
  EXPECT_EQ(sum().scalar<float>(), 3);
  EXPECT_EQ(assign().scalar<float>(), 5);
}

}  // namespace
}  // namespace lockstep
