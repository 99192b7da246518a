#include "cluster/launch/frames.h"

namespace lockstep::cluster {

namespace {

constexpr size_t kHead = 5;
constexpr uint32_t kMostBytes = 64u << 20;

void AppendLength(std::string& out, size_t length) {
  for (int i = 0; i < 4; ++i) out += static_cast<char>(length >> (8 * i) & 0xFF);
}

uint32_t LengthAt(std::string_view bytes) {
  uint32_t length = 0;
  for (size_t i = 0; i < 4; ++i) {
    length |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return length;
}

void AppendText(std::string& out, std::string_view text) {
  AppendLength(out, text.size());
  out += text;
}

bool TakeLength(std::string_view& text, uint32_t* length) {
  if (text.size() < 4) return false;
  *length = LengthAt(text);
  text.remove_prefix(4);
  return true;
}

bool TakeText(std::string_view& text, std::string* out) {
  uint32_t length = 0;
  if (!TakeLength(text, &length) || text.size() < length) return false;
  *out = text.substr(0, length);
  text.remove_prefix(length);
  return true;
}

bool TakeTexts(std::string_view& text, std::vector<std::string>* out) {
  uint32_t count = 0;
  if (!TakeLength(text, &count) || count > text.size()) return false;
  out->resize(count);
  for (std::string& entry : *out) {
    if (!TakeText(text, &entry)) return false;
  }
  return true;
}

}  // namespace

std::string PackFrame(FrameKind kind, std::string_view body) {
  std::string frame(1, static_cast<char>(kind));
  AppendText(frame, body);
  return frame;
}

bool FrameReader::Take(Frame* frame) {
  const std::string_view rest = std::string_view(bytes_).substr(place_);
  if (broken_ || rest.size() < kHead) return false;
  const uint32_t length = LengthAt(rest.substr(1));
  broken_ = length > kMostBytes;
  if (broken_ || rest.size() < kHead + length) return false;
  frame->kind = static_cast<FrameKind>(rest[0]);
  frame->body = rest.substr(kHead, length);
  place_ += kHead + length;
  if (place_ == bytes_.size() || place_ > (1u << 20)) {
    bytes_.erase(0, place_);
    place_ = 0;
  }
  return true;
}

std::string RunOrder::Pack() const {
  std::string out;
  AppendText(out, directory);
  const auto append = [&](const std::vector<std::string>& texts) {
    AppendLength(out, texts.size());
    for (const std::string& text : texts) AppendText(out, text);
  };
  append(arguments);
  append(unset);
  std::vector<std::string> names, values;
  for (const auto& [name, value] : set) {
    names.push_back(name);
    values.push_back(value);
  }
  append(names);
  append(values);
  return out;
}

bool RunOrder::Unpack(std::string_view text, RunOrder* order) {
  std::vector<std::string> names, values;
  if (!TakeText(text, &order->directory) || !TakeTexts(text, &order->arguments) ||
      !TakeTexts(text, &order->unset) || !TakeTexts(text, &names) || !TakeTexts(text, &values) ||
      names.size() != values.size() || !text.empty()) {
    return false;
  }
  order->set.clear();
  for (size_t i = 0; i < names.size(); ++i) order->set.emplace_back(names[i], values[i]);
  return true;
}

}  // namespace lockstep::cluster
