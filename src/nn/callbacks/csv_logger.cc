#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/file.h"
#include "lockstep/nn/callbacks.h"

namespace lockstep::callbacks {

namespace {

// The shortest text that reads back to the same number, in Python's form.
std::string Text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const double size = std::abs(value);
  const bool fixed = size == 0 || (size >= 1e-4 && size < 1e16);
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific);
  std::string written(text, end.ptr);
  if (fixed && written.find('.') == std::string::npos) written += ".0";
  return written;
}

class CsvLoggerCallback : public Callback {
 public:
  CsvLoggerCallback(std::string path, const CSVLoggerOptions& options)
      : path_(std::move(path)), options_(options) {}

  void OnTrainBegin() override {
    if (model->strategy().worker() != 0) return;  // one file for all
    const auto there = base::ReadWholeFile(base::LocalFiles(), path_);
    const bool has_content = there.ok() && !there->empty();
    write_header_ = !(options_.append && has_content);
    keys_.clear();
    if (!options_.append) base::LocalFiles().Create(path_).OrThrow();
  }

  int64_t ReadsEvery() const override { return 0; }
  void OnEpochEnd(int epoch, Logs& logs) override {
    if (model->strategy().worker() != 0) return;
    if (keys_.empty()) ChooseKeys(logs);
    std::string row;
    if (write_header_) {
      row = "epoch";
      for (const std::string& key : keys_) row += options_.separator + key;
      row += "\n";
      write_header_ = false;
    }
    row += std::to_string(epoch);
    for (const std::string& key : keys_) {
      const auto value = logs.find(key);
      row += options_.separator + (value == logs.end() ? "NA" : Text(value->second));
    }
    row += "\n";
    const auto file = base::LocalFiles().Extend(path_);
    file.OrThrow();
    (*file)->Append(std::as_bytes(std::span(row))).OrThrow();
    (*file)->Close().OrThrow();
  }

 private:
  // Validation may come in later epochs only, so that its columns are there from the first row.
  void ChooseKeys(const Logs& logs) {
    for (const auto& [name, value] : logs) keys_.push_back(name);
    const bool validated = std::any_of(
        keys_.begin(), keys_.end(), [](const std::string& key) { return key.starts_with("val_"); });
    if (validated) return;
    for (const auto& [name, value] : logs) keys_.push_back("val_" + name);
  }

  std::string path_;
  CSVLoggerOptions options_;
  std::vector<std::string> keys_;
  bool write_header_ = true;
};

}  // namespace

CallbackPtr CSVLogger(std::string path, const CSVLoggerOptions& options) {
  return std::make_shared<CsvLoggerCallback>(std::move(path), options);
}

}  // namespace lockstep::callbacks
