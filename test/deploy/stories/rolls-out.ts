import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import type { RolloutRun } from '../../../lib/foundations/kinds/rollout-run.ts'
import { type Invocation, logGroups } from '../../bed/aws/log-groups.ts'
import { eventually } from '../../bed/eventually.ts'
import { kubeconfigSecret } from '../../bed/fleet-objects.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { configMap, valueIn } from '../fleet.ts'

const stages = ['canary', 'europe', 'asia'] as const
/** Longer than a request to AWS may be silent until it is repeated, and the invocation that waits for it with it. */
const soakMs = 30_000
const nameOf = (stage: string): string => `rolled-${stage}`

/** A stage has one Cluster, all of which are the same real one: what belongs to a stage is told by its name. */
const cluster = (stage: string): string => `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: ${nameOf(stage)}, namespace: default, labels: {tier: ${stage}}}
spec: {interval: 1h, kubeConfig: {secretRef: {name: ${nameOf(stage)}}}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${nameOf(stage)}, namespace: default}
spec:
  interval: 1h
  retryInterval: 5s
  prune: true
  path: ./rolled/${stage}
  sourceRef: {kind: GitRepository, name: rolled}
  kubeConfig: {secretRef: {name: ${nameOf(stage)}}}
---`

const selector = (stage: string): string => `clusterSelector: {matchLabels: {tier: ${stage}}}`

/** Before Asia a user has to approve. */
const objects = (url: string): string => `${stages.map(cluster).join('')}
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: rolled, namespace: default}
spec: {interval: 1h, url: '${url}', ref: {branch: rolled}}
---
apiVersion: fleet.keelson.dev/v1alpha1
kind: Rollout
metadata: {name: rolled, namespace: default}
spec:
  sources: [{kind: GitRepository, name: rolled}]
  stages:
    - {name: canary, ${selector('canary')}, after: [{name: soak, healthyFor: ${soakMs / 1000}s}]}
    - {name: europe, ${selector('europe')}}
    - name: asia
      ${selector('asia')}
      before: [{name: checked, approval: {}}]
`

const files = (version: string) =>
  Object.fromEntries(stages.map(stage => [`rolled/${stage}/app.yaml`, configMap(nameOf(stage), version)]))

/** All intervals are hours: what waits for a gate, or for clusters under way, goes on by messages of its own. */
export function rollsOut({ hubName, account, emulator, admin, target, charts }: DeployedHub): void {
  const live = async (wanted: Readonly<Record<(typeof stages)[number], string>>): Promise<void> => {
    const found = await Promise.all(stages.map(stage => valueIn(target, nameOf(stage))))
    assert.deepEqual(Object.fromEntries(stages.map((stage, at) => [stage, found[at]])), wanted)
  }
  const statusOf = async (name: string) => (await admin.get<RolloutRun>('rolloutrun', name)).status ?? {}
  const push = async (version: string): Promise<void> => {
    await charts.push(files(version), { branch: 'rolled' })
    await admin.kubectl(
      'annotate',
      '--overwrite',
      'gitrepository',
      'rolled',
      `reconcile.fluxcd.io/requestedAt=${version}`,
    )
  }
  const phase = (name: string, wanted: string): Promise<void> =>
    eventually(async () => {
      const status = await statusOf(name)
      assert.equal(status.phase, wanted, JSON.stringify(status))
    }, patient)

  const approve = (comment: string): Promise<string> => {
    const stage = ['rollout', 'approve', 'rolled', '-n', 'default', '--stage', 'asia']
    return admin.keelson(...stage, '--comment', comment, '--kubeconfig', admin.kubeconfig)
  }
  const waits = (name: string): Promise<void> =>
    eventually(async () => {
      const { waitsFor, ...status } = await statusOf(name)
      assert.deepEqual(waitsFor, ['gate checked: waits for an approval'], JSON.stringify(status))
    }, patient)
  /** Those that have reconciled the Rollout, and have ended since a time. */
  const invocations = async (since: number): Promise<readonly Invocation[]> => {
    const group = await account.logGroupOf(`${hubName}-helmrelease`)
    const isPass = (line: string) => line.includes('"kind":"Rollout"') && line.includes('"name":"rolled"')
    return (await logGroups(emulator).invocations(group, since)).filter(({ lines }) => lines.some(isPass))
  }
  /** Those that ran at some time of a span. */
  const within = (from: number, to: number, all: readonly Invocation[]): readonly Invocation[] =>
    all.filter(({ beganAt, endedAt }) => beganAt <= to && endedAt >= from)
  /** Those that ran in a second, as statuses give times. */
  const inSecond = (time: string | undefined, all: readonly Invocation[]): readonly Invocation[] =>
    within(Date.parse(time!), Date.parse(time!) + 999, all)

  describe('rolls out', inOrder, () => {
    let begun = 0
    test('a revision goes from stage to stage, and waits at a gate', async () => {
      await charts.push(files('one'), { branch: 'rolled' })
      await admin.apply(stages.map(stage => kubeconfigSecret(nameOf(stage), target)).join('') + objects(charts.url))
      await waits('rolled-1')
      await approve('the first revision')
      await phase('rolled-1', 'Succeeded')
      await live({ canary: 'one', europe: 'one', asia: 'one' })

      begun = Date.now()
      await push('two')
      await waits('rolled-2')
      await live({ canary: 'two', europe: 'two', asia: 'one' })
      const { status } = await admin.get<Kustomization>('kustomization', nameOf('asia'))
      assert.match(
        status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '',
        /held by RolloutRun default\/rolled-1$/,
      )
    })

    test('no function waits for the approval: that which has come to the gate ends before it opens', async () => {
      const reachedAt = Date.parse((await statusOf('rolled-2')).since!)
      await eventually(async () => {
        const ended = within(reachedAt, reachedAt, await invocations(begun))
        assert.ok(ended.length > 0, 'the invocation that has come to the gate still runs')
      }, patient)
      await waits('rolled-2')
    })

    test('an approval of the stage lets it go on', async () => {
      await approve('CHG-1234')
      await phase('rolled-2', 'Succeeded')
      await live({ canary: 'two', europe: 'two', asia: 'two' })
    })

    test('no function waits while a stage soaks: that which saw it done is over when the next one starts', async () => {
      const [canary, europe] = (await statusOf('rolled-2')).stages ?? []
      const soaked = Date.parse(europe!.startedAt!) - Date.parse(canary!.finishedAt!)
      assert.ok(soaked >= soakMs, `it has soaked for ${soaked} ms`)
      const all = await invocations(begun)
      const [ending, starting] = [inSecond(canary!.finishedAt, all), inSecond(europe!.startedAt, all)]
      assert.ok(ending.length > 0 && starting.length > 0, `of ${all.length}, ${ending.length} and ${starting.length}`)
      const both = ending.filter(one => starting.includes(one))
      assert.deepEqual(both, [], 'ran all the time')
    })

    test('an order to roll back brings all back to the artifact that the run before keeps', async () => {
      const order = { spec: { order: { type: 'Rollback', id: 'back' } } }
      await admin.kubectl('patch', 'rolloutrun', 'rolled-2', '--type=merge', '-p', JSON.stringify(order))
      await phase('rolled-2', 'RolledBack')
      await live({ canary: 'one', europe: 'one', asia: 'one' })
    })
  })
}
