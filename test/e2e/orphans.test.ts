/** `keelson orphans` on a real cluster: what no unit knows is listed, and deleted only as listed; what is protected stays. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Condition, KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { cluster } from '../bed/cluster.ts'
import { type Ending, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const prod = `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: prod, namespace: default}
spec: {interval: 1h, kubeConfig: {secretRef: {name: prod}}, protect: [{kind: Secret}]}
---`

/** Without pruning, what leaves the source stays on the cluster and leaves the inventory. */
const unit = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec: {interval: 1h, retryInterval: 1s, prune: false, path: ./, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: prod}}}
---`

const configMap = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\n`

const labels = (of: string): string =>
  `labels: {kustomize.toolkit.fluxcd.io/name: ${of}, kustomize.toolkit.fluxcd.io/namespace: default}`

const left = `
apiVersion: v1
kind: Namespace
metadata: {name: left, ${labels('gone')}}
---
apiVersion: v1
kind: Secret
metadata: {name: left, namespace: default, ${labels('gone')}}
stringData: {password: planted-password}
---
apiVersion: v1
kind: Service
metadata: {name: left, namespace: default, ${labels('gone')}}
spec: {selector: {app: left}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kept, namespace: default, ${labels('gone')}, annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: of-local, namespace: default, ${labels('local')}}
`

const localFlux = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kustomizations.kustomize.toolkit.fluxcd.io}
spec:
  group: kustomize.toolkit.fluxcd.io
  scope: Namespaced
  names: {kind: Kustomization, plural: kustomizations}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
const localUnit =
  'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: local, namespace: default}\n'

test('orphans are listed with their reason, and deleted by the digest of the list, but not what is protected, kept, or in a window', async () => {
  const [target, repo, on] = await Promise.all([
    cluster(),
    gitRepo({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') }),
    hub(),
  ])
  const keelson = (...args: readonly string[]): Promise<Ending> =>
    ending(process.execPath, [program, 'orphans', ...args, '--kubeconfig', on.kubeconfig])
  const isReady = (revision: string) =>
    eventually(async () => {
      const { status } = await on.get<KubernetesObject & { status?: { conditions?: readonly Condition[] } }>(
        'kustomization',
        'app',
      )
      const ready = status?.conditions?.find(({ type }) => type === 'Ready')
      assert.equal(ready?.status, 'True')
      assert.ok(ready?.message.includes(revision), ready?.message)
    })
  const namesOf = async (kind: string): Promise<readonly string[]> =>
    (await target.kubectl('get', kind, '-n', 'default', '-o', 'jsonpath={.items[*].metadata.name}')).split(' ')

  await target.apply(localFlux)
  await target.kubectl('wait', '--for=condition=Established', 'crd/kustomizations.kustomize.toolkit.fluxcd.io')
  await target.apply(localUnit)
  await on.apply(kubeconfigSecret('prod', target) + prod + appRepository(repo) + unit)
  await isReady('main@sha1:')
  const none = await keelson('-A')
  assert.deepEqual([none.exitCode, none.stdout, none.stderr], [0, 'No orphans found.\n', ''])

  const revision = await repo.push({ 'a.yaml': configMap('a'), 'b.yaml': '# gone\n' })
  await on.kubectl('annotate', 'gitrepository/app', `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`)
  await isReady(revision)
  await target.apply(left)
  await eventually(async () =>
    assert.notEqual(await target.kubectl('get', 'endpointslices,endpoints', '-o', 'name'), ''),
  )

  const listed = await keelson('-A')
  assert.equal(listed.exitCode, 1, listed.stderr)
  const rows = listed.stdout.trimEnd().split('\n').slice(1)
  const row = (object: string): string => rows.find(line => line.includes(` ${object} `)) ?? assert.fail(listed.stdout)
  assert.match(row('ConfigMap/default/b'), /^Cluster\/default\/prod .* Kustomization\/default\/app +NotInInventory *$/)
  assert.match(row('Service/default/left'), /Kustomization\/default\/gone +UnitGone *$/)
  assert.match(row('ConfigMap/default/kept'), /its labels or annotations of kustomize\.toolkit\.fluxcd\.io say so$/)
  assert.match(
    row('Secret/default/left'),
    /Cluster default\/prod protects Secret: Secret\/default\/left is not deleted$/,
  )
  assert.match(row('Namespace/left'), /more than itself would be lost with a Namespace$/)
  assert.equal(rows.length, 5, listed.stdout)
  const [, digest = ''] =
    /^To delete 2 of 5, run: keelson orphans -A --delete --digest (sha256:[0-9a-f]{64})$/m.exec(listed.stderr) ?? []
  assert.equal(listed.stderr.includes('--adopt'), false)
  const document = JSON.parse((await keelson('-A', '-o', 'json')).stdout)
  assert.deepEqual([document.digest, document.orphans.length], [digest, 5])
  assert.match((await keelson('-A', '-o', 'yaml')).stdout, /reason: UnitGone/)
  assert.equal((await keelson('-n', 'elsewhere')).stdout, 'No orphans found.\n')
  assert.equal(JSON.stringify([listed, document]).includes('planted-password'), false)

  const unconfirmed = await keelson('-A', '--delete')
  assert.deepEqual([unconfirmed.exitCode, unconfirmed.stdout], [1, ''])
  const other = await keelson('-A', '--delete', '--digest', `sha256:${'0'.repeat(64)}`)
  assert.equal(other.exitCode, 1)
  assert.match(other.stderr, /nothing is deleted: /)

  const deny = '[{action: Deny, schedule: "0 0 * * *", duration: 24h}]'
  await on.apply(prod.replace('protect:', `windows: ${deny}, protect:`))
  const closed = await keelson('-A', '--delete', '--digest', digest)
  assert.equal(closed.exitCode, 1)
  assert.match(closed.stdout, /ConfigMap\/default\/b .*in the Deny window/)
  assert.ok((await namesOf('configmap')).includes('b'))

  await on.apply(prod)
  const done = await keelson('-A', '--delete', '--digest', digest)
  assert.equal(done.exitCode, 0, done.stderr)
  assert.match(done.stderr, /^Cluster\/default\/prod: ConfigMap\/default\/b deleted$/m)
  const maps = await namesOf('configmap')
  assert.deepEqual(
    ['a', 'b', 'kept', 'of-local'].filter(name => maps.includes(name)),
    ['a', 'kept', 'of-local'],
  )
  assert.deepEqual(
    [(await namesOf('service')).includes('left'), (await namesOf('secret')).includes('left')],
    [false, true],
  )
  assert.match(await target.kubectl('get', 'namespace', 'left', '-o', 'jsonpath={.status.phase}'), /^Active$/)

  // What its unit can prune is returned to it: a unit without pruning would only forget it again.
  await target.apply(
    `${configMap('again')
      .trimEnd()
      .replace('namespace: default', `namespace: default, ${labels('app')}`)}\n`,
  )
  const unpruned = await keelson('-A')
  assert.match(unpruned.stdout, /ConfigMap\/default\/again .*NotInInventory/)
  assert.equal(unpruned.stderr.includes('--adopt'), false)
  await on.apply(unit.replace('prune: false', 'prune: true'))
  const adoptDigest = await eventually(async () => {
    const { stderr } = await keelson('-A')
    const [, found] =
      /let their units prune 1 of \d+, run: keelson orphans -A --adopt --digest (\S+)$/m.exec(stderr) ?? []
    assert.ok(found, stderr)
    return found
  })
  const wrong = await keelson('-A', '--adopt', '--digest', `sha256:${'0'.repeat(64)}`)
  assert.deepEqual([wrong.exitCode, /nothing is adopted: /.test(wrong.stderr)], [1, true])
  assert.equal((await keelson('-A', '--adopt', '--delete', '--digest', adoptDigest)).exitCode, 1)
  const adopted = await keelson('-A', '--adopt', '--digest', adoptDigest)
  assert.equal(adopted.exitCode, 0, adopted.stderr)
  assert.match(adopted.stderr, /^ConfigMap\/default\/again adopted by Kustomization\/default\/app$/m)
  const { status } = await on.get<KubernetesObject & { status: { inventory: object } }>('kustomization', 'app')
  assert.ok(JSON.stringify(status.inventory).includes('default_again__ConfigMap'))
  assert.ok((await namesOf('configmap')).includes('again'))
  assert.equal((await keelson('-A')).stdout.includes('ConfigMap/default/again'), false)
  await on.kubectl(
    'annotate',
    '--overwrite',
    'kustomization/app',
    `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`,
  )
  await eventually(async () => assert.equal((await namesOf('configmap')).includes('again'), false))
  const run = await on.kubectl(
    'get',
    'runs',
    '--field-selector',
    'cause.type=Request',
    '-o',
    'jsonpath={.items[0].changes[*].name}',
  )
  assert.equal(run, 'again')
})
