"""Messages over a socket, each whole, in time and no longer than agreed."""

import socket
import struct
import time

HEAD = struct.Struct(">I")
MOST = 2**20  # bytes that are read at once
LONGEST = 16 * 2**20  # bytes of a message from a student's process


class Line:
    """One end. What is late is a TimeoutError, all else that is amiss an OSError.

    reads_ahead: several messages may be read at once. An end that is given a socket
    must not do that.
    """

    def __init__(self, end, reads_ahead=False):
        self.end = end if isinstance(end, socket.socket) else socket.socket(fileno=end)
        self._least = 2**16 if reads_ahead else 0  # bytes that are asked for
        self._early = bytearray()  # what was read of the next messages

    def send(self, message, seconds=None):
        self.end.settimeout(seconds)
        self.end.sendall(HEAD.pack(len(message)) + message)

    def receive(self, seconds=None, longest=2**32):
        """The next message; `seconds` are for all of it."""
        late = None if seconds is None else time.monotonic() + seconds
        (size,) = HEAD.unpack(self._bytes(HEAD.size, late))
        if size > longest:
            raise OSError(f"a message of {size} bytes")
        return self._bytes(size, late)

    def send_end(self, end):
        """Give the other process a socket; it has to expect it: receive_end()."""
        socket.send_fds(self.end, [b"."], [end.fileno()])

    def receive_end(self):
        self.end.settimeout(None)
        _, (descriptor,), *_ = socket.recv_fds(self.end, 1, 1)
        return socket.socket(fileno=descriptor)

    def is_waiting(self):
        """Has something come that was not received?"""
        try:
            self.end.settimeout(0)
            return bool(self._early or self.end.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return False
        except OSError:
            return True

    def has_message(self):
        """Was a message read that was not received?"""
        size = len(self._early) - HEAD.size
        return size >= 0 and size >= HEAD.unpack_from(self._early)[0]

    def close(self):
        self.end.close()

    def _bytes(self, size, late):
        buffer = self._early
        while len(buffer) < size:
            left = None if late is None else late - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError
            self.end.settimeout(left)
            part = self.end.recv(min(max(size - len(buffer), self._least), MOST))
            if not part:
                raise EOFError
            buffer += part
        self._early = buffer[size:]
        return bytes(buffer[:size])
