#include "runtime/cuda/bootstrap.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

namespace plumbline::runtime::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t version = 0x706c756d62000001; // "plumb", and a number that changes with the protocol
constexpr std::uint64_t mostPayload = std::uint64_t(1) << 30U;

struct Greeting {
  std::uint64_t version, greeting;
  std::int64_t rank, size;
};

enum class Answer : std::uint64_t { welcome, otherVersion, otherGreeting, otherSize, noSuchRank, cameTwice };

const char *textOf(Answer answer) {
  switch (answer) {
  case Answer::otherVersion:
    return "is another version of Plumbline";
  case Answer::otherGreeting:
    return "runs another Program, or with other settings";
  case Answer::otherSize:
    return "knows of another number of processes";
  case Answer::noSuchRank:
    return "has no such rank";
  case Answer::cameTwice:
    return "has met this rank before: two processes have the same one";
  default:
    return "";
  }
}

class Socket {
public:
  explicit Socket(int number = -1) : number_(number) {}
  ~Socket() {
    if (number_ >= 0)
      close(number_);
  }
  Socket(Socket &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Socket &operator=(Socket &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }

private:
  int number_;
};

int millisecondsTo(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left < 0 ? 0 : left > 1000 ? 1000 : static_cast<int>(left);
}

// Waits until the socket is ready for the events; false if time is up.
bool await(const Socket &socket, short events, Clock::time_point deadline) {
  pollfd wanted{socket.number(), events, 0};
  while (poll(&wanted, 1, millisecondsTo(deadline)) <= 0)
    if (Clock::now() >= deadline)
      return false;
  return true;
}

bool sendAll(const Socket &socket, const void *data, std::size_t bytes, Clock::time_point deadline) {
  const char *at = static_cast<const char *>(data);
  while (bytes > 0) {
    if (!await(socket, POLLOUT, deadline))
      return false;
    const ssize_t sent = send(socket.number(), at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      return false;
    at += sent > 0 ? sent : 0;
    bytes -= static_cast<std::size_t>(sent > 0 ? sent : 0);
  }
  return true;
}

bool receiveAll(const Socket &socket, void *data, std::size_t bytes, Clock::time_point deadline) {
  char *at = static_cast<char *>(data);
  while (bytes > 0) {
    if (!await(socket, POLLIN, deadline))
      return false;
    const ssize_t received = recv(socket.number(), at, bytes, MSG_DONTWAIT);
    if (received == 0 || (received < 0 && errno != EAGAIN && errno != EINTR))
      return false;
    at += received > 0 ? received : 0;
    bytes -= static_cast<std::size_t>(received > 0 ? received : 0);
  }
  return true;
}

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo *)>;

Addresses lookUp(const char *host, std::uint16_t port, int flags, int &result) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo *found = nullptr;
  result = getaddrinfo(host, std::to_string(port).c_str(), &hints, &found);
  return {result == 0 ? found : nullptr, [](addrinfo *list) {
            if (list)
              freeaddrinfo(list);
          }};
}

Diagnostic wrong(const std::string &text) { return {"bootstrap", 0, 0, text}; }

// Listens at the port for IPv6 and IPv4, or for IPv4 alone where there is no IPv6.
Result<Socket> listenAt(std::uint16_t port) {
  std::string reason = "no addresses";
  for (const char *any : {"::", "0.0.0.0"}) {
    int result = 0;
    const Addresses addresses = lookUp(any, port, AI_PASSIVE | AI_NUMERICHOST, result);
    if (!addresses)
      continue;
    Socket socket(::socket(addresses->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1, off = 0;
    if (socket.valid() && setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        (addresses->ai_family != AF_INET6 ||
         setsockopt(socket.number(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0) &&
        bind(socket.number(), addresses->ai_addr, addresses->ai_addrlen) == 0 &&
        listen(socket.number(), SOMAXCONN) == 0)
      return socket;
    reason = std::strerror(errno);
    if (errno == EADDRINUSE)
      break;
  }
  return wrong("rank 0 cannot wait at port " + std::to_string(port) + ": " + reason +
               "; PLUMBLINE_PORT chooses another one");
}

Answer judge(const Greeting &came, const Greeting &own, const std::vector<bool> &met) {
  if (came.version != own.version)
    return Answer::otherVersion;
  if (came.size != own.size)
    return Answer::otherSize;
  if (came.greeting != own.greeting)
    return Answer::otherGreeting;
  if (came.rank <= 0 || came.rank >= own.size)
    return Answer::noSuchRank;
  return met[static_cast<std::size_t>(came.rank)] ? Answer::cameTwice : Answer::welcome;
}

std::string missingOf(const std::vector<bool> &met) {
  std::string text;
  int count = 0;
  for (std::size_t rank = 1; rank < met.size(); ++rank)
    if (!met[rank] && ++count <= 8)
      text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return count > 8 ? text + " and " + std::to_string(count - 8) + " more" : text;
}

// A guest that says nothing must not keep the others waiting.
constexpr std::chrono::seconds guestPatience{5};

Result<std::vector<char>> serve(const Launch &launch, const Greeting &own, std::vector<char> payload,
                                Clock::time_point deadline) {
  const Result<Socket> door = listenAt(launch.port);
  if (!door)
    return door.error();
  std::vector<bool> met(static_cast<std::size_t>(launch.size), false);
  for (std::int32_t missing = launch.size - 1; missing > 0;) {
    if (!await(*door, POLLIN, deadline))
      return wrong("time is up, and of " + std::to_string(launch.size) + " processes these have not come: rank " +
                   missingOf(met));
    const Socket guest(accept4(door->number(), nullptr, nullptr, SOCK_CLOEXEC));
    const Clock::time_point until = std::min(deadline, Clock::now() + guestPatience);
    Greeting came{};
    if (!guest.valid() || !receiveAll(guest, &came, sizeof came, until))
      continue; // a port scan, or one that has given up
    const Answer answer = judge(came, own, met);
    const std::uint64_t head[2] = {static_cast<std::uint64_t>(answer), payload.size()};
    const bool sent = sendAll(guest, head, sizeof head, until) &&
                      (answer != Answer::welcome || sendAll(guest, payload.data(), payload.size(), until));
    if (answer == Answer::cameTwice || answer == Answer::otherGreeting || answer == Answer::otherSize)
      return wrong("a process came as rank " + std::to_string(came.rank) + ", and rank 0 " + textOf(answer));
    if (answer != Answer::welcome || !sent)
      continue;
    met[static_cast<std::size_t>(came.rank)] = true;
    --missing;
  }
  return payload;
}

// One attempt to reach rank 0; invalid if it does not answer.
Socket reach(const addrinfo *addresses, Clock::time_point deadline) {
  for (const addrinfo *each = addresses; each; each = each->ai_next) {
    Socket socket(::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, each->ai_protocol));
    if (!socket.valid())
      continue;
    int error = connect(socket.number(), each->ai_addr, each->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      socklen_t size = sizeof error;
      if (!await(socket, POLLOUT, std::min(deadline, Clock::now() + guestPatience)) ||
          getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        continue;
    }
    if (error == 0)
      return socket;
  }
  return Socket();
}

Result<std::vector<char>> ask(const Launch &launch, const Greeting &own, Clock::time_point deadline) {
  const std::string place = launch.address + ", port " + std::to_string(launch.port);
  int looked = 0;
  std::string reason = "it does not answer";
  while (Clock::now() < deadline) {
    // Names may come to be known only when the other machine is up.
    const Addresses addresses = lookUp(launch.address.c_str(), launch.port, 0, looked);
    reason = looked == 0 ? reason : gai_strerror(looked);
    const Socket socket = addresses ? reach(addresses.get(), deadline) : Socket();
    std::uint64_t head[2] = {};
    if (socket.valid() && sendAll(socket, &own, sizeof own, deadline) &&
        receiveAll(socket, head, sizeof head, deadline)) {
      if (const auto answer = static_cast<Answer>(head[0]); answer != Answer::welcome)
        return wrong(std::string("rank 0 at ") + place + " " + textOf(answer));
      std::vector<char> payload(std::min(head[1], mostPayload));
      if (receiveAll(socket, payload.data(), payload.size(), deadline))
        return payload;
      reason = "it stopped in the middle of its answer";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return wrong("rank 0 cannot be reached at " + place + ": " + reason);
}

} // namespace

Result<std::vector<char>> shareFromFirst(const Launch &launch, std::uint64_t greeting, std::vector<char> payload,
                                         std::chrono::milliseconds patience) {
  if (launch.size == 1)
    return payload;
  const Greeting own{version, greeting, launch.rank, launch.size};
  const Clock::time_point deadline = Clock::now() + patience;
  return launch.rank == 0 ? serve(launch, own, std::move(payload), deadline) : ask(launch, own, deadline);
}

} // namespace plumbline::runtime::cuda
