/** What the hub's API accepts and refuses of Kustomizations, and how kubectl shows them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { createEventRecorder } from '../../lib/signals/notify/event-recorder.ts'
import { CommandFailed } from '../bed/command.ts'
import { kubectl, kubectlEnding } from '../bed/kubectl.ts'
import { servedHub } from './served-hub.ts'

const { hub, kubeconfig } = await servedHub()
const run = (...args: string[]) => kubectl(kubeconfig, args)

const kustomization = (name: string, spec: object = {}, more: object = {}) => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name, namespace: 'default' },
  spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' }, ...spec },
  ...more,
})

/** What kubectl says: on stderr when it is refused or warned. */
const apply = async (object: object, ...args: string[]): Promise<string> => {
  try {
    return await kubectl(kubeconfig, ['apply', '--server-side', ...args, '-f', '-'], { input: JSON.stringify(object) })
  } catch (error) {
    if (error instanceof CommandFailed) return error.stderr
    throw error
  }
}

test('KS-001 accepts DNS names, and names the field of any other', async () => {
  assert.match(await apply(kustomization('a.b-c')), /a.b-c serverside-applied/)
  assert.match(await apply(kustomization('Bad_Name')), /metadata.name: Invalid value: "Bad_Name"/)
})

test('KS-002 refuses a Kustomization without spec', async () => {
  assert.match(await apply(kustomization('x', {}, { spec: undefined })), /spec: Required value/)
})

/** Specs that are refused, and what is said of them. */
const refused: Readonly<Record<string, readonly [spec: object, complaint: RegExp]>> = {
  'KS-009 a source without kind': [{ sourceRef: { name: 'app' } }, /spec.sourceRef.kind: Required value/],
  'KS-009 a source without name': [{ sourceRef: { kind: 'GitRepository' } }, /spec.sourceRef.name: Required value/],
  'KS-014 another kind of source': [
    { sourceRef: { kind: 'HelmChart', name: 'app' } },
    /spec.sourceRef.kind: Unsupported value: "HelmChart": supported values: "OCIRepository", "GitRepository", "Bucket", "ExternalArtifact"/,
  ],
  'KS-023 no word on pruning': [{ prune: undefined }, /spec.prune: Required value/],
  'KS-023 pruning that is no boolean': [{ prune: 'yes' }, /spec.prune: expected boolean/],
  'KS-045 another deletionPolicy': [{ deletionPolicy: 'Keep' }, /spec.deletionPolicy: Unsupported value: "Keep"/],
  'KS-049 no interval': [{ interval: undefined }, /spec.interval: Required value/],
  'KS-049 an interval in days': [{ interval: '1d' }, /spec.interval: Invalid value: "1d"/],
  'KS-080 a target namespace that is too long': [
    { targetNamespace: 'n'.repeat(64) },
    /spec.targetNamespace: Too long: may not be more than 63/,
  ],
  'KS-111 a health expression without current': [
    { healthCheckExprs: [{ apiVersion: 'example.com/v1', failed: 'true' }] },
    /spec.healthCheckExprs\[0\].current: Required value/,
  ],
  'KS-111 a health expression without apiVersion': [
    { healthCheckExprs: [{ current: 'true' }] },
    /spec.healthCheckExprs\[0\].apiVersion: Required value/,
  ],
  'KS-147 an empty prefix': [{ namePrefix: '' }, /spec.namePrefix: Invalid value: "": .*at least 1 chars long/],
  'KS-147 a suffix that is too long': [
    { nameSuffix: 's'.repeat(201) },
    /spec.nameSuffix: Too long: may not be more than 200/,
  ],
  'KS-169 other build metadata': [{ buildMetadata: ['managedByLabel'] }, /spec.buildMetadata\[0\]: Unsupported value/],
  'KS-199 another substituteStrategy': [
    { postBuild: { substituteStrategy: 'Never' } },
    /spec.postBuild.substituteStrategy: Unsupported value: "Never"/,
  ],
  'KS-232 a Secret and a ConfigMap for one cluster': [
    { kubeConfig: { secretRef: { name: 'a' }, configMapRef: { name: 'b' } } },
    /exactly one of spec.kubeConfig.configMapRef or spec.kubeConfig.secretRef must be specified/,
  ],
  'KS-234 another provider of decryption': [
    { decryption: { provider: 'vault' } },
    /spec.decryption.provider: Unsupported value/,
  ],
}

for (const [what, [spec, complaint]] of Object.entries(refused))
  test(`refuses ${what}`, async () => {
    assert.match(await apply(kustomization('refused', spec)), complaint)
  })

test('KS-050 accepts an interval under a minute as it is, as Flux does', async () => {
  assert.match(await apply(kustomization('short', { interval: '2s' })), /serverside-applied/)
  assert.equal(await run('get', 'ks', 'short', '-o', 'jsonpath={.spec.interval}'), '2s')
})

test('KS-005 warns of a field that it does not know', async () => {
  const object = kustomization('unknown', { nonsense: 1 })
  assert.match(await apply(object), /\.spec\.nonsense: field not declared in schema|unknown field "spec.nonsense"/)
  const input = JSON.stringify(object)
  const { stderr } = await kubectlEnding(kubeconfig, ['create', '--validate=warn', '-f', '-'], { input })
  assert.match(stderr, /Warning: unknown field "spec.nonsense"/)
})

const ready = async (name: string): Promise<void> => {
  const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name }
  const { generation: observedGeneration } = (await hub.get<KubernetesObject>(ref))!.metadata
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'ReconciliationSucceeded',
    message: 'Applied revision: main@sha1:0123',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    observedGeneration,
  }
  const patch = { status: { observedGeneration, conditions: [condition] } }
  await hub.patch(ref, { type: 'merge', patch }, { fieldManager: 'test', subresource: 'status' })
}

test('KS-004 lists name, age, readiness and message', async () => {
  await apply(kustomization('listed'))
  await ready('listed')
  const [header, line] = (await run('get', 'kustomizations', 'listed')).trim().split('\n')
  assert.deepEqual(
    header!.split(/ {2,}/).map(text => text.trim()),
    ['NAME', 'AGE', 'READY', 'STATUS'],
  )
  assert.match(line!, /^listed +\d+s +True +Applied revision: main@sha1:0123$/)
})

test('KS-006 is found by its short name and its categories', async () => {
  await apply(kustomization('short-name'))
  for (const name of ['ks', 'all', 'fluxcd', 'fluxcd-appliers'])
    assert.match(await run('get', name, '-o', 'name'), /^kustomization.kustomize.toolkit.fluxcd.io\/short-name$/m)
})

test('KS-297 lets kubectl wait for readiness', async () => {
  await apply(kustomization('awaited'))
  const waiting = run('wait', 'ks/awaited', '--for=condition=ready', '--timeout=5m')
  await ready('awaited')
  assert.match(await waiting, /condition met/)
})

test('KS-300 lists the events of one Kustomization', async () => {
  await apply(kustomization('told'))
  await apply(kustomization('untold'))
  const events = createEventRecorder({
    hub,
    clock: { now: Date.now, monotonic: () => performance.now(), sleep: async () => {} },
  })
  const passed = ['ApplySucceeded', 'HealthCheckPassed', 'ReconciliationSucceeded', 'Zero', 'Alpha', 'Middle']
  for (const name of ['told', 'untold']) {
    const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name }
    const object = (await hub.get<KubernetesObject>(ref))!
    await events.record(
      object,
      { severity: 'info', reason: 'Progressing', message: `of ${name}` },
      'kustomize-controller',
    )
    for (const reason of passed)
      await events.record(object, { severity: 'info', reason, message: 'next' }, 'kustomize-controller')
  }
  const listed = await run('events', '--for', 'kustomization/told')
  assert.match(listed, /Normal +Progressing +Kustomization\/told +of told/)
  assert.doesNotMatch(listed, /untold/)
  // Events of one second are in the order in which they happened.
  const inOrder = ['Progressing', ...passed]
  assert.deepEqual(listed.match(/(?<=Normal +)\S+/g), inOrder)
  const sorted = await run('get', 'events', '--sort-by=.lastTimestamp', '--field-selector=involvedObject.name=told')
  assert.deepEqual(sorted.match(/(?<=Normal +)\S+/g), inOrder)
})
