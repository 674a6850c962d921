import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../bed/temp-dir.ts'
import { control, files, keelson, target } from './inspected-hub.ts'

interface PlanDocument {
  readonly kind: string
  readonly spec: { readonly digest: string; readonly revision?: string; readonly counts: object }
  readonly changes: readonly { readonly name: string; readonly fields?: readonly Record<string, string>[] }[]
}

const changed = {
  'app/config.yaml': files['app/config.yaml']!.replace('large', 'small').replace('hunter2', 'correct horse'),
  'app/new.yaml': `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: inside, namespace: shop}
`,
}

test('a plan of what the hub has fetched names its revision; nothing would change, and it ends with 0', async () => {
  const { stdout, exitCode } = await keelson('plan', 'kustomization/app')
  assert.match(
    stdout,
    /^Plan of Kustomization\/app at main@sha1:[0-9a-f]{40} on the cluster of Secret\/default\/target: nothing would change\nObjects: 3 unchanged\nDigest: {3}sha256:[0-9a-f]{64}\n$/,
  )
  assert.equal(exitCode, 0)
})

test('--revision fails unless the hub has that revision', async () => {
  const { spec } = JSON.parse((await keelson('plan', 'ks/app', '-o', 'json')).stdout) as PlanDocument
  const commit = spec.revision!.split(':')[1]!.slice(0, 8)
  assert.equal((await keelson('plan', 'ks', 'app', '--revision', commit)).exitCode, 0)
  const other = await keelson('plan', 'ks/app', '--revision', 'main@sha1:feed')
  assert.equal(other.exitCode, 2)
  assert.match(other.stderr, /the hub has revision main@sha1:.*, not main@sha1:feed: check that out/)
})

test('a plan lists creations, changed fields with their file, and deletions, in order, masks Secrets, and changes nothing', async () => {
  const path = join(tempDir(changed), 'app')
  const { stdout, stderr, exitCode } = await keelson('plan', 'ks/app', '--path', path)
  assert.equal(
    stdout.replaceAll(path.slice(1), 'app').replace(/sha256:.*/, 'DIGEST'),
    `Plan of Kustomization/app on the cluster of Secret/default/target: +2 ~2 -1
Objects: 2 created, 2 configured, 1 deleted
  Namespace/shop created (from app/new.yaml)
  ConfigMap/default/config configured (from app/config.yaml)
    data.size: large -> small (from app/config.yaml:4)
  ConfigMap/shop/inside created, after Namespace/shop (from app/new.yaml)
  Secret/default/login configured (from app/config.yaml)
    data.password: *** -> *** (from app/config.yaml:6)
  ConfigMap/default/old deleted
Digest:   DIGEST
`,
  )
  assert.deepEqual([exitCode, stderr], [1, '✗ identified at least one change, exiting with non-zero exit code\n'])
  assert.match(await target.kubectl('get', 'configmap', 'config', '-o', 'yaml'), /size: large/)
})

test('the digest follows the live fields that would change, and no others', async () => {
  const path = join(tempDir(changed), 'app')
  const plan = async () =>
    JSON.parse((await keelson('plan', 'ks/app', '--path', path, '-o', 'json')).stdout) as PlanDocument
  const first = await plan()
  assert.equal(first.kind, 'Plan')
  assert.equal((await plan()).spec.digest, first.spec.digest)
  await target.kubectl('label', 'configmap', 'config', 'seen=yes', '--field-manager=tool-x')
  assert.equal((await plan()).spec.digest, first.spec.digest, 'a label of another manager stays as it is')
  await target.kubectl('patch', 'configmap', 'config', '--type=merge', '-p', '{"data":{"size":"huge"}}')
  const last = await plan()
  assert.notEqual(last.spec.digest, first.spec.digest)
  const [field] = last.changes.find(({ name }) => name === 'config')!.fields!
  assert.deepEqual([field!.path, field!.before, field!.after], ['data.size', 'huge', 'small'])
  assert.equal(field!.manager, 'kubectl-patch')
})

test('what the cluster refuses is named with its file, no deletion is planned, and it ends with 2', async () => {
  const path = tempDir({
    'app/bad.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Bad_Name, namespace: default}\n',
  })
  const { stdout, stderr, exitCode } = await keelson('plan', 'ks/app', '--path', join(path, 'app'))
  assert.match(stdout, /: nothing would change\nDigest/)
  assert.equal(exitCode, 2)
  assert.match(
    stderr,
    /^✗ ConfigMap\/default\/Bad_Name dry-run failed.*metadata\.name: Invalid value.*app\/bad\.yaml:3/s,
  )
})

test('a ResourceSet is planned like the others, as the hub has it and as a file has it, and compared with its cluster', async () => {
  const set = (level: string, password: string) => `apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata:
  name: levels
  namespace: default
  annotations: {resourceset.keelson.dev/kubeConfig: target}
spec:
  inputs: [{level: ${level}}]
  resources:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: level, namespace: default}, data: {level: << inputs.level >>}}
  - {apiVersion: v1, kind: Secret, metadata: {name: of-level, namespace: default}, stringData: {password: ${password}}}
`
  await control.apply(set('low', 'hunter2'))
  await control.kubectl('wait', 'resourceset/levels', '--for=condition=Ready', '--timeout=60s', '-n', 'default')
  const applied = await keelson('plan', 'resourceset/levels')
  const digest = 'sha256:[0-9a-f]{64}'
  assert.match(
    applied.stdout,
    new RegExp(
      `^Plan of ResourceSet/levels at ${digest} on the cluster of Secret/default/target: nothing would change\nObjects: 2 unchanged\nDigest: {3}${digest}\n$`,
    ),
  )
  assert.equal(applied.exitCode, 0)
  const file = join(tempDir({ 'set.yaml': set('high', 'correct horse') }), 'set.yaml')
  const { stdout, exitCode } = await keelson('plan', 'rset', 'levels', '--resourceset-file', file)
  assert.equal(
    stdout.replaceAll(/sha256:[0-9a-f]{64}/g, 'DIGEST'),
    `Plan of ResourceSet/levels at DIGEST on the cluster of Secret/default/target: ~2
Objects: 2 configured
  ConfigMap/default/level configured
    data.level: low -> high
  Secret/default/of-level configured
    data.password: *** -> ***
Digest:   DIGEST
`,
  )
  assert.equal(exitCode, 1)
  const document = JSON.parse((await keelson('plan', 'rset/levels', '--resourceset-file', file, '-o', 'json')).stdout)
  assert.deepEqual([document.kind, document.spec.counts], ['Plan', { configured: 2 }])
  assert.equal(await target.kubectl('get', 'configmap', 'level', '-o', 'jsonpath={.data.level}'), 'low')
  assert.match(
    (await keelson('drift', 'rset/levels')).stdout,
    /^ResourceSet\/default\/levels is as sha256:\w+, which was applied last\n/,
  )
  const patch = (object: string, body: string) =>
    target.kubectl('patch', object, '--type=merge', '--field-manager=incident-bot', '-p', body)
  await patch('configmap/level', '{"data":{"level":"mid"}}')
  await patch('secret/of-level', '{"stringData":{"password":"by hand"}}')
  const drifted = await keelson('drift', 'resourceset/levels')
  assert.equal(drifted.exitCode, 1, drifted.stderr)
  assert.equal(
    drifted.stdout.replaceAll(/sha256:[0-9a-f]{64}/g, 'DIGEST').replaceAll(/\d{4}-\S+Z/g, 'TIME'),
    `ResourceSet/default/levels differs from DIGEST, which was applied last
Objects: 2 configured
  ConfigMap/default/level configured
    data.level: mid -> low (incident-bot, TIME)
  Secret/default/of-level configured
    data.password: *** -> *** (incident-bot, TIME)
`,
  )
  const sourced = await keelson('plan', 'rset/levels', '--path', '.')
  assert.deepEqual([sourced.exitCode, sourced.stderr.includes('a ResourceSet has no source')], [2, true])
})

test('a kind that is not planned is refused', async () => {
  const { stderr, exitCode } = await keelson('plan', 'gitrepository/fleet')
  assert.deepEqual([exitCode, stderr.includes("a GitRepository can't be planned")], [2, true])
})
