"""Words of comics whose letters a voice would say otherwise than a person reads them."""

from __future__ import annotations

ALSO_WORDS = frozenset({"AC", "LA", "LED", "MC", "MP", "PI", "PO", "PR", "FM", "DC"})
"""Of these, those that are other words too, or syllables of songs: spelled only where the rest is not in capitals."""

ACRONYMS = frozenset({"NASA", "NATO", "LASER", "SCUBA", "SWAT", "OPEC", "UNESCO"})
"""Abbreviations that are said as a word and written in capitals."""

ABBREVIATIONS = {
    "mr": "mister", "mrs": "missus", "ms": "miz", "dr": "doctor", "prof": "professor", "vs": "versus", "jr": "junior",
    "sr": "senior", "sgt": "sergeant", "capt": "captain", "cpt": "captain", "lt": "lieutenant", "col": "colonel",
    "gen": "general", "cmdr": "commander", "maj": "major", "pvt": "private", "rev": "reverend", "hon": "honorable",
    "gov": "governor", "sen": "senator", "pres": "president", "etc": "et cetera", "approx": "approximately",
    "dept": "department", "ave": "avenue", "blvd": "boulevard", "inc": "incorporated", "corp": "corporation",
    "co": "company", "ltd": "limited", "ft": "fort", "mt": "mount", "est": "established", "vol": "volume",
    "fig": "figure", "tel": "telephone", "apt": "apartment", "misc": "miscellaneous", "max": "maximum",
}  # fmt: skip
"""Short forms with a dot behind them; Mr, Mrs, Ms, Dr and vs also without."""

DOTLESS = frozenset({"mr", "mrs", "ms", "dr", "vs", "jr", "sgt", "capt", "prof"})

RESPELLED = {
    "'em": "em", "'n'": "and", "ol'": "ole", "w/": "with", "w/o": "without", "b/c": "because", "e.g.": "for example",
    "i.e.": "that is", "a.k.a.": "also known as", "aka": "also known as", "o.k.": "OK", "r.i.p.": "rest in peace",
    "asap": "A S A P", "d.i.y.": "D I Y", "&c.": "et cetera", "thru": "through", "tho": "though", "nite": "night",
    "'cause": "cause", "'til": "till", "'bout": "bout", "lo-o-ong": "long", "u": "you", "ur": "your", "ya'll": "y'all",
    "aint": "ain't", "arent": "aren't", "cant": "can't", "couldnt": "couldn't", "didnt": "didn't",
    "doesnt": "doesn't", "dont": "don't", "hadnt": "hadn't", "hasnt": "hasn't", "havent": "haven't", "im": "I'm",
    "isnt": "isn't", "ive": "I've", "shouldnt": "shouldn't", "thats": "that's", "theyre": "they're", "wasnt": "wasn't",
    "werent": "weren't", "whats": "what's", "wont": "won't", "wouldnt": "wouldn't", "youd": "you'd",
    "youre": "you're", "youve": "you've",
}  # fmt: skip

INTERJECTIONS = {
    "hmph": "humph", "hmpf": "humph", "hmf": "humph", "humph": "humph", "hrmph": "harrumph", "hrm": "harrumph",
    "tch": "tsk", "tsk": "tsk", "tk": "tsk", "tut": "tut",
    "grr": "gurr", "gr": "gurr", "rr": "gurr", "aie": "aye", "aiee": "aye", "brr": "burr", "br": "burr",
    "rawr": "roar", "raar": "roar", "rar": "roar",
    "pfft": "pff", "pft": "pff", "pff": "pff", "ppft": "pff", "psst": "pst", "pst": "pst", "pssh": "pish",
    "psh": "pish",
    "shh": "shush", "sh": "shush", "ssh": "shush", "hush": "hush", "hsst": "hist",
    "hm": "hmm", "hmm": "hmm", "hn": "hmm", "hnn": "hmm", "mm": "mmm", "mmm": "mmm", "mhm": "mm-hmm", "mmhm": "mm-hmm",
    "uhn": "uhn", "nn": "mmm", "ngh": "nugh", "nngh": "nugh", "ngg": "nugh", "unh": "unh", "ungh": "ungh",
    "zzz": "", "zz": "", "z": "",
    "argh": "arg", "arrgh": "arg", "aargh": "arg", "aarrgh": "arg", "arg": "arg", "agh": "ah", "aagh": "ah",
    "gah": "gah", "gaah": "gah", "gyah": "gyah", "gyaah": "gyah", "kyaa": "kya", "kya": "kya",
    "waah": "wah", "waa": "wah", "wah": "wah", "uwaa": "oo-wah",
    "eek": "eek", "eep": "eep", "ack": "ack", "ak": "ack", "gack": "gack", "urk": "urk", "erk": "urk", "ulp": "gulp",
    "ugh": "ugh", "uggh": "ugh", "eugh": "ew", "ew": "ew", "eww": "ew", "yuck": "yuck", "blech": "bleck",
    "bleh": "bleh",
    "oh": "oh", "ohh": "oh", "ooh": "ooh", "oo": "ooh", "ah": "ah", "ahh": "ah", "aah": "ah", "aa": "ah", "oof": "oof",
    "uff": "oof", "ouf": "oof", "umpf": "oomph", "oomf": "oomph", "mmph": "mumph", "mmf": "mumph", "mph": "mumph",
    "whew": "whew", "phew": "phew", "fiew": "phew", "heh": "heh", "hee": "hee", "hyuk": "hyuck", "tee-hee": "tee hee",
    "ahem": "ahem", "huff": "huff", "haa": "ha", "hah": "ha", "sniff": "sniff", "snif": "sniff", "snf": "sniff",
    "sob": "sob", "gasp": "gasp", "hic": "hick", "koff": "cough", "kaff": "cough", "hack": "hack", "achoo": "achoo",
    "yikes": "yikes", "yeow": "yow", "yow": "yow", "yeowch": "youch", "owie": "owie", "oww": "ow", "ow": "ow",
    "yay": "yay", "yaay": "yay", "woot": "woot", "woo": "woo", "whoo": "woo", "yoo-hoo": "you hoo", "huh": "huh",
    "meh": "meh", "nah": "nah", "naw": "naw", "uh-uh": "uh uh", "uh-huh": "uh huh", "tsk-tsk": "tsk tsk", "yup": "yup",
    "whoa": "whoa", "woah": "whoa", "whoah": "whoa", "er": "er", "err": "er", "um": "um", "umm": "um", "uh": "uh",
    "uhh": "uh", "ha": "ha", "ho": "ho", "he": "he", "hey": "hey", "aw": "aw", "aww": "aw", "bah": "bah", "feh": "feh",
    "pah": "pah", "duh": "duh", "doh": "doe", "d'oh": "doe", "gulp": "gulp", "mwah": "mwah", "muah": "mwah",
}  # fmt: skip
"""Sounds people make, by what their letters say when runs of a letter are cut to two, as a voice can say them."""

SOUNDS_MADE = (
    "ahem|belch|burp|chuckle|choke|cough|cry|gasp|giggle|groan|growl|grumble|gulp|grunt|hic|huff|moan|pant|puff|sigh|"
    "slurp|sneeze|sniff|sniffle|snicker|snore|snort|sob|swallow|whimper|whistle|wheeze|whine|yawn"
)
"""What stands between asterisks or in pointed brackets before somebody speaks: *sniff*, <sigh>."""

CENSORED = "bleep"
"""What is heard for a swear word of signs: $#@%!"""

CAPITALS = frozenset({
    "I", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "January", "February", "April",
    "June", "July", "August", "September", "October", "November", "December", "Christmas", "Easter", "Halloween",
    "America", "American", "England", "English", "France", "French", "Germany", "German", "Japan", "Japanese", "Tokyo",
    "Paris", "London", "York", "Europe", "Africa", "Asia", "China", "Chinese", "Spain", "Spanish", "Italy", "Italian",
    "Russia", "Russian", "Mars", "Venus", "Jupiter", "Saturn",
})  # fmt: skip
"""Words that keep their capital in a sentence."""

TITLES = frozenset(
    {
        "mister",
        "missus",
        "miz",
        "doctor",
        "professor",
        "captain",
        "sergeant",
        "lieutenant",
        "colonel",
        "saint",
        "general",
        "mount",
    }
)
"""What stands before a name: the next word keeps its capital."""

JAPANESE_SIGNS = {
    "♪": "", "♡": "", "♥": "", "☆": "", "★": "", "＊": "", "*": "", "※": "", "→": "", "♂": "", "♀": "", "＃": "",
    "〃": "", "↑": "", "↓": "", "←": "", "⇒": "", "×": "バツ", "＋": "たす", "＝": "は", "%": "パーセント",
    "&": "アンド", "@": "アット", "℃": "度", "㎝": "センチ", "㎏": "キロ", "㎞": "キロ", "㎜": "ミリ",
}  # fmt: skip
