#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scene.py vaapi|software FILE...: Chromium plays each video file to its end in a window of Wayland, and shows a picture from its middle; for each it must use the decoder
that was asked for. Chromium's DevTools (https://chromedevtools.github.io/devtools-protocol) say which one it has. Then runs `./shown FILE`, if there is such a
program, while the window still shows that picture."""
import json
import os
import pathlib
import subprocess
import sys

# Chromium leaves pictures of less than 720 lines to its own decoders (ResolutionBasedDecoderPriority); of others it decodes what VA-API offers without being asked to.
OPTIONS = ["--ozone-platform=wayland", "--no-sandbox", "--no-first-run", "--kiosk", "--hide-scrollbars", "--force-device-scale-factor=1",
           "--autoplay-policy=no-user-gesture-required", "--disable-features=ResolutionBasedDecoderPriority",
           "--enable-logging=stderr", "--remote-debugging-pipe", f"--user-data-dir={os.getcwd()}/profile"]
PAGE = """<!doctype html><body style="margin: 0; background: #204060"><video muted style="display: block"></video>"""
PLAY = """new Promise((loaded) => document.readyState == "complete" ? loaded() : addEventListener("load", loaded)).then(() => new Promise((done, failed) => {
  const video = document.querySelector("video"), fail = () => failed(new Error(video.error.message));
  video.onerror = fail;
  video.onended = () => {
    const { totalVideoFrames, droppedVideoFrames } = video.getVideoPlaybackQuality();
    const shown = () => requestAnimationFrame(() => requestAnimationFrame(() => done({ totalVideoFrames, droppedVideoFrames })));
    const look = (_, { mediaTime }) => mediaTime < 0.7 * video.duration ? shown() : video.requestVideoFrameCallback(look);  // the last picture may come late
    video.requestVideoFrameCallback(look);
    video.currentTime = video.duration / 2;
  };
  video.src = "FILE";
  video.play().catch(failed);
}))"""


class Browser:
    """Chromium with its DevTools on descriptors 3 (to it) and 4 (from it): JSON messages, each ended by a 0."""

    def __init__(self, options):
        (read, self._to), (self._from, write) = os.pipe(), os.pipe()
        self.process = subprocess.Popen(["sh", "-c", f'exec "$@" 3<&{read} 4>&{write}', "sh", "chromium", *options, "about:blank"], pass_fds=[read, write])
        os.close(read)
        os.close(write)
        self._count, self._rest, self._players = 0, b"", {}

    def _message(self):
        while b"\0" not in self._rest:
            data = os.read(self._from, 1 << 20)
            if not data:
                sys.exit(f"Chromium has ended: {self.process.wait()}")
            self._rest += data
        one, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(one)
        if message.get("method") == "Media.playerPropertiesChanged":
            changed = message["params"]
            self._players.setdefault(changed["playerId"], {}).update((each["name"], each["value"].strip('"')) for each in changed["properties"])
        return message

    def decoder(self, index):
        """(name, whether it is the platform's) of the decoder of the player that was made as the index-th. Chromium tells it some seconds late."""
        while True:
            known = [player for player in self._players.values() if "kVideoDecoderName" in player]
            if len(known) > index:
                return known[index]["kVideoDecoderName"], known[index].get("kIsPlatformVideoDecoder") == "true"
            self._message()

    def call(self, method, session=None, **parameters):
        self._count += 1
        os.write(self._to, json.dumps({"id": self._count, "method": method, "params": parameters, **({"sessionId": session} if session else {})}).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self._count:
                if "error" in message:
                    sys.exit(f"{method}: {message['error']}")
                return message["result"]


def page(browser):
    """The session of the window's page."""
    while True:
        for target in browser.call("Target.getTargets")["targetInfos"]:
            if target["type"] == "page":
                return browser.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]


def play(browser, session, file):
    """How many frames were played."""
    browser.call("Page.navigate", session, url=pathlib.Path("page.html").absolute().as_uri())
    done = browser.call("Runtime.evaluate", session, expression=PLAY.replace("FILE", pathlib.Path(file).absolute().as_uri()), awaitPromise=True, returnByValue=True)
    if "exceptionDetails" in done:
        sys.exit(f"{file}: {done['exceptionDetails']['exception'].get('description')}")
    return done["result"]["value"]


def main(kind, *files):
    pathlib.Path("page.html").write_text(PAGE)
    browser = Browser([*OPTIONS, *os.environ.get("CHROMIUM_OPTIONS", "").split(), *(["--disable-accelerated-video-decode"] if kind == "software" else [])])
    session = page(browser)
    browser.call("Media.enable", session)
    wrong = []
    for index, file in enumerate(files):
        played = play(browser, session, file)
        decoder, platform = browser.decoder(index)
        print(f"{file}: {decoder} {'platform' if platform else 'software'} {played}", flush=True)
        if platform != (kind == "vaapi"):
            wrong.append(f"{file}: decoded by {decoder}")
        if pathlib.Path("shown").exists():
            subprocess.run(["./shown", file], check=True)
    browser.call("Browser.close")
    browser.process.wait()
    sys.exit("\n".join(wrong) or 0)


main(*sys.argv[1:])
