/** Objects that move between units, and units that are renamed, on a real cluster. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub as startHub } from '../bed/hub.ts'

const names = Array.from({ length: 12 }, (_, index) => `cm-${index}`)

const folder = (path: string, of: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    of.map(name => [
      `${path}/${name}.yaml`,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\ndata: {a: b}\n`,
    ]),
  )

const unit = (name: string, path: string, annotations = '{}'): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default, annotations: ${annotations}}
spec:
  interval: 10m
  retryInterval: 1s
  prune: true
  path: ${path}
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: prod}}
---`

test('a push that moves objects between units in both directions, and a renamed unit, delete nothing that is still wanted', async () => {
  const [prod, hub] = await Promise.all([cluster({ name: 'prod' }), startHub()])
  const repo = await gitRepo({
    ...folder('a', ['stays-in-a', ...names.map(name => `from-a-${name}`)]),
    ...folder('b', ['stays-in-b', ...names.map(name => `from-b-${name}`)]),
  })
  await hub.apply(kubeconfigSecret('prod', prod) + fleetRepository(repo) + unit('a', './a') + unit('b', './b'))
  const found = async (): Promise<Readonly<Record<string, { readonly uid: string; readonly owner: string }>>> => {
    const template =
      '{range .items[*]}{.metadata.name} {.metadata.uid} {.metadata.labels.kustomize\\.toolkit\\.fluxcd\\.io/name}{"\\n"}{end}'
    const lines = await prod.kubectl('get', 'configmap', '-n', 'default', '-o', `jsonpath=${template}`)
    return Object.fromEntries(
      lines
        .split('\n')
        .map(line => line.split(' '))
        .filter(([name, , owner]) => name && owner)
        .map(([name, uid, owner]) => [name!, { uid: uid!, owner: owner! }]),
    )
  }
  const reconcile = async (): Promise<void> => {
    await hub.kubectl(
      'annotate',
      '--overwrite',
      'gitrepository',
      'fleet',
      `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
    )
  }
  await eventually(async () => assert.equal(Object.keys(await found()).length, 26), { within: 60_000 })
  const before = await found()

  const dropped = (path: string, prefix: string) =>
    Object.fromEntries(names.map(name => [`${path}/${prefix}-${name}.yaml`, null]))
  await repo.push({
    ...{ ...dropped('a', 'from-a'), ...dropped('b', 'from-b') },
    ...folder(
      'b',
      names.map(name => `from-a-${name}`),
    ),
    ...folder(
      'a',
      names.map(name => `from-b-${name}`),
    ),
  })
  await reconcile()
  const isReady = async (name: string): Promise<void> => {
    const path = 'jsonpath={.status.inventory.entries[*].id} {.status.conditions[?(@.type=="Ready")].status}'
    const line = await hub.kubectl('get', 'kustomization', name, '-o', path)
    assert.equal(line.split(' ').length - 1, 13, line)
    assert.match(line, / True$/)
  }
  // They were ready before the push, too.
  const areMoved = async (): Promise<void> => {
    const now = await found()
    assert.deepEqual([now['from-a-cm-0']?.owner, now['from-b-cm-0']?.owner], ['b', 'a'])
  }
  await eventually(areMoved, { within: 90_000 })
  for (const name of ['a', 'b']) await eventually(() => isReady(name), { within: 90_000 })
  const after = await found()
  for (const [name, { uid }] of Object.entries(before)) assert.equal(after[name]?.uid, uid, `${name} was created again`)

  await hub.apply(unit('c', './a', '{keelson.dev/adopts: a}').replace('prune: true', 'prune: true\n  suspend: true'))
  await hub.kubectl('delete', 'kustomization', 'a')
  const left = await found()
  for (const [name, { uid }] of Object.entries(before)) assert.equal(left[name]?.uid, uid, `${name} was deleted`)
  assert.equal(left['stays-in-a']?.owner, 'c')
  await repo.push({ 'a/stays-in-a.yaml': null })
  await reconcile()
  await hub.kubectl('patch', 'kustomization', 'c', '--type=merge', '-p', '{"spec":{"suspend":false}}')
  await eventually(
    async () => {
      const last = await found()
      assert.equal(last['stays-in-a'], undefined, 'what it took over and does not build is pruned')
      assert.equal(last['from-b-cm-0']?.uid, before['from-b-cm-0']!.uid)
    },
    { within: 90_000 },
  )
})
