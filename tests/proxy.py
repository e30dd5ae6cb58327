"""The server behind nginx, as docs/web.md shows it: TLS, host names, tokens and the names of clients.

    python3 tests/proxy.py target/debug/tabiya
"""

import http.client
import json
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAME = "chess.example"


def free_port() -> int:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def documented(folder: Path, port: int, behind: int) -> str:
    """The configuration of docs/web.md with the ports and files of this test."""
    text = (Path(__file__).parent.parent / "docs/web.md").read_text()
    block = re.search(r"^    server \{\n.*?^    \}\n", text, re.MULTILINE | re.DOTALL)
    assert block, "docs/web.md has no configuration of nginx"
    server = block.group().replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
    server = server.replace("/etc/ssl/", f"{folder}/").replace(":7777", f":{behind}")
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return (
        f"daemon off; pid {folder}/pid; error_log {folder}/log;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{temporary}{server}}}\n"
    )


def connect(port: int) -> http.client.HTTPSConnection:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=20)


def ask(port: int, path: str, host: str = NAME, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = connect(port)
    connection.request("GET", path, headers={"Host": host} | headers)
    answer = connection.getresponse()
    return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()


def flood(port: int) -> bool:
    """Whether one of many quick requests is refused, although each claims to come from elsewhere."""
    connection = connect(port)
    for number in range(900):
        headers = {"Host": NAME, "X-Forwarded-For": f"192.0.{number % 250}.1"}
        connection.request("GET", "/api/v1/health", headers=headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status == 429:
            return True
    return False


def check(port: int, token: str) -> None:
    status, _, body = ask(port, "/api/v1/health")
    assert (status, json.loads(body)["status"]) == (200, "ok"), body
    assert ask(port, "/api/v1/stats")[0] == 401
    assert ask(port, "/api/v1/stats", Authorization=f"Bearer {token}")[0] == 200
    # A browser: the printed address gives it a cookie, which opens the API.
    status, headers, _ = ask(port, f"/?token={token}")
    assert (status, headers["location"]) == (303, "/"), headers
    cookie = headers["set-cookie"].split(";")[0]
    own = {"Cookie": cookie, "Origin": f"https://{NAME}", "Sec-Fetch-Site": "same-origin"}
    assert ask(port, "/api/v1/stats", **own)[0] == 200
    assert ask(port, "/api/v1/stats", **(own | {"Origin": "https://evil.example"}))[0] == 403
    assert ask(port, "/api/v1/health", host="evil.example")[0] == 403
    # One client floods, under the name that nginx gives it, and is slowed down.
    assert any(flood(port) for _ in range(5)), "X-Forwarded-For of the client was believed"


def main() -> None:
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "games.pgn").write_text('[White "Anna"]\n\n1. e4 e5 2. Nf3 *\n')
        subprocess.run([program, "index", "games.pgn", "--db", "db"], cwd=folder, check=True, capture_output=True)
        key = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={NAME}"]
        key += ["-keyout", f"{folder}/{NAME}.key", "-out", f"{folder}/{NAME}.crt"]
        subprocess.run(key, check=True, capture_output=True)
        command = [program, "serve", "--db", "db", "--port", "0", "--json", "--host", NAME]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        nginx = None
        try:
            begun = json.loads(server.stdout.readline())
            port = free_port()
            (folder / "nginx.conf").write_text(documented(folder, port, int(begun["address"].rsplit(":", 1)[1])))
            nginx = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL)
            for _ in range(100):
                try:
                    ask(port, "/api/v1/health")
                    break
                except OSError:
                    time.sleep(0.1)
            check(port, begun["token"])
            print("the server works behind nginx")
        finally:
            if nginx:
                nginx.terminate()
                nginx.wait()
            server.kill()


main()
