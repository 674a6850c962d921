/** A rollout over five real clusters: a canary that fails, a fix, a soak, plans to approve, a cluster that is not there, and the way back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Condition, KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import type { RolloutRun } from '../../lib/foundations/kinds/rollout-run.ts'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { type GitRepo, gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

/** A ConfigMap that tells its version, and does not become healthy if it is sick. */
const files = (version: string, isSick = false) => ({
  'app.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: app, namespace: default}
data: {version: "${version}", sick: "${isSick}"}
`,
})

const names = ['canary', 'paris', 'rome', 'tokyo', 'osaka'] as const
type Name = (typeof names)[number]
const tiers: Readonly<Record<Name, string>> = {
  canary: 'canary',
  paris: 'europe',
  rome: 'europe',
  tokyo: 'asia',
  osaka: 'asia',
}

const objects = (name: Name, target: Cluster): string => `${kubeconfigSecret(name, target)}
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: ${name}, namespace: default, labels: {tier: ${tiers[name]}}}
spec: {interval: 2s, timeout: 2s, kubeConfig: {secretRef: {name: ${name}}}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app-${name}, namespace: default, labels: {app: web}}
spec:
  interval: 1h
  retryInterval: 2s
  timeout: 6s
  wait: true
  healthCheckExprs: [{apiVersion: v1, kind: ConfigMap, current: 'data.sick == "false"'}]
  prune: true
  path: ./
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: ${name}}}
---`

const rollout = `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Rollout
metadata: {name: web, namespace: default}
spec:
  sources: [{kind: GitRepository, name: fleet}]
  units: {selector: {matchLabels: {app: web}}}
  progressDeadline: 2m
  stages:
    - name: canary
      clusterSelector: {matchLabels: {tier: canary}}
      after: [{name: soak, healthyFor: 3s}]
    - name: europe
      clusterSelector: {matchLabels: {tier: europe}}
      before: [{name: go, approval: {of: Plans}}]
    - name: others
      maxConcurrency: 100%
---`

interface Scene {
  readonly on: Hub
  readonly clusters: Readonly<Record<Name, Cluster>>
  readonly repo: GitRepo
}

const scene = async (): Promise<Scene> => {
  const [on, repo, ...made] = await Promise.all([hub(), gitRepo(files('1')), ...names.map(name => cluster({ name }))])
  const clusters = Object.fromEntries(names.map((name, at) => [name, made[at]!])) as Record<Name, Cluster>
  await on.apply(rollout + fleetRepository(repo) + names.map(name => objects(name, clusters[name])).join('\n'))
  return { on, clusters, repo }
}

const versionOn = (target: Cluster): Promise<string> =>
  target.kubectl('get', 'configmap', 'app', '-o', 'jsonpath={.data.version}')

const live = ({ clusters }: Scene, wanted: Readonly<Partial<Record<Name, string>>>): Promise<void> =>
  eventually(async () => {
    const found = Object.keys(wanted).map(async name => [name, await versionOn(clusters[name as Name])] as const)
    assert.deepEqual(Object.fromEntries(await Promise.all(found)), wanted)
  })

const push = async ({ on, repo }: Scene, version: string, isSick = false): Promise<void> => {
  await repo.push(files(version, isSick))
  await on.kubectl('annotate', '--overwrite', 'gitrepository/fleet', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
}

/** The canary is done, and somebody approves what the next stage would change. */
const approve = async ({ on }: Scene, run: string): Promise<void> => {
  await eventually(async () => {
    const { status } = await on.get<RolloutRun>('rolloutrun', run)
    const [text, ...others] = status?.waitsFor ?? []
    assert.match(text ?? '', /^gate go: waits for an approval of 2 plans \([+~]2\), digest /, JSON.stringify(status))
    assert.deepEqual(others, [])
  })
  const options = ['-n', 'default', '--kubeconfig', on.kubeconfig]
  const { exitCode, stderr } = await ending(process.execPath, [program, 'rollout', 'approve', 'web', ...options])
  assert.equal(exitCode, 0, stderr)
}

const reaches = ({ on }: Scene, name: string, phase: string, message = /./): Promise<void> =>
  eventually(async () => {
    const { status } = await on.get<RolloutRun>('rolloutrun', name)
    assert.equal(status?.phase, phase, JSON.stringify(status))
    assert.match(status?.message ?? '', message)
  })

const conditionOf = async ({ on }: Scene, name: Name, type: string): Promise<Condition | undefined> => {
  const { status } = await on.get<KubernetesObject & { status?: { conditions?: readonly Condition[] } }>(
    'kustomization',
    `app-${name}`,
  )
  return status?.conditions?.find(condition => condition.type === type)
}

test('RO-11 a canary that fails pauses the rollout, a fix goes on through a soak and an approval of plans, an offline cluster catches up, and a rollback brings all back', async t => {
  const at = await scene()
  const { on, clusters } = at
  await approve(at, 'web-1')
  await reaches(at, 'web-1', 'Succeeded')
  await live(at, { canary: '1', paris: '1', rome: '1', tokyo: '1', osaka: '1' })
  assert.match(
    (await conditionOf(at, 'rome', 'Pinned'))?.message ?? '',
    /^RolloutRun default\/web-1 holds it at revision main@sha1:/,
  )
  assert.match(
    (await conditionOf(at, 'rome', 'Ready'))?.message ?? '',
    /^Applied revision: main@sha1:\w+, held by RolloutRun default\/web-1$/,
  )

  await t.test('a revision whose canary does not become healthy goes no further', async () => {
    await push(at, '2', true)
    await reaches(at, 'web-2', 'Paused', /^paused: stage canary failed on default\/canary$/)
    await live(at, { canary: '2', paris: '1', rome: '1', tokyo: '1', osaka: '1' })
  })

  await t.test('drift of a unit is corrected at the revision that it is pinned to', async () => {
    await clusters.rome.kubectl('patch', 'configmap', 'app', '--type=merge', '-p', '{"data":{"version":"drifted"}}')
    await on.kubectl('annotate', '--overwrite', 'kustomization/app-rome', 'reconcile.fluxcd.io/requestedAt=now')
    await live(at, { rome: '1' })
  })

  await t.test(
    'a newer revision is the fix: it replaces the failed run, and an offline cluster holds nothing up',
    async () => {
      await clusters.osaka.stop()
      await eventually(async () => {
        const { status } = await on.get<KubernetesObject & { status?: { conditions?: readonly Condition[] } }>(
          'cluster',
          'osaka',
        )
        assert.equal(status?.conditions?.find(({ type }) => type === 'Reachable')?.status, 'False')
      })
      await push(at, '3')
      await approve(at, 'web-3')
      await reaches(at, 'web-3', 'Succeeded')
      await reaches(at, 'web-2', 'Superseded')
      await live(at, { canary: '3', paris: '3', rome: '3', tokyo: '3' })
      const { status } = await on.get<RolloutRun>('rolloutrun', 'web-3')
      assert.deepEqual(
        status?.stages?.map(({ name, ready, skipped }) => ({ name, ready, skipped })),
        [
          { name: 'canary', ready: 1, skipped: 0 },
          { name: 'europe', ready: 2, skipped: 0 },
          { name: 'others', ready: 1, skipped: 1 },
        ],
      )
    },
  )

  await t.test('the cluster that was not there takes the revision when it is back', async () => {
    await clusters.osaka.start()
    await live(at, { osaka: '3' })
  })

  await t.test('a rollback brings all units back to the revision before', async () => {
    const order = { spec: { order: { type: 'Rollback', id: 'test' } } }
    await on.kubectl('patch', 'rolloutrun', 'web-3', '--type=merge', '-p', JSON.stringify(order))
    await reaches(at, 'web-3', 'RolledBack')
    await live(at, { canary: '1', paris: '1', rome: '1', tokyo: '1', osaka: '1' })
  })

  await t.test('a Rollout that is deleted leaves units where they are', async () => {
    await on.kubectl('delete', 'rollout', 'web')
    await push(at, '4')
    await on.kubectl('annotate', '--overwrite', 'kustomization/app-paris', 'reconcile.fluxcd.io/requestedAt=again')
    await eventually(async () => {
      const { status } = await on.get<KubernetesObject & { status?: { lastHandledReconcileAt?: string } }>(
        'kustomization',
        'app-paris',
      )
      assert.equal(status?.lastHandledReconcileAt, 'again')
    })
    await live(at, { paris: '1' })
  })
})
