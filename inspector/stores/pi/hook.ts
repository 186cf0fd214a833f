// ~/.pi/agent/extensions/compaction-inspector.ts
import { spawnSync } from "node:child_process"

export default function (pi) {
  let before = []
  let kept = ""
  pi.on("session_before_compact", async (event) => {
    before = event.branchEntries.filter((entry) => entry.type === "message")
    kept = event.preparation.firstKeptEntryId
  })
  pi.on("session_compact", async (event) => {
    const at = before.findIndex((entry) => entry.id === kept)
    const messages = before.map((entry) => entry.message)
    const input = JSON.stringify({
      hook_event_name: "session_compact",
      messages,
      kept: at < 0 ? [] : messages.slice(at),
      summary: event.compactionEntry.summary,
    })
    const answer = spawnSync("compaction-inspector", ["hook", "pi"], { input, encoding: "utf8", timeout: 10000 })
    if (answer.status === 0 && answer.stdout)
      pi.sendMessage(
        { customType: "compaction-inspector", content: answer.stdout, display: true },
        { deliverAs: "steer" },
      )
  })
}
