"""Stand-ins for speech servers, in a thread on 127.0.0.1: Fish Speech, those of the OpenAI shape, all their faults.

    with FakeFish() as fake:
        fake.play(refuses(500), sends(b"RIFF..."))   # what the next two lines get; then it babbles again
        FishVoice(VoiceSettings(url=fake.url)).speak(...)
        fake.asked[0]["text"], fake.most_in_flight

Every wait ends when the fake is closed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from tests.fakes.babble import Sound, babble, wav
from tests.fakes.local import Local, LocalHandler

Body = dict[str, Any]
Sayer = Callable[["FakeSpeech", Body], Sound]
Script = Callable[["Handler", Body], None]
"""Plays one call for speech."""

FISH_RATE = 44_100
OPENAI_RATE = 24_000


class FakeSpeech(Local):
    """What both fakes have in common; `say`, where given, makes the sound of a line at `rate` samples a second."""

    path = ""
    rate = OPENAI_RATE

    def __init__(self, say: Sayer | None = None) -> None:
        super().__init__(Handler)
        self._sayer = say
        self.asked: list[Body] = []
        self.keys: list[str] = []
        self.speaking = threading.Lock()
        self._scripts: deque[Script] = deque()
        self._always: Script | None = None

    def play(self, *scripts: Script, always: Script | None = None) -> None:
        """What the next lines get, one script a call; then `always`, where it is given, else sound."""
        self._scripts = deque(scripts)
        self._always = always

    def next_script(self) -> Script:
        """The script of a call."""
        with self.lock:
            return self._scripts.popleft() if self._scripts else self._always or speaks

    def say(self, body: Body) -> Sound:
        """The sound of a line."""
        return self._sayer(self, body) if self._sayer else self.babbles(body)

    def babbles(self, body: Body) -> Sound:
        """The babble of a line."""
        raise NotImplementedError

    def get(self, handler: Handler, path: str) -> None:
        """Answer a question that is not for speech."""
        handler.send_json(404, {"detail": f"Not Found: {path}"})

    def refusal(self, body: Body) -> tuple[int, object] | None:
        """Status and body with which a real server refuses such a line; None where it speaks it."""
        raise NotImplementedError


class FakeFish(FakeSpeech):
    """Fish Speech as recorded: one line at a time, health only while it is silent, a pitch by the reference."""

    path = "/v1/tts"
    rate = FISH_RATE

    def babbles(self, body: Body) -> Sound:
        """Babble, cut off without a sign at the most tokens that were asked for."""
        sound = babble(
            body["text"], FISH_RATE, pitch=fish_pitch(body), seed=body["seed"], language=_script(body["text"])
        )
        return sound[: body["max_new_tokens"] * 2048]

    def get(self, handler: Handler, path: str) -> None:
        """Health, which waits until nothing is spoken."""
        if path != "/v1/health":
            handler.send_json(404, {"statusCode": 404, "message": None, "error": "Not Found"})
            return
        with self.speaking:
            handler.send_json(200, {"status": "ok"})

    def refusal(self, body: Body) -> tuple[int, object] | None:
        """The recorded refusals: no word in the text, another format, a temperature above 1."""
        if not any(sign.isalnum() for sign in body["text"]):
            message = "No audio generated, please check the input text."
            return 500, {"statusCode": 500, "message": message, "error": "Internal Server Error"}
        if body["format"] not in ("wav", "mp3") or body.get("temperature", 0.7) > 1:
            return 422, [{"type": "literal_error", "loc": ["format"], "msg": "Input should be 'wav', 'pcm' or 'mp3'"}]
        return None


class FakeOpenAI(FakeSpeech):
    """A server of the OpenAI shape that knows Kokoro's voices and heeds speed and seed."""

    path = "/v1/audio/speech"
    voices = ("af_heart", "af_bella", "am_michael", "bm_george", "jf_alpha", "jm_kumo", "mystery")

    def babbles(self, body: Body) -> Sound:
        """Babble, shorter where it is to be faster."""
        seed, pitch = int(body.get("seed", 0)), voice_pitch(str(body.get("voice")))
        sound = babble(body["input"], OPENAI_RATE, pitch=pitch, seed=seed, language=_script(body["input"]))
        speed = float(body.get("speed", 1.0))
        if speed == 1.0:
            return sound
        # Taken at another rate, its pitch corrected beforehand.
        right = babble(body["input"], OPENAI_RATE, pitch=pitch / speed, seed=seed, language=_script(body["input"]))
        at = np.arange(round(len(right) / speed)) * speed
        return np.asarray(np.interp(at, np.arange(len(right)), right), np.float32)

    def get(self, handler: Handler, path: str) -> None:
        """Models and voices."""
        match path:
            case "/v1/models":
                handler.send_json(200, {"object": "list", "data": [{"id": "kokoro", "object": "model"}]})
            case "/v1/audio/voices":
                handler.send_json(200, {"voices": list(self.voices)})
            case "/get_predefined_voices":
                handler.send_json(200, [{"display_name": "Emily", "filename": "Emily.wav"}])
            case _:
                handler.send_json(404, {"detail": "Not Found"})

    def refusal(self, body: Body) -> tuple[int, object] | None:
        """No text."""
        if not body["input"].strip():
            return 400, {"detail": {"error": "validation_error", "message": "Input text is empty"}}
        return None


def _script(text: str) -> str:
    return "ja" if any("\u3041" <= sign <= "\u9fff" for sign in text) else "en"


def fish_pitch(body: Body) -> float:
    """The pitch of the cloned voice: it goes by the recording, or, where only a name is sent, it is anybody's."""
    if not body["references"]:
        return 310.0
    sha = hashlib.sha256(base64.b64decode(body["references"][0]["audio"])).digest()
    return 110 + sha[0] % 64


def voice_pitch(voice: str) -> float:
    """The pitch of a voice by its name."""
    return 110 + hashlib.sha256(voice.encode()).digest()[0] % 64


class Handler(LocalHandler):
    """One call, and what scripts answer it with."""

    @property
    def fake(self) -> FakeSpeech:
        """The server that is played."""
        fake = self.server.fake
        assert isinstance(fake, FakeSpeech)
        return fake

    def do_GET(self) -> None:
        self.fake.calls.append(f"GET {self.path}")
        self.fake.get(self, self.path)

    def do_POST(self) -> None:
        fake = self.fake
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        if self.path != fake.path:
            self.send_json(404, {"detail": "Not Found"})
            return
        with fake.lock:
            fake.calls.append(f"POST {self.path}")
            fake.asked.append(body)
            fake.keys.append(self.headers.get("authorization", ""))
            fake.begin()
        try:
            # One after another, as Fish Speech does.
            with fake.speaking:
                fake.next_script()(self, body)
        finally:
            with fake.lock:
                fake.in_flight -= 1

    def send(self, status: int, data: bytes, kind: str) -> None:
        """A whole answer."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    def send_json(self, status: int, body: object) -> None:
        """A whole answer of JSON."""
        self.send(status, json.dumps(body).encode(), "application/json")

    def pieces(self, kind: str = "audio/wav") -> Callable[[bytes], bool]:
        """The head of an answer in pieces; the function that sends one, False where the caller has hung up."""
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

        def send(data: bytes) -> bool:
            try:
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            except OSError:
                return False
            return not self.fake.closed.is_set()

        return send


def speaks(handler: Handler, body: Body) -> None:
    """The line, or the refusal that a real server would give."""
    refusal = handler.fake.refusal(body)
    if refusal is not None:
        handler.send_json(*refusal)
    else:
        handler.send(200, wav(handler.fake.say(body), handler.fake.rate), "audio/wav")


def sends(data: bytes, kind: str = "audio/wav", status: int = 200) -> Script:
    """These bytes under that content type."""
    return lambda handler, body: handler.send(status, data, kind)


def sounds(make: Callable[[Sound, int], Sound]) -> Script:
    """The line's sound, changed; `make` gets it with its rate."""

    def play(handler: Handler, body: Body) -> None:
        changed = make(handler.fake.say(body), handler.fake.rate)
        handler.send(200, wav(changed, handler.fake.rate), "audio/wav")

    return play


def refuses(status: int, message: str = "refused") -> Script:
    """An error of that status."""
    return lambda handler, body: handler.send_json(status, {"message": message})


def tells_json() -> Script:
    """200 and JSON where sound is due."""
    return sends(b'{"error": "model is loading", "status": "failed"}', "application/json")


def empty_wav() -> Script:
    """A WAV file that holds no sample."""
    return sends(wav(np.zeros(0, np.float32), OPENAI_RATE))


def headerless() -> Script:
    """Samples without a header, as streaming servers send them."""

    def play(handler: Handler, body: Body) -> None:
        handler.send(200, wav(handler.fake.say(body), handler.fake.rate)[44:], "audio/wav")

    return play


def in_container(container: str) -> Script:
    """The line in another container than was asked for, under the content type of WAV."""

    def play(handler: Handler, body: Body) -> None:
        handler.send(200, wav(handler.fake.say(body), handler.fake.rate, container), "audio/wav")

    return play


def endless() -> Script:
    """Sound that never ends, as quickly as the caller takes it."""

    def play(handler: Handler, body: Body) -> None:
        sound = wav(handler.fake.say(body), handler.fake.rate)
        send = handler.pieces()
        send(sound)
        while send(b"\x01\x00" * 32_768):
            time.sleep(0.01)

    return play


def stalls(seconds: float = 60) -> Script:
    """Nothing for that long, then the line."""

    def play(handler: Handler, body: Body) -> None:
        handler.fake.closed.wait(seconds)
        speaks(handler, body)

    return play


def breaks_off() -> Script:
    """Half a file, then the connection ends."""

    def play(handler: Handler, body: Body) -> None:
        whole = wav(handler.fake.say(body), handler.fake.rate)
        send = handler.pieces()
        send(whole[: len(whole) // 2])
        handler.close_connection = True
        handler.connection.close()

    return play


def torn() -> Script:
    """A file of which the second half is missing, in good order."""

    def play(handler: Handler, body: Body) -> None:
        whole = wav(handler.fake.say(body), handler.fake.rate)
        handler.send(200, whole[: len(whole) // 2], "audio/wav")

    return play
