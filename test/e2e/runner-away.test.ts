/** A Cluster without its runner says so, and recovers by itself, on real parts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cluster } from '../../lib/foundations/kinds/cluster.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { hub } from '../bed/hub.ts'
import { joinToken, runner } from '../bed/runner.ts'

test('a Cluster whose runner does not call is RunnerSilent, then RunnerAway, and Ready as soon as it calls', async () => {
  const [target, on] = await Promise.all([cluster(), hub()])
  const joining = await joinToken(on, 'aurora')
  const reasons = async (): Promise<readonly (string | undefined)[]> => {
    const { conditions } = (await on.get<Cluster>('cluster', 'aurora')).status ?? {}
    return [conditionOf(conditions, 'Reachable')?.reason, conditionOf(conditions, 'Ready')?.reason]
  }
  const showing = (expected: readonly string[], within = 20_000) =>
    eventually(async () => assert.deepEqual(await reasons(), expected), { within })
  await eventually(async () => assert.equal((await reasons())[0], 'RunnerSilent'))
  await showing(['RunnerAway', 'RunnerAway'], 180_000)
  const events = await on.kubectl('get', 'events', '--field-selector', 'involvedObject.name=aurora')
  assert.match(events, /Warning\s+RunnerAway/)

  await runner(on, target, { cluster: 'default/aurora', joinToken: joining })
  await showing(['Responding', 'ClusterReady'])
})
