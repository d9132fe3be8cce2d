"""A TCP proxy in front of the API server that can freeze, cut and half-close connections."""

import selectors
import socket
import struct
import threading

PIECE = 64 * 1024
LINGER_NONE = struct.pack("ii", 1, 0)


class Pair:
    """One connection: the client's socket, the server's, and what waits for either."""

    def __init__(self, client, server):
        self.sides = (client, server)
        self.waiting = {client: b"", server: b""}
        self.ended = set()          # sides from which the end has come
        self.closing = set()        # sides that get an end after what waits
        self.frozen = False

    def other(self, side):
        return self.sides[self.sides[0] is side]


class Proxy:
    """Listens on a port of its own; every order may come from any thread."""

    def __init__(self, host, port):
        self._target = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]
        self._pairs = set()
        self._refusing = False
        self._stalling = False
        self._orders = []
        self.accepted = 0
        self._lock = threading.Lock()
        self._wake, self._woken = socket.socketpair()
        self._woken.setblocking(False)
        self._running = True
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._thread.start()

    # -- orders

    def freeze(self, on=True):
        """Nothing moves on the connections of now; they stay open, and new ones are served."""
        self._order(lambda: [setattr(pair, "frozen", on) for pair in self._pairs])

    def stall(self, on=True):
        """The same, and new connections stand still as well."""
        self._order(lambda: setattr(self, "_stalling", on))
        self.freeze(on)

    def refuse(self, on=True):
        """New connections are reset at once."""
        self._order(lambda: setattr(self, "_refusing", on))

    def cut(self):
        """Resets every connection, on both sides."""
        self._order(lambda: [self._drop(pair, True) for pair in list(self._pairs)])

    def half_close(self):
        """Ends every connection towards the client, as a server that only stops sending."""
        self._order(lambda: [self._end(pair.sides[0]) for pair in self._pairs])

    def connections(self):
        found = []
        self._order(lambda: found.append(len(self._pairs)))
        return found[0]

    def close(self):
        self._order(lambda: setattr(self, "_running", False))
        self._thread.join()
        for sock in (self._wake, self._woken, self._listener):
            sock.close()

    def _order(self, act):
        done = threading.Event()
        with self._lock:
            self._orders.append((act, done))
        self._wake.send(b"x")
        if not done.wait(20):
            raise AssertionError("the proxy does not answer")

    # -- the thread

    def _run(self):
        while self._running:
            self._poll()
            with self._lock:
                orders, self._orders = self._orders, []
            for act, done in orders:
                act()
                done.set()
        for pair in list(self._pairs):
            self._drop(pair, False)

    def _poll(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self._woken, selectors.EVENT_READ, None)
            selector.register(self._listener, selectors.EVENT_READ, None)
            for pair in self._pairs:
                for side in () if pair.frozen else pair.sides:
                    wanted = self._wanted(pair, side)
                    if wanted:
                        selector.register(side, wanted, pair)
            for key, events in selector.select():
                if key.fileobj is self._woken:
                    self._woken.recv(PIECE)
                elif key.fileobj is self._listener:
                    self._accept()
                elif key.data in self._pairs:
                    self._serve(key.data, key.fileobj, events)

    @staticmethod
    def _wanted(pair, side):
        wanted = selectors.EVENT_WRITE if pair.waiting[side] else 0
        if side not in pair.ended and len(pair.waiting[pair.other(side)]) < 4 * PIECE:
            wanted |= selectors.EVENT_READ
        return wanted

    def _accept(self):
        client, _ = self._listener.accept()
        self.accepted += 1
        try:
            if self._refusing:
                raise ConnectionRefusedError
            server = socket.create_connection(self._target, timeout=5)
        except OSError:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NONE)
            client.close()
            return
        for sock in (client, server):
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        pair = Pair(client, server)
        pair.frozen = self._stalling
        self._pairs.add(pair)

    def _serve(self, pair, side, events):
        try:
            if events & selectors.EVENT_WRITE:
                sent = side.send(pair.waiting[side])
                pair.waiting[side] = pair.waiting[side][sent:]
            if events & selectors.EVENT_READ:
                data = side.recv(PIECE)
                if data:
                    if pair.other(side) not in pair.closing:
                        pair.waiting[pair.other(side)] += data
                else:
                    pair.ended.add(side)
                    pair.closing.add(pair.other(side))
            self._finish(pair)
        except OSError:
            self._drop(pair, True)

    def _finish(self, pair):
        for side in pair.closing:
            if not pair.waiting[side]:
                self._end(side)
        if len(pair.ended) == 2 and not any(pair.waiting.values()):
            self._drop(pair, False)

    @staticmethod
    def _end(side):
        try:
            side.shutdown(socket.SHUT_WR)
        except OSError:
            pass        # ended already

    def _drop(self, pair, reset):
        self._pairs.discard(pair)
        for side in pair.sides:
            if reset:
                side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NONE)
            side.close()
