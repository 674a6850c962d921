import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository } from '../bed/fleet-objects.ts'
import { flux, needsFlux } from '../bed/flux.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { control, files, keelson, kubeconfigOf, source } from './inspected-hub.ts'

test('tree shows what a Kustomization manages, and what that manages', async () => {
  const { stdout } = await keelson('tree', 'kustomization', 'parent')
  assert.equal(
    stdout,
    `Kustomization/default/parent  (ready)
└── Kustomization/default/app  (ready; kubeconfig in Secret default/target)
    ├── ConfigMap/default/config
    ├── ConfigMap/default/old
    └── Secret/default/login

`,
  )
  const compact = await keelson('tree', 'kustomization', 'parent', '--compact', '-o', 'yaml')
  assert.match(compact.stdout, /^resource:\n {2}GroupKind:\n/)
})

test('tree and the flux CLI agree in every form', needsFlux, async () => {
  for (const form of [[], ['-o', 'json'], ['-o', 'yaml'], ['--compact']]) {
    const args = ['tree', 'kustomization', 'parent', ...form]
    const ours = (await keelson(...args)).stdout.replaceAll(/ {2}\(ready.*\)$/gm, '')
    assert.equal(ours, (await flux(control.kubeconfig, [...args, '-n', 'default'])).stdout)
  }
})

test('trace leads from an object on a cluster to its Kustomization and its source', async () => {
  const { stdout } = await keelson('trace', 'configmap', 'config')
  const fixed = stdout
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replaceAll(/sha1:[0-9a-f]{40}/g, 'sha1:HASH')
  assert.equal(
    fixed,
    `Object:          ConfigMap/config
Namespace:       default
Status:          Managed by Flux
Cluster:         kubeconfig in Secret default/target
---
Kustomization:   app
Namespace:       default
Path:            app
Revision:        main@sha1:HASH
Status:          Last reconciled at TIME
Message:         Applied revision: main@sha1:HASH
---
GitRepository:   fleet
Namespace:       default
URL:             ${source.url}
Branch:          main
Revision:        main@sha1:HASH
Status:          Last reconciled at TIME
Message:         stored artifact for revision 'main@sha1:HASH'
`,
  )
  const unknown = await keelson('trace', 'deployment/nobody')
  assert.deepEqual([unknown.exitCode, unknown.stdout], [1, ''])
  assert.match(unknown.stderr, /^✗ deployment\/nobody in namespace default: object not managed by Flux/)
})

test('why reports the state of an object, what it waits for down to the one that fails, and what comes next', async () => {
  const kustomization = (name: string, spec: string): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  retryInterval: 5m
  prune: true
  sourceRef: {kind: GitRepository, name: fleet}
  ${spec}
---`
  await control.apply(
    kustomization('broken', 'path: nowhere') + kustomization('waiting', 'path: parent\n  dependsOn: [{name: broken}]'),
  )
  await eventually(async () => {
    const { stdout } = await keelson('why', 'ks/broken')
    assert.match(stdout, /is failing/)
  })
  const { stdout, exitCode } = await keelson('why', 'kustomization', 'waiting')
  assert.equal(exitCode, 1)
  assert.match(stdout, /^Kustomization\/default\/waiting .*\n/)
  assert.match(
    stdout,
    / {2}because of Kustomization\/default\/broken, which is failing, and is retried: ArtifactFailed: kustomization path not found: .*nowhere/,
  )
  assert.match(stdout, / {2}next {7}reconciled as soon as its dependency is ready; at once by: flux reconcile/)
  const broken = await keelson('why', 'ks/broken')
  assert.match(
    broken.stdout,
    / {2}next {7}retried every 5m; at once by: flux reconcile kustomization broken -n default\n/,
  )
  assert.match(
    broken.stdout,
    /\nLAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n.*Warning +ArtifactFailed +Kustomization\/broken/,
  )

  const ready = await keelson('why', 'gitrepo/fleet')
  assert.equal(ready.exitCode, 0)
  assert.match(
    ready.stdout,
    /^GitRepository\/default\/fleet is ready, since .*\n {2}reason {5}stored artifact for revision/,
  )
  assert.match(
    ready.stdout,
    / {2}next {7}reconciled every 1h; at once by: flux reconcile source git fleet -n default\n/,
  )
  const parent = await keelson('why', 'ks/parent')
  assert.match(
    parent.stdout,
    /\n {2}ignored {4}kustomize does not know these fields, they are ignored: parent\/kustomization\.yaml: patches\.target\.nme\n/,
  )
  assert.match((await keelson('why', 'deployment/app')).stderr, /^✗ unknown kind 'deployment': the kinds are gitrepo/)
  const unknown = await keelson('why', 'ks/nobody')
  assert.deepEqual([unknown.exitCode, unknown.stderr], [1, '✗ Kustomization/default/nobody not found\n'])
})

test('events shows what happened to Flux objects in the columns of the flux CLI, of one object and one type if requested', async () => {
  const { stdout } = await keelson('events', '--for', 'Kustomization/app')
  assert.match(stdout, /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/)
  assert.match(stdout, /Normal +ReconciliationSucceeded +Kustomization\/app +Reconciliation finished in/)
  const all = await keelson('events', '-A')
  assert.match(all.stdout, /^NAMESPACE +LAST SEEN/)
  assert.deepEqual(await keelson('events', '--for', 'gitrepository', '--types', 'warning'), {
    exitCode: 0,
    stdout: '',
    stderr: '',
  })
})

test('one dead cluster is one cause: reported once in tree and events, and named in why', async () => {
  const children = ['one', 'two', 'three'].map(
    name => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: dead-${name}, namespace: default}
spec:
  interval: 1h
  prune: true
  path: app
  sourceRef: {kind: GitRepository, name: dead}
  kubeConfig: {secretRef: {name: dead}}
`,
  )
  const fleet = await gitRepo({ ...files, 'dead/all.yaml': children.join('---') })
  await control.apply(`${fleetRepository(fleet).replace('name: fleet', 'name: dead')}
apiVersion: v1
kind: Secret
metadata: {name: dead, namespace: default}
stringData: {value: '${JSON.stringify(kubeconfigOf('https://127.0.0.1:9'))}'}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: dead, namespace: default}
spec: {interval: 1h, prune: true, path: dead, sourceRef: {kind: GitRepository, name: dead}}
`)
  const problem = 'cluster https://127.0.0.1:9 is unreachable: dial tcp 127.0.0.1:9: connect: connection refused'
  const told = await eventually(async () => {
    const { stdout } = await keelson('why', 'ks/dead-three')
    assert.match(stdout, /is failing/)
    const tree = await keelson('tree', 'ks', 'dead')
    assert.equal(tree.stdout.match(/\(failed/g)?.length, 3)
    return { why: stdout, tree: tree.stdout }
  })
  assert.match(told.why, / {2}cluster {4}kubeconfig in Secret default\/dead\n {2}reason {5}ClusterUnreachable: /)
  assert.ok(told.why.includes(problem))
  assert.equal(told.tree.split(problem).length, 2, told.tree)
  assert.equal(told.tree.match(/\(failed: as above; kubeconfig in Secret default\/dead\)/g)?.length, 2)
  const { stdout } = await keelson('events', '--types', 'Warning', '--for', 'kustomization')
  assert.match(stdout, /Warning +ClusterUnreachable +Kustomization\/dead-\w+ and 2 more +cluster https:/)
  assert.equal(stdout.split(problem).length, 2, stdout)
})
