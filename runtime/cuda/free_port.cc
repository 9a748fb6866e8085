#include "runtime/cuda/free_port.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace plumbline::runtime::cuda {

std::uint16_t freePort() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof address;
  const bool bound = bind(socket, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0 &&
                     getsockname(socket, reinterpret_cast<sockaddr *>(&address), &size) == 0;
  close(socket);
  return bound ? ntohs(address.sin_port) : 0;
}

} // namespace plumbline::runtime::cuda
