/** ChangePolicies of the operator, on two real clusters: what they deny is not made, what they leave to users waits, and tenants can't write them. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { HelmRelease } from '../../lib/foundations/kinds/helm-release.ts'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import type { Plan } from '../../lib/foundations/kinds/plan.ts'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const deployment = (image: string, replicas: number) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: '${image}'}]}
`

const map = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\n`

const unit = (name: string) => `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: ${name}, namespace: default, labels: {stage: ${name}}}
spec: {kubeConfig: {secretRef: {name: ${name}}}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec: {interval: 1h, retryInterval: 2s, prune: true, path: ./app, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: ${name}}}}
---`

const release = `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: chart, namespace: default}
spec:
  interval: 1h
  install: {disableWait: true}
  kubeConfig: {secretRef: {name: prod}}
  chart: {spec: {chart: ./chart, reconcileStrategy: Revision, sourceRef: {kind: GitRepository, name: app}}}
`

const pinned = `
apiVersion: fleet.keelson.dev/v1alpha1
kind: ChangePolicy
metadata: {name: pinned-images}
spec:
  clusterSelector: {matchLabels: {stage: prod}}
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]
  variables: [{name: containers, expression: object.spec.template.spec.containers}]
  validations:
    - expression: variables.containers.all(c, !c.image.endsWith(':latest'))
      messageExpression: "'an image of ' + object.metadata.name + ' has the tag latest'"
    - expression: oldObject == null || object.spec.replicas <= 2 * oldObject.spec.replicas
      message: at most twice as many replicas
      reason: Forbidden
    - expression: request.name != 'web' || object.spec.strategy.type == 'RollingUpdate' # a default of the cluster
`

const fewDeletions = `
apiVersion: fleet.keelson.dev/v1alpha1
kind: ChangePolicy
metadata: {name: few-deletions}
spec:
  action: RequireApproval
  clusterSelector: {matchLabels: {stage: prod}}
  planValidations: [{expression: plan.deleted < 2, messageExpression: "string(plan.deleted) + ' objects would be deleted'"}]
`

const readyOf = async (on: Hub, kind: 'kustomization' | 'helmrelease', name: string) => {
  const { metadata, status } = await on.get<Kustomization | HelmRelease>(kind, name, '-n', 'default')
  const {
    reason = '',
    message = '',
    observedGeneration,
  } = status?.conditions?.find(({ type }) => type === 'Ready') ?? {}
  return { reason, message, isCurrent: observedGeneration === metadata.generation }
}

const becomes = (
  on: Hub,
  name: string,
  reason: string,
  pattern = /./,
  kind: 'kustomization' | 'helmrelease' = 'kustomization',
) =>
  eventually(async () => {
    const ready = await readyOf(on, kind, name)
    assert.equal(ready.reason, reason, ready.message)
    assert.match(ready.message, pattern)
  })

const imageOn = (on: Cluster) =>
  on.kubectl(
    ...[
      'get',
      'deployment',
      'web',
      '--ignore-not-found',
      '-o',
      'jsonpath={.spec.template.spec.containers[0].image} {.spec.replicas}',
    ],
  )

test('policies judge each change before it is made, on the clusters that they select, in CEL as in Kubernetes', async () => {
  const files = { 'app/web.yaml': deployment('web:1', 1), 'app/a.yaml': map('a'), 'app/b.yaml': map('b') }
  const chart = {
    'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'chart/templates/web.yaml': deployment('web:latest', 1).replace('name: web, namespace', 'name: charted, namespace'),
  }
  const [prod, test, on, repo] = await Promise.all([
    cluster({ name: 'prod' }),
    cluster({ name: 'test' }),
    hub(),
    gitRepo({ ...files, ...chart }),
  ])
  const push = async (changed: Readonly<Record<string, string | null>>) => {
    await repo.push(changed)
    await on.kubectl('annotate', '--overwrite', 'gitrepository/app', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
  }
  await on.apply(`${pinned}---${fewDeletions}`)
  await on.apply(
    [
      kubeconfigSecret('prod', prod),
      kubeconfigSecret('test', test),
      appRepository(repo),
      unit('prod'),
      unit('test'),
      release,
    ].join('\n'),
  )
  await becomes(on, 'prod', 'ReconciliationSucceeded')
  await becomes(on, 'test', 'ReconciliationSucceeded')
  await becomes(
    on,
    'chart',
    'PolicyDenied',
    /^ChangePolicy pinned-images denies the change: Deployment\/default\/charted: an image of charted has the tag latest$/,
    'helmrelease',
  )
  assert.equal(await prod.kubectl('get', 'deployment', 'charted', '--ignore-not-found'), '')

  await push({ 'app/web.yaml': deployment('web:latest', 3) })
  await eventually(async () => assert.equal(await imageOn(test), 'web:latest 3'))
  await becomes(
    on,
    'prod',
    'PolicyDenied',
    /^ChangePolicy pinned-images denies the change: Deployment\/default\/web \(app\/web\.yaml\): an image of web has the tag latest\nChangePolicy pinned-images denies the change: .*: at most twice as many replicas$/,
  )
  assert.equal(await imageOn(prod), 'web:1 1')
  const env = { PATH: process.env.PATH, KUBECONFIG: on.kubeconfig }
  const keelson = (...args: readonly string[]) => ending(process.execPath, [program, ...args, '-n', 'default'], { env })
  const denied = await keelson('plan', 'kustomization/prod')
  assert.equal(denied.exitCode, 2)
  assert.match(denied.stdout, /Deployment\/default\/web configured/)
  assert.match(denied.stderr, /ChangePolicy pinned-images denies the change: .*: an image of web has the tag latest/)
  const charted = await keelson('plan', 'helmrelease/chart')
  assert.equal(charted.exitCode, 2)
  assert.match(
    charted.stderr,
    /ChangePolicy pinned-images denies the change: .*: an image of charted has the tag latest/,
  )

  await push({ 'app/web.yaml': deployment('web:2', 2), 'app/a.yaml': null, 'app/b.yaml': null })
  let plan: Plan | undefined
  await eventually(async () => {
    const { items } = await on.get<{ items: readonly Plan[] }>('plans', '-n', 'default')
    plan = items.find(({ status }) => status?.phase === 'Waiting')
    assert.ok(plan)
  })
  assert.deepEqual([plan!.spec.unit.name, plan!.spec.summary], ['prod', '~1 -2'])
  assert.equal(plan!.spec.approvals?.reason, 'ChangePolicy few-deletions (2 objects would be deleted)')
  assert.equal(await imageOn(prod), 'web:1 1')
  const needed = await keelson('plan', 'kustomization/prod')
  assert.deepEqual([needed.exitCode, needed.stderr.includes('denies')], [1, false])
  assert.match(needed.stdout, /Needs: +1 of those who may approve, as ChangePolicy few-deletions \(2 objects would be/)
  const approved = await keelson('approve', plan!.metadata.name)
  assert.deepEqual([approved.exitCode, approved.stderr], [0, ''])
  await eventually(async () => assert.equal(await imageOn(prod), 'web:2 2'))
  await becomes(on, 'prod', 'ReconciliationSucceeded')

  const broken = join(on.dataDirectory, 'broken.yaml')
  writeFileSync(broken, pinned.replace('pinned-images', 'broken').replace('variables.containers.all', 'params.all'))
  await assert.rejects(on.kubectl('create', '-f', broken), /spec\.validations\[0\]\.expression.*params/s)
  const mine = join(on.dataDirectory, 'mine.yaml')
  writeFileSync(mine, pinned.replace('pinned-images', 'mine'))
  await on.kubectl('create', 'rolebinding', 'editors', '-n', 'default', '--clusterrole=admin', '--user=tenant')
  await assert.rejects(on.kubectl('create', '-f', mine, '--as', 'tenant'), /cannot create resource "changepolicies"/)

  // A policy that is relaxed wakes the release that it has denied long before its next attempt.
  await on.kubectl(
    'patch',
    'changepolicy',
    'pinned-images',
    '--type=merge',
    '-p',
    '{"spec":{"action":"RequireApproval"}}',
  )
  await eventually(async () => {
    const { items } = await on.get<{ items: readonly Plan[] }>('plans', '-n', 'default')
    const waiting = items.find(({ spec, status }) => status?.phase === 'Waiting' && spec.unit.name === 'chart')
    assert.match(waiting?.spec.approvals?.reason ?? '', /^ChangePolicy pinned-images \(/)
  })
})
