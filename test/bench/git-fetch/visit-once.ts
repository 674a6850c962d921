/** One visit to a repository in a process of its own, for ../git-fetch.ts: `URL check|fetch|archive`. Prints JSON. */
import { connections } from '../../../lib/platform/http/connections.ts'
import { archiveInto, sourceIgnores } from '../../../lib/sources/artifact/archive.ts'
import { gitClient } from '../../../lib/sources/git/git-client.ts'
import { spool } from '../../../lib/sources/spool.ts'

const [url = '', depth] = process.argv.slice(2)
const startedAt = performance.now()
const startedCpu = process.cpuUsage()
const wires = connections()
const visit = gitClient(wires).open({
  url: new URL(url),
  credentials: { tls: {} },
  signal: AbortSignal.timeout(600_000),
})
const target = await visit.resolve({ branch: 'main' })
let files = 0
if (depth !== 'check') {
  const { tree } = await visit.fetch(target)
  files = tree.size
  if (depth === 'archive') {
    using packed = spool()
    await archiveInto(packed, tree, sourceIgnores(tree))
  }
}
const { user, system } = process.cpuUsage(startedCpu)
await visit.close()
await wires.close()
console.log(JSON.stringify({ files, wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1000 }))
