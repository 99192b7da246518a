// lockstep_formats COMMAND ARGUMENTS...: Lockstep's side of round_trips.py, through the public API.
//   records DIR            writes records of Examples, plain, gzip and zlib
//   hex FILE COMPRESSION   prints the records of a file, a line each
//   events DIR             writes an event file with a summary of every kind
//   keras-save DIR         trains a model, saves it as a checkpoint, and its values as .npz
//   keras-load PATH OUT    loads a checkpoint of that model, and writes its values as .npz

#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lockstep/checkpoint/npy.h"
#include "lockstep/data/example.h"
#include "lockstep/data/record.h"
#include "lockstep/lockstep.h"
#include "lockstep/monitor/summary.h"
#include "lockstep/nn/tracking.h"
#include "lockstep/runtime/graph_def.h"

namespace {

using namespace lockstep;
using Arguments = std::vector<std::string>;

Compression CompressionOf(const std::string& name) {
  if (name == "GZIP") return Compression::kGzip;
  return name == "ZLIB" ? Compression::kZlib : Compression::kNone;
}

void WriteRecords(const Arguments& arguments) {
  for (const std::string name : {"NONE", "GZIP", "ZLIB"}) {
    auto writer = TFRecordWriter::Open(arguments.at(0) + "/" + name, CompressionOf(name));
    writer.status().OrThrow();
    for (int64_t i = 0; i < 100; ++i) {
      writer
          ->Write(
              SerializeExample({{"i", std::vector<int64_t>{i, -i}},
                                {"f", std::vector<float>(i % 5, static_cast<float>(i) / 7)},
                                {"s", std::vector<std::string>{"text " + std::to_string(i), ""}}}))
          .OrThrow();
    }
    writer->Close().OrThrow();
  }
}

void PrintRecords(const Arguments& arguments) {
  auto reader = TFRecordReader::Open(arguments.at(0), CompressionOf(arguments.at(1)));
  reader.status().OrThrow();
  std::string record;
  while (reader->Next(record).OrThrow()) {
    for (const unsigned char byte : record) std::printf("%02x", byte);
    std::printf("\n");
  }
}

void WriteEvents(const Arguments& arguments) {
  summary::FileWriter writer(arguments.at(0));
  for (int64_t step = 0; step < 3; ++step)
    writer.Scalar("loss", 1.5 / static_cast<double>(step + 1), step);
  std::vector<float> values;
  for (int i = 0; i < 100; ++i) values.push_back(static_cast<float>(i * i % 37) - 5);
  writer.Histogram("values", Constant<float>(values), 1);
  std::vector<uint8_t> pixels;
  for (int i = 0; i < 2 * 3 * 5 * 3; ++i) pixels.push_back(static_cast<uint8_t>(i * 11));
  writer.Image("pixels", Constant<uint8_t>(pixels, {2, 3, 5, 3}), 2);
  writer.Image("gray", Constant<float>({0, 0.25f, 0.5f, 1}, {1, 2, 2, 1}), 2);
  writer.Text("note", Tensor::FromStrings({"**bold**", "plain"}, {2}), 3);
  writer.Write(summary::HParamsConfig(
                   {{"rate", {}, std::pair{0.0, 1.0}}, {"rule", {"adam", "sgd"}}}, {{"loss"}}),
               0);
  writer.Write(summary::HParams({{"rate", 0.25}, {"rule", "adam"}, {"on", true}}, "trial"), 0);
  writer.Write(summary::HParamsEnd(true, 12), 0);
  const Function layer(
      [](const std::vector<Tensor>& x) { return std::vector<Tensor>{Relu(MatMul(x[0], x[1]))}; });
  writer.Graph(ToGraphDef(layer, {Constant<float>({1, 2}, {1, 2}), Constant<float>({3, 4}, {2, 1})},
                          GraphForm::kBinary));
  writer.Close();
}

Tensor Inputs() {
  std::vector<float> values;
  for (int i = 0; i < 32; ++i) values.push_back(static_cast<float>(i % 7) / 7 - 0.3f);
  return Constant<float>(values, {8, 4});
}

// What round_trips.py makes with Keras.
std::unique_ptr<Sequential> TrainedModel(int epochs) {
  auto model = std::make_unique<Sequential>(std::initializer_list<LayerPtr>{
      Dense(3, relu), BatchNormalization(), Dropout(0.0), Dense(2)});
  CompileOptions options;
  options.optimizer = optimizers::Adam();
  options.loss = losses::MeanSquaredError();
  model->Compile(options);
  FitOptions fit;
  fit.epochs = epochs;
  fit.verbose = Verbosity::kSilent;
  model->Fit(Inputs(), Constant<float>(std::vector<float>(16, 0.5f), {8, 2}), fit);
  return model;
}

void WriteValues(const Model& model, const std::string& path) {
  std::vector<NamedTensor> values;
  for (const Weight& weight : model.weights())
    values.push_back({"model/" + std::to_string(values.size()), weight.variable.value()});
  for (const TrackedPart& part : TrackOptimizer(model).parts()) {
    if (part.name != "_variables") continue;
    for (const TrackedPart& variable : part.object.parts())
      values.push_back({"optimizer/" + variable.name, variable.object.variable().value()});
  }
  WriteNpz(path, values).OrThrow();
}

void SaveKeras(const Arguments& arguments) {
  const auto model = TrainedModel(3);
  Checkpoint checkpoint({{"model", TrackModel(*model)}, {"optimizer", TrackOptimizer(*model)}});
  checkpoint.Save(arguments.at(0) + "/ck").OrThrow();
  WriteValues(*model, arguments.at(0) + "/values.npz");
}

void LoadKeras(const Arguments& arguments) {
  const auto model = TrainedModel(1);
  Checkpoint checkpoint({{"model", TrackModel(*model)}, {"optimizer", TrackOptimizer(*model)}});
  checkpoint.Restore(arguments.at(0)).OrThrow().AssertConsumed();
  WriteValues(*model, arguments.at(1));
}

const std::map<std::string, std::function<void(const Arguments&)>>& Commands() {
  static const std::map<std::string, std::function<void(const Arguments&)>> commands{
      {"records", WriteRecords},
      {"hex", PrintRecords},
      {"events", WriteEvents},
      {"keras-save", SaveKeras},
      {"keras-load", LoadKeras}};
  return commands;
}

}  // namespace

int main(int count, char** words) {
  const auto command = count > 1 ? Commands().find(words[1]) : Commands().end();
  if (command == Commands().end()) {
    std::fprintf(stderr, "usage: lockstep_formats records|hex|events|keras-save|keras-load ...\n");
    return 2;
  }
  try {
    command->second(Arguments(words + 2, words + count));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep_formats: %s\n", error.what());
    return 1;
  }
  return 0;
}
