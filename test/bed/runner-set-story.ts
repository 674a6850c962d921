/** A ResourceSet on a cluster that only its runner reaches, from its dependency to its deletion. */
import assert from 'node:assert/strict'
import type { Plan } from '../../lib/foundations/kinds/plan.ts'
import type { ResourceSet } from '../../lib/foundations/kinds/resource-set.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import type { Cluster } from './cluster.ts'
import { eventually } from './eventually.ts'
import type { Hub } from './hub.ts'

/** A provider on the hub, and a Secret there that the set copies. */
const inputs = (colors: readonly string[]): string =>
  colors
    .map(
      (color, at) => `
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSetInputProvider
metadata: {name: color-${at}, namespace: default, labels: {colors: all}}
spec: {type: Static, defaultValues: {name: c${at}, color: ${color}, login: login}}
---`,
    )
    .join('')

const secrets = `
apiVersion: v1
kind: Secret
metadata: {name: set-login, namespace: default, labels: {reconcile.fluxcd.io/watch: Enabled}}
stringData: {password: password-of-set}
---
apiVersion: v1
kind: Secret
metadata: {name: set-other, namespace: default}
stringData: {password: password-of-others}
---`

/** Two steps: the second one begins once the Deployment of the first one is ready. The names of the copied Secrets come from inputs. */
const set = (annotations = ''): string => `
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata:
  name: colors
  namespace: default
  annotations: {resourceset.keelson.dev/kubeConfig: ConfigMap/aurora, fluxcd.controlplane.io/reconcileEvery: 2s${annotations}}
spec:
  inputsFrom: [{selector: {matchLabels: {colors: all}}}]
  dependsOn:
    - {apiVersion: v1, kind: ConfigMap, name: ready-for-set, namespace: default, ready: true, readyExpr: "data.ready == 'yes'"}
  wait: true
  steps:
    - name: work
      resourcesTemplate: |
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: set-work, namespace: default}
        spec:
          replicas: 1
          selector: {matchLabels: {app: set-work}}
          template:
            metadata: {labels: {app: set-work}}
            spec: {containers: [{name: a, image: registry.example.org/a}]}
    - name: config
      resources:
        - apiVersion: v1
          kind: ConfigMap
          metadata: {name: "set-<< inputs.name >>", namespace: default}
          data: {color: "<< inputs.color >>"}
        - apiVersion: v1
          kind: Secret
          metadata:
            name: "copy-<< inputs.name >>"
            namespace: default
            annotations: {fluxcd.controlplane.io/copyFrom: "default/set-<< inputs.login >>"}
---`

const approval = ', fleet.keelson.dev/approval: Required'

/** The hub and the target have a Cluster `default/aurora` with a runner. */
export const appliesSetThroughRunner = async (
  on: Pick<Hub, 'apply' | 'get' | 'kubectl'>,
  target: Pick<Cluster, 'kubectl' | 'get'>,
  /** Runs a command of ours for the hub, and returns what it prints. */
  keelson: (...args: readonly string[]) => Promise<string>,
): Promise<void> => {
  const ready = async () => {
    const { status } = await on.get<ResourceSet>('resourceset', 'colors')
    return { condition: conditionOf(status?.conditions, 'Ready'), status }
  }
  const readyAs = (status: string, reason: string) =>
    eventually(
      async () => {
        const found = await ready()
        assert.deepEqual([found.condition?.status, found.condition?.reason], [status, reason], JSON.stringify(found))
        return found
      },
      { within: 60_000 },
    )
  const shown = (kind: string, name: string, path: string): Promise<string> =>
    target.kubectl('get', kind, name, '-o', `jsonpath={${path}}`).catch(() => 'none')
  const showing = (name: string, color: string) =>
    eventually(async () => assert.equal(await shown('configmap', name, '.data.color'), color), { within: 60_000 })
  const password = async (name: string) =>
    Buffer.from(await shown('secret', name, '.data.password'), 'base64').toString('utf8')

  await on.apply(inputs(['blue', 'blue']) + secrets + set())
  await readyAs('False', 'DependencyNotReady')
  await target.kubectl('create', 'configmap', 'ready-for-set', '--from-literal=ready=yes')
  const { status } = await readyAs('True', 'ReconciliationSucceeded')
  assert.deepEqual(status?.inventory?.entries.map(({ id }) => id).sort(), [
    ...['default_copy-c0__Secret', 'default_copy-c1__Secret'],
    ...['default_set-c0__ConfigMap', 'default_set-c1__ConfigMap', 'default_set-work_apps_Deployment'],
  ])
  assert.deepEqual(status?.dataSources, ['Secret/default/set-login'])
  await showing('set-c0', 'blue')
  assert.equal(await password('copy-c1'), 'password-of-set')
  assert.equal(await shown('deployment', 'set-work', '.status.readyReplicas'), '1')

  await on.kubectl('patch', 'secret', 'set-login', '--type=merge', '-p', '{"stringData":{"password":"another-one"}}')
  await eventually(async () => assert.equal(await password('copy-c0'), 'another-one'), { within: 60_000 })
  await on.apply(inputs(['green']))
  await showing('set-c0', 'green')
  await target.kubectl('patch', 'configmap', 'set-c0', '--type=merge', '-p', '{"data":{"color":"red"}}')
  await showing('set-c0', 'green')
  await on.kubectl('delete', 'resourcesetinputprovider', 'color-1')
  await showing('set-c1', 'none')

  await on.apply(set(approval) + inputs(['black']))
  const plan = await eventually(
    async () => {
      const { items } = await on.get<{ items: readonly Plan[] }>('plans')
      const found = items.find(({ spec, status }) => spec.unit.name === 'colors' && status?.phase === 'Waiting')
      assert.ok(found, JSON.stringify(items))
      return found
    },
    { within: 60_000 },
  )
  assert.equal(await shown('configmap', 'set-c0', '.data.color'), 'green')
  assert.match(
    await keelson('plan', 'resourceset/colors'),
    /^Plan of ResourceSet\/colors .*ConfigMap\/default\/aurora: ~1\n/,
  )
  await on.apply(`
apiVersion: fleet.keelson.dev/v1alpha1
kind: Approval
metadata: {name: colors, namespace: default}
spec: {subject: {kind: Plan, name: ${plan.metadata.name}}, digest: '${plan.spec.digest}'}
`)
  await showing('set-c0', 'black')
  await eventually(
    async () =>
      assert.match(
        await keelson('drift', 'resourceset/colors'),
        /^ResourceSet\/default\/colors is as .* applied last\n/,
      ),
    { within: 60_000 },
  )

  const { items } = await on.get<{ items: readonly Run[] }>('runs')
  const runs = items.filter(({ unit }) => unit.kind === 'ResourceSet')
  const described = runs.map(({ cause, result, cluster }) => `${cause.type} ${result} ${cluster?.name}`)
  for (const expected of ['Dependency Succeeded aurora', 'Config Succeeded aurora', 'Drift Succeeded aurora'])
    assert.ok(described.includes(expected), described.join(', '))
  assert.doesNotMatch(JSON.stringify(items), /password-of|another-one/)
  const events = await on.kubectl('get', 'events', '--field-selector', 'involvedObject.name=colors')
  assert.match(events, /ReconciliationSucceeded/)

  await on.kubectl('delete', 'resourceset', 'colors', '--timeout', '60s')
  for (const name of ['configmap/set-c0', 'secret/copy-c0', 'deployment/set-work'])
    assert.equal(await shown(...(name.split('/') as [string, string]), '.metadata.name'), 'none')
}
