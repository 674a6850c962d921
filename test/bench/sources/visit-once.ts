/**
 * One visit to a registry or a chart repository in a process of its own, for ../sources.ts: `check|pull|chart ADDRESS [MORE]`. Prints
 * as JSON what the last one cost, after so many before it.
 */

import { connections } from '../../../lib/platform/http/connections.ts'

const [work, address = '', before = '0'] = process.argv.slice(2)
const wires = connections()
const signal = AbortSignal.timeout(60_000)

/** What a process that sees registries remembers of them from one visit to the next. */
const registryVisits = async () => {
  const { archive, sourceIgnores } = await import('../../../lib/sources/artifact/archive.ts')
  const { extract } = await import('../../../lib/sources/artifact/extract.ts')
  const { parseRepository } = await import('../../../lib/sources/oci/image-name.ts')
  const { ociClient } = await import('../../../lib/sources/oci/oci-client.ts')
  const client = ociClient({ now: () => Date.now() }, wires)
  return async () => {
    const visit = client.open({ repository: parseRepository(address), insecure: true, signal })
    const digest = await visit.resolve('latest')
    if (work === 'pull') {
      const { layers } = await visit.image(digest)
      const tree = await extract(await visit.blob(layers[0]!))
      await archive(tree, sourceIgnores(tree))
    }
    await visit.close()
  }
}

const chartVisits = async () => {
  const { httpRepository } = await import('../../../lib/sources/helm/http-repository.ts')
  const { parseIndex } = await import('../../../lib/sources/helm/index-file.ts')
  return async () => {
    const remote = httpRepository({ url: address, signal }, wires)
    const { content } = (await remote.fetchIndex())!
    const charts = remote.charts(async () => parseIndex(content))
    await charts.download(await charts.find('app', '*'))
    await remote.close()
  }
}

const visit = await (work === 'chart' ? chartVisits() : registryVisits())
for (let visits = 0; visits < Number(before); visits++) await visit()
const startedAt = performance.now()
const startedCpu = process.cpuUsage()
await visit()
const { user, system } = process.cpuUsage(startedCpu)
console.log(JSON.stringify({ wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1000 }))
await wires.close()
