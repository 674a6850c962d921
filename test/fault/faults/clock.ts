import assert from 'node:assert/strict'
import { adminOf, readyOf } from '../../attack/world.ts'
import { eventually } from '../../bed/eventually.ts'
import { appRepository } from '../../bed/fleet-objects.ts'
import type { GitRepo } from '../../bed/git-repo.ts'
import type { Hub } from '../../bed/hub.ts'
import type { Fault } from '../fault.ts'

const day = 24 * 3600

const source = (repo: GitRepo): string => appRepository(repo, '5s')

/** Pushes, and waits until the hub has fetched it by itself. Resolves to how long that took. */
const fetches = async (hub: Hub, repo: GitRepo): Promise<string> => {
  const begun = performance.now()
  const commit = await repo.push({ 'pushed.txt': `${begun}` })
  const path = '/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories/app'
  await eventually(async () => assert.match((await readyOf(adminOf(hub), path))?.message ?? '', new RegExp(commit)), {
    within: 60_000,
    every: 250,
  })
  return `${Math.round((performance.now() - begun) / 1000)} s`
}

export const clockFaults: readonly Fault[] = [
  {
    name: 'the clock is set back by a day under a running hub',
    quick: true,
    needsShim: true,
    async play({ hub: start, repo: serve, shim: prepare }) {
      const shim = prepare()
      const [hub, repo] = await Promise.all([start({ env: shim.env }), serve({ 'a.txt': 'a' })])
      await hub.apply(source(repo))
      await fetches(hub, repo)
      shim.set({ clockSeconds: -day })
      const took = await fetches(hub, repo)
      assert.match(hub.said(), /the system's clock was set back.*"by":"(24h0m|23h59m)/)
      await hub.kill()
      await hub.start()
      await fetches(hub, repo)
      return `said so, fetched the next push after ${took}, and went on after a restart`
    },
  },
  {
    name: 'the clock was a day ahead until the hub was stopped',
    quick: true,
    needsShim: true,
    async play({ hub: start, repo: serve, shim: prepare }) {
      const shim = prepare()
      const [hub, repo] = await Promise.all([start({ env: shim.env }), serve({ 'a.txt': 'a' })])
      shim.set({ clockSeconds: day })
      await hub.apply(source(repo))
      await fetches(hub, repo)
      await hub.stop()
      shim.set({})
      await hub.start()
      const took = await fetches(hub, repo)
      assert.match(hub.said(), /objects were due later than their intervals allow.*"objects":1/)
      return `said so at the start, and fetched the next push after ${took}`
    },
  },
  {
    name: 'the clock is set forward by a day under a running hub',
    needsShim: true,
    async play({ hub: start, repo: serve, shim: prepare }) {
      const shim = prepare()
      const [hub, repo] = await Promise.all([start({ env: shim.env }), serve({ 'a.txt': 'a' })])
      await hub.apply(source(repo))
      await fetches(hub, repo)
      shim.set({ clockSeconds: day })
      const took = await fetches(hub, repo)
      await eventually(() => assert.match(hub.said(), /the system's clock was set forward/))
      return `said so, and fetched the next push after ${took}`
    },
  },
]
