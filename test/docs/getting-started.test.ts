/** The tutorial, as a new user follows it: every command in a fresh clone, with a real cluster. */
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { chartServer } from '../examples/chart-server.ts'
import { follow } from './follow.ts'
import { blocksOf } from './page.ts'
import { reader } from './reader.ts'

test('get started: a cluster, an app, a chart, a tenant, a failure and the way back', async t => {
  const target = await cluster({ name: 'target' })
  const { shell } = await reader({ files: { '.kube/config': target.kubeconfig } })
  const addresses = { 'https://stefanprodan.github.io/podinfo': await chartServer() }
  const times: string[] = []
  await follow(blocksOf('docs/getting-started.md'), shell, {
    addresses,
    done: ({ at }, ms) => times.push(`${at} ${(ms / 1000).toFixed(1)} s`),
  })
  t.diagnostic(`seconds of each block: ${times.join(', ')}`)
})
