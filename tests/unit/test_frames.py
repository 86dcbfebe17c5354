"""Frames: the page is drawn where the view says, to a fraction of a pixel, and nothing outside the shot's area."""

from __future__ import annotations

import time

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from comic_narrator.film import resample
from comic_narrator.film.camera import framed, scaled
from comic_narrator.film.drawing import Pyramid, draw
from comic_narrator.film.frames import SceneClip
from comic_narrator.film.ground import make_ground
from comic_narrator.film.planes import Canvas, canvas_of, to_planes
from comic_narrator.model import Box, Scene, Shot, View

SIZE = (320, 180)
BLACK = np.zeros((180, 320, 3), np.uint8)


def shown(page: np.ndarray, view: View, area: Box, ground: np.ndarray = BLACK) -> np.ndarray:
    """The frame over that ground, as RGB."""
    below = canvas_of(ground)
    canvas = Canvas(below.size)
    draw(Pyramid(page), view, area, below, canvas)
    return canvas.to_rgb()


def blob_page(x: float, y: float, size: tuple[int, int] = (800, 450)) -> np.ndarray:
    """A dark dot of Gaussian shape centred at (x, y) on white."""
    columns, rows = np.arange(size[0]) + 0.5, np.arange(size[1])[:, None] + 0.5
    dot = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * 18.0**2))
    grey = np.rint(255 - 230 * dot).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)


def centre_of_dark(frame: np.ndarray) -> tuple[float, float]:
    weight = 255.0 - frame[..., 0]
    weight[weight < 20] = 0
    rows, columns = np.indices(weight.shape)
    return float((columns * weight).sum() / weight.sum() + 0.5), float((rows * weight).sum() / weight.sum() + 0.5)


@settings(deadline=None, max_examples=40)
@given(st.floats(-40, 40), st.floats(-30, 30), st.floats(0.8, 1.9))
def test_the_page_moves_in_fractions_of_a_pixel(dx: float, dy: float, zoom: float) -> None:
    page = blob_page(400, 225)
    view = View(400 - 160 * zoom + dx, 225 - 90 * zoom + dy, 320 * zoom, 180 * zoom)
    frame = shown(page, view, Box(0, 0, 800, 450))
    x, y = centre_of_dark(frame)
    assert x == pytest.approx((400 - view.x) / zoom, abs=0.12)
    assert y == pytest.approx((225 - view.y) / zoom, abs=0.12)


def test_only_the_shots_area_is_drawn_and_its_edges_are_blended() -> None:
    white = np.full((450, 800, 3), 255, np.uint8)
    frame = shown(white, View(0, 0, 320, 180), Box(100, 50, 61, 40))
    assert frame[70, 130, 0] >= 254
    assert frame[70, 99, 0] <= 1
    assert frame[49, 130, 0] <= 1
    shifted = shown(white, View(0.25, 0, 320, 180), Box(100, 50, 61, 40))
    assert shifted[70, 99, 0] == pytest.approx(64, abs=3)
    assert shifted[70, 160, 0] == pytest.approx(191, abs=3)


def test_a_view_beside_the_page_shows_the_ground() -> None:
    page = np.full((450, 800, 3), 255, np.uint8)
    assert shown(page, View(2000, 2000, 320, 180), Box(0, 0, 800, 450)).max() <= 1


def test_the_blurred_ground_has_the_pages_colours_but_darker() -> None:
    page = np.zeros((600, 400, 3), np.uint8)
    page[..., 0] = 200
    ground = make_ground(page, SIZE, "blur").to_rgb()
    assert ground.shape == (180, 320, 3)
    assert 60 < ground[..., 0].mean() < 160
    assert ground[..., 1].max() <= 2
    assert make_ground(page, SIZE, "black").to_rgb().max() <= 1


def test_the_ground_may_have_the_colour_of_the_pages_edge() -> None:
    page = np.full((600, 400, 3), (240, 230, 200), np.uint8)
    page[100:500, 60:340] = (10, 20, 90)
    page[:, 0] = (0, 0, 0)
    assert np.abs(make_ground(page, SIZE, "page").to_rgb().astype(int) - (240, 230, 200)).max() <= 3


def test_screentone_shrinks_to_an_even_grey() -> None:
    """Fine dots seen from afar must not turn into a pattern."""
    page = np.full((1200, 2000, 3), 255, np.uint8)
    page[::3, ::3] = 0
    frame = shown(page, View(0, 0, 2000, 1125), Box(0, 0, 2000, 1200))
    assert frame[20:-20, 20:-20, 0].std() < 6


def test_an_enlarged_page_stays_sharp() -> None:
    """A line drawn at twice its size is as dark as the line itself: enlarging must not wash it out."""
    page = np.full((225, 400, 3), 255, np.uint8)
    page[:, 199:202] = 0
    view = View(120, 68, 160, 90)
    frame = shown(page, view, Box(0, 0, 400, 225))
    across = frame[90, :, 0].astype(int)
    assert across.min() < 20
    assert np.count_nonzero((across > 60) & (across < 200)) <= 4


def test_a_scene_is_a_moviepy_clip_with_every_frame_of_its_shots() -> None:
    page = blob_page(400, 225)
    shots = (
        Shot(first_frame=0, end_frame=10, from_view=View(0, 0, 800, 450), to_view=View(0, 0, 800, 450), ease="hold"),
        Shot(
            first_frame=10,
            end_frame=31,
            from_view=View(0, 0, 800, 450),
            to_view=View(200, 112, 400, 225),
            ease="smooth",
        ),
    )
    clip = SceneClip(page, Scene(page="0001", frames=31, clips=(), shots=shots), SIZE, 30, "black")
    assert clip.duration == pytest.approx(31 / 30)
    frames = [clip.get_frame(i / 30) for i in range(31)]
    assert all(frame.shape == (180, 320, 3) for frame in frames)
    assert (frames[0] == frames[10]).all()
    assert (frames[20] != frames[10]).any()
    spread = [np.count_nonzero(frame[..., 0] < 128) for frame in (frames[10], frames[20], frames[30])]
    assert spread[0] < spread[1] < spread[2]


@pytest.mark.parametrize("colour", [(255, 255, 255), (0, 0, 0), (230, 40, 30), (20, 90, 220), (128, 128, 128)])
def test_colours_come_through_the_video_as_they_are_on_the_page(colour: tuple[int, int, int]) -> None:
    page = np.full((450, 800, 3), colour, np.uint8)
    frame = shown(page, View(100.3, 50.7, 320, 180), Box(0, 0, 800, 450))
    assert np.abs(frame.astype(int) - colour).max() <= 3


def test_brightness_and_colour_are_in_the_range_that_video_keeps() -> None:
    """White is 235 and black 16, as BT.709 has it, and grey has no colour planes at all."""
    ends = np.zeros((40, 80, 3), np.uint8)
    ends[:, 40:] = 255
    planes = to_planes(ends)
    assert (planes.brightness.min(), planes.brightness.max()) == (16, 235)
    assert planes.colours is None
    ends[:, :40, 0] = 255
    assert to_planes(ends).colours is not None


def test_colour_lies_where_brightness_does() -> None:
    """The edge of a red field on grey of the same brightness is found where the field's edge is."""
    page = np.full((400, 800, 3), 54, np.uint8)
    page[:, 400:] = (255, 0, 0)
    canvas = Canvas(SIZE)
    draw(Pyramid(page), View(320, 100, 160, 90), Box(0, 0, 800, 400), canvas_of(BLACK), canvas)
    red = canvas.planes[2][40].astype(float)
    share = (red - red[0]) / (red[-1] - red[0])
    edge = len(share) - share.sum()
    # Colour pixel j is sited at frame pixel 2j + 0.5; page column 400 is in the frame's middle, at 160.
    assert 2 * (edge - 0.5) + 0.5 == pytest.approx(160, abs=0.6)


def test_planar_frames_are_the_frames_that_moviepy_gets() -> None:
    page = blob_page(400, 225)
    view, other = View(0, 0, 800, 450), View(200, 112, 400, 225)
    shots = (
        Shot(first_frame=0, end_frame=3, from_view=view, to_view=view, ease="hold"),
        Shot(first_frame=3, end_frame=9, from_view=view, to_view=other, ease="smooth"),
    )
    clip = SceneClip(page, Scene(page="0001", frames=9, clips=(), shots=shots), SIZE, 30, "blur")
    planar = [bytes(frame) for frame in clip.planar_frames(9)]
    assert len({len(frame) for frame in planar}) == 1
    assert len(planar[0]) == 320 * 180 * 3 // 2
    assert planar[0] == planar[1] == planar[2]
    for index in (0, 5, 8):
        brightness = np.frombuffer(planar[index], np.uint8)[: 320 * 180].reshape(180, 320)
        expected = (clip.get_frame(index / 30)[..., 1].astype(float) * 219 / 255) + 16
        assert np.abs(brightness - expected).max() <= 2


def test_frames_that_are_drawn_ahead_come_in_order_and_last_until_the_next() -> None:
    wide = View(0, 0, 800, 450)
    shots = tuple(
        Shot(
            first_frame=4 * i,
            end_frame=4 * i + 4,
            from_view=wide,
            to_view=wide if i % 2 else View(40 * i, 20 * i, 400, 225),
            ease="hold" if i % 2 else "smooth",
        )
        for i in range(6)
    )
    clip = SceneClip(blob_page(400, 225), Scene(page="0001", frames=24, clips=(), shots=shots), SIZE, 30, "blur")
    drawn = []
    for frame in clip.planar_frames(24):
        # As long as whoever codes it takes.
        time.sleep(0.005)
        drawn.append(bytes(frame))
    alone = [bytes(clip._drawn(index, Canvas(SIZE)).memory.data) for index in range(24)]
    assert len(set(alone)) == 10
    assert drawn == alone


def test_without_numba_frames_are_nearly_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    page, view, area = blob_page(400, 225), View(150.3, 90.7, 400, 225), Box(0, 0, 800, 450)
    compiled = shown(page, view, area)
    monkeypatch.setattr(resample, "_kernel", lambda: resample._warped)
    warped = shown(page, view, area)
    assert np.abs(compiled.astype(int) - warped).max() <= 8


@pytest.mark.parametrize("size", [(16, 16), (12_000, 12_000), (12_001, 1_001)], ids=["tiny", "huge", "flat"])
def test_pages_of_odd_sizes_are_drawn(size: tuple[int, int]) -> None:
    page = np.full((size[1], size[0], 3), (200, 60, 40), np.uint8)
    view = framed(Box(0, 0, *size), SIZE[0] / SIZE[1])
    near = scaled(view, 0.5)
    shot = Shot(first_frame=0, end_frame=3, from_view=view, to_view=near, ease="smooth")
    clip = SceneClip(page, Scene(page="0001", frames=3, clips=(), shots=(shot,)), SIZE, 30, "blur")
    for index in range(3):
        assert np.abs(clip.get_frame(index / 30)[90, 160].astype(int) - (200, 60, 40)).max() <= 3


@pytest.mark.parametrize("zoom", [1.7, 3.0])
def test_a_small_page_is_enlarged_as_lanczos_does(zoom: float) -> None:
    rng = np.random.default_rng(5)
    grey = cv2.GaussianBlur(rng.integers(30, 225, (120, 200), dtype=np.uint8), (0, 0), 0.5)
    view = View(11.3, 7.7, 320 / zoom, 180 / zoom)
    frame = shown(np.repeat(grey[..., None], 3, axis=2), view, Box(0, 0, 200, 120))[..., 0]
    box = (view.x, view.y, min(view.x + view.w, 200), min(view.y + view.h, 120))
    size = (round((box[2] - box[0]) * zoom), round((box[3] - box[1]) * zoom))
    wanted = np.asarray(Image.fromarray(grey).resize(size, Image.Resampling.LANCZOS, box=box), int)
    inside = np.s_[8 : min(size[1], 180) - 8, 8 : min(size[0], 320) - 8]
    assert np.abs(frame[inside].astype(int) - wanted[inside]).mean() < 1


@pytest.mark.parametrize("heights", [(1,), (257,), (3, 300, 5), (1, 1, 1), (2, 511, 4)], ids=str)
def test_pages_of_a_strip_are_one_picture(heights: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    parts = [rng.integers(0, 255, (height, 17, 3), dtype=np.uint8) for height in heights]
    joined, whole = to_planes(*parts), to_planes(np.concatenate(parts))
    assert joined.size == whole.size == (17, sum(heights))
    assert (joined.brightness == whole.brightness).all()
    assert joined.colours
    assert whole.colours
    assert all((one == other).all() for one, other in zip(joined.colours, whole.colours, strict=True))
