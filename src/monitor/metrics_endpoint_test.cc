#include "monitor/metrics_endpoint.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <sstream>

namespace lockstep::monitor {
namespace {

int ConnectTo(const std::string& address) {
  sockaddr_in place{
      .sin_family = AF_INET,
      .sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)))),
      .sin_addr = {htonl(INADDR_LOOPBACK)},
      .sin_zero = {}};
  const int file = ::socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(::connect(file, reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
  return file;
}

// All that is answered to a request.
std::string Ask(const std::string& address, const std::string& request) {
  const int file = ConnectTo(address);
  EXPECT_EQ(::send(file, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::string answer;
  char bytes[4096];
  for (ssize_t count = 0; (count = ::recv(file, bytes, sizeof bytes, 0)) > 0;)
    answer.append(bytes, static_cast<size_t>(count));
  ::close(file);
  return answer;
}

// What one GET of /metrics answers.
std::string Scrape(const std::string& address) {
  return Ask(address, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
}

// The text format: value by name and labels, type by name.
struct Parsed {
  std::map<std::string, double> values;
  std::map<std::string, std::string> types;
};
Parsed Parse(const std::string& answer) {
  Parsed parsed;
  std::istringstream lines(answer.substr(answer.find("\r\n\r\n") + 4));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, second, name, type;
    if (line.starts_with("# TYPE")) {
      words >> first >> second >> name >> type;
      parsed.types[name] = type;
    } else if (!line.empty() && line[0] != '#') {
      const size_t space = line.rfind(' ');
      parsed.values[line.substr(0, space)] = std::stod(line.substr(space + 1));
    }
  }
  return parsed;
}

TEST(MetricsEndpoint, AnswersAScrapeAndRefusesOtherPorts) {
  const auto metrics = std::make_shared<base::Metrics>();
  metrics->Counter("steps_total", "Steps.").Add(41);
  metrics->Counter("wait_seconds_total", "Waits.", {{"peer", "worker 2"}}).Add(0.25);
  base::HistogramMetric& seconds = metrics->Histogram("step_seconds", "How long.", {0.5, 2});
  for (const double value : {0.1, 1.0, 1.0, 8.0}) seconds.Observe(value);
  const auto endpoint =
      MetricsEndpoint::Open(metrics, {.labels = {{"worker", "worker 1"}}}).value();
  EXPECT_TRUE(endpoint->address().starts_with("127.0.0.1:")) << endpoint->address();
  const std::string answer = Scrape(endpoint->address());
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer.substr(0, 64);
  Parsed parsed = Parse(answer);
  EXPECT_EQ(parsed.types["steps_total"], "counter");
  EXPECT_EQ(parsed.types["step_seconds"], "histogram");
  EXPECT_EQ(parsed.types["lockstep_resident_memory_bytes"], "gauge");
  EXPECT_EQ(parsed.values["steps_total{worker=\"worker 1\"}"], 41);
  EXPECT_EQ(parsed.values["wait_seconds_total{worker=\"worker 1\",peer=\"worker 2\"}"], 0.25);
  EXPECT_EQ(parsed.values["step_seconds_count{worker=\"worker 1\"}"], 4);
  EXPECT_DOUBLE_EQ(parsed.values["step_seconds_sum{worker=\"worker 1\"}"], 10.1);
  EXPECT_EQ(parsed.values["step_seconds_bucket{worker=\"worker 1\",le=\"0.5\"}"], 1);
  EXPECT_EQ(parsed.values["step_seconds_bucket{worker=\"worker 1\",le=\"2\"}"], 3);
  EXPECT_EQ(parsed.values["step_seconds_bucket{worker=\"worker 1\",le=\"+Inf\"}"], 4);
  EXPECT_GT(parsed.values["lockstep_resident_memory_bytes{worker=\"worker 1\"}"], 0);
  metrics->Counter("steps_total", "Steps.").Add(1);
  EXPECT_EQ(Parse(Scrape(endpoint->address())).values["steps_total{worker=\"worker 1\"}"], 42);

  // The port is taken now.
  const int port = std::stoi(endpoint->address().substr(endpoint->address().rfind(':') + 1));
  const auto taken = MetricsEndpoint::Open(metrics, {.port = port});
  EXPECT_EQ(taken.status().code(), Code::kUnavailable);
  EXPECT_NE(taken.status().message().find("127.0.0.1:" + std::to_string(port)), std::string::npos);
  EXPECT_EQ(MetricsEndpoint::Open(metrics, {.port = 65536}).status().code(),
            Code::kInvalidArgument);
}

TEST(MetricsEndpoint, TakesNumbersOfInterfaces) {
  const auto metrics = std::make_shared<base::Metrics>();
  for (const char* wrong : {"999.1.1.1", "1.2.3", "localhost", "::1", "[127.0.0.1]", ""}) {
    const auto refused = MetricsEndpoint::Open(metrics, {.address = wrong});
    EXPECT_EQ(refused.status().code(), Code::kInvalidArgument) << wrong;
    EXPECT_EQ(refused.status().message(),
              "[metrics] an address must be a number, as 127.0.0.1 or [::1]; got '" +
                  std::string(wrong) + "'");
  }
  const auto other = MetricsEndpoint::Open(metrics, {.address = "127.9.0.3"}).value();
  EXPECT_TRUE(other->address().starts_with("127.9.0.3:")) << other->address();
}

TEST(MetricsEndpoint, MayBeOpenedAndClosedOften) {
  const auto metrics = std::make_shared<base::Metrics>();
  int port = 0;
  for (int i = 0; i < 40; ++i) {
    auto endpoint = MetricsEndpoint::Open(metrics, {.port = port});
    ASSERT_TRUE(endpoint.ok()) << endpoint.status().message();
    const std::string& address = (*endpoint)->address();
    if (i % 2 == 0) {
      EXPECT_EQ(Scrape(address).substr(0, 15), "HTTP/1.1 200 OK");
    }
    port = std::stoi(address.substr(address.rfind(':') + 1));  // which is free again at once
  }
}

TEST(MetricsEndpoint, AnswersWhileHalfSentRequestsAreHeld) {
  const auto endpoint = MetricsEndpoint::Open(std::make_shared<base::Metrics>(), {}).value();
  std::vector<int> held;
  for (int i = 0; i < 400; ++i) {  // more than it keeps
    held.push_back(ConnectTo(endpoint->address()));
    const std::string half = i % 2 == 0 ? "GET /metrics HTTP/1.1\r\nHost: loc" : "";
    EXPECT_EQ(::send(held.back(), half.data(), half.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(half.size()));
    if (i % 50 != 49) continue;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(Scrape(endpoint->address()).substr(0, 15), "HTTP/1.1 200 OK") << i;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1)) << i;
  }
  for (const int file : held) ::close(file);
}

TEST(MetricsEndpoint, ClosesAConnectionWithoutARequest) {
  const auto endpoint = MetricsEndpoint::Open(std::make_shared<base::Metrics>(), {}).value();
  const int file = ConnectTo(endpoint->address());
  char byte = 'G';
  EXPECT_EQ(::send(file, &byte, 1, 0), 1);
  EXPECT_LE(::recv(file, &byte, 1, 0), 0);  // after some seconds
  ::close(file);
}

TEST(MetricsEndpoint, RefusesWhatIsNoRequestForTheFigures) {
  const auto endpoint = MetricsEndpoint::Open(std::make_shared<base::Metrics>(), {}).value();
  const std::pair<std::string, std::string> cases[] = {
      {"GET / HTTP/1.1\r\n\r\n", "404"},
      {"POST /metrics HTTP/1.1\r\n\r\n", "405"},
      {"nonsense\r\n\r\n", "400"},
      {"GET /metrics?a=b HTTP/1.0\r\n\r\n", "200"},
      {"GET /metrics HTTP/1.1\r\nA: " + std::string(20'000, 'a') + "\r\n\r\n", "431"}};
  for (const auto& [request, status] : cases)
    EXPECT_EQ(Ask(endpoint->address(), request).substr(0, 12), "HTTP/1.1 " + status) << request;
}

}  // namespace
}  // namespace lockstep::monitor
