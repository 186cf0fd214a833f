"""Rules for facts, read from the bundled data files, one per language."""

from __future__ import annotations

from functools import lru_cache, partial
from importlib.resources import files
from typing import Any

from inspector.core.errors import BadInput
from inspector.core.scan.words import Stemmer
from inspector.quality.facts.rules.compiling import rules_from, stemmer_of
from inspector.quality.facts.rules.lexicon import Rules

_PACKAGE = "inspector.quality.facts.rules"
#: Languages of the rules in the order of the search, the shared document first.
LANGUAGES = ("any", "en", "zh")
#: Those whose files are read when a text is in them.
OTHERS = ("de", "es", "fr", "id", "ja", "ko", "nl", "pt", "ru")


@lru_cache(maxsize=1)
def load_rules() -> Rules:
    """The rules, compiled once; of `OTHERS` when a text is in one. Raises BadInput naming a file or rule that cannot be
    used."""
    return rules_from(
        [read_rules(name) for name in LANGUAGES],
        {name: partial(read_rules, name) for name in OTHERS},
        "".join(map(_text, OTHERS)),
    )


@lru_cache(maxsize=1)
def load_stemmer() -> Stemmer:
    """How words are stemmed, without compiling the rules. Raises BadInput as `load_rules` does."""
    return stemmer_of(read_rules(name) for name in LANGUAGES)


def read_rules(name: str) -> dict[str, Any]:
    """One data file as a mapping. Raises BadInput where it is missing or no mapping."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        document = yaml.load(_text(name), Loader=loader)
    except yaml.YAMLError as error:
        raise BadInput(f"The rules of facts for the language {name} are no valid YAML: {error}.") from error
    if not isinstance(document, dict):
        raise BadInput(f"The rules of facts for the language {name} are no mapping.")
    return document


def _text(name: str) -> str:
    try:
        return files(_PACKAGE).joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"The rules of facts for the language {name} cannot be read ({error}).") from error
