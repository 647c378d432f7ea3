"""A web server on this machine, in place of those of the data sets."""

import http.server
import threading


class FileServer:
    """Serves bytes, while it is a context.

    Attributes:
        address: Where its files lie, with `/` at the end.
        files: A dictionary from names to bytes, or to functions that answer a
            request: of a `BaseHTTPRequestHandler`.
    """

    def __init__(self):
        self.files = {}
        files = self.files

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                content = files.get(self.path[1:])
                if content is None:
                    self.send_error(404)
                elif callable(content):
                    content(self)
                else:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), Handler
        )
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self):
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=[0.01]
        )
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
