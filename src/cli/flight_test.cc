#include "cli/flight.h"

#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "collectives/flight_recorder.h"

namespace lockstep::cli {
namespace {

using collectives::FlightRecorder;
using collectives::Phase;
using std::chrono::seconds;

std::string TextOf(const FlightRecorder& recorder) {
  return collectives::ToText(recorder.Read(base::Time(seconds(10))));
}

TEST(Flight, PrintsWhereTasksPartAndTheirLastRecords) {
  FlightRecorder late, waits;
  const collectives::Call call{.kind = collectives::OpKind::kAllReduceSum,
                               .dtype = DType::kFloat32,
                               .count = 3,
                               .label = "loss"};
  waits.Sit(2, 0, 2);
  late.Sit(2, 1, 2);
  waits.End(waits.Begin(2, {4, 0}, call, base::Time(seconds(1))), true);
  late.End(late.Begin(2, {4, 0}, call, base::Time(seconds(1))), true);
  late.Enter(Phase::kCallback, base::Time(seconds(2)));
  waits.Begin(2, {5, 1}, call, base::Time(seconds(3)));
  EXPECT_EQ(DescribeFlights({TextOf(late), TextOf(waits)}, 1),
            "worker 1 never reached all_reduce 5.1 of loss, in which worker 0 waits since 7.0 s; "
            "it is in a callback since 8.0 s\n"
            "worker 0 of 2, epoch 2, the newest last:\n"
            "    7.000000 s  all_reduce 5.1 of loss, float32[3], at :0: running\n"
            "worker 1 of 2, epoch 2, the newest last:\n"
            "    8.000000 s  in a callback\n");
  EXPECT_EQ(ErrorOf([&] {
              DescribeFlights({TextOf(late), TextOf(late)}, 1);
            }).status(),
            Status(Code::kInvalidArgument,
                   "[flight] there must be one file of each task; got two of worker 1"));
  EXPECT_EQ(ErrorOf([&] { DescribeFlights({"x"}, 1); }).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::cli
