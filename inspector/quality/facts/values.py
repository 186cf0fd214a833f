"""Find exact values in a text (numbers with units, dates, paths, ids, settings) and compare two values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import islice

from msgspec.structs import replace

from inspector.core.patterns import late_pattern
from inspector.core.scan.exact import LINE, NUMBER, PATTERNS, is_path, plain_number
from inspector.core.scan.words import SPACED, narrow, word_set
from inspector.quality.facts.fact import Span, Value

#: Forms of values, in the order of the attempts at a place. One in NAMES is also followed from message
#: to message.
FORMS = (
    "url", "uuid", "digest", "colour", "channel", "mail", "date", "address", "ratio", "time", "path", "file", "ticket",
    "setting", "option", "version", "release", "name", "identifier", "percent",
)  # fmt: skip
NAMES = ("url", "uuid", "digest", "path", "file", "ticket", "setting", "name")
FILES = frozenset({"path", "file"})
#: Forms that count, measure or date something.
COUNTED = frozenset({"number", "quantity", "percent", "ratio", "time", "date", "weekday"})

#: Unit -> how it is written, the English forms first; _ is a space.
UNITS: Mapping[str, str] = {
    "us": "µs μs microsecond microseconds 微秒",
    "ms": "ms millisecond milliseconds msec Millisekunden milisegundos millisecondes 毫秒 ミリ秒",
    "s": "s sec secs second seconds Sekunden segundos secondes detik 秒 秒钟 秒間 초 секунд секунды",
    "min": "min mins minute minutes Minuten minutos menit 分钟 分鐘 分 分間 분 минут минуты",
    "h": "h hr hrs hour hours Stunden Stunde horas heures uur 小时 小時 个小时 時間 시간 часов часа",
    "day": "day days d Tage Tagen Tag días dias jours dagen hari 天 日間 дней дня",
    "night": "night nights 晚",
    "week": "week weeks Wochen Woche semanas semaines weken 周 星期 个星期 週間 недель недели",
    "month": "month months mo Monate Monaten meses mois 个月 か月 месяцев месяца",
    "year": "year years yr yrs Jahre Jahren años anos ans années 年 лет года",
    "B": "B byte bytes octets",
    "KB": "KB kB kb kilobytes KiB Ko",
    "MB": "MB mb MiB megabytes megabyte Mo 兆",
    "GB": "GB gb GiB gigabytes gigabyte G Go",
    "TB": "TB tb TiB",
    "tokens": "tokens token トークン",
    "rows": "rows row 行 条",
    "requests": "requests request req rps req/s requests/s Anfragen requêtes 请求 个请求",
    "times": "times x retries retry attempts attempt tries try Versuche reintentos tentatives 次 遍 倍 回",
    "connections": "connections connection Verbindungen conexiones 个连接",
    "workers": "workers worker",
    "replicas": "replicas replica pods pod",
    "nodes": "nodes node shards shard Knoten",
    "entries": "entries entry items item 个 項 件",
    "users": "users user seats people persons person Nutzer Benutzer usuarios 人 个人 用户",
    "files": "files file Dateien archivos fichiers 个文件",
    "lines": "lines line Zeilen líneas lignes",
    "decimals": "decimals decimal digits digit places",
    "characters": "characters character chars Zeichen caracteres caractères 字",
    "px": "px pixels pt 像素",
    "EUR": "EUR eur € euro euros Euro",
    "USD": "USD usd $ dollars dollar",
    "GBP": "GBP gbp £",
    "CNY": "CNY ¥ 元 块",
    "JPY": "JPY jpy 円 yen",
    "mm": "mm millimetres millimetre millimeters millimeter Millimeter milímetros millimètres 毫米",
    "cm": "cm centimetres centimetre centimeters centimeter Zentimeter centímetros centimètres 厘米 公分",
    "m": "metres metre meters meter Meter Metern metros mètres 米",
    "km": "km kilometres kilometre kilometers kilometer Kilometer kilómetros kilomètres 公里",
    "g": "g gram grams gramme grammes Gramm gramos 克",
    "kg": "kg kilo kilos kilogram kilograms Kilogramm kilogramos kilogrammes 公斤",
    "lb": "lb lbs pound pounds 磅",
    "W": "W watt watts Watt",
    "kW": "kW kilowatt kilowatts Kilowatt",
    "degrees": "°C °F degrees degree Grad grados degrés 度",
    "fps": "fps frames_per_second frames_a_second frames/s",
    "Hz": "Hz hz",
    "kHz": "kHz khz KHz",
    "MHz": "MHz mhz",
    "GHz": "GHz ghz",
    "tests": "tests test 项测试",
    "bullets": "bullets bullet sentences sentence words word",
    "pages": "pages page Seiten páginas 页",
    "%": "percent pct",
}
#: Unit -> (dimension, how many of the base unit). Values of one dimension are compared by size.
_SIZES: Mapping[str, tuple[str, Decimal]] = {
    "us": ("time", Decimal("0.000001")),
    "ms": ("time", Decimal("0.001")), "s": ("time", Decimal(1)), "min": ("time", Decimal(60)),
    "h": ("time", Decimal(3600)), "day": ("time", Decimal(86400)), "week": ("time", Decimal(604800)),
    "mm": ("length", Decimal("0.001")), "cm": ("length", Decimal("0.01")), "m": ("length", Decimal(1)),
    "km": ("length", Decimal(1000)), "g": ("weight", Decimal(1)), "kg": ("weight", Decimal(1000)),
    "lb": ("weight", Decimal("453.59237")),
    "W": ("power", Decimal(1)), "kW": ("power", Decimal(1000)),
    "B": ("bytes", Decimal(1)), "KB": ("bytes", Decimal(1000)), "MB": ("bytes", Decimal(10**6)),
    "GB": ("bytes", Decimal(10**9)), "TB": ("bytes", Decimal(10**12)),
    "Hz": ("rate", Decimal(1)), "kHz": ("rate", Decimal(1000)), "MHz": ("rate", Decimal(10**6)),
    "GHz": ("rate", Decimal(10**9)),
}  # fmt: skip
#: Units of bytes, each 1,024 times the previous unit.
_POWERS = ("B", "KB", "MB", "GB", "TB")
#: Units that name what is counted: their number may be given without them.
_LOOSE = frozenset({"times", "rows", "entries", "users", "files", "lines", "tests", "workers", "nodes", "replicas",
                    "connections", "requests", "decimals", "characters", "bullets", "pages", "tokens"})  # fmt: skip
#: Things that the agent counts in passing.
FLEETING = frozenset(
    {"tests", "lines", "files", "entries", "times", "characters", "bullets", "decimals", "nodes"}
)
#: Words that name what a number limits or measures.
QUANTITIES = word_set(
    "port limit timeout size batch budget retries retry pool connections workers threads "
    "replicas max min maximum minimum ttl threshold version capacity memory heap cpu quota rate "
    "interval count rows nodes"
)
_NUMERALS: Mapping[str, str] = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16",
    "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50",
    "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90", "hundred": "100", "a hundred": "100",
    "one and a half": "1.5", "two and a half": "2.5", "three and a half": "3.5",
    "a thousand": "1000", "half an": "0.5", "half a": "0.5", "an": "1", "a": "1",
}  # fmt: skip
#: Short names of weekdays. "Sun", "Sat" and "Mon" are other words, unless a time or a date follows.
_SHORT_DAYS = r"Tues?|Wed|Thu(?:rs?)?|Fri|(?:Mon|Sat|Sun)(?=[.,]?\s(?:\d|at\b|after\b|before\b))"
_CJK_DIGITS = {
    sign: number
    for number, signs in enumerate(["", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"])
    for sign in signs
}
_CJK_TENS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "萬": 10_000}
# "一" alone is an article: "一次" is "once".
_CJK_NUMERAL = r"(?:[一二两兩三四五六七八九十百千万萬零]{2,8}|[二两兩三四五六七八九十半])"
#: A time of day: "下午三点十五", "早上8点半". Without a part of the day it needs minutes: "三点" may be three points.
_CJK_COUNT = rf"(?:\d{{1,2}}|{_CJK_NUMERAL})"
_CJK_CLOCK = (
    r"(?P<day>凌晨|早[上晨]|上午|中午|(?P<late>下午|晚上|傍晚))?\s?"
    rf"(?P<hour>{_CJK_COUNT})[点點](?:(?P<part>半|[一三]刻)|(?P<minute>{_CJK_COUNT})(?:分|(?(day)|(?!)))|(?(day)|(?!)))"
)
_CJK_PARTS = {"半": 30, "一刻": 15, "三刻": 45}
#: Number -> its word, as a text may have it without a unit: "two spaces".
NUMBER_WORDS: Mapping[str, str] = {
    number: word
    for word, number in _NUMERALS.items()
    if number.isdecimal() and int(number) > 1 and " " not in word
}
# "a" and "an" count only what has a size: "an hour", not "a test".
_ARTICLES = ("half an", "half a", "an", "a", "one")
_SCALES: Mapping[str, int] = {
    "k": 1_000, "K": 1_000, "M": 1_000_000, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000,
    "万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000,
}  # fmt: skip
_SCALE = r"(?:[kKM](?![A-Za-z])|[万萬亿億]|\s(?:thousand|million|billion)\b)"
#: A number that ends in a zero, but not in ".0" or ".00".
_RELEASE = late_pattern(r"[1-9]\d*\.\d*[1-9]\d*0")
#: A number for each unit, or two numbers: "300/month", "429/503".
_NUMERIC = late_pattern(r"\d+(?:[.,]\d+)*/(?:[a-z]+|\d+[a-z]*)\Z")
_DIGITS = late_pattern(r"\d+(?:[.,]\d+)*")
_SCALED = late_pattern(_SCALE)
_DOTTED = late_pattern(r"[1-9]\d{0,2}(?:\.\d{3})+")
_MONTHS: Mapping[str, int] = {
    form: number
    for number, forms in enumerate(
        (
            "january jan enero janeiro janvier januar januari января",
                "february feb febrero fevereiro février februar "
                "февраля",
            "march mar marzo março mars märz maart марта", "april apr abril avril апреля", "may mayo maio mai mei мая",
            "june jun junio junho juin juni июня", "july jul julio julho juillet juli июля",
            "august aug agosto août augustus августа", "september sept sep septiembre setembro septembre "
                                                       "сентября",
            "october oct octubre outubro octobre oktober октября", "november nov noviembre novembro novembre "
                                                                   "ноября",
            "december dec diciembre dezembro décembre dezember декабря",
        ),
        1,
    )
    for form in forms.split()
}  # fmt: skip
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday " + " ".join(
    f"{week}{day}" for week in ("周", "星期") for day in "一二三四五六日"
)
#: Texts that look like a name and are not a name.
_COMMON = word_set(
    "utf-8 utf-16 utf-32 ed25519 iso-8859 iso-8601 sha-1 sha-256 sha-512 md-5 pep-8 us-ascii cp-1252 x-1 "
    "y-1 i-1 n-1 h-1 k-1 j-1 http-1 http-2 base-64 float-64 int-64 and/or read/write input/output "
    "client/server true/false start/stop before/after enable/disable add/remove open/close "
    "read/edit show/hide his/her username/password key/value __init__.py setup.py foo.py test.py "
    "main.py example.py script.py"
)
_PLACEHOLDER = late_pattern(
    r"https?://(?:[^/]{0,200}@|(?!localhost)[^./]{1,200}(?:[:/]|$)|(?:\w{1,60}\.){0,4}example\.(?:com|org|"
    r"net)(?![\w.]))|"
    r"(?:http|https|ftp|file)://$",
    re.ASCII,
)

# A value has no letter, digit or joining sign next to it, so it is never a part of a longer value.
_START = rf"(?<![{SPACED}0-9_./@#%&+-])"
# A value may also end a range: "8-17".
_BEFORE = rf"(?:{_START}|(?:(?<={_START}\d-)|(?<={_START}\d\d-))(?=\d\d?(?![\w-]|[.:/]\d)))"
# "wordC:\x" is a word with a path glued to it.
_BEHIND = rf"(?![{SPACED}0-9_%]|:\\)"


def _either(forms: Sequence[str]) -> str:
    return "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))


def _whole_words(forms: Iterable[str]) -> str:
    """Return a pattern of the forms, longest first. No letter may follow a form that ends in one."""
    ordered = sorted(forms, key=len, reverse=True)
    lettered = [form for form in ordered if form[-1].isalpha() and form[-1] < "\u3040"]
    others = [form for form in ordered if form not in lettered]
    # One look-ahead for all of these: a look-ahead each takes half a second to compile.
    pattern = rf"(?:{_either(lettered)})(?![{SPACED}])"
    return f"{pattern}|{_either(others)}" if others else pattern


_UNIT_OF: Mapping[str, str] = {
    form.replace("_", " "): unit for unit, forms in UNITS.items() for form in forms.split()
}
# "5 m" are metres; "5m" may be minutes.
_SPELLED = rf"{_whole_words(_UNIT_OF)}|(?<=\d )m(?![{SPACED}])"
_UNIT = late_pattern(rf"[\s-]?({_SPELLED})")
_SIZED = _whole_words(form for form, unit in _UNIT_OF.items() if unit in _SIZES)
_MONTH = "|".join(form.capitalize() + "|" + form for form in sorted(_MONTHS, key=len, reverse=True))
_DAY = r"[12]\d|3[01]|0?[1-9]"
# One copy of the units a pattern: each copy takes milliseconds to compile.
# 1.5k is 1,500.
_COUNT = rf"{PATTERNS['number']}{_SCALE}?"
_CURRENCY = r"(?:(?:[€$£¥]|EUR|USD|GBP|CNY|JPY)\s?)"
_NUMBER = (
    rf"{_CURRENCY}?(?:(?:{PATTERNS['number']}\s?[-–]\s?)?{_COUNT}[\s-]?(?:{_SPELLED})|"
    rf"{_COUNT})"
)
# "requests a second" is a rate; "within a second" is an amount.
_AN_AMOUNT = "|".join(
    rf"(?<={word} )"
    for word in (
        "within",
        "over",
        "after",
        "for",
        "than",
        "in",
        "every",
        "most",
        "least",
        "about",
        "to",
        "is",
        "takes",
    )
)
_NUMERAL = _either([word for word in _NUMERALS if word not in _ARTICLES and word.isascii()])
_WORDED = (
    rf"(?:(?:{_NUMERAL})[\s-]|{_CJK_NUMERAL})(?:{_SPELLED})|"
    rf"(?:(?P<amount>half an?\s|(?:{_AN_AMOUNT})(?:an?|one)\s)|(?:an?|one)\s)(?:{_SIZED})"
    r"(?:\sand a half\b|(?(amount)|(?=\s(?:before|after|later|ahead|earlier|or|at most)\b)))"
)
_VALUE = late_pattern(
    _BEFORE
    + "(?:"
    + "|".join(
        [
            rf"(?P<dayfirst>(?:{_DAY})(?:st|nd|rd|th|er|º|\.)?\s(?:of\s|"
            rf"de\s)?(?:{_MONTH})\b(?:,?\s(?:del?\s)?(?:20|19)\d\d)?)",
            rf"(?P<monthfirst>(?:{_MONTH})\s(?:{_DAY})(?:st|nd|rd|th)?\b(?:,?\s(?:20|19)\d\d)?)",
            rf"(?P<dotted>(?:{_DAY})\.(?:1[0-2]|0?[1-9])\.(?:20|19)\d\d(?!\.\d))",
            r"(?P<cjkdate>(?:20\d\d\s?[年년]\s?)?(?:1[0-2]|0?[1-9])\s?[月월]\s?(?:[12]\d|3[01]|0?[1-9])\s?[日号號일])",
            rf"(?P<weekday>(?i:{_either(_WEEKDAYS.split())})s?|(?:{_SHORT_DAYS})\b)",
            rf"(?P<cjkclock>{_CJK_CLOCK})",
            r"(?P<cron>[0-5]?\d\s(?:[01]?\d|2[0-3])(?:\s[\d*,/-]+)?\s\*\s[\d*,/-]+)",
            *(
                rf"(?P<{form}>{PATTERNS[form]}{LINE if form in FILES else ''})" for form in FORMS
            ),
            rf"(?P<number>{_NUMBER})",
            rf"(?P<worded>(?i:{_WORDED}))",
        ]
    )
    + ")"
    + _BEHIND,
    re.ASCII,
)  # fmt: skip
_MENTION = late_pattern(
    "|".join(rf"(?P<{form}>{PATTERNS[form]}{LINE if form in FILES else ''})" for form in NAMES), re.ASCII
)
# Nothing is a value that has none of these: no unit is looked at here.
_WORTH = late_pattern(
    rf"[0-9０-９/_#]|--|\.[a-z]|[a-z][A-Z]|[二两兩三四五六七八九十半百千万萬]|"
    rf"(?i:\b(?:(?:{_NUMERAL})[\s-]|half an?\s|(?:{_AN_AMOUNT})(?:an?|one)\s|(?:an?|one)\s\w+\s(?:before|"
    rf"after|later|ahead|earlier|or|at most|and a half)\b)|{_either(_WEEKDAYS.split())})"
)
_CJK = late_pattern(_CJK_NUMERAL)
_NUMBERED = late_pattern(r"\d{1,4}")
_WORDS = late_pattern(r"[A-Za-z]+(?:/[A-Za-z]+)+")
_WORD_AND_SLASH = late_pattern(r"[A-Za-z]+/")
_FOLDER_BEHIND = late_pattern(r" (?:folder|directory|dir)\b", re.IGNORECASE)
_WORD_BEFORE = late_pattern(r"([A-Za-z]+)[ (]+\Z")
_LINE_BEFORE = late_pattern(r"\blines?\s(?:\d{1,6}\s?(?:[-–,]|to|and)\s?)?\Z", re.IGNORECASE)
#: Matches the number of a list item without a space, and a number with zeros that begins a name.
_NUMBERING = late_pattern(r"(?:(?<![^\n])\d{1,2}\)(?=[A-Za-z])|0\d*-[A-Za-z])")
#: Matches a noun before a number that is a label, as in "level 2".
_LABEL = late_pattern(
    r"\b(?:options?|steps?|phases?|tasks?|points?|items?|parts?|levels?|tiers?|stages?|chap(?:ter)?s?|sections?|pages?|slides?|"
    r"questions?|issues?|rounds?|instructions?|requirements?|rules?|notes?)\s?#?\Z|(?:[问問][题題]|步[骤驟]|[测測][试試]|任[务務]|第)\Z",
    re.IGNORECASE,
)
#: Words behind which words with a slash between them are a path ("in docs/guide").
_PLACES = word_set(
    "in under at from into inside within to of via on with folder directory dir path file files "
    "module package repo branch touch edit modify change open read run see cd delete move create "
    "add write remove"
)
_TOKEN = late_pattern(r"[A-Za-z0-9_.@+~#/:%=*-]{4,}")
_NAMELIKE = late_pattern(r"[/_.:\d-]")
_LONGEST_TOKEN = 200
#: Characters before a value that are searched for the word that explains it.
_BEFORE_VALUE = 24
#: Characters of a run without a space that are looked at for values; a longer one is data.
_LONGEST_RUN = 400
#: Several numbers with a slash between them, but no date.
_NUMBERS = late_pattern(r"(?<![\w/.])\d{1,6}(?:/(?!\d{4}\b)\d{1,6}){2,}(?![\d/]|\w*/)", re.ASCII)
#: The sign between two times of day: 08:00-17:30.
_CLOCKS = late_pattern(r"(?<=\d:\d\d)[-–](?=\d{1,2}:\d\d)")
#: A decimal point that was typed with a Chinese keyboard.
_CJK_POINT = late_pattern(r"(?<=\d)。(?=\d)")
#: A space that keeps a number and its unit on one line. The patterns know ASCII spaces only.
_FIXED_SPACE = late_pattern("[\u00a0\u2009\u202f]")
#: A number with spaces between its thousands.
_SPACED = late_pattern(r"(?<![\w.,/:+-])(?<!\d )\d{1,3}+(?: \d{3}){1,4}+(?![\w/:+-]|[.,]\d| \d)")
_RUN = late_pattern(rf"(?<!\S)\S{{{_LONGEST_RUN}}}\S*+")
_JOINED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.@+~#/:%=*-")
_EDGES = "\"'`.,;:!?()[]{}<>|*"
_FILE_ADDRESS = late_pattern(r"\Afile:/{2,4}(?:[a-z]:(?=/))?")
#: The home folder of a user, in lower case.
_HOME = late_pattern(r"\A(?:/root|/(?:home|users)/[^/]+)(?=/)")
#: A path from the root of the file system, in lower case; "/docs/plan.md" may begin at the root of a project.
_ROOTED = late_pattern(r"/(?:etc|home|media|mnt|opt|root|srv|tmp|users|usr|var|volumes)/")
#: A sign in the name of a file.
_NAME_SIGN = late_pattern(r"[\w.@+-]", re.ASCII)
_WEB = late_pattern(r"https?://(?:www\.)?(?=\w)|(?:sqlite|file):/{2,4}(?:\./)?(?=\w)")


def values_of(text: str) -> tuple[Value, ...]:
    """Return the exact values of a text, in order and without overlap."""
    if _WORTH.search(text) is None:
        return ()
    return _values_of(text) if len(text) <= 2_000 else tuple(_scan(text))


@lru_cache(maxsize=16_384)
def _values_of(text: str) -> tuple[Value, ...]:
    return tuple(_scan(text))


def _scan(text: str) -> Iterator[Value]:
    if len(text) > _LONGEST_RUN and _RUN.search(text) is not None:
        text = _RUN.sub(lambda run: " " * len(run.group()), text)
    read = _FIXED_SPACE.sub(" ", narrow(text))
    read = _CJK_POINT.sub(".", read)
    read = _NUMBERS.sub(lambda numbers: numbers.group().replace("/", ";"), read)
    read = _CLOCKS.sub(" ", read)
    read = _SPACED.sub(lambda number: number.group().replace(" ", ","), read)
    for match in _VALUE.finditer(read):
        for value in _values_in(match):
            yield value if read is text else replace(value, text=text[slice(*value.span)])


def _values_in(match: re.Match[str]) -> Iterator[Value]:
    """Yield the value of a match. "10.0.0.5:80" is a host and a port, "429/503" are two numbers."""
    value, start = _value(match), match.start()
    if value is None and match.lastgroup == "path" and _NUMERIC.match(match.group()) is not None:
        for number in _DIGITS.finditer(match.group()):
            unit = _UNIT.match(match.group(), number.end())
            end = number.end() if unit is None else unit.end()
            yield _quantity(match.group()[number.start() : end], (start + number.start(), start + end))
    elif value is not None and value.form == "address" and ":" in value.text:
        host, _, port = value.text.rpartition(":")
        yield Value(host, "address", canon(host), "", True, (start, start + len(host)))
        yield _quantity(port, (start + len(host) + 1, match.end()))
    elif value is not None:
        yield value


def _value(match: re.Match[str]) -> Value | None:
    form, text, span = match.lastgroup or "", match.group(), match.span()
    if form in ("dayfirst", "monthfirst", "dotted", "cjkdate"):
        return Value(text, "date", _date(text, form), "", False, span)
    if form == "date":
        return Value(text, form, text.replace("/", "-").replace(".", "-")[:10], "", False, span)
    if form == "weekday":
        return Value(text, form, _weekday(text), "", False, span)
    if form == "cjkclock":
        return Value(text, "time", _cjk_clock(match), "", False, span)
    if form == "cron":
        minute, hour, *_ = text.split()
        return Value(text, "time", f"{hour:0>2}:{minute:0>2}", "", False, span)
    if form == "percent":
        return Value(text, form, plain_number(text.rstrip("%％ ")), "%", False, span)
    if form == "time":
        return Value(text, form, _clock(text), "", False, span)
    if form == "ratio":
        return Value(text, form, "".join(text.split()), "", False, span)
    if form == "worded":
        return _worded(text, span)
    if form == "number":
        value = _quantity(text, span)
        # "Lines 29-32" says where something was, "3)" numbers an item, and "00-meta" is a name.
        is_place = (
            _LINE_BEFORE.search(match.string, max(0, span[0] - _BEFORE_VALUE), span[0]) is not None
            or _NUMBERING.match(match.string, span[0]) is not None
        )
        return None if value.form == "number" and is_place else value
    if form in FILES and (not is_path(text) or match.string[span[0] - 1 : span[0]] == "<"):
        return None
    if (form == "path" and _alternates(match)) or not _is_name(text, form):
        return None
    return Value(text, form, canon(text), "", True, span)


def _weekday(text: str) -> str:
    """Return the full name of a weekday: "Fri" and "Fridays" are "friday"."""
    low = text.lower()
    return next((day for day in _WEEKDAYS.split() if low.isascii() and day.startswith(low[:3])), low)


def _cjk_clock(match: re.Match[str]) -> str:
    """Return a Chinese time of day as 15:15."""
    hour, minute = (
        int(one if one.isdecimal() else _cjk_number(one)) for one in (match["hour"], match["minute"] or "0")
    )
    hour += 12 if match["late"] and hour < 12 else 0
    return f"{hour:02d}:{_CJK_PARTS.get(match['part'], minute):02d}"


def _clock(text: str) -> str:
    """Return a time of day as 20:00: "8 pm", "20:00" and "20:00 UTC" are equal. 12 am is 00:00."""
    low = "".join(text.lower().replace(".", "").split())
    hour, _, rest = low.partition(":")
    digits = _NUMBERED.match(hour)
    number = int(digits.group()) if digits is not None else 0
    if low.endswith(("am", "pm")) and number <= 12:
        number = number % 12 + 12 * low.endswith("pm")
    minutes = rest[:2] if rest[:2].isdigit() else "00"
    return f"{number:02d}:{minutes}"


def _worded(text: str, span: Span) -> Value:
    low = text.lower()
    if (numeral := _CJK.match(text)) is not None:
        number, end = _cjk_number(numeral.group()), numeral.end()
    else:
        word = max((one for one in _NUMERALS if low.startswith(one)), key=len)
        number, end = _NUMERALS[word], len(word)
    unit = _UNIT.match(text, end)
    if low.endswith("and a half"):
        number = f"{number}.5"
    return Value(text, "quantity", number, _UNIT_OF.get(unit[1], unit[1]) if unit else "", False, span)


def _cjk_number(text: str) -> str:
    """Return a Chinese numeral in digits: 两百 is 200, 半 is 0.5."""
    if text == "半":
        return "0.5"
    total = part = digit = 0
    for sign in text:
        if sign in _CJK_DIGITS:
            digit = _CJK_DIGITS[sign]
        elif (tens := _CJK_TENS.get(sign)) == 10_000:
            total, part, digit = (total + part + digit) * tens, 0, 0
        elif tens:
            part, digit = part + (digit or 1) * tens, 0
    return str(total + part + digit)


def _alternates(match: re.Match[str]) -> bool:
    """Return whether words with slashes between or behind them are alternatives rather than a path.

    Such words are "left/right" and "heated/ unheated", but not "`heated/`", "the heated/ folder", and "heated/" alone.
    """
    is_one_word = _WORD_AND_SLASH.fullmatch(match.group()) is not None
    if not is_one_word and _WORDS.fullmatch(match.group()) is None:
        return False
    text, start, end = match.string, match.start(), match.end()
    before = _WORD_BEFORE.search(text, max(0, start - _BEFORE_VALUE), start)
    if before is not None and before[1].lower() in _PLACES:
        return False
    if not is_one_word:
        return before is not None
    is_marked = text[start - 1 : start] == "`" or text.strip() == match.group()
    return not is_marked and _FOLDER_BEHIND.match(text, end) is None


def _is_name(text: str, form: str) -> bool:
    # "utf-8-sig" is "utf-8" with a suffix.
    family = "-".join(text.lower().split("-")[:2])
    hidden = (
        "REDACTED" in text
        or text.startswith("YOUR_")
        or (form == "url" and _PLACEHOLDER.match(text) is not None)
    )
    return _COMMON.isdisjoint((text.lower(), family)) and not hidden


def _date(text: str, form: str) -> str:
    """Return a date as 2026-03-12, or --03-12 without a year."""
    numbers = _NUMBERED.findall(text)
    year = next((number for number in numbers if len(number) == 4), "-")
    rest = [int(number) for number in numbers if len(number) < 4]
    if form == "cjkdate":
        return f"{year}-{rest[0]:02d}-{rest[1]:02d}"
    if form == "dotted":
        return f"{year}-{rest[1]:02d}-{rest[0]:02d}"
    month = next((_MONTHS[word] for word in re.findall(r"[^\W\d_]+", text.lower()) if word in _MONTHS), 0)
    return f"{year}-{month:02d}-{rest[0]:02d}"


def _quantity(text: str, span: Span) -> Value:
    # Of a range the upper end counts.
    digits = list(NUMBER.finditer(text))[-1]
    number, end = plain_number(digits.group()), digits.end()
    # "1.2.3k" has no number to scale.
    if (scale := _SCALED.match(text, end)) is not None and number.count(".") < 2 and "," not in number:
        number, end = f"{(Decimal(number) * _SCALES[scale.group().strip()]).normalize():f}", scale.end()
    unit_match = _UNIT.match(text, end)
    unit = (
        _UNIT_OF.get(unit_match[1], unit_match[1])
        if unit_match
        else _UNIT_OF.get(text[: digits.start()].strip(), "")
    )
    if unit in _LOOSE and _DOTTED.fullmatch(digits.group()) is not None:
        # Nothing is counted in fractions of a thousand: "1.500 rows" are 1,500.
        number = digits.group().replace(".", "")
    # Nothing is counted in fractions: "test 7.2 tries" has the number of a test.
    if "." in number and unit in _LOOSE:
        unit = ""
    # A number without a unit may be a release: 3.10 is not 3.1.
    if not unit and _RELEASE.fullmatch(digits.group()) is not None:
        number = digits.group()
    return Value(text, "quantity" if unit else "number", number, unit, False, span)


def canon(text: str) -> str:
    """Return a distinctive value in the form for comparisons: lower case, without a closing slash or leading ./ ."""
    bare = text.strip(_EDGES.replace(".", ""))
    if bare.count("[") > bare.count("]"):
        bare += "]"  # app/[id]
    return bare.lower().removeprefix("./").rstrip("*/") or text.lower()


def size_of(value: Value) -> tuple[str, Decimal] | None:
    """Return the dimension of a measured value (time, length, ...) and its size in the base unit, or None."""
    if value.unit not in _SIZES:
        return None
    dimension, factor = _SIZES[value.unit]
    try:
        return dimension, Decimal(value.canon) * factor
    except InvalidOperation:
        return None


def same_value(one: Value, other: Value) -> bool:
    """Return whether two values are the same: 200 ms and 0.2 s, 12 March and 2026-03-12, "port 80" and 80."""
    if one.distinctive or other.distinctive:
        return _same_name(one, other)
    if one.form == "date" or other.form == "date":
        return one.form == other.form and _same_date(one.canon, other.canon)
    if {one.form, other.form} == {"number", "percent"}:
        # "Coverage under 90" is a share.
        return one.canon == other.canon
    if {one.form, other.form} == {"number", "time"}:
        # "From 22 to 6" names hours.
        number, clock = (one, other) if one.form == "number" else (other, one)
        return clock.canon == f"{number.canon:0>2}:00"
    if "weekday" in (one.form, other.form) or "time" in (one.form, other.form):
        return one.form == other.form and one.canon == other.canon
    sizes = size_of(one), size_of(other)
    if sizes[0] is not None and sizes[1] is not None:
        return sizes[0] == sizes[1] or _same_bytes(one, other)
    if one.canon != other.canon:
        return False
    if {one.unit, other.unit} == {"CNY", "JPY"}:
        # Both currencies have the same sign.
        return "¥" in one.text + other.text
    if one.unit == other.unit or not (one.unit and other.unit):
        # A text may leave out a unit that only names the counted things, but not a measure.
        return one.unit == other.unit or (one.unit or other.unit) in _LOOSE
    return one.unit in _LOOSE and other.unit in _LOOSE


def same_stated(value: Value, values: Sequence[Value], other: Value, others: Sequence[Value]) -> bool:
    """Return whether a value of a fact and a value of a passage are the same.

    `values` and `others` are all values of fact and passage. If only one of the two has a unit, another value of its
    text may have the unit of the other: "34/36 kg". The passage may name the unit of a longer number.
    """
    if same_value(value, other) or value.canon != other.canon:
        return same_value(value, other)
    if value.form == "number":
        return len(value.canon) > 2 or any(stated.unit == other.unit != "" for stated in values)
    return other.form == "number" and any(stated.unit == value.unit != "" for stated in others)


def _same_bytes(one: Value, other: Value) -> bool:
    """Return whether two amounts of bytes are the same in powers of 1,024: 2 GB and 2048 MB."""
    if one.unit not in _POWERS or other.unit not in _POWERS:
        return False
    sizes = {Decimal(value.canon) * 1024 ** _POWERS.index(value.unit) for value in (one, other)}
    return len(sizes) == 1


def _same_name(one: Value, other: Value) -> bool:
    """Return whether two values, at least one of them distinctive, name the same thing."""
    if one.canon == other.canon:
        return True
    paths = [path for each in (one, other) if (path := _path_of(each))]
    if len(paths) == 2:
        if {path[:1] for path in paths} == {"~", "/"}:
            return len({_HOME.sub("~", path) for path in paths}) == 1
        if all(path.startswith("/") for path in paths) and _ROOTED.match(min(paths, key=len)):
            return len({path.removeprefix("/private") for path in paths}) == 1
        paths = [path.lstrip("/@") for path in paths]
        # A path may start at another folder or with the "@" of a prompt. A name behind a CJK sign begins after it.
        short, long = sorted(paths, key=len)
        return long.endswith(short) and (long == short or not _NAME_SIGN.match(long[-len(short) - 1]))
    if "url" in (one.form, other.form):
        short, long = sorted(
            (_WEB.sub("", each.canon).removesuffix(".git") for each in (one, other)), key=len
        )
        # A text may name a repository without its host.
        return short == long or ("/" in short and one.form != other.form and long.endswith(f"/{short}"))
    # A version may start with "v".
    short, long = sorted((one.canon, other.canon), key=len)
    return short.removeprefix("v") == long.removeprefix("v") and {one.form, other.form} <= {
        "version",
        "release",
    }


def _path_of(value: Value) -> str:
    """Return the path of a file, also of its address (file:///C:/notes.md), without a line; "" for other values."""
    if value.form in FILES:
        return value.canon.partition(":")[0]
    if value.form != "url":
        return ""
    path, is_address = _FILE_ADDRESS.subn("", value.canon)
    return path if is_address else ""


def is_in_folder(value: Value) -> bool:
    """Return whether a value is a path with the name of a folder."""
    return "/" in _path_of(value).lstrip("/@")


def _same_date(one: str, other: str) -> bool:
    """Return whether two dates are the same. One date may lack the year."""
    return one == other or ((one.startswith("--") or other.startswith("--")) and one[-5:] == other[-5:])


def comparable(one: Value, other: Value) -> bool:
    """Return whether two values may be values of the same thing: they share the form, and the unit or dimension."""
    if one.distinctive or other.distinctive:
        return (
            (one.form == other.form and one.form not in FILES)
            or (
                {one.form, other.form} <= FILES
                and _is_folder(one) == _is_folder(other)
                and not _holds(one, other)
            )
            or ({one.form, other.form} <= {"version", "number"} and "." in one.canon and "." in other.canon)
        )
    if (
        "date" in (one.form, other.form)
        or "time" in (one.form, other.form)
        or "weekday" in (one.form, other.form)
    ):
        return one.form == other.form
    if one.unit == other.unit:
        return True
    sizes = size_of(one), size_of(other)
    if sizes[0] is not None and sizes[1] is not None:
        return sizes[0][0] == sizes[1][0]
    return not (one.unit and other.unit) and (one.unit or other.unit) in _LOOSE


def _is_folder(path: Value) -> bool:
    """Return whether a path has no file extension."""
    return "." not in path.canon.rpartition("/")[2]


def _holds(one: Value, other: Value) -> bool:
    """Return whether one of two paths is a folder that holds the other."""
    short, long = sorted((one.canon, other.canon), key=len)
    return long.startswith(f"{short}/")


def named(text: str, value: Value) -> bool:
    """Return whether a text has a distinctive value as a whole word."""
    at = text.find(value.canon)
    while at >= 0:
        if _stands_alone(text, at, at + len(value.canon)):
            return True
        at = text.find(value.canon, at + 1)
    return False


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, behind = text[start - 1 : start], text[end : end + 1]
    return not ((before.isalnum() or before == "_") or (behind.isalnum() or behind == "_"))


def is_label(text: str, value: Value) -> bool:
    """Return whether a number is a label, as in "level 2"."""
    start = value.span[0]
    return _LABEL.search(text, max(0, start - _BEFORE_VALUE), start) is not None


def may_be_words(path: str) -> bool:
    """Return whether two words with a slash between them may be alternatives: top/right, bin/test."""
    parts = [part for part in path.split("/") if part]
    if len(parts) < 2 and path.startswith("/"):
        return True
    return len(parts) < 3 and not path.startswith(("/", "~", ".")) and not any(mark in path for mark in "._-")


def names_in(text: str, limit: int) -> list[tuple[Value, int]]:
    """Return at most `limit` names (paths, ids, URLs, settings) of a text, each with the place of its first use."""
    by_text: dict[str, tuple[Value, int]] = {}
    for token in islice(dict.fromkeys(_TOKEN.findall(text)), 40 * limit):
        value = _name(token)
        if value is None or value.text in by_text:
            continue
        at = _alone_at(text, token)
        if at >= 0:
            by_text[value.text] = (value, at + value.span[0])
            if len(by_text) >= limit:
                break
    return list(by_text.values())


def _alone_at(text: str, token: str) -> int:
    """Return the first place of a token outside of tags ("</p>") and calls ("f("), else -1."""
    at = text.find(token)
    while at >= 0:
        before, behind = text[at - 1 : at] if at else "", text[at + len(token) : at + len(token) + 1]
        if before not in _JOINED and behind not in _JOINED and before != "<" and behind != "(":
            return at
        at = text.find(token, at + 1)
    return -1


@lru_cache(maxsize=200_000)
def _name(token: str) -> Value | None:
    if len(token) > _LONGEST_TOKEN or _NAMELIKE.search(token) is None:
        return None
    bare = token.rstrip(_EDGES).lstrip(_EDGES.replace(".", ""))
    match = _MENTION.fullmatch(bare) if bare else None
    if match is None:
        return None
    form = match.lastgroup or ""
    if (form in FILES and (not is_path(bare) or may_be_words(bare))) or not _is_name(bare, form):
        return None
    start = token.find(bare)
    return Value(bare, form, canon(bare), "", True, (start, start + len(bare)))


def placed(values: Sequence[Value], by: int) -> tuple[Value, ...]:
    """Return values with their spans moved on by a number of characters."""
    return tuple(
        Value(v.text, v.form, v.canon, v.unit, v.distinctive, (v.span[0] + by, v.span[1] + by))
        for v in values
    )
