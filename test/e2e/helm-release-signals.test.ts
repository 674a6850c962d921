/** What else a hub has to do with HelmReleases: notifications, metrics, and ResourceSets that hold them or wait for them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventListener } from '../bed/event-listener.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'

/** Somebody who is told, on loopback. */
interface Told {
  readonly involvedObject: { readonly kind: string; readonly name: string }
  readonly message: string
  readonly reason: string
  readonly severity: string
  readonly metadata?: Readonly<Record<string, string>>
}
const { address, told } = await eventListener<Told>()

const files = {
  'app/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.2.3\nappVersion: "7.0"\n',
  'app/templates/map.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {of: {{ required "whose it is must be said" .Values.owner }}}\n',
}

const release = (name: string, values: string, more = '') => `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ${name}, namespace: default}
spec: {interval: 1h, values: ${values}, chart: {spec: {chart: ./app, sourceRef: {kind: GitRepository, name: fleet}}}${more}}
`

const [control, source] = await Promise.all([hub(), gitRepo(files)])
await control.apply(`
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Provider
metadata: {name: listener, namespace: default}
spec: {type: generic, address: '${address}'}
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Alert
metadata: {name: releases, namespace: default}
spec: {providerRef: {name: listener}, eventSources: [{kind: HelmRelease, name: '*'}]}
---${fleetRepository(source)}${release('web', '{owner: me}')}---${release('broken', '{}')}`)

const find = (name: string, reason: string): Promise<Told> =>
  eventually(
    () =>
      told.find(one => one.involvedObject.name === name && one.reason === reason) ??
      assert.fail(`not told: ${JSON.stringify(told)}`),
  )

test('HR-107 what a HelmRelease did, and what failed, is sent to the Provider of its Alert', async () => {
  const installed = await find('web', 'InstallSucceeded')
  assert.equal(installed.message, 'Helm install succeeded for release default/web.v1 with chart app@1.2.3')
  assert.equal(installed.severity, 'info')
  assert.equal(installed.metadata?.revision, '1.2.3')
  assert.equal(installed.metadata?.['app-version'], '7.0')
  const failed = await find('broken', 'InstallFailed')
  assert.equal(failed.severity, 'error')
  assert.match(
    failed.message,
    /^Helm install failed for release default\/broken with chart app@1\.2\.3: [\s\S]*whose it is must be said/,
  )
})

test('metrics report the state of every HelmRelease, and how long its passes took', async () => {
  await eventually(async () => {
    const metrics = await control.kubectl('get', '--raw', '/metrics')
    const info = metrics
      .split('\n')
      .filter(line => /^gotk_resource_info\{.*customresource_kind="HelmRelease"/.test(line))
    assert.match(info.find(line => line.includes('name="web"')) ?? '', /ready="True".*\} 1$/)
    assert.match(info.find(line => line.includes('name="broken"')) ?? '', /ready="False".*\} 1$/)
    assert.match(
      metrics,
      /^gotk_reconcile_duration_seconds_count\{kind="HelmRelease",name="web",namespace="default"\} [1-9]/m,
    )
    assert.match(metrics, /^controller_runtime_reconcile_total\{controller="helmrelease",result="success"\} [1-9]/m)
  })
})

const set = (name: string, spec: string, annotations = '{}') => `
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: ${name}, namespace: default, annotations: ${annotations}}
spec: ${spec}
`

const readyOf = async (name: string): Promise<string> => {
  const { status } = await control.get<{
    status?: { conditions?: { type: string; status: string; reason: string; message: string }[] }
  }>('resourceset', name, '-n', 'default')
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return `${ready?.status} ${ready?.reason}: ${ready?.message}`
}

test('a ResourceSet that waits is Ready when its HelmReleases are, and says which is not', async () => {
  const resource = (name: string, values: string) =>
    `{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: ${name}, namespace: default}, spec: {interval: 1h, values: ${values}, chart: {spec: {chart: ./app, sourceRef: {kind: GitRepository, name: fleet}}}}}`
  await control.apply(
    [
      set('good', `{wait: true, resources: [${resource('in-good', '{owner: us}')}]}`),
      set(
        'bad',
        `{wait: true, resources: [${resource('in-bad', '{}')}]}`,
        '{fluxcd.controlplane.io/reconcileTimeout: 10s}',
      ),
    ].join('---'),
  )
  await eventually(async () => assert.match(await readyOf('good'), /^True ReconciliationSucceeded/))
  await eventually(async () =>
    assert.match(await readyOf('bad'), /^False ReconciliationFailed: .*HelmRelease\/default\/in-bad/s),
  )
})

test('a ResourceSet that depends on a HelmRelease waits until that is Ready', async () => {
  const map = '{apiVersion: v1, kind: ConfigMap, metadata: {name: behind, namespace: default}}'
  const dependency =
    '{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, name: late, namespace: default, ready: true}'
  await control.apply(set('behind', `{dependsOn: [${dependency}], resources: [${map}]}`))
  await eventually(async () => assert.match(await readyOf('behind'), /HelmRelease\/default\/late/))
  await assert.rejects(control.kubectl('get', 'configmap', 'behind', '-n', 'default'), /not found/)
  await control.apply(release('late', '{owner: them}'))
  await eventually(async () => assert.match(await readyOf('behind'), /^True ReconciliationSucceeded/))
  await control.kubectl('get', 'configmap', 'behind', '-n', 'default')
})

test('a HelmRelease that depends on another waits until that is Ready, and follows it at once', async () => {
  await control.apply(release('second', '{owner: me}', ', dependsOn: [{name: first}]'))
  const statusOf = async () => JSON.stringify(await control.get('hr', 'second', '-n', 'default'))
  await eventually(async () => assert.match(await statusOf(), /DependencyNotReady/))
  await control.apply(release('first', '{owner: me}'))
  await eventually(async () => assert.match(await statusOf(), /InstallSucceeded/))
})
