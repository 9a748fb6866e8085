#include "runtime/cuda/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace plumbline::runtime::cuda {
namespace {

// For one attempt to connect.
constexpr std::chrono::seconds connectPatience{5};

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

// Short messages go back and forth; none may wait for more to send with it.
void sendAtOnce(const Socket &socket) {
  const int on = 1;
  if (socket.valid()) // no harm if it cannot be
    (void)setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Socket reachOne(const addrinfo &address, Clock::time_point deadline) {
  Socket socket(::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol));
  if (!socket.valid())
    return Socket();
  int error = connect(socket.number(), address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    socklen_t size = sizeof error;
    if (!await(socket, POLLOUT, std::min(deadline, Clock::now() + connectPatience)) ||
        getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size) != 0)
      return Socket();
  }
  sendAtOnce(socket);
  return error == 0 ? std::move(socket) : Socket();
}

} // namespace

Socket::~Socket() {
  if (number_ >= 0)
    close(number_);
}

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
  return Diagnostic{"port " + std::to_string(port), 0, 0, reason};
}

Socket acceptFrom(const Socket &door, Clock::time_point deadline) {
  Socket guest(await(door, POLLIN, deadline) ? accept4(door.number(), nullptr, nullptr, SOCK_CLOEXEC) : -1);
  sendAtOnce(guest);
  return guest;
}

Socket reach(const std::string &host, std::uint16_t port, Clock::time_point deadline, std::string &reason) {
  int looked = 0;
  const Addresses addresses = lookUp(host.c_str(), port, 0, looked);
  if (!addresses)
    reason = gai_strerror(looked);
  for (const addrinfo *each = addresses.get(); each; each = each->ai_next)
    if (Socket socket = reachOne(*each, deadline); socket.valid())
      return socket;
  return Socket();
}

Transfer sendAll(const Socket &socket, const void *data, std::size_t bytes, Clock::time_point deadline) {
  const char *at = static_cast<const char *>(data);
  while (bytes > 0) {
    if (!await(socket, POLLOUT, deadline))
      return Transfer::late;
    const ssize_t sent = send(socket.number(), at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      return Transfer::gone;
    at += sent > 0 ? sent : 0;
    bytes -= static_cast<std::size_t>(sent > 0 ? sent : 0);
  }
  return Transfer::done;
}

Transfer receiveAll(const Socket &socket, void *data, std::size_t bytes, Clock::time_point deadline) {
  char *at = static_cast<char *>(data);
  while (bytes > 0) {
    if (!await(socket, POLLIN, deadline))
      return Transfer::late;
    const ssize_t received = recv(socket.number(), at, bytes, MSG_DONTWAIT);
    if (received == 0 || (received < 0 && errno != EAGAIN && errno != EINTR))
      return Transfer::gone;
    at += received > 0 ? received : 0;
    bytes -= static_cast<std::size_t>(received > 0 ? received : 0);
  }
  return Transfer::done;
}

bool awaitInput(const Socket &socket, Clock::time_point deadline) { return await(socket, POLLIN, deadline); }

bool isGone(const Socket &socket) {
  pollfd wanted{socket.number(), POLLRDHUP, 0};
  return poll(&wanted, 1, 0) > 0 && (wanted.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

} // namespace plumbline::runtime::cuda
