/** One visit to a registry or a chart repository in a process of its own, for ../sources.ts: `check|pull|chart ADDRESS`. Prints JSON. */

import { connections } from '../../../lib/http/connections.ts'
import { archive, ignoresOf } from '../../../lib/source/artifact/archive.ts'
import { extract } from '../../../lib/source/artifact/extract.ts'
import { httpRepository } from '../../../lib/source/helm/http-repository.ts'
import { parseIndex } from '../../../lib/source/helm/index-file.ts'
import { parseRepository } from '../../../lib/source/oci/image-name.ts'
import { ociClient } from '../../../lib/source/oci/oci-client.ts'

const [work, address = ''] = process.argv.slice(2)
const startedAt = performance.now()
const startedCpu = process.cpuUsage()
const signal = AbortSignal.timeout(60_000)

const visitRegistry = async () => {
  const wires = connections()
  const client = ociClient({ now: () => Date.now() }, wires)
  const visit = client.visit({ repository: parseRepository(address), insecure: true, signal })
  const digest = await visit.resolve('latest')
  if (work === 'pull') {
    const { layers } = await visit.image(digest)
    const tree = await extract(await visit.blob(layers[0]!))
    await archive(tree, ignoresOf(tree))
  }
  return async () => {
    await visit.close()
    await wires.close()
  }
}

const pullChart = async () => {
  const wires = connections()
  const remote = httpRepository({ url: address, signal }, wires)
  const { content } = (await remote.fetchIndex())!
  const charts = remote.charts(async () => parseIndex(content))
  await charts.download(await charts.find('app', '*'))
  return async () => {
    await remote.close()
    await wires.close()
  }
}

const close = await (work === 'chart' ? pullChart() : visitRegistry())
const { user, system } = process.cpuUsage(startedCpu)
const wallMs = performance.now() - startedAt
await close()
console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000 }))
