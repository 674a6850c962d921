/** The accidents that the prune guard is for, on a real cluster, with a hub that is killed in the middle of each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GitRepository } from '../../lib/foundations/kinds/git-repository.ts'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import { listDigest } from '../../lib/foundations/rules/prune-guard.ts'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { command } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub as startHub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const count = 40
const names = Array.from({ length: count }, (_, index) => `cm-${index}`)

const configMap = (name: string, namespace: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '${name}', namespace: ${namespace}}\n`

const folder = (path: string, namespace: string, prefix = ''): Record<string, string> =>
  Object.fromEntries(names.map(name => [`${path}/${name}.yaml`, configMap(`${prefix}${name}`, namespace)]))

const volumes = `
apiVersion: v1
kind: Namespace
metadata: {name: data}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk, namespace: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
${configMap('settings', 'data')}`

const unit = (name: string, path: string, more = ''): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  retryInterval: 1s
  prune: true
  path: ${path}
  sourceRef: {kind: GitRepository, name: ${name === 'forced' ? 'forced' : 'fleet'}}
  kubeConfig: {secretRef: {name: prod}}
${more}---`

const variables = (prefix: string): string => `  postBuild: {substitute: {prefix: ${prefix}}}\n`

const accidents = ['emptied', 'volumes', 'forced', 'moved', 'renamed'] as const
type Accident = (typeof accidents)[number]

/** What each accident would delete, as inventory ids. */
const lists: Readonly<Record<Accident, readonly string[]>> = {
  emptied: names.map(name => `emptied_${name}__ConfigMap`),
  volumes: ['_data__Namespace', 'data_disk__PersistentVolumeClaim'],
  forced: names.map(name => `forced_${name}__ConfigMap`),
  moved: names.map(name => `moved_${name}__ConfigMap`),
  renamed: names.map(name => `renamed_old-${name}__ConfigMap`),
}

const read = async (hub: Hub, name: string): Promise<Kustomization> =>
  JSON.parse(await hub.kubectl('get', 'kustomization', name, '-o', 'json')) as Kustomization

const configMapsIn = async (on: Cluster, namespace: string): Promise<readonly string[]> =>
  (await on.kubectl('get', 'configmap', '-n', namespace, '-o', 'name'))
    .split('\n')
    .filter(line => line !== '' && !line.endsWith('/kube-root-ca.crt'))
    .map(line => line.slice('configmap/'.length))

const requireNothingDeleted = async (on: Cluster): Promise<void> => {
  for (const namespace of ['emptied', 'forced', 'moved']) {
    const found = await configMapsIn(on, namespace)
    assert.deepEqual(
      names.filter(name => !found.includes(name)),
      [],
      `deleted in ${namespace}`,
    )
  }
  const renamed = await configMapsIn(on, 'renamed')
  assert.deepEqual(
    names.filter(name => !renamed.includes(`old-${name}`)),
    [],
    'deleted in renamed',
  )
  const deletions = ['namespace/data', 'pvc/disk'].map(object =>
    on.kubectl('get', object, '-n', 'data', '-o', 'jsonpath={.metadata.deletionTimestamp}'),
  )
  assert.deepEqual(await Promise.all(deletions), ['', ''])
}

const guardedDigestOf = async (hub: Hub, name: Accident): Promise<string> =>
  eventually(
    async () => {
      const { metadata, status } = await read(hub, name)
      const guarded = status?.conditions?.find(({ type }) => type === 'PruneGuarded')
      assert.equal(guarded?.observedGeneration, metadata.generation, JSON.stringify(status?.conditions))
      return /--digest (sha256:[0-9a-f]{64})/.exec(guarded?.message ?? '')![1]!
    },
    { within: 60_000 },
  )

test('a folder emptied, a Namespace with volumes dropped, a branch forced to nothing, a wrong path, other names: nothing is deleted until exactly that is approved, wherever the hub dies', async () => {
  const [prod, hub] = await Promise.all([cluster({ name: 'prod' }), startHub()])
  const readme = { 'emptied/README.md': 'Apps\n' }
  const renamed = folder('renamed', 'renamed', '${prefix}-')
  const repo = await gitRepo({
    ...{ ...readme, ...folder('emptied', 'emptied'), ...folder('moved', 'moved'), ...renamed },
    ...{ 'other/one.yaml': configMap('one', 'moved') },
    ...{ ...folder('volumes', 'kept'), 'volumes/data.yaml': volumes },
  })
  await repo.push(folder('forced', 'forced'), { branch: 'forced' })
  for (const namespace of ['emptied', 'forced', 'moved', 'renamed', 'kept'])
    await prod.kubectl('create', 'namespace', namespace)
  await hub.apply(
    kubeconfigSecret('prod', prod) +
      fleetRepository(repo) +
      fleetRepository(repo).replace('name: fleet', 'name: forced').replace('branch: main', 'branch: forced') +
      unit('emptied', './emptied') +
      unit('volumes', './volumes') +
      unit('forced', './') +
      unit('moved', './moved') +
      unit('renamed', './renamed', variables('old')),
  )
  const isReady = async (name: string) => {
    const { metadata, status } = await read(hub, name)
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')
    assert.equal(ready?.status, 'True', `${name}: ${ready?.message}`)
    assert.equal(ready?.observedGeneration, metadata.generation)
  }
  for (const name of ['emptied', 'volumes', 'moved', 'renamed'])
    await eventually(() => isReady(name), { within: 60_000 })
  // The branch has all folders of main: what is asked here is only about its own.
  await hub.kubectl('patch', 'kustomization', 'forced', '--type=merge', '-p', '{"spec":{"path":"./forced"}}')
  await eventually(() => isReady('forced'), { within: 60_000 })

  const drop = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.keys(files).map(file => [file, null]))
  await repo.push({ ...drop(folder('emptied', 'emptied')), 'volumes/data.yaml': null })
  const [tree] = (await repo.git('hash-object', '-w', '-t', 'tree', '/dev/null')).split('\n')
  const nothing = await repo.git(
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@example.com',
    'commit-tree',
    tree!,
    '-m',
    'Nothing',
  )
  await repo.git('update-ref', 'refs/heads/forced', nothing.trim())
  const request = (name: string) =>
    hub.kubectl('annotate', 'gitrepository', name, `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
  await request('forced')
  // Before that, the folders of the branch would take over what the other units drop.
  await eventually(async () => {
    const source = await hub.get<GitRepository>('gitrepository', 'forced')
    assert.ok(source.status?.artifact?.revision.endsWith(nothing.trim()))
  })
  await hub.kubectl('patch', 'kustomization', 'forced', '--type=merge', '-p', '{"spec":{"path":"./"}}')
  await hub.apply(unit('moved', './other') + unit('renamed', './renamed', variables('new')))
  await request('fleet')
  for (const delay of [50, 150, 300, 600, 1000, 1500]) {
    await sleep(delay)
    await hub.kill()
    await requireNothingDeleted(prod)
    await hub.start()
  }
  const digests = new Map<Accident, string>()
  for (const name of accidents) digests.set(name, await guardedDigestOf(hub, name))
  for (const name of accidents) assert.equal(digests.get(name), listDigest(lists[name]), `the list of ${name} is exact`)
  await requireNothingDeleted(prod)
  assert.equal((await configMapsIn(prod, 'renamed')).length, 2 * count, 'what is new is applied')
  assert.deepEqual(await configMapsIn(prod, 'data'), [], 'what takes nothing along has gone')

  /** By the annotation, or by an Approval. */
  const allow = (name: Accident, digest: string, verb = 'allow-prune') =>
    command(process.execPath, [program, verb, `kustomization/${name}`, '-n', 'default', '--digest', digest], {
      env: { ...process.env, KUBECONFIG: hub.kubeconfig },
    })
  for (const verb of ['allow-prune', 'approve'])
    await assert.rejects(allow('emptied', digests.get('forced')!, verb), /do not have the digest/)
  for (const [at, name] of accidents.entries())
    await allow(name, digests.get(name)!, at % 2 === 0 ? 'approve' : 'allow-prune')
  await sleep(200)
  await hub.kill()
  await hub.start()
  for (const name of accidents) await eventually(() => isReady(name), { within: 60_000 })
  await eventually(async () => {
    for (const [namespace, left] of [
      ['emptied', []],
      ['forced', []],
      ['moved', ['one']],
    ] as const)
      assert.deepEqual(await configMapsIn(prod, namespace), left, namespace)
    assert.deepEqual((await configMapsIn(prod, 'renamed')).toSorted(), names.map(name => `new-${name}`).toSorted())
    assert.equal((await configMapsIn(prod, 'kept')).length, count, 'what is not in a list stays')
  })
  assert.notEqual(await prod.kubectl('get', 'namespace', 'data', '-o', 'jsonpath={.metadata.deletionTimestamp}'), '')
})
