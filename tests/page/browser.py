# SPDX-License-Identifier: MIT
"""A browser without a window: Chromium, driven over two pipes by its DevTools protocol.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    """Opens one page. Use it as a context."""

    def __init__(self, program="chromium", width=1280, height=900, scale=1, touch=False):
        self.profile = tempfile.mkdtemp(prefix="redist-page-")
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--disable-dev-shm-usage", "--remote-debugging-pipe",
                   "--no-first-run", f"--user-data-dir={self.profile}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}', program,
             *options],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.text = b""
        self.number = 0
        self.session = None
        self.complaints = []  # what the page wrote on its console, and its errors
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.resize(width, height, scale, touch)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, limit):
        while b"\0" not in self.text:
            if not select.select([self.back], [], [], limit)[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.back, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.text += more
        message, self.text = self.text.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, limit=30, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive(limit)
            self.note(answer)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def note(self, message):
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            what = details.get("exception", {}).get("description") or details["text"]
            self.complaints.append(what)
        elif message.get("method") == "Log.entryAdded":
            entry = parameters["entry"]
            if entry["level"] == "error":
                self.complaints.append(entry["text"])

    # ---- the page --------------------------------------------------------------------

    def resize(self, width, height, scale=1, touch=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=touch)

    def dark(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def value(self, expression, limit=30):
        """The value of an expression of JavaScript, which may be a promise."""
        result = self.call("Runtime.evaluate", limit, expression=expression,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description")
                               or details["text"])
        return result["result"].get("value")

    def until(self, condition, limit=30):
        end = time.monotonic() + limit
        while not self.value(condition):
            if time.monotonic() > end:
                raise TimeoutError(f"never: {condition}")
            time.sleep(0.01)

    def type(self, selector, text):
        """Replace the text of a field, as a keyboard does."""
        self.value(f"(() => {{ const f = document.querySelector({json.dumps(selector)});"
                   "f.focus(); f.select(); })()")
        self.call("Input.insertText", text=text)

    def key(self, key, code=0, modifiers=0):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers,
                      windowsVirtualKeyCode=code)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def place(self, selector):
        """The rectangle of an element: x, y, width, height."""
        return self.value(f"(() => {{ const b = document.querySelector("
                          f"{json.dumps(selector)}).getBoundingClientRect();"
                          "return [b.x, b.y, b.width, b.height]; })()")

    def screenshot(self, path):
        shot = self.call("Page.captureScreenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
