#include "collectives/call_texts.h"

#include "base/hash.h"

namespace lockstep::collectives {

uint32_t CallTexts::NumberOf(const Call& call) {
  const CallText text = TextOf(call);
  const uint64_t hash = base::Hash64(text.label, base::Hash64(text.shape, text.line));
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto found = begin; found != end; ++found) {
    const Texts& known = own_[found->second - 1];
    if (known.label == text.label && known.shape == text.shape && known.line == text.line &&
        known.file == text.file)
      return found->second;
  }
  if (own_.size() == kMostTexts) return kNoText;
  own_.push_back(
      {std::string(text.label), std::string(text.shape), std::string(text.file), text.line});
  const auto number = static_cast<uint32_t>(own_.size());
  by_hash_.emplace(hash, number);
  return number;
}

bool CallTexts::IsNewTo(int to, uint32_t number) {
  if (number == kNoText) return true;
  std::vector<bool>& knows = peers_[to].knows;
  if (knows.size() < number) knows.resize(number);
  const bool is_new = !knows[number - 1];
  knows[number - 1] = true;
  return is_new;
}

bool CallTexts::Complete(int from, PartialMessage* message) {
  if (message->text == kNoText) return true;
  auto& texts = peers_[from].texts;
  const size_t index = message->text - 1;
  if (message->has_text) {
    if (texts.size() <= index) texts.resize(index + 1);
    const CallText& text = message->call;
    if (texts[index] == nullptr)
      texts[index] = std::make_unique<Texts>(Texts{std::string(text.label), std::string(text.shape),
                                                   std::string(text.file), text.line});
    return true;
  }
  if (texts.size() <= index || texts[index] == nullptr) return false;
  message->call = texts[index]->view();
  return true;
}

}  // namespace lockstep::collectives
