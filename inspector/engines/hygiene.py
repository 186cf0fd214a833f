"""Rules around the agent's own threshold.

Source: releases 0.13.0 and 0.19.0, `gateway/run.py` (session hygiene); the documentation (pressure warnings, which the
releases no longer give).
"""

from __future__ import annotations

#: Share of the threshold at which the documentation has a warning.
PRESSURE_SHARE = 0.85
#: Beginning of the to-do list that is added after a compacted list as a user message.
TODO_START = "[Your active task list was preserved across context compression]"
#: Sources of sessions with a gateway of Hermes.
GATEWAYS = frozenset(
    {
        "bluebubbles", "dingtalk", "discord", "email", "feishu", "homeassistant", "matrix", "mattermost",
        "msgraph_webhook", "qqbot", "relay", "signal", "slack", "sms", "telegram", "webhook", "wecom",
        "wecom_callback", "weixin", "whatsapp", "whatsapp_cloud", "yuanbao",
    }
)  # fmt: skip
