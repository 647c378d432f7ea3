"""Clients of a server of HTTP that are slow, or leave."""

import asyncio
import contextlib
import socket
import time


class SlowClients:
    """Clients of a server of HTTP that are slow, or leave.

    Args:
        address: Host and port.
        path: The path of a request.
        body: Its body.
    """

    def __init__(self, address, path, body):
        host, _, port = address.partition(":")
        self._address = host, int(port)
        body = body.encode()
        self._head = (
            f"POST {path} HTTP/1.1\r\nHost: {address}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode()
        self._body = body

    async def half_a_body(self):
        """Sends half a body; returns the seconds until the answer."""
        data = self._head + self._body[: len(self._body) // 2]
        return await self._until_the_end(data)

    async def silence(self):
        """Sends nothing; returns the seconds until it is disconnected."""
        return await self._until_the_end(b"")

    async def slow_headers(self):
        """Sends a byte from time to time; returns as `silence`."""

        async def dribble(writer):
            with contextlib.suppress(ConnectionError):
                for byte in self._head * 100:
                    writer.write(bytes([byte]))
                    await writer.drain()
                    await asyncio.sleep(0.5)

        return await self._until_the_end(b"", dribble)

    async def reads_nothing(self):
        """Asks and does not read, until it is cancelled."""
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setblocking(False)
        loop = asyncio.get_running_loop()
        with connection:
            await loop.sock_connect(connection, self._address)
            await loop.sock_sendall(connection, self._head + self._body)
            await loop.create_future()

    async def leaves(self):
        """Sends a request and leaves before it is answered."""
        _, writer = await asyncio.open_connection(*self._address)
        writer.write(self._head + self._body)
        await writer.drain()
        writer.transport.abort()

    async def _until_the_end(self, data, beside=None):
        reader, writer = await asyncio.open_connection(*self._address)
        start = time.monotonic()
        writer.write(data)
        task = beside and asyncio.create_task(beside(writer))
        try:
            with contextlib.suppress(ConnectionError):
                await reader.read(1000)
            return time.monotonic() - start
        finally:
            if task:
                task.cancel()
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
