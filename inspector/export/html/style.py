"""The style sheet of a report: light and dark, wide and narrow, screen and paper."""

from __future__ import annotations

_LIGHT = """
--bg:#fff;--card:#f6f8fa;--sunk:#eef1f4;--line:#d1d9e0;--text:#1f2328;--dim:#59636e;--accent:#0550ae;--good:#116329;
--warn:#7d4e00;--bad:#b3141f;--good-bg:#dafbe1;--warn-bg:#fff3cd;--bad-bg:#ffe3e3;--info-bg:#ddf0ff;--head:#3d7fd6;
--middle:#b58400;--tail:#2b8a57;--area:#0550ae22;--k1:#b3141f;--k2:#7b3fc9;--k3:#0550ae;--k4:#8a5a00;--k5:#116329;
"""
_DARK = """
--bg:#12161c;--card:#1a2028;--sunk:#232b35;--line:#38424e;--text:#dce5ee;--dim:#9fb0c1;--accent:#7cbcff;--good:#7ad67b;
--warn:#e6b94f;--bad:#ff8a83;--good-bg:#16321c;--warn-bg:#352a0d;--bad-bg:#3b1a1b;--info-bg:#14293d;--head:#5b9bef;
--middle:#c79a2b;--tail:#4fb67d;--area:#7cbcff2b;--k1:#ff8a83;--k2:#cbaaff;--k3:#7cbcff;--k4:#e6b94f;--k5:#7ad67b;
"""
_RULES = """
*{box-sizing:border-box}
html{color-scheme:light dark;scroll-behavior:smooth;-webkit-text-size-adjust:100%}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,
"Noto Sans","Liberation Sans",sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:1080px;margin:0 auto;padding:0 24px}
header{padding-top:40px}
h1{font-size:2rem;line-height:1.2;margin:.1em 0 .3em;letter-spacing:-.01em}
h2{font-size:1.35rem;margin:0 0 .6em;line-height:1.25}
h3{font-size:1.05rem;margin:1.6em 0 .5em}
h4{font-size:.95rem;margin:1.1em 0 .35em}
p{margin:.4em 0}
a{color:var(--accent)}
a:focus-visible,summary:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-999em}.skip:focus{left:8px;top:8px;background:var(--bg);padding:8px;z-index:2}
.over{color:var(--dim);font-size:.8rem;text-transform:uppercase;letter-spacing:.08em;margin:0}
.meta,.dim,.more,figcaption,.note{color:var(--dim)}
.meta{margin:.15em 0}
.more{font-style:italic;font-size:.9rem}
code,.mono,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.9em}
pre{white-space:pre-wrap;background:var(--sunk);padding:12px 14px;border-radius:8px;margin:.5em 0}
nav ol{list-style:none;display:flex;flex-wrap:wrap;gap:6px;padding:0;margin:18px 0 0}
nav a{display:block;padding:4px 12px;border:1px solid var(--line);border-radius:99px;text-decoration:none;
font-size:.9rem;background:var(--card)}
nav a:hover{border-color:var(--accent)}
section{margin:28px 0;padding:22px 24px;background:var(--card);border:1px solid var(--line);border-radius:12px}
section.plain{background:none;border:0;padding:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));gap:12px;margin:0}
.tiles>div{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 16px}
.tiles dt{color:var(--dim);font-size:.85rem}
.tiles dd{margin:2px 0 0;font-size:1.5rem;font-weight:650;line-height:1.2}
.tiles dd small{display:block;font-size:.82rem;font-weight:400;color:var(--dim);line-height:1.4;margin-top:3px}
figure{margin:0}
figure .wide{overflow-x:auto}
svg.chart{display:block;width:100%;min-width:640px;height:auto}
svg.bar{display:block;width:100%;height:12px}
svg text{fill:var(--text);font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
svg .dimtext{fill:var(--dim)}
svg .grid{stroke:var(--line);stroke-width:1}
svg .area{fill:var(--area)}
svg .line{fill:none;stroke:var(--accent);stroke-width:1.8;stroke-linejoin:round}
svg .fall{stroke:var(--text);stroke-width:1.2;stroke-dasharray:2 3}
svg .threshold{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:8 4}
svg .threshold-label{fill:var(--bad);font-weight:600}
svg .hygiene{stroke:var(--bad);stroke-width:1.2;stroke-dasharray:3 3}
svg .hygiene-label{fill:var(--bad)}
svg .context{stroke:var(--dim);stroke-width:1.2;stroke-dasharray:1 4}
svg .mark{fill:var(--bg);stroke:var(--text);stroke-width:1.5}
svg .mark-bad{fill:var(--bad-bg);stroke:var(--bad);stroke-width:2}
svg .mark-text{font-weight:650;text-anchor:middle}
svg .lane{fill:var(--sunk);stroke:var(--line)}
svg .lane-live{fill:var(--info-bg);stroke:var(--accent)}
svg .head{fill:var(--head)}svg .middle{fill:var(--middle)}svg .tail{fill:var(--tail)}
svg .hatch{stroke:var(--bg);stroke-width:2;opacity:.55}
svg .track{fill:var(--sunk)}
svg .on{fill:#fff;font-weight:600;paint-order:stroke;stroke:#0009;stroke-width:2.5px}
svg a:focus-visible{outline:3px solid var(--accent)}
svg .k1{stroke:var(--k1);fill:var(--k1)}svg .k2{stroke:var(--k2);fill:var(--k2)}svg .k3{stroke:var(--k3);fill:var(--k3)}
svg .k4{stroke:var(--k4);fill:var(--k4)}svg .k5{stroke:var(--k5);fill:var(--k5)}
svg path.curve{fill:none;stroke-width:2}
svg text.k1,svg text.k2,svg text.k3,svg text.k4,svg text.k5{stroke:none;font-weight:600}
svg .f1{fill:var(--good)}svg .f2{fill:var(--head)}svg .f3{fill:var(--middle)}svg .f4{fill:var(--bad)}
table{border-collapse:collapse;width:100%;font-size:.92rem;margin:.4em 0}
.scroll{overflow-x:auto}
th,td{overflow-wrap:break-word}
th,td{text-align:left;vertical-align:top;padding:5px 12px 5px 0;border-bottom:1px solid var(--line)}
thead th{color:var(--dim);font-weight:600;font-size:.84rem}
tbody th{font-weight:500}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tr.bound td,tr.bound th{font-weight:650}
caption{text-align:left;color:var(--dim);font-size:.88rem;padding-bottom:4px}
details{margin:.7em 0;border:1px solid var(--line);border-radius:8px;background:var(--bg)}
summary{cursor:pointer;padding:8px 14px;font-weight:600}
summary small{font-weight:400;color:var(--dim)}
details>div{padding:2px 16px 12px}
.headline{display:flex;flex-wrap:wrap;gap:4px 22px;margin:.2em 0 1em;font-variant-numeric:tabular-nums}
.headline b{font-weight:650}
ul.facts,ul.items,ul.findings{list-style:none;padding:0;margin:.3em 0}
ul.facts>li{padding:9px 0 9px 14px;border-left:4px solid var(--line);margin:0 0 6px;background:linear-gradient(90deg,
var(--sunk),transparent 40%);border-radius:4px}
ul.facts>li.lost{border-color:var(--bad)}ul.facts>li.value-lost{border-color:var(--warn)}
ul.facts>li.verbatim{border-color:var(--good)}ul.facts>li.paraphrased{border-color:var(--head)}
ul.facts>li.risk{border-color:var(--warn)}
ul.facts p{margin:.1em 0}
.who{color:var(--dim);font-size:.86rem}
.who b{color:var(--text)}
.badge{display:inline-block;font-size:.8rem;font-weight:650;padding:0 8px;border-radius:99px;
border:1px solid currentColor;margin-right:6px;white-space:nowrap}
.badge.lost,.badge.error{color:var(--bad);background:var(--bad-bg)}
.badge.value-lost,.badge.warning,.badge.risk{color:var(--warn);background:var(--warn-bg)}
.badge.verbatim{color:var(--good);background:var(--good-bg)}
.badge.paraphrased,.badge.info{color:var(--accent);background:var(--info-bg)}
.said{white-space:pre-line;unicode-bidi:isolate}
mark{background:var(--warn-bg);color:inherit;font-weight:600;padding:0 2px;border-radius:3px}
.then{color:var(--dim);font-size:.88rem}
.then::before{content:"→ "}
ul.items>li{padding:2px 0 2px 26px;position:relative}
ul.items>li>.sign{position:absolute;left:4px;font-weight:700;font-family:ui-monospace,Menlo,Consolas,monospace}
.added>.sign{color:var(--good)}.removed>.sign{color:var(--bad)}.reworded>.sign{color:var(--warn)}.moved>.sign{color:var(--accent)}
li.removed>.said{color:var(--dim)}
ins{background:var(--good-bg);color:inherit;text-decoration:underline;text-decoration-thickness:2px}
del{background:var(--bad-bg);color:inherit;text-decoration:line-through}
.body{background:var(--bg);border:1px solid var(--line);border-radius:8px;padding:6px 18px 12px}
.body h4{margin:1em 0 .2em;font-size:.92rem}
.body ul{margin:.2em 0;padding-left:1.3em}
.body li.num{list-style:none;text-indent:-1em;padding-left:1em}
.loud{border:2px solid var(--bad);background:var(--bad-bg);padding:10px 14px;border-radius:8px;font-weight:600}
.calm{color:var(--good);font-weight:600}
ul.findings>li{padding:8px 0;border-bottom:1px solid var(--line)}
ul.findings>li:last-child{border:0}
ul.findings ul{margin:.2em 0;padding-left:1.3em}
footer{padding-bottom:48px;color:var(--dim);font-size:.88rem}
@media (max-width:640px){header,main,footer{padding-left:14px;padding-right:14px}section{padding:16px 14px}
h1{font-size:1.5rem}}
@media print{
body{font-size:10.5pt}nav,.skip{display:none}section,.tiles>div{break-inside:auto;border-color:#bbb}
ul.facts>li,figure,tr,ul.findings>li{break-inside:avoid}h2,h3,h4{break-after:avoid}a{color:inherit;text-decoration:none}
details::details-content{content-visibility:visible;block-size:auto}details{border:0}svg.chart{min-width:0}
}
"""

STYLE = (
    f":root{{{_LIGHT}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{_DARK}}}}}\n{_RULES}".replace(
        "\n", " "
    )
)
