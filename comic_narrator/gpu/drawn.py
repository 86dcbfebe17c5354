"""The page that a probe sends where none is given: drawn on the spot, of the size that pages are sent in."""

from __future__ import annotations

from io import BytesIO

WIDTH, HEIGHT = 921, 1300
"""Pixels: some 1,200 tokens for a Qwen3-VL."""
PANELS = ((30, 30, 880, 420), (30, 450, 450, 860), (480, 450, 890, 860), (30, 890, 890, 1270))
LETTERING = ("THE LIGHT IS OUT", "SINCE WHEN?", "SINCE NOBODY CAME", "THEN WE GO UP")


def drawn_page() -> bytes:
    """A page of four panels with a balloon in each, as PNG."""
    # Pillow is loaded only where a page is drawn.
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("RGB", (WIDTH, HEIGHT), "white")
    pen = ImageDraw.Draw(page)
    font = ImageFont.load_default(26)
    for number, ((left, top, right, bottom), words) in enumerate(zip(PANELS, LETTERING, strict=True)):
        pen.rectangle((left, top, right, bottom), fill=(150 + 25 * number, 190, 225 - 20 * number), outline=0, width=4)
        pen.ellipse((left + 40, top + 30, left + 370, top + 150), fill="white", outline=0, width=3)
        pen.text((left + 205, top + 90), words, fill=0, font=font, anchor="mm")
        pen.ellipse((left + 150, bottom - 190, left + 290, bottom - 20), fill=(220, 120, 80), outline=0, width=4)
    data = BytesIO()
    page.save(data, "PNG")
    return data.getvalue()
