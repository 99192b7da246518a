#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lockstep/tensor/tensor.h"

/// Summaries for TensorBoard. Source: tf.summary and TensorBoard's plugins, whose bytes these are.

namespace lockstep::summary {

// What a step has to show, each a serialized Summary message with one value. `tag` names it; parts
// of a tag are separated by "/".

/// A number. InvalidArgument unless `value` has one element of a number's dtype.
std::string Scalar(const std::string& tag, const Tensor& value,
                   const std::string& description = "");
/// How the elements of any tensor of numbers are distributed over `buckets` of equal width between
/// the smallest and the largest. Elements that are not finite are left out.
std::string Histogram(const std::string& tag, const Tensor& values, int buckets = 30,
                      const std::string& description = "");
/// The first `max_outputs` images of [k, height, width, channels], 1 to 4 channels; uint8, or
/// floats from 0 to 1. InvalidArgument for another shape or dtype.
std::string Image(const std::string& tag, const Tensor& images, int max_outputs = 3,
                  const std::string& description = "");
/// Markdown: a string tensor of any shape. InvalidArgument for another dtype.
std::string Text(const std::string& tag, const Tensor& text, const std::string& description = "");

/// A value of a hyperparameter.
using HParam = std::variant<double, std::string, bool>;
/// The hyperparameters of a run. `trial` names the run among those of an experiment; without it a
/// digest of the values does.
std::string HParams(const std::map<std::string, HParam>& values, const std::string& trial = "",
                    double start_time_seconds = 0);
/// How a run with hyperparameters ended.
std::string HParamsEnd(bool success, double end_time_seconds = 0);
struct HParamInfo {
  std::string name;
  std::vector<HParam> values;                         // all that occur, or
  std::optional<std::pair<double, double>> interval;  // from, to
  std::string description;
};
struct MetricInfo {
  std::string tag;
  std::string group;  // the run's subdirectory, such as "validation"
  std::string display_name;
};
/// What an experiment varies and measures, written once into its directory.
std::string HParamsConfig(const std::vector<HParamInfo>& hparams,
                          const std::vector<MetricInfo>& metrics);

struct WriterOptions {
  /// Events that wait at most, and how long, before they are written.
  int max_queue = 10;
  double flush_seconds = 120;
  std::string filename_suffix = ".v2";
  /// Seconds since 1970; by default the machine's clock.
  std::function<double()> now = {};
};

/// Writes the events of a run to a file of their own in `log_dir`, which it makes. TensorBoard
/// takes each directory for a run.  Throws Error: the disk's; FailedPrecondition once closed.
/// Source: tf.summary.create_file_writer.  Threads: any number.
class FileWriter {
 public:
  explicit FileWriter(const std::string& log_dir, WriterOptions options = {});
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Writes a summary of this header, or a serialized one of anybody's, at `step`.
  void Write(std::string_view summary, int64_t step);
  void Scalar(const std::string& tag, const Tensor& value, int64_t step) {
    Write(summary::Scalar(tag, value), step);
  }
  void Histogram(const std::string& tag, const Tensor& values, int64_t step) {
    Write(summary::Histogram(tag, values), step);
  }
  void Image(const std::string& tag, const Tensor& images, int64_t step) {
    Write(summary::Image(tag, images), step);
  }
  void Text(const std::string& tag, const Tensor& text, int64_t step) {
    Write(summary::Text(tag, text), step);
  }
  /// A serialized GraphDef.
  void Graph(std::string_view graph_def, int64_t step = 0);
  /// Returns when all is in the file.
  void Flush();
  void Close();
  const std::string& path() const;

 private:
  class Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace lockstep::summary
