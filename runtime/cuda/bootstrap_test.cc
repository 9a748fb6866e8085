// Several processes, as threads, over the loopback device.
#include "runtime/cuda/bootstrap.h"

#include "gtest/gtest.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace plumbline::runtime::cuda {
namespace {

using std::chrono::milliseconds;

// A port that was free a moment ago.
std::uint16_t freePort() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(socket, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  EXPECT_EQ(getsockname(socket, reinterpret_cast<sockaddr *>(&address), &size), 0);
  close(socket);
  return ntohs(address.sin_port);
}

const std::vector<char> payload(300000, 'x');

struct Process {
  Launch launch;
  std::uint64_t greeting = 7;
  milliseconds startsAfter{0};
};

std::vector<Process> processes(std::int32_t size) {
  std::vector<Process> all;
  const std::uint16_t port = freePort();
  for (std::int32_t rank = 0; rank < size; ++rank)
    all.push_back({{rank, size, rank, "localhost", port, nullptr}});
  return all;
}

std::vector<Result<std::vector<char>>> run(const std::vector<Process> &all, milliseconds patience) {
  std::vector<Result<std::vector<char>>> results(all.size(), std::vector<char>());
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < all.size(); ++k)
    threads.emplace_back([&, k] {
      std::this_thread::sleep_for(all[k].startsAfter);
      results[k] = shareFromFirst(all[k].launch, all[k].greeting,
                                  all[k].launch.rank == 0 ? payload : std::vector<char>(), patience);
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

void expectError(const Result<std::vector<char>> &result, const std::string &text) {
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
}

TEST(Bootstrap, EveryProcessGetsThePayload) {
  std::vector<Process> all = processes(8);
  all[0].startsAfter = milliseconds(200); // others try until it is there
  all[5].startsAfter = milliseconds(300);
  for (const auto &result : run(all, milliseconds(20000))) {
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(*result, payload);
  }
}

TEST(Bootstrap, OneProcessNeedsNobody) { EXPECT_EQ(*shareFromFirst({}, 7, payload, milliseconds(0)), payload); }

TEST(Bootstrap, TellsWhoIsMissing) {
  std::vector<Process> all = processes(4);
  all.resize(3);
  const auto results = run(all, milliseconds(500));
  expectError(results[0], "of 4 processes these have not come: rank 3");
  EXPECT_TRUE(results[1].ok());
}

TEST(Bootstrap, TellsThatTheFirstIsMissing) {
  std::vector<Process> all = processes(2);
  all.erase(all.begin());
  expectError(run(all, milliseconds(300))[0], "rank 0 cannot be reached at localhost, port ");
}

TEST(Bootstrap, RefusesAnotherProgram) {
  std::vector<Process> all = processes(2);
  all[1].greeting = 8;
  const auto results = run(all, milliseconds(5000));
  expectError(results[0], "a process came as rank 1, and rank 0 runs another Program");
  expectError(results[1], "runs another Program");
}

TEST(Bootstrap, RefusesARankTwice) {
  std::vector<Process> all = processes(3);
  all[2].launch.rank = 1;
  const auto results = run(all, milliseconds(5000));
  expectError(results[0], "two processes have the same one");
  EXPECT_NE(results[1].ok(), results[2].ok());
}

TEST(Bootstrap, RefusesAnotherNumberOfProcesses) {
  std::vector<Process> all = processes(2);
  all[1].launch.size = 3;
  expectError(run(all, milliseconds(5000))[1], "another number of processes");
}

// A guest that says nothing, or nonsense, is passed over.
TEST(Bootstrap, PassesOverStrangers) {
  std::vector<Process> all = processes(2);
  all[1].startsAfter = milliseconds(300);
  std::thread stranger([&] {
    std::this_thread::sleep_for(milliseconds(100));
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(all[0].launch.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0) {
      const std::vector<char> nonsense(64, 'z');
      EXPECT_EQ(send(socket, nonsense.data(), nonsense.size(), MSG_NOSIGNAL), 64);
    }
    close(socket);
  });
  for (const auto &result : run(all, milliseconds(20000)))
    EXPECT_TRUE(result.ok()) << result.error().message;
  stranger.join();
}

TEST(Bootstrap, TellsThatThePortIsTaken) {
  std::vector<Process> all = processes(2);
  all.resize(1);
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(all[0].launch.port);
  ASSERT_EQ(bind(socket, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  ASSERT_EQ(listen(socket, 1), 0);
  expectError(run(all, milliseconds(2000))[0], "Address already in use; PLUMBLINE_PORT chooses another one");
  close(socket);
}

} // namespace
} // namespace plumbline::runtime::cuda
