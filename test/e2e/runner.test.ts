/** A cluster that only its runner reaches, on real parts: a hub, a runner beside a real API server, a git server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { connecting } from '../bed/connecting.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, fleetUnit } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { privateNetwork } from '../bed/private-network.ts'
import { joinToken, runner } from '../bed/runner.ts'
import { appliesSetThroughRunner } from '../bed/runner-set-story.ts'

const config = (name: string, color: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: default}
data: {color: ${color}}
`

const unit = fleetUnit('aurora').replace('secretRef', 'configMapRef')

const readyFor = (on: Hub, revision: string): Promise<Kustomization> =>
  eventually(
    async () => {
      const found = await on.get<Kustomization>('kustomization', 'app')
      const ready = conditionOf(found.status?.conditions, 'Ready')
      assert.deepEqual([ready?.status, ready?.message], ['True', `Applied revision: main@sha1:${revision}`])
      return found
    },
    { within: 15_000 },
  )

test('a cluster that only its runner reaches is applied to, corrected and cleaned up as any other', async t => {
  const network = await privateNetwork(t)
  const [target, repo, on] = await Promise.all([
    cluster({ network }),
    gitRepo({ 'a.yaml': config('a', 'blue'), 'b.yaml': config('b', 'blue') }),
    hub(),
  ])
  const joining = await joinToken(on, 'aurora')
  await on.apply(fleetRepository(repo) + unit.replace('interval: 1h', 'interval: 2s'))
  const flags = ['--log-level', 'info']
  const it = await runner(on, target, { cluster: 'default/aurora', joinToken: joining, flags, network })
  const colorOf = async (name: string): Promise<string | undefined> =>
    (await target.get<{ readonly data?: Record<string, string> }>('configmap', name)).data?.color
  try {
    const installed = await readyFor(on, await repo.git('rev-parse', 'main'))
    assert.deepEqual(
      installed.status?.inventory?.entries.map(({ id }) => id),
      ['default_a__ConfigMap', 'default_b__ConfigMap'],
    )
    assert.equal(await colorOf('a'), 'blue')

    if (network) {
      const [address, hubAddress] = [target, on].map(({ server }) => new URL(server).host) as [string, string]
      assert.equal(await connecting(address), 'ECONNREFUSED', 'nobody reaches the cluster from outside')
      const found = await network.connecting(address, hubAddress, '192.0.2.1:443')
      assert.deepEqual(found, ['connected', 'ECONNREFUSED', 'ENETUNREACH'])
      assert.deepEqual([...new Set(network.seen)], ['CONNECT hub.test:443'], 'the runner uses HTTPS_PROXY')
      assert.deepEqual(await network.connectingOut('hub.test:443', hubAddress), [200, 403])
    }

    const commit = await repo.push({ 'a.yaml': config('a', 'green'), 'b.yaml': null })
    await on.kubectl('annotate', 'gitrepository', 'fleet', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
    const updated = await readyFor(on, commit)
    assert.deepEqual(
      updated.status?.inventory?.entries.map(({ id }) => id),
      ['default_a__ConfigMap'],
    )
    assert.equal(await colorOf('a'), 'green')
    await assert.rejects(colorOf('b'), /not found/)

    const suspend = (is: boolean) =>
      on.kubectl('patch', 'kustomization', 'app', '--type=merge', '-p', JSON.stringify({ spec: { suspend: is } }))
    const drift = () =>
      ending(process.execPath, [program, 'drift', 'kustomization/app', '-n', 'default', '--kubeconfig', on.kubeconfig])
    assert.equal((await drift()).exitCode, 0)
    await suspend(true)
    await target.kubectl('patch', 'configmap', 'a', '--type=merge', '-p', '{"data":{"color":"red"}}')
    await eventually(async () => {
      const { exitCode, stdout, stderr } = await drift()
      assert.equal(exitCode, 1, stdout + stderr)
      assert.match(stdout, /^Kustomization\/default\/app differs from main@sha1:\w+, which was applied last\n/)
      assert.match(stdout, /ConfigMap\/default\/a configured \(from a\.yaml\)\n\s+data\.color: red -> green/)
    })
    await suspend(false)
    await eventually(async () => assert.equal(await colorOf('a'), 'green'))

    const cluster = await eventually(async () => {
      const found = await on.get<Kustomization>('cluster', 'aurora')
      assert.equal(conditionOf(found.status?.conditions, 'Ready')?.status, 'True')
      return found
    })
    assert.match(conditionOf(cluster.status?.conditions, 'Ready')?.message ?? '', /^Kubernetes v\S+ responds/)
    const events = await on.kubectl('get', 'events', '--field-selector', 'involvedObject.name=app')
    assert.match(events, /ReconciliationSucceeded/)

    await on.kubectl('delete', 'kustomization', 'app', '--timeout', '60s')
    await assert.rejects(colorOf('a'), /not found/)

    await appliesSetThroughRunner(on, target, async (...args) => {
      const called = [program, ...args, '-n', 'default', '--kubeconfig', on.kubeconfig]
      const { stdout, stderr } = await ending(process.execPath, called)
      return stdout || stderr
    })
  } catch (error) {
    throw Object.assign(error as Error, {
      message: `${(error as Error).message}\nthe runner said:\n${it.said().slice(-6000)}`,
    })
  }
})
