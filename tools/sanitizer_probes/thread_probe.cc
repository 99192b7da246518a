// Lets two threads write one variable without order when called with "fault"; ends well otherwise.
#include <cstdio>
#include <cstring>
#include <thread>

int main(int count, char** arguments) {
  const bool fault = count > 1 && std::strcmp(arguments[1], "fault") == 0;
  int shared = 0;
  int own = 0;
  std::thread other([&, fault] { ++(fault ? shared : own); });
  ++shared;
  other.join();
  std::printf("sum %d\n", shared + own);
  return 0;
}
