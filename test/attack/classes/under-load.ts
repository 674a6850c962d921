import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentOf } from '../../bench/process-usage.ts'
import type { AttackWorld } from '../world.ts'

/** How the hub and another tenant fare while mallory loads the API. */

/** What the hub's process may hold while any of this goes on, in megabytes. */
const maxMegabytes = 1000
/** What another tenant may have to wait for an answer meanwhile; generous, as the machine is busy with the attacker, too. */
const maxWaitMs = 10_000

export const maps = '/api/v1/namespaces/mallory/configmaps'

/** Runs an attack while another asks and the probe is looked at; fails when they wait, or memory grows beyond the bound. */
export const underLoad = async (world: AttackWorld, attack: () => Promise<void>): Promise<void> => {
  const ending = new AbortController()
  const asking = (async () => {
    for (;;) {
      for (const path of ['/readyz', '/api/v1/namespaces/victim/configmaps/kept']) {
        const since = performance.now()
        const { status } = await world.admin.request('GET', path)
        const waited = performance.now() - since
        assert.equal(status, 200, `${path} answers ${status}`)
        assert.ok(waited < maxWaitMs, `${path} took ${Math.round(waited)} ms`)
      }
      const { now } = residentOf(world.hub.pid!)
      assert.ok(now < maxMegabytes, `the hub holds ${now} MB`)
      if (ending.signal.aborted) return
      await sleep(100)
    }
  })()
  const attacking = attack().finally(() => ending.abort())
  await Promise.all([asking, attacking])
}

export const mapOf = (name: string, data: Readonly<Record<string, string>>, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})
