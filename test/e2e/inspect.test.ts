import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { type Ending, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { flux, needsFlux } from '../bed/flux.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { tempDir } from '../bed/temp-dir.ts'

/**
 * The commands that look without touching: build, diff, tree and trace, against a hub whose Kustomization `app` writes to a
 * cluster, and `parent` makes `app`.
 */

const files: Readonly<Record<string, string>> = {
  'app/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: config, namespace: default}
data: {color: "\${color}", size: large}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: default}
stringData: {password: hunter2}
`,
  'parent/kustomization.yaml': 'resources: [app.yaml]\npatches: [{target: {kind: Nobody, nme: x}, patch: "[]"}]\n',
  'app/old.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: old, namespace: default}\n',
  'parent/app.yaml': `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec:
  interval: 1h
  prune: true
  path: app
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: target}}
  postBuild: {substitute: {color: blue}}
`,
}

const kubeconfigOf = (server: string) => ({
  ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'it' },
  clusters: [{ name: 'it', cluster: { server } }],
  users: [{ name: 'it', user: { token: 'none' } }],
  contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
})

const [target, source, control] = await Promise.all([cluster(), gitRepo(files), hub()])

before(async () => {
  await control.apply(`${kubeconfigSecret('target', target)}${fleetRepository(source)}
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: parent, namespace: default}
spec:
  interval: 1h
  prune: true
  path: parent
  sourceRef: {kind: GitRepository, name: fleet}
`)
  await eventually(() =>
    control.kubectl('wait', 'kustomization/app', '--for=condition=Ready', '--timeout=1s', '-n', 'default'),
  )
})

const keelson = (...args: string[]): Promise<Ending> =>
  ending(process.execPath, [join(import.meta.dirname, '../../lib/cli/keelson.js'), ...args, '-n', 'default'], {
    env: { PATH: process.env.PATH, KUBECONFIG: control.kubeconfig },
  })

test('build prints what the Kustomization of the hub would apply, as the flux CLI prints it', async () => {
  const { stdout, exitCode } = await keelson('build', 'ks', 'app', '--path', join(tempDir(files), 'app'))
  assert.equal(exitCode, 0)
  assert.equal(
    stdout,
    `apiVersion: v1
data:
  color: blue
  size: large
kind: ConfigMap
metadata:
  labels:
    kustomize.toolkit.fluxcd.io/name: app
    kustomize.toolkit.fluxcd.io/namespace: default
  name: config
  namespace: default
---
apiVersion: v1
kind: Secret
metadata:
  labels:
    kustomize.toolkit.fluxcd.io/name: app
    kustomize.toolkit.fluxcd.io/namespace: default
  name: login
  namespace: default
stringData:
  password: hunter2
---
apiVersion: v1
kind: ConfigMap
metadata:
  labels:
    kustomize.toolkit.fluxcd.io/name: app
    kustomize.toolkit.fluxcd.io/namespace: default
  name: old
  namespace: default
---
`,
  )
})

test('build and the flux CLI agree, also recursively and without a hub', needsFlux, async () => {
  const root = tempDir(files)
  const kustomization = join(root, 'parent/app.yaml')
  const runs = [
    ['app', '--path', join(root, 'app')],
    ['app', '--path', join(root, 'app'), '--kustomization-file', kustomization, '--dry-run'],
    ['parent', '--path', join(root, 'parent'), '-r', '--local-sources', `GitRepository/default/fleet=${root}`],
    ['app', '--path', join(root, 'app'), '--ignore-paths', 'old.yaml'],
  ]
  for (const run of runs) {
    const ours = await keelson('build', 'kustomization', ...run)
    const theirs = await flux(control.kubeconfig, ['build', 'kustomization', ...run, '-n', 'default'])
    assert.deepEqual([ours.stdout, ours.exitCode], [theirs.stdout, theirs.exitCode], run.join(' '))
  }
})

test('diff of unchanged files says nothing and ends with 0', async () => {
  const ended = await keelson('diff', 'kustomization', 'app', '--path', join(tempDir(files), 'app'))
  assert.deepEqual(ended, { stdout: '', stderr: '', exitCode: 0 })
})

test("diff tells what would change on the Kustomization's own cluster, with Secret values masked, and changes nothing", async () => {
  const changed = {
    'app/config.yaml': files['app/config.yaml']!.replace('large', 'small').replace('hunter2', 'correct horse'),
    'app/new.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new, namespace: default}\n',
  }
  const { stdout, stderr, exitCode } = await keelson('diff', 'ks', 'app', '--path', join(tempDir(changed), 'app'))
  assert.equal(
    stdout,
    `► ConfigMap/default/config drifted
  @@ -1,7 +1,7 @@
   apiVersion: v1
   data:
     color: blue
  -  size: large
  +  size: small
   kind: ConfigMap
   metadata:
     labels:
► ConfigMap/default/new created
► Secret/default/login drifted
  @@ -1,6 +1,6 @@
   apiVersion: v1
   data:
  -  password: '*** (before)'
  +  password: '*** (after)'
   kind: Secret
   metadata:
     labels:
► ConfigMap/default/old deleted
`,
  )
  assert.deepEqual([exitCode, stderr], [1, '✗ identified at least one change, exiting with non-zero exit code\n'])
  assert.match(await target.kubectl('get', 'configmap', 'config', '-o', 'yaml'), /size: large/)
})

test('diff goes on after an object that the cluster refuses, names it, and ends with 2', async () => {
  const path = tempDir({
    'app/bad.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Bad_Name, namespace: default}\n',
    'app/new.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new, namespace: default}\n',
  })
  const { stdout, stderr, exitCode } = await keelson('diff', 'ks', 'app', '--path', join(path, 'app'))
  assert.deepEqual([stdout, exitCode], ['► ConfigMap/default/new created\n', 2])
  assert.match(
    stderr,
    /^✗ ConfigMap\/default\/Bad_Name: .*metadata\.name: Invalid value.* \(from .*\/app\/bad\.yaml:3\)\n/,
  )
})

test('diff against a cluster that does not answer says so in a sentence, and ends with 2', async () => {
  await control.apply(`apiVersion: v1
kind: Secret
metadata: {name: gone, namespace: default}
stringData: {value: '${JSON.stringify(kubeconfigOf('https://127.0.0.1:9'))}'}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: gone, namespace: default}
spec: {interval: 1h, prune: true, suspend: true, sourceRef: {kind: GitRepository, name: fleet}, kubeConfig: {secretRef: {name: gone}}}
`)
  const { stdout, stderr, exitCode } = await keelson('diff', 'ks', 'gone', '--path', join(tempDir(files), 'app'))
  assert.deepEqual([stdout, exitCode], ['', 2])
  assert.match(stderr, /^✗ cluster https:\/\/127\.0\.0\.1:9 does not answer: .*connection refused\n$/)
})

test('diff of a parent goes into its Kustomizations when asked', async () => {
  const changed = { ...files, 'app/old.yaml': `${files['app/old.yaml']}data: {a: b}\n` }
  const root = tempDir(changed)
  const { stdout, exitCode } = await keelson(
    ...['diff', 'ks', 'parent', '--path', join(root, 'parent')],
    ...['-r', '--local-sources', `GitRepository/default/fleet=${root}`],
  )
  assert.match(stdout, /^📁 Kustomization\/default\/app changed\n► ConfigMap\/default\/old drifted\n/)
  assert.equal(exitCode, 1)
})

test('diff of a child that was suspended by kubectl shows the line that would go', async () => {
  const path = join(tempDir(files), 'parent')
  const patch = (suspend: boolean) =>
    control.kubectl('patch', 'ks/app', '--type=merge', '-p', `{"spec":{"suspend":${suspend}}}`)
  await patch(true)
  // Who did it is said wherever it is shown.
  assert.match((await keelson('why', 'ks/app')).stdout, / {2}reason {5}suspended by kubernetes-admin\n/)
  assert.match((await keelson('tree', 'ks', 'parent')).stdout, /app {2}\(suspended by kubernetes-admin; kubeconfig/)
  const { stdout, exitCode } = await keelson('diff', 'ks', 'parent', '--path', path)
  assert.equal(exitCode, 1)
  assert.match(stdout, /^► Kustomization\/default\/app drifted\n[\s\S]*\n {2}- {2}suspend: true\n/)
  assert.doesNotMatch(stdout, /\n {2}[-+](?! {2}(?:suspend: true|annotations:| {2}keelson.dev\/suspended-by))/)
  await patch(false)
})

test('the flux CLI finds the same differences, by dry-runs of its own', needsFlux, async () => {
  const changed = { 'parent/app.yaml': files['parent/app.yaml']!.replace('interval: 1h', 'interval: 2h') }
  const run = ['diff', 'kustomization', 'parent', '--path', join(tempDir(changed), 'parent'), '--progress-bar=false']
  const ours = await keelson(...run)
  const theirs = await flux(control.kubeconfig, [...run, '-n', 'default'])
  assert.deepEqual([ours.exitCode, theirs.exitCode], [1, 1])
  for (const { stdout } of [ours, theirs]) assert.match(stdout, /^► Kustomization\/default\/app drifted\n/)
  assert.match(theirs.stdout, /spec\.interval[\s\S]*- 1h\n[\s\S]*\+ 2h\n/)
  assert.match(ours.stdout, /-\s+interval: 1h\n\s+\+\s+interval: 2h\n/)
})

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

test('why tells the state of an object, what it waits for down to the one that fails, and what comes next', async () => {
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
    assert.match(stdout, /fails/)
  })
  const { stdout, exitCode } = await keelson('why', 'kustomization', 'waiting')
  assert.equal(exitCode, 1)
  assert.match(stdout, /^Kustomization\/default\/waiting .*\n/)
  assert.match(
    stdout,
    / {2}because of Kustomization\/default\/broken, which fails, and is tried again: ArtifactFailed: kustomization path not found: .*nowhere/,
  )
  assert.match(stdout, / {2}next {7}looked at again as soon as what it depends on is ready; at once by: flux reconcile/)
  const broken = await keelson('why', 'ks/broken')
  assert.match(
    broken.stdout,
    / {2}next {7}tried again every 5m; at once by: flux reconcile kustomization broken -n default\n/,
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
  assert.match(ready.stdout, / {2}next {7}looked at every 1h; at once by: flux reconcile source git fleet -n default\n/)
  const parent = await keelson('why', 'ks/parent')
  assert.match(
    parent.stdout,
    /\n {2}ignored {4}kustomize does not know these fields, they are ignored: parent\/kustomization\.yaml: patches\.target\.nme\n/,
  )
  const elsewhere = await keelson('why', 'imagepolicy/app')
  assert.match(
    elsewhere.stderr,
    /^✗ this hub has no imagepolicy: image-reflector-controller reconciles it on the cluster/,
  )
  assert.match((await keelson('why', 'deployment/app')).stderr, /^✗ unknown kind 'deployment': the kinds are gitrepo/)
  const unknown = await keelson('why', 'ks/nobody')
  assert.deepEqual([unknown.exitCode, unknown.stderr], [1, '✗ Kustomization/default/nobody not found\n'])
})

test('events shows what happened to Flux objects in the columns of the flux CLI, of one object and one type when asked', async () => {
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

test('one dead cluster is one cause: told once in tree and events, and named in why', async () => {
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
  const problem = 'cluster https://127.0.0.1:9 does not answer: dial tcp 127.0.0.1:9: connect: connection refused'
  const told = await eventually(async () => {
    const { stdout } = await keelson('why', 'ks/dead-three')
    assert.match(stdout, /fails/)
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
