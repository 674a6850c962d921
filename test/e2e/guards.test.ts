import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import type { Condition } from '../../lib/foundations/kinds/object.ts'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { command } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, fleetUnit, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { carriers } from './carriers.ts'

/** What keeps a unit from deleting by mistake, on real clusters and by the real commands. */

const keelson = (it: Hub, ...args: string[]): Promise<string> =>
  command(process.execPath, [program, ...args], {
    env: { ...process.env, KUBECONFIG: it.kubeconfig },
  })

const configMap = (name: string, namespace = 'default'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\n`

const unit = fleetUnit('app')

const conditionOf = async (it: Hub, type: string): Promise<Condition | undefined> => {
  const { metadata, status } = JSON.parse(
    await it.kubectl('get', 'kustomization', 'app', '-o', 'json'),
  ) as Kustomization
  return status?.conditions?.find(
    condition => condition.type === type && condition.observedGeneration === metadata.generation,
  )
}

const becomes = (it: Hub, type: string, status: string, pattern = /./): Promise<string> =>
  eventually(async () => {
    const found = await conditionOf(it, type)
    assert.equal(found?.status, status, `${type} is ${found?.status}: ${found?.message}`)
    assert.match(found.message ?? '', pattern)
    return found.message ?? ''
  })

const reconcile = async (it: Hub): Promise<void> => {
  for (const kind of ['gitrepository/fleet', 'kustomization/app'])
    await it.kubectl('annotate', '--overwrite', kind, `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
}

const namesIn = async (on: Cluster, kind = 'configmap', namespace = 'default'): Promise<readonly string[]> => {
  const names = await on.kubectl('get', kind, '--namespace', namespace, '-o', 'name')
  return names
    .split('\n')
    .map(line => line.slice(line.indexOf('/') + 1))
    .filter(name => name !== '' && name !== 'kube-root-ca.crt')
}

test('a kubeconfig that leads to another cluster: nothing is written there until it is adopted, nothing pruned by the old list', async () => {
  const [first, second, it] = await Promise.all([cluster({ name: 'first' }), cluster({ name: 'second' }), hub()])
  await second.apply(configMap('b')) // of somebody else, by a name that the old inventory has
  const repo = await gitRepo({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') })
  await it.apply(fleetRepository(repo) + kubeconfigSecret('app', first) + unit)
  await becomes(it, 'Ready', 'True')
  assert.deepEqual(await namesIn(first), ['a', 'b'])

  await it.apply(kubeconfigSecret('app', second))
  await repo.push({ 'b.yaml': null, 'c.yaml': configMap('c') })
  await reconcile(it)
  const message = await becomes(it, 'ClusterChanged', 'True', /adopt-cluster/)
  const [firstUid, secondUid] = await Promise.all(
    [first, second].map(each => each.kubectl('get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}')),
  )
  assert.ok(message.includes(firstUid!) && message.includes(secondUid!), message)
  assert.deepEqual(await namesIn(second), ['b'])

  await keelson(it, 'adopt-cluster', 'kustomization/app', '-n', 'default', '--cluster', secondUid!)
  await becomes(it, 'Ready', 'True')
  assert.deepEqual(await namesIn(second), ['a', 'b', 'c'], 'what was there stays')
  assert.deepEqual(await namesIn(first), ['a', 'b'], 'nobody goes back to the old one')
})

const foreign = `
apiVersion: example.com/v1
kind: Widget
metadata: {name: kept, namespace: default}
---
${configMap('kept', 'shared')}`

/** An Approval of the list of the unit `app`. */
const approvalFile = ({ dataDirectory }: Hub, digest: string): string => {
  const file = join(dataDirectory, 'approval.yaml')
  const spec = `{subject: {kind: Kustomization, name: app}, digest: '${digest}'}`
  writeFileSync(
    file,
    `apiVersion: fleet.keelson.dev/v1alpha1\nkind: Approval\nmetadata: {name: mine, namespace: default}\nspec: ${spec}\n`,
  )
  return file
}

test('what would take data or the objects of others along waits for approval, and the rest goes', async () => {
  const [prod, it] = await Promise.all([cluster({ name: 'prod' }), hub()])
  const repo = await gitRepo({ 'carriers.yaml': carriers, 'a.yaml': configMap('a'), 'b.yaml': configMap('b') })
  await it.apply(fleetRepository(repo) + kubeconfigSecret('app', prod) + unit)
  await becomes(it, 'Ready', 'True')
  await prod.apply(foreign)
  /** A finalizer keeps the claim: the test cluster has nobody to remove it. */
  const claimDeletedAt = () => prod.kubectl('get', 'pvc', 'data', '-o', 'jsonpath={.metadata.deletionTimestamp}')

  await repo.push({ 'carriers.yaml': null, 'a.yaml': null, 'c.yaml': configMap('c') })
  await reconcile(it)
  const message = await becomes(it, 'PruneGuarded', 'True', /allow-prune/)
  for (const word of ['data', 'widgets.example.com', 'shared', 'Widget', 'kept'])
    assert.ok(message.includes(word), `${word} in ${message}`)
  assert.deepEqual(await namesIn(prod), ['b', 'c'], 'what takes nothing along has gone')
  assert.deepEqual(await namesIn(prod, 'widget'), ['kept'])
  assert.equal(await claimDeletedAt(), '')
  assert.deepEqual(await namesIn(prod, 'configmap', 'shared'), ['kept'])

  const [digest] = /sha256:[0-9a-f]+/.exec(message) ?? []
  await assert.rejects(
    keelson(it, 'allow-prune', 'kustomization/app', '-n', 'default', '--digest', `sha256:${'0'.repeat(64)}`),
  )
  const about = ['kustomization/app', '-n', 'default', '--digest', digest!]
  await assert.rejects(keelson(it, 'approve', 'kustomization/app', '-n', 'default'), /--digest/)
  await keelson(it, 'reject', ...about, '--comment', 'after the backup')
  await becomes(it, 'PruneGuarded', 'True', /has rejected this list \(after the backup\)/)
  await assert.rejects(keelson(it, 'allow-prune', ...about), /need Approvals of users/)
  const asTenant = it.kubectl('create', '-f', approvalFile(it, digest!), '--as', 'tenant')
  await assert.rejects(asTenant, /cannot create|may not approve/)
  assert.deepEqual(await namesIn(prod, 'widget'), ['kept'])

  await it.kubectl('delete', 'approvals', '--all')
  await becomes(it, 'PruneGuarded', 'True', /keelson allow-prune/)
  await keelson(it, 'approve', ...about, '--comment', 'the backup is there')
  await eventually(async () => {
    assert.deepEqual(await namesIn(prod, 'customresourcedefinition'), [])
    assert.notEqual(await claimDeletedAt(), '')
  })
  await becomes(it, 'Ready', 'True')
  assert.deepEqual(await namesIn(prod), ['b', 'c'])
})
