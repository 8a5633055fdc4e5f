"""Pages of a report as a browser reads them, and what holds of each."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"meta", "img", "br", "wbr", "hr", "input", "link"}


class Balanced(HTMLParser):
    """Every tag closed, in order; keeps attributes and text."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (self.open[-3:], tag)
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


def parsed(path):
    page = Balanced()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    assert page.open == []
    return page


def files(folder, suffix):
    return sorted(folder.rglob(f"*.{suffix}"))


def assert_links_resolve(folder):
    for path in files(folder, "html"):
        for tag, attributes in parsed(path).tags:
            target = attributes.get("href" if tag == "a" else "src")
            if tag in ("a", "img") and target and not target.startswith("#"):
                file, _, anchor = target.partition("#")
                assert (path.parent / file).is_file(), (path, target)
                assert not anchor or f'id="{anchor}"' in (path.parent / file).read_text()
    for path in files(folder, "md"):
        text = re.sub(r"(?s)```.*?```|`[^`]*`", "", path.read_text(encoding="utf-8"))
        for target in re.findall(r"(?<!\\)\]\(([^)]+)\)", text):
            assert (path.parent / target).is_file(), (path, target)


def assert_nothing_from_outside(folder):
    for path in files(folder, "html"):
        page = parsed(path)
        for tag, attributes in page.tags:
            assert tag not in ("link", "iframe", "object", "embed")
            for name in ("src", "href", "srcset", "data", "poster"):
                value = attributes.get(name) or ""
                assert not re.match(r"(?i)\s*(https?:|//|data:|javascript:)", value), (path, value)
            assert not [n for n in attributes if n.startswith("on")]
        styles = re.findall(r"(?s)<style>(.*?)</style>", path.read_text(encoding="utf-8"))
        assert not any("url(" in s or "@import" in s for s in styles)
