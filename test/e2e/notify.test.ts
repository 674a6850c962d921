import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventListener } from '../bed/event-listener.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository } from '../bed/fleet-objects.ts'
import { flux, needsFlux } from '../bed/flux.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'

/** Somebody who is told, on loopback. */
interface Told {
  readonly message: string
  readonly reason: string
  readonly severity: string
  readonly metadata?: object
}
const { address, told } = await eventListener<Told>()

const configMap = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\n`
const [control, source] = await Promise.all([hub(), gitRepo({ 'app/config.yaml': configMap('app') })])

await control.apply(`
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: default}
stringData: {token: a shared secret}
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Provider
metadata: {name: listener, namespace: default}
spec: {type: generic, address: '${address}'}
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Alert
metadata: {name: apps, namespace: default}
spec:
  providerRef: {name: listener}
  eventMetadata: {cluster: one}
  eventSources: [{kind: Kustomization, name: '*'}]
---${fleetRepository(source)}
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec:
  interval: 1h
  prune: true
  path: app
  sourceRef: {kind: GitRepository, name: fleet}
`)

test('what a Kustomization did, and what failed, is sent to the Provider of its Alert', async () => {
  const revision = await eventually(async () => {
    const { status } = await control.get<{ status: { lastAppliedRevision: string } }>('ks', 'app', '-n', 'default')
    assert.ok(status.lastAppliedRevision)
    return status.lastAppliedRevision
  })
  const applied = await eventually(() => told.find(({ reason }) => reason === 'Progressing') ?? assert.fail('not told'))
  assert.equal(applied.message, 'ConfigMap/default/app created')
  assert.deepEqual(applied.metadata, { cluster: 'one', revision })
  await eventually(() => assert.ok(told.some(({ reason }) => reason === 'ReconciliationSucceeded')))

  await control.kubectl('patch', 'ks', 'app', '-n', 'default', '--type=merge', '-p', '{"spec":{"path":"nowhere"}}')
  const failure = await eventually(() => told.find(({ severity }) => severity === 'error') ?? assert.fail('not told'))
  assert.equal(failure.reason, 'ArtifactFailed')
  await control.kubectl('patch', 'ks', 'app', '-n', 'default', '--type=merge', '-p', '{"spec":{"path":"app"}}')
})

test('UI-07 what a user does as the console does it is sent to Alerts that ask for it', async () => {
  await control.kubectl('annotate', 'alert', 'apps', '-n', 'default', 'notification.keelson.dev/actions=Suspended')
  const as = (manager: string, suspend: boolean) =>
    control.kubectl(
      ...['patch', 'ks', 'app', '-n', 'default', '--type=merge', `--field-manager=${manager}`],
      ...['-p', JSON.stringify({ spec: { suspend } })],
    )
  await as('kubectl', true)
  for (const suspend of [false, true, false]) await as('keelson-console', suspend)
  const sent = await eventually(() => told.find(({ reason }) => reason === 'Suspended') ?? assert.fail('not told'))
  assert.match(sent.message, /^\S+ from 127\.0\.0\.1 suspended$/)
  assert.ok(!told.some(({ reason }) => reason === 'Resumed'), 'which the annotation does not name')
})

test('metrics report the state of every object to those who may get their path', async () => {
  const metrics = await control.kubectl('get', '--raw', '/metrics')
  assert.match(metrics, /^gotk_resource_info\{.*customresource_kind="Kustomization".*name="app".*\} 1$/m)
  assert.match(
    metrics,
    /^gotk_reconcile_duration_seconds_count\{kind="GitRepository",name="fleet",namespace="default"\} [1-9]/m,
  )
  assert.match(metrics, /^gotk_artifact_size_bytes\{kind="GitRepository",name="fleet",namespace="default"\} [1-9]\d*$/m)
  const stranger = control.kubectl('get', '--raw', '/metrics', '--as', 'stranger')
  await assert.rejects(stranger, /User "stranger" cannot get path "\/metrics"/)
})

test('the flux CLI creates and shows receivers, providers and alerts', needsFlux, async () => {
  const run = (...args: string[]) => flux(control.kubeconfig, [...args, '-n', 'default'])
  const made = [
    [
      'create',
      'receiver',
      'github',
      '--type=github',
      '--event=push',
      '--secret-ref=token',
      '--resource=GitRepository/fleet',
    ],
    ['create', 'alert-provider', 'chat', '--type=generic', `--address=${new URL('/chat', address)}`],
    ['create', 'alert', 'failures', '--provider-ref=chat', '--event-severity=error', '--event-source=Kustomization/*'],
  ]
  for (const args of made) {
    const { exitCode, stderr } = await run(...args)
    assert.equal(exitCode, 0, stderr)
  }
  const receivers = await run('get', 'receivers')
  assert.match(receivers.stdout, /github\s+False\s+True\s+Receiver initialized for path: \/hook\/[0-9a-f]{64}/)
  assert.match((await run('get', 'alert-providers')).stdout, /chat/)
  assert.match((await run('get', 'alerts')).stdout, /failures/)
  assert.match((await run('events', '--for', 'Kustomization/app')).stdout, /ReconciliationSucceeded/)
  assert.match((await run('export', 'alert', 'failures')).stdout, /eventSeverity: error/)
})
