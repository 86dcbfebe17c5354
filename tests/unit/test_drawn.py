"""Drawn sound words of many languages are told apart, and what is no sound word is none."""

from __future__ import annotations

from collections import Counter

import pytest

from comic_narrator.script.drawn import sound_of, table_words
from comic_narrator.sound import find, shipped

ROWS = """
en CRASH! crash | en CRAAASH!! crash | en KRASH crash | en SMASH! crash | en WHAM! crash | en CRASHH crash
en BOOM! explosion | en KABOOM!! explosion | en KA-BOOM explosion | en BAROOM explosion | en FOOM explosion
en FWAP impact | en BAM! impact | en POW! impact | en WHACK impact | en THWACK! impact | en BIFF! impact
en THWOK impact | en BASH! impact | en ZOK! impact | en KAPOW! punch | en PUNCH! punch | en SLAP! slap
en SMACK! slap | en THUD thud | en THUMP thud | en THUNK! thud | en FLUMP thud | en BONK! bump | en BUMP bump
en KONK bump | en CRACK! crack | en SNAP! crack | en KRAK! crack | en SHATTER! glass | en RUMBLE quake
en RRRUMMMBLE quake | en SPLASH! splash | en SPLOSH splash | en KER-SPLASH! splash | en PLOP plop | en PLUNK plop
en SPLAT! splat | en SQUISH squelch | en DRIP drip | en DRIP DRIP drip | en BLUB BLUB bubbles | en GLUB bubbles
en WHOOSH! whoosh | en SWOOSH whoosh | en ZOOM! whoosh | en FWOOSH! whoosh | en SWISH! swish | en SLASH! slash
en SNIKT! slash | en CLANG! sword | en KLANG sword | en CLANK! clank | en CLINK clink | en JINGLE clink
en RATTLE rattle | en ZAP! zap | en BZZT zap | en PEW! PEW! laser | en BANG! gunshot | en BLAM! gunshot
en RAT-A-TAT machine-gun | en BUDDA BUDDA machine-gun | en CLICK click | en KLIK click | en KNOCK! KNOCK! knock
en TAP TAP knock | en SLAM! door-slam | en CREEEAK door-creak | en SKREEK door-creak | en SQUEAK squeak
en SCREECH! brakes | en SKREECH brakes | en STOMP! steps | en CRUNCH snow-steps | en CLOP CLOP gallop
en GASP! gasp | en SIGH sigh | en WHEW sigh | en HUFF pant | en SNIFF sniff | en ZZZZZ snore | en SNORE snore
en GULP gulp | en MUNCH munch | en CHOMP! munch | en HA HA HA! laughs | en HAHAHAHA laughs | en HEE HEE laughs
en AAAAARGH! scream | en EEEK! scream | en SHRIEK scream | en ROAR! roar | en RAWR roar | en GRRR growl
en WOOF! dog | en ARF ARF dog | en CAW! crow | en TWEET bird | en RIBBIT croak | en BZZZ buzz | en BUZZ buzz
en FLAP FLAP wings | en RUSTLE rustle | en SCRUB SCRUB scrub | en SCRATCH scratch | en SCRIBBLE writing
en SIZZLE sparks | en HISSS hiss | en KRAKOOM! thunder | en RING! RING! telephone | en BRRRING telephone
en DING DONG bell | en BEEP BEEP beep | en TICK TOCK tick | en BA-DUMP heartbeat | en BADUMP heartbeat
en DUN DUN DUN sting | en SPARKLE magic | en POOF! vanish | en BAMF! vanish | en POP! pop | en BOING! boing
en VROOM! engine-start | en HONK! horn | en CHUGGA CHUGGA train | en WHUP WHUP helicopter | en CLAP CLAP applause
en GONG gong | en THWIP bowshot | en TWANG! bowshot | en BURP burp | en KA-CHING! till | en CLICKS click
ja ドン thud | ja ドンッ thud | ja ドカン explosion | ja ドッカーン explosion | ja バキッ impact | ja ドカッ impact
ja パシッ slap | ja ガシャン crash | ja パリン glass | ja ゴゴゴゴゴ quake | ja ドドドド quake | ja ザブン splash
ja ポチャン plop | ja ポタポタ drip | ja ブクブク bubbles | ja ビュン whoosh | ja シュッ swish | ja ズバッ slash
ja キン sword | ja ガチャ clank | ja ガタガタ rattle | ja バチバチ zap | ja ズキュン gunshot
ja ダダダダ machine-gun | ja カチッ click | ja コンコン knock | ja ドンドン bang-door | ja ギィ door-creak
ja コツコツ steps | ja タタッ running | ja ザクザク snow-steps | ja パカパカ gallop | ja ハッ gasp | ja ハァ sigh
ja ハァハァ pant | ja クンクン sniff | ja ゴクリ gulp | ja モグモグ munch | ja クスクス laughs | ja キャー scream
ja ガオー roar | ja グルル growl | ja ワンワン dog | ja カァ crow | ja チュンチュン bird | ja ケロケロ croak
ja ブーン buzz | ja バサバサ wings | ja ガサガサ rustle | ja ゴシゴシ scrub | ja ガリガリ scratch
ja メラメラ flame | ja ゴロゴロ thunder | ja プルルル telephone | ja ピンポン bell | ja ピーポーピーポー siren
ja チクタク tick | ja ドキドキ heartbeat | ja ガーン sting | ja キラキラ magic | ja ポン pop
ja ブロロロ engine-start | ja ガタンゴトン train | ja ごくり gulp | ko 쾅 explosion | ko 콰앙! explosion
ko 쿵 thud | ko 퍽 impact | ko 짝 slap | ko 와장창 crash | ko 쨍그랑 glass | ko 첨벙 splash | ko 휙 whoosh
ko 탕! gunshot | ko 두다다다 machine-gun | ko 똑똑 knock | ko 뚜벅뚜벅 steps | ko 헉 gasp | ko 꿀꺽 gulp
ko 멍멍 dog | ko 화르륵 flame | ko 따르릉 telephone | ko 두근두근 heartbeat | ko 반짝 magic | ko 부릉 engine-start
ko 짝짝짝 applause | zh 轰隆 explosion | zh 砰 impact | zh 汪汪 dog | zh 哈哈哈 laughs | zh 滴答 tick
zh 沙沙 rustle | fr BOUM! explosion | fr PAF impact | fr PLOUF! splash | fr TOC TOC TOC knock | fr OUAF OUAF dog
fr DRIIING telephone | fr VROUM engine-start | de KRACH! crash | de PLATSCH splash | de KLIRR glass | de WUFF dog
de KNARR door-creak | de SCHNARCH snore | de TICK TACK tick | es ZAS! impact | es GUAU dog | es JAJAJA laughs
es TOC TOC knock | it GNAM munch | it BAU BAU dog | it DRIN telephone | pt AU AU dog
""".strip()

TABLE = [tuple(row.strip().split(" ")) for line in ROWS.splitlines() for row in line.split("|")]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]}-{'_'.join(row[1:-1])}")
def test_a_drawn_word_is_its_sound(row: tuple[str, ...]) -> None:
    language, *words, tag = row
    assert sound_of(" ".join(words), language) == tag


def test_the_table_is_large_enough_to_mean_something() -> None:
    assert len(TABLE) >= 150
    assert len({row[0] for row in TABLE}) >= 8


@pytest.mark.parametrize(
    "text",
    ["FNORD", "QWERTZ", "HELLO", "CLOCK", "SHARK", "WHISPER", "TIPTOE", "GENERAL STORE", "1947", "...", "",
     "東京駅", "안녕하세요"],
    ids=str,
)  # fmt: skip
def test_what_is_no_sound_word_is_none(text: str) -> None:
    assert sound_of(text, "en") is None


@pytest.mark.parametrize(("read", "tag"), [("SPLASN", "splash"), ("KABOQM", "explosion"), ("WHOOSN", "whoosh")])
def test_one_misread_letter_is_forgiven(read: str, tag: str) -> None:
    assert sound_of(read, "en") == tag


def test_every_sound_of_the_table_is_in_the_library() -> None:
    tags = {tag for tag, _, _ in table_words()}
    assert len(tags) >= 60
    assert not [tag for tag in sorted(tags) if not find((tag,), (shipped(),), "effect")]


def test_no_word_stands_for_two_sounds() -> None:
    seen = Counter((language, word) for _, language, word in table_words())
    assert seen.most_common(1)[0][1] == 1
    assert sound_of("ドン", "ja") == sound_of("ドン!!", "en")
