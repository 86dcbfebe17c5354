"""Japanese lettering as it is read aloud."""

from __future__ import annotations

import re

from comic_narrator.script.spoken.words import JAPANESE_SIGNS

_KANA = r"\u3041-\u3096\u30a1-\u30fa"
_KANJI = r"\u3400-\u9fff\u3005\u30f6"
_VOWELS = {
    **dict.fromkeys("あかがさざただなはばぱまやらわぁゃゎアカガサザタダナハバパマヤラワァャヮ", "あぁアァ"),
    **dict.fromkeys("いきぎしじちぢにひびぴみりぃイキギシジチヂニヒビピミリィ", "いぃイィ"),
    **dict.fromkeys("うくぐすずつづぬふぶぷむゆるぅゅウクグスズツヅヌフブプムユルゥュ", "うぅウゥ"),
    **dict.fromkeys("えけげせぜてでねへべぺめれぇエケゲセゼテデネヘベペメレェ", "えぇエェ"),
    **dict.fromkeys("おこごそぞとどのほぼぽもよろをぉょオコゴソゾトドノホボポモヨロヲォョ", "おぉオォ"),
}


def japanese(text: str) -> str:
    """`text` without furigana, signs and stutters' litter; small kana and long vowels as a voice can say them."""
    text = _without_furigana(text)
    text = re.sub(r"」\s*「|』\s*『", "、", re.sub(r"\s+", "", text))
    text = _numbers(text)
    text = "".join(JAPANESE_SIGNS.get(sign, sign) for sign in text)
    text = re.sub(r"\.{2,}|・{2,}|‥+|…+|。{2,}", "…", text)
    text = re.sub(rf"(?<=[{_KANA}])[〜～~]+", "ー", text)
    text = re.sub(r"[〜～~\"'「」『』“”〝〟【】《》〈〉<>\[\]^_|]+", "", text)
    text = re.sub(r"[―—–─]+|--+|ーー+(?=$|[^\w])", "—", text) if not re.search(rf"[{_KANA}]ー", text) else text
    text = _long_vowels(text)
    text = re.sub(
        rf"(?<![{_KANA}{_KANJI}])(?:[はわひふへほあいえうぐげ][っッー]?)?(?:([はひふへほ])[っッー]?\1?){{2,}}[んう]?",
        _laughed,
        text,
    )
    text = _stutters(text)
    text = re.sub(rf"(?<=[{_KANA}{_KANJI}ー])[っッ]+(?=[ー]*(?:$|[!?！？…。、—]))", "っ", text)
    text = re.sub(r"^[っッんンー]+(?=[^っッんンー!?！？…。、—])", _start, text)
    text = re.sub(r"[!?！？]*[?？][!?！？]*", "？", text)
    text = re.sub(r"[!！]+", "！", text)
    text = re.sub(r"…(?=[！？])|(?<=[！？])…$", "", text) if re.fullmatch(r"[…！？]+", text) else text
    return re.sub(r"^[…、。—・]+|[、・]+$|(?<=[！？…。])、", "", text)


_MONEY = {"¥": "円", "$": "ドル", "£": "ポンド", "€": "ユーロ"}
_SHORT_FORMS = {"mr": "ミスター", "mrs": "ミセス", "ms": "ミズ", "dr": "ドクター"}


def _numbers(text: str) -> str:
    """Money, degrees, fractions and numbers below nothing written as they are said; short forms of titles in kana."""
    text = re.sub(r"([¥$£€])([\d,.]+[千万億兆]*)", lambda m: f"{m[2]}{_MONEY[m[1]]}", text)
    text = re.sub(r"(?<=\d)°[cC]?", "度", text)
    text = re.sub(r"(?<![\dA-Za-z])[-−－](?=\d)", "マイナス", text)
    text = re.sub(r"(?<![\d/])([1-9])/([2-9])(?![\d/])", r"\2分の\1", text)
    text = re.sub(r"(?<=\d)×(?=\d)", "かける", text)
    text = re.sub(r"[Nn][Oo]\.(?=\d)", "ナンバー", text).replace("ナンバー1", "ナンバーワン")
    text = re.sub(r"\b(mrs?|ms|dr)\.", lambda m: _SHORT_FORMS[m[1].lower()], text, flags=re.IGNORECASE)
    # Laughter and sleep, as they are typed.
    text = re.sub(r"(?<![A-Za-z])(?:w+|z{2,})(?=[!?！？.。…]*$)", "", text, flags=re.IGNORECASE)
    return re.sub(r"[○◯]{2,}", "まるまる", text)


def _laughed(match: re.Match[str]) -> str:
    """Laughter in katakana: in hiragana its last sign is read as the particle that it looks like."""
    return "".join(chr(ord(sign) + 0x60) if "ぁ" <= sign <= "ゖ" else sign for sign in match[0])


def _without_furigana(text: str) -> str:
    """Readings in brackets behind kanji left out: 漢字（かんじ） is said once."""
    text = re.sub(rf"[|｜]?([{_KANJI}]+)《[{_KANA}ー]+》", r"\1", text)
    return re.sub(rf"([{_KANJI}]+)[(（][{_KANA}ー]+[)）]", r"\1", text)


def _long_vowels(text: str) -> str:
    """A vowel drawn out by three signs or more, or by several bars, as one long one: ぎゃああああ is ぎゃあー."""
    text = re.sub(r"ー{2,}", "ー", text)
    out = ""
    i = 0
    while i < len(text):
        out += text[i]
        vowels = _VOWELS.get(text[i], "")
        run = re.match(rf"[{vowels}ー]{{2,}}", text[i + 1 :]) if vowels else None
        if run and (len(run[0]) >= 3 or "ー" in run[0] or run[0][0] in "ぁぃぅぇぉァィゥェォ"):
            out += "ー"
            i += len(run[0])
        i += 1
    # A lone small vowel behind its own sound only draws it out: ねぇ is ねえ.
    full = str.maketrans("ぁぃぅぇぉァィゥェォ", "あいうえおアイウエオ")
    return re.sub(
        r"(.)([ぁぃぅぇぉァィゥェォ])",
        lambda m: m[1] + (m[2].translate(full) if m[2] in _VOWELS.get(m[1], "") else m[2]),
        out,
    )


def _stutters(text: str) -> str:
    """な、な、なに and な…なに keep one broken-off start."""
    return re.sub(r"(?<![^\W。！？!?…、])(\w)(?:[、…っッ・-]+\1)*[、…・-]+(?=\1\w)", r"\1、", text)


def _start(match: re.Match[str]) -> str:
    # A word cannot begin with a stop or a bar; んー can.
    return match[0].replace("っ", "").replace("ッ", "").lstrip("ー") if match[0][0] not in "んン" else match[0]
