#include "lockstep/monitor/summary.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/file.h"
#include "base/folder_test.h"
#include "base/record_format.h"
#include "base/wire.h"
#include "monitor/png.h"
#include "monitor/summary_proto.h"
#include "tensor/tensor_proto.h"

namespace lockstep::summary {
namespace {

using base::WireReader;
using base::WireType;

std::string Field(std::string_view message, int field) {
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.Is(field, WireType::kBytes)) return std::string(reader.bytes());
  }
  return "";
}

Tensor TensorOf(const std::string& summary) {
  return tensor::ParseTensorProto(Field(Field(summary, 1), 8)).value();
}

std::vector<std::string> Records(const std::string& path) {
  const std::string file = base::ReadWholeFile(base::LocalFiles(), path).OrThrow();
  std::vector<std::string> records;
  for (size_t place = 0; place < file.size();) {
    uint64_t length = 0;
    EXPECT_TRUE(base::ParseRecordHeader(file.substr(place, 12), length));
    records.push_back(file.substr(place + 12, length));
    EXPECT_TRUE(base::RecordFooterFits(file.substr(place + 12 + length, 4), records.back()));
    place += 16 + length;
  }
  return records;
}

TEST(Summary, HasTensorBoardsBytes) {
  EXPECT_EQ(Scalar("loss", 1.5),
            std::string("\x0a\x1f\x0a\x04loss\x42\x0a\x08\x01\x12\x00\x22\x04\x00\x00\xc0\x3f\x4a"
                        "\x0b\x0a\x09\x0a\x07scalars",
                        33));
  EXPECT_EQ(Text("t", Tensor::FromStrings({"hello"}, {})),
            std::string("\x0a\x1a\x0a\x01t\x42\x0b\x08\x07\x12\x00\x42\x05hello\x4a\x08\x0a\x06\x0a"
                        "\x04text",
                        28));
}

TEST(Summary, HistogramsCountEveryFiniteValue) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      TensorOf(Histogram("h", Constant<double>({1, 2, inf, 3, 4, 4, -inf}), 4)).ToVector<double>(),
      (std::vector<double>{1, 1.75, 1, 1.75, 2.5, 1, 2.5, 3.25, 1, 3.25, 4, 2}));
  EXPECT_EQ(TensorOf(Histogram("h", Constant<int32_t>({5, 5}), 2)).ToVector<double>(),
            (std::vector<double>{5, 5, 0, 5, 5, 2}));
  EXPECT_EQ(TensorOf(Histogram("h", Constant<float>({}), 1)).ToVector<double>(),
            (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(TensorOf(Histogram("h", Constant<float>({1}), 0)).shape(), (Shape{0, 3}));
  EXPECT_EQ(TensorOf(Histogram("h", Constant<float>({1, 2}))).shape(), (Shape{30, 3}));
}

TEST(Summary, ImagesAreSizesAndPngs) {
  const Tensor two = Constant<float>({0, 0.5f, 1, 2, -1, 0.25f}, {2, 1, 3, 1});
  const auto parts = TensorOf(Image("i", two)).ToVector<std::string>();
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0], "3");
  EXPECT_EQ(parts[1], "1");
  EXPECT_EQ(parts[2], monitor::EncodePng(std::vector<uint8_t>{0, 127, 255}, 1, 3, 1));
  EXPECT_EQ(parts[3], monitor::EncodePng(std::vector<uint8_t>{255, 0, 63}, 1, 3, 1));
  EXPECT_EQ(TensorOf(Image("i", two, 1)).shape(), Shape{3});
}

TEST(Summary, RefusesWhatCannotBeShown) {
  const auto text = [](const std::function<void()>& run) {
    try {
      run();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      return error.status().message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(text([] {
              Scalar("loss", Constant<float>({1, 2}));
            }),
            "[summary.scalar] one number is needed; got float32[2] (loss); reduce it first");
  EXPECT_EQ(text([] { Histogram("h", Tensor::FromStrings({"x"}, {1})); }),
            "[summary.histogram] a tensor of numbers is needed; got string[1] (h); cast it, or "
            "write it as text");
  EXPECT_EQ(text([] {
              Image("i", Constant<uint8_t>({1, 2}, {1, 2}));
            }),
            "[summary.image] images are [k, height, width, 1 to 4 channels]; got uint8[1,2] (i); "
            "reshape them");
  EXPECT_EQ(text([] {
              Image("i", Constant<int32_t>({1}, {1, 1, 1, 1}));
            }),
            "[summary.image] images are uint8, or floats from 0 to 1; got int32[1,1,1,1] (i); cast "
            "them");
  EXPECT_EQ(text([] { Text("t", Constant<float>({1})); }),
            "[summary.text] a tensor of strings is needed; got float32[1] (t); use "
            "Tensor::FromStrings");
}

TEST(Summary, RunsWithEqualHyperparametersAreOneGroup) {
  const std::map<std::string, HParam> values{{"rate", 0.1}, {"optimizer", "adam"}, {"on", true}};
  EXPECT_EQ(HParams(values), HParams(values));
  EXPECT_NE(HParams(values), HParams({{"rate", 0.2}}));
  const std::string value = Field(HParams(values, "trial-7"), 1);
  EXPECT_EQ(Field(value, 1), "_hparams_/session_start_info");
  const std::string session = Field(Field(Field(Field(value, 9), 1), 2), 3);
  EXPECT_EQ(Field(session, 4), "trial-7");
}

TEST(FileWriter, WritesEventsInOrder) {
  const base::TestFolder folder;
  double now = 1234567890.5;
  WriterOptions options;
  options.max_queue = 2;
  options.now = [&] { return now; };
  FileWriter writer(folder.Path("run"), options);
  EXPECT_NE(writer.path().find("/run/events.out.tfevents.1234567890."), std::string::npos);
  EXPECT_TRUE(writer.path().ends_with(".v2"));
  ASSERT_EQ(Records(writer.path()).size(), 1u);
  EXPECT_EQ(Field(Records(writer.path())[0], 3), "brain.Event:2");
  writer.Scalar("loss", 0.5, 7);
  EXPECT_EQ(Records(writer.path()).size(), 1u);  // waits
  writer.Text("note", Tensor::FromStrings({"x"}, {}), 8);
  EXPECT_EQ(Records(writer.path()).size(), 3u);  // two are the most that wait
  now += 121;
  writer.Graph("graph", 9);
  const auto records = Records(writer.path());
  ASSERT_EQ(records.size(), 4u);
  WireReader event(records[1]);
  ASSERT_TRUE(event.Next());
  EXPECT_EQ(event.float64(), 1234567890.5);
  ASSERT_TRUE(event.Next());
  EXPECT_EQ(event.integer(), 7);
  EXPECT_EQ(Field(records[1], 5), Scalar("loss", 0.5));
  EXPECT_EQ(Field(records[3], 4), "graph");
  writer.Close();
  writer.Close();
  EXPECT_THROW(writer.Scalar("loss", 1, 1), Error);
}

}  // namespace
}  // namespace lockstep::summary
