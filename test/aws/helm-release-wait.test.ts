import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { HelmRelease } from '../../lib/foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { startSimulatedFleet } from '../bench/aws-cost/simulated-fleet.ts'
import { sum } from '../bench/aws-cost/usage.ts'
import { chart } from '../deploy/chart.ts'

const namespace = 'fleet-0'

const release = {
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name: 'late', namespace },
  spec: {
    interval: '1h',
    timeout: '25m',
    chart: { spec: { chart: './charts/app', sourceRef: { kind: 'GitRepository', name: 'apps' } } },
    kubeConfig: { secretRef: { name: 'target' } },
    values: { hold: 'unready' },
  },
}

/** The functions' own code over real queues' rules, in virtual time: no invocation lasts longer than its share of the wait. */
test('HR-133 HR-157 a release that waits for 20 minutes continues in many invocations', async t => {
  const fleet = await startSimulatedFleet({ clusters: 1, perCluster: 0, intervalMinutes: 60, repositories: 1 })
  after(() => fleet.close())
  const { functions, hub, target } = fleet
  const ref = { group: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease', namespace, name: 'late' }
  const ready = async () => conditionOf(((await hub.get(ref)) as HelmRelease).status?.conditions, 'Ready')
  const stored = async () => {
    const { items } = await target.get<{ items: KubernetesObject[] }>('-n', namespace, 'secrets', '-l', 'owner=helm')
    return items.map(({ metadata }) => `${metadata.labels?.version} ${metadata.labels?.status}`)
  }

  await fleet.push(chart)
  await fleet.pass(1)
  await fleet.fillSources()
  await fleet.fillClusters()
  await fleet.pass(2)
  await hub.create(release as unknown as KubernetesObject, { fieldManager: 'test' })
  await hub.settled()
  await fleet.pass(2)
  assert.equal((await ready())?.message, "Running 'install' action with timeout of 25m0s")
  assert.deepEqual(await stored(), ['1 pending-install'])

  functions.takeUsage()
  const began = fleet.now()
  await fleet.pass(20)
  assert.ok(fleet.now() - began >= 20 * 60_000)
  const usage = functions.takeUsage()
  assert.deepEqual([(await ready())?.status, await stored()], ['Unknown', ['1 pending-install']])
  const { invocations, gbSeconds } = usage.helmrelease!
  assert.ok(invocations >= 100, `${invocations} invocations`)
  // An invocation that slept for its share of the wait would be billed for all of it: 20 minutes of 1769 MB are 2073 GB-seconds.
  assert.ok(gbSeconds < 200, `${gbSeconds} GB-seconds`)
  const all = sum(...Object.values(usage))
  t.diagnostic(
    `20 minutes of waiting: ${invocations} invocations, ${gbSeconds.toFixed(1)} GB-seconds; ` +
      `all functions together ${all.writeUnits} write units, ${all.readUnits} read units, ${all.sqsRequests} requests to SQS`,
  )

  await target.kubectl('-n', namespace, 'annotate', 'pods', '-l', 'app=late', 'testcluster/hold-')
  await target.kubectl('-n', namespace, 'wait', 'deployment/late', '--for=condition=Available', '--timeout=60s')
  await fleet.pass(1)
  assert.equal((await ready())?.reason, 'InstallSucceeded')
  assert.deepEqual(await stored(), ['1 deployed'])
})
