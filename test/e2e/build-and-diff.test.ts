import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { flux, needsFlux } from '../bed/flux.ts'
import { tempDir } from '../bed/temp-dir.ts'
import { control, files, keelson, kubeconfigOf, target } from './inspected-hub.ts'

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

test("diff reports what would change on the Kustomization's own cluster, with Secret values masked, and changes nothing", async () => {
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

test('diff continues after an object that the cluster refuses, names it, and ends with 2', async () => {
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

test('diff against an unreachable cluster says so in one sentence, and exits with 2', async () => {
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
  assert.match(stderr, /^✗ cluster https:\/\/127\.0\.0\.1:9 is unreachable: .*connection refused\n$/)
})

test('diff of a parent includes its Kustomizations if requested', async () => {
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
