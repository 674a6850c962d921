/** What users do with an unmodified kubectl, against the hub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailed } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { kubectl, kubectlLines } from '../bed/kubectl.ts'
import type { ServedHub } from './served-hub.ts'
import { servedHub } from './served-hub.ts'

const app = (spec: object = {}) =>
  JSON.stringify({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'app', namespace: 'default' },
    spec: {
      interval: '10m',
      prune: true,
      path: './deploy',
      sourceRef: { kind: 'GitRepository', name: 'app' },
      ...spec,
    },
  })

const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'ReconciliationSucceeded',
  message: 'Applied revision: main@sha1:0123',
}
const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'app' }

const hub = await servedHub()
const run = (...args: string[]) => kubectl(hub.kubeconfig, args)
const runWith = (input: string, ...args: string[]) => kubectl(hub.kubeconfig, args, { input })

const refusal = async (attempt: Promise<string>): Promise<string> => {
  try {
    return `accepted: ${await attempt}`
  } catch (error) {
    if (error instanceof CommandFailed) return error.stderr
    throw error
  }
}

/** As a reconciler reports success; kubectl waits for a report on the object's current generation. */
const becomesReady = async ({ hub }: ServedHub) => {
  const observedGeneration = (await hub.get(ref))!.metadata.generation
  const conditions = [{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }]
  await hub.patch(
    ref,
    { type: 'merge', patch: { status: { observedGeneration, conditions } } },
    { fieldManager: 'kustomize-controller', subresource: 'status' },
  )
}

test('applies, by the server and by the client, and changes nothing the second time', async () => {
  const version = () => run('get', 'ks', 'app', '-o', 'jsonpath={.metadata.resourceVersion}')
  assert.match(await runWith(app(), 'apply', '--server-side', '-f', '-'), /serverside-applied/)
  const applied = await version()
  assert.match(await runWith(app(), 'apply', '--server-side', '-f', '-'), /serverside-applied/)
  assert.equal(await version(), applied)
  assert.match(await runWith(app(), 'apply', '-f', '-'), /configured/)
  assert.match(await runWith(app(), 'apply', '-f', '-'), /unchanged/)
  assert.equal(await runWith(app(), 'diff', '-f', '-'), '')
})

test('shows objects in every form', async () => {
  await runWith(app(), 'apply', '--server-side', '-f', '-')
  await becomesReady(hub)
  assert.match(
    await run('get', 'kustomizations', '-A'),
    /^NAMESPACE +NAME +AGE +READY +STATUS\ndefault +app +\d+s +True +Applied revision: main@sha1:0123\n$/,
  )
  assert.match(await run('get', 'ks', 'app', '-o', 'wide'), /app/)
  assert.equal(JSON.parse(await run('get', 'ks', 'app', '-o', 'json')).spec.interval, '10m')
  assert.match(await run('get', 'ks', 'app', '-o', 'yaml'), /^ {2}interval: 10m$/m)
  assert.equal(await run('get', 'ks', '-o', 'name'), 'kustomization.kustomize.toolkit.fluxcd.io/app\n')
  assert.match(await run('describe', 'ks', 'app'), /Applied revision: main@sha1:0123/)
  assert.match(await run('get', 'fluxcd', '--ignore-not-found'), /|app/)
  assert.match(await run('explain', 'kustomization.spec.interval'), /FIELD: interval <string>/)
  assert.match(
    await run('api-resources'),
    /^kustomizations +ks +kustomize\.toolkit\.fluxcd\.io\/v1 +true +Kustomization$/m,
  )
})

test('annotates, labels, patches, edits and replaces', async () => {
  await runWith(app(), 'apply', '--server-side', '-f', '-')
  await run('annotate', 'ks/app', '--overwrite', 'reconcile.fluxcd.io/requestedAt=now')
  await run('label', 'ks/app', '--overwrite', 'tier=web')
  await run('patch', 'ks/app', '--type=merge', '-p', '{"spec":{"suspend":true}}')
  await run('patch', 'ks/app', '--type=json', '-p', '[{"op":"remove","path":"/spec/suspend"}]')
  await run('patch', 'ks/app', '--subresource=status', '--type=merge', '-p', '{"status":{"observedGeneration":3}}')
  await run('create', 'configmap', 'patched', '--from-literal=a=1')
  await run('patch', 'configmap/patched', '-p', '{"data":{"b":"2"}}')
  const object = JSON.parse(
    await run('get', 'ks', '-o', 'json', '-l', 'tier=web', '--field-selector', 'metadata.name=app'),
  ).items[0]
  assert.deepEqual(
    [
      object.metadata.annotations['reconcile.fluxcd.io/requestedAt'],
      object.metadata.labels.tier,
      object.spec.suspend,
      object.status.observedGeneration,
    ],
    ['now', 'web', undefined, 3],
  )
  await runWith(JSON.stringify({ ...object, spec: { ...object.spec, interval: '20m' } }), 'replace', '-f', '-')
  assert.match(
    await refusal(
      runWith(JSON.stringify({ ...object, spec: { ...object.spec, interval: '30m' } }), 'replace', '-f', '-'),
    ),
    /the object has been modified; please apply your changes to the latest version and try again/,
  )
  assert.equal(await run('get', 'configmap', 'patched', '-o', 'jsonpath={.data}'), '{"a":"1","b":"2"}')
})

test('creates what has no manifest, and secrets unseen', async () => {
  await run('create', 'namespace', 'team')
  await run('create', 'serviceaccount', 'bot', '-n', 'team')
  await run('create', 'secret', 'generic', 'token', '-n', 'team', '--from-literal=password=hunter2')
  assert.equal(await run('get', 'secret', 'token', '-n', 'team', '-o', 'jsonpath={.data.password}'), 'aHVudGVyMg==')
  assert.match(await run('get', 'secrets', '-n', 'team'), /token +Opaque +1 /)
  await run('delete', 'namespace', 'team')
  assert.match(await refusal(run('get', 'namespace', 'team')), /namespaces "team" not found/)
})

test('waits for conditions and for deletion', async () => {
  await runWith(app(), 'apply', '--server-side', '-f', '-')
  await run('patch', 'ks/app', '--subresource=status', '--type=merge', '-p', '{"status":{"conditions":null}}')
  const waiting = run('wait', '--for=condition=ready', 'ks/app', '--timeout=5m')
  await sleep(300)
  await becomesReady(hub)
  assert.match(await waiting, /condition met/)
  const gone = run('wait', '--for=delete', 'ks/app', '--timeout=5m')
  await sleep(300)
  await run('delete', 'ks/app', '--wait=false')
  assert.match(await gone, /condition met/)
})

test('follows changes', async () => {
  await runWith(app(), 'apply', '--server-side', '-f', '-')
  const columns = ['-o', 'custom-columns=:.spec.path', '--no-headers']
  const rows = await kubectlLines(hub.kubeconfig, ['get', 'ks', '-w', ...columns])
  await eventually(() => assert.deepEqual(rows, ['./deploy']))
  await run('patch', 'ks/app', '--type=merge', '-p', '{"spec":{"path":"./other"}}')
  await eventually(() => assert.deepEqual(rows, ['./deploy', './other']))
})

test('deletes with each cascade', async () => {
  const configMap = (name: string, owner?: { metadata: { name: string; uid: string } }) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        ...(owner && {
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              name: owner.metadata.name,
              uid: owner.metadata.uid,
              blockOwnerDeletion: true,
            },
          ],
        }),
      },
    })
  for (const [cascade, left] of [
    ['background', ''],
    ['foreground', ''],
    ['orphan', 'configmap/child\n'],
  ] as const) {
    const owner = JSON.parse(await runWith(configMap('owner'), 'create', '-f', '-', '-o', 'json'))
    await runWith(configMap('child', owner), 'apply', '-f', '-')
    await run('delete', 'configmap', 'owner', `--cascade=${cascade}`)
    await hub.hub.settled()
    assert.equal(await run('get', 'configmaps', 'owner', 'child', '-o', 'name', '--ignore-not-found'), left, cascade)
  }
  await run('delete', 'configmaps', '--all')
})

test('tries without doing', async () => {
  await run('delete', 'ks', '--all')
  assert.match(
    await runWith(app(), 'apply', '--server-side', '--dry-run=server', '-f', '-'),
    /serverside-applied \(server dry run\)/,
  )
  assert.match(await runWith(app(), 'create', '--dry-run=server', '-f', '-'), /created \(server dry run\)/)
  assert.equal(await run('get', 'ks'), '')
})

test('reports what is wrong, with the path of each field', async () => {
  assert.equal(
    await refusal(runWith(app({ interval: 'soon', prune: 'yes', sourceRef: undefined }), 'create', '-f', '-')),
    `The Kustomization "app" is invalid: 
* spec.interval: Invalid value: "soon": spec.interval in body should match '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$'
* spec.prune: Invalid value: "string": spec.prune in body must be of type boolean: "string"
* spec.sourceRef: Required value
* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
`,
  )
  assert.match(
    await refusal(runWith(app({ intervall: '1m' }), 'create', '-f', '-')),
    /strict decoding error: unknown field "spec\.intervall"/,
  )
})

test('reports who a user is and what they may do', async () => {
  assert.match(await run('auth', 'whoami'), /Username +kubernetes-admin/)
  assert.equal(await run('auth', 'can-i', 'create', 'kustomizations'), 'yes\n')
  assert.match(await run('version'), /Server Version: v1\.36\.3\+keelson/)
})

test('applies a list', async () => {
  const items = ['one', 'two'].map(name => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }))
  assert.match(
    await runWith(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }), 'apply', '-f', '-'),
    /one created\nconfigmap\/two created/,
  )
})
