"""Formulas and notes: what is shown, and that nothing a claim says becomes markup."""

from __future__ import annotations

import re
from xml.etree.ElementTree import fromstring

import pytest

from noisytheory.trial.mathematics import mathml, plain_markdown, render, render_line


def text_of(markup):
    return "".join(fromstring(markup).itertext())


@pytest.mark.parametrize("tex, shown", [
    (r"\|\Phi(P)\|\le\tfrac{2}{\sqrt n}", "‖Φ(P)‖≤2n"),
    (r"\mathbb E L^2", "𝔼L2"),
    (r"\mathcal F\mathfrak R\mathbf x", "ℱℜ𝐱"),
    (r"\mathbb R\mathbb P", "ℝℙ"),
    (r"{\rm Risk}_{01}", "Risk01"),
    (r"[\![x\le 0]\!]", "⟦x≤0⟧"),
    (r"\arg\min_f g", "argminfg"),
    (r"\Big\|x\Big\|\Big\{y\Big\}", "‖x‖{y}"),
])
def test_formula_shows_its_characters(tex, shown):
    assert text_of(mathml(tex)) == shown


def test_formula_keeps_its_tex_for_readers_who_do_not_see_it():
    assert fromstring(mathml(r"\sqrt n", display=True)).attrib == {
        "display": "block", "alttext": r"\sqrt n",
    }


def test_sign_and_slash_are_spaced_as_in_print():
    root = fromstring(mathml("f(-1/2)-3"))
    signs = [e.get("form") for e in root.iter() if e.text == "−"]
    assert signs == ["prefix", None]
    slash, = (e for e in root.iter() if e.text == "/")
    assert (slash.get("lspace"), slash.get("rspace")) == ("0", "0")


@pytest.mark.parametrize("tex", [
    r"\text{<script>alert(1)</script>}",
    r"\mathrm{<img src=x>}",
    r"\href{javascript:alert(1)}{x}",
    r"\operatorname{</math><script>}",
    r"a<b>c",
])
def test_formula_cannot_become_markup(tex):
    markup = mathml(tex)
    root = fromstring(markup)
    assert not {e.tag.rpartition("}")[2] for e in root.iter()} & {"script", "img", "a"}
    assert not re.search(r'\s(href|src|style|on\w+)="', re.sub(r'alttext="[^"]*"', "", markup))


@pytest.mark.parametrize("tex", [r"\frac{1", r"\nosuchcommand", r"x_{", r"\begin{cases}"])
def test_formula_that_cannot_be_converted_is_shown_as_tex(tex):
    markup = mathml(tex)
    assert markup.startswith(("<code", "<math"))
    if markup.startswith("<code"):
        assert fromstring(markup).text == tex


def test_note_keeps_html_as_text():
    shown = render("<script>alert(1)</script> <b>x</b> [a](javascript:alert(1)) ![i](http://x/y)")
    assert "<script" not in shown and "<b>" not in shown and "<img" not in shown
    assert 'href="javascript' not in shown
    assert "&lt;script&gt;" in shown


def test_note_formulas():
    shown = render("Twice $a<b$ and `$c$`, 5$ and 6$.\n\n$$\n- x\n= y\n$$\n\n* $\\le z$")
    assert shown.count("<math ") == 3
    assert "<code>$c$</code>" in shown and "5$ and 6$" in shown
    assert "<h" not in shown and shown.count("<li>") == 1


def test_note_table():
    assert render("| a | b |\n|---|---|\n| 1 | $x$ |").count("<td>") == 2


def test_line_has_no_paragraph():
    assert render_line("a *b* <i>").startswith("a <em>b</em> &lt;i&gt;")


def test_markdown_escapes_html_only_outside_formulas_and_code():
    text = "<b> $a<b$ `<c>` $$x<y$$ <d>"
    assert plain_markdown(text) == "&lt;b> $a<b$ `<c>` $$x<y$$ &lt;d>"
