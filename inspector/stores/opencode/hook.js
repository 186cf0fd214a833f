// compaction-inspector.js; name it under "plugin" in opencode.json, as a file:// address
import { spawnSync } from "node:child_process"

export const CompactionInspector = async () => ({
  "experimental.session.compacting": async (input, output) => {
    const event = JSON.stringify({ hook_event_name: "session.compacting", session_id: input.sessionID })
    const answer = spawnSync("compaction-inspector", ["hook", "opencode"], { input: event, encoding: "utf8", timeout: 10000 })
    if (answer.status === 0 && answer.stdout) output.context.push(answer.stdout)
  },
})
