#include <cstdio>

#include "lockstep/runtime/session.h"

namespace lockstep {

namespace {

std::string Quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) result += c;
  }
  return result + "\"";
}

std::string Microseconds(int64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(nanoseconds) / 1000);
  return text;
}

}  // namespace

std::string RunMetadata::TimelineJson() const {
  std::string text = "{\"traceEvents\": [";
  for (size_t i = 0; i < ops.size(); ++i) {
    const Op& op = ops[i];
    text += (i > 0 ? ",\n" : "\n");
    text += "{\"ph\": \"X\", \"pid\": " + Quoted(op.device) +
            ", \"tid\": 0, \"name\": " + Quoted(op.op) +
            ", \"ts\": " + Microseconds(op.start_nanoseconds) +
            ", \"dur\": " + Microseconds(op.nanoseconds) +
            ", \"args\": {\"name\": " + Quoted(op.name) +
            ", \"output_bytes\": " + std::to_string(op.output_bytes) + "}}";
  }
  return text + "\n]}\n";
}

}  // namespace lockstep
