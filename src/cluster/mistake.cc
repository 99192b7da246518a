#include "cluster/mistake.h"

namespace lockstep::cluster {

std::string Mistake::ToString() const {
  std::string text = "[" + variable + "] " + expected + "; got " + got;
  if (!place.empty()) text += " (" + place + ")";
  if (!cure.empty()) text += "; " + cure;
  return text;
}

std::string DescribeMistakes(const std::vector<Mistake>& mistakes, const std::string& corrected) {
  std::string text;
  for (const Mistake& mistake : mistakes) {
    if (!text.empty()) text += "\n";
    text += mistake.ToString();
  }
  if (!corrected.empty()) text += "\nto paste:\n" + corrected;
  return text;
}

}  // namespace lockstep::cluster
