"""Serves a built site on this machine as its host will: under the path of its address, from one origin."""

import posixpath
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit


def address_in(sitemap: Path) -> str:
    """Return the address that the site was built for: the shortest one in its map."""
    addresses: list[str] = re.findall(r"<loc>(.*?)</loc>", sitemap.read_text(encoding="utf-8"))
    return min(addresses, key=len)


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve `folder` and give the address of its root.

    Site maps are rewritten to that address as they go out: Material swaps pages in place only for addresses that it finds in one.
    """
    built_for = address_in(folder / "sitemap.xml")
    prefix = urlsplit(built_for).path

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(folder))  # type: ignore[arg-type]

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name is the base class's)
            pass

        def translate_path(self, path: str) -> str:
            return super().translate_path("/" + posixpath.relpath(path.partition("?")[0], prefix) + ("/" if path.endswith("/") else ""))

        def do_GET(self) -> None:
            if not self.path.endswith("/sitemap.xml"):
                super().do_GET()
                return
            body = Path(self.translate_path(self.path)).read_text(encoding="utf-8").replace(built_for, address).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_port}{prefix}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
