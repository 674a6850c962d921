import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../bed/eventually.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { kubectlLines } from '../bed/kubectl.ts'

// What a user sees through kubectl while the hub follows a git repository.

const repo = await gitRepo({
  'apps/settings.yaml': configMap('settings', 'one'),
  'apps/extra.yaml': configMap('extra', 'one'),
})
const it = await hub()

function configMap(name: string, value: string): string {
  return `{ apiVersion: v1, kind: ConfigMap, metadata: { name: ${name}, namespace: default }, data: { value: ${value} } }\n`
}

const sync = `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: site, namespace: default }
spec: { url: ${repo.url}, ref: { branch: main }, interval: 1h }
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: site, namespace: default }
spec: { sourceRef: { kind: GitRepository, name: site }, path: ./apps, prune: true, interval: 1h }
`

const value = (name: string) => it.kubectl('get', 'configmap', name, '-o', 'jsonpath={.data.value}')
const reconcile = (resource: string) =>
  it.kubectl('annotate', '--overwrite', resource, `reconcile.fluxcd.io/requestedAt=${Date.now()}`)

test('a source and a Kustomization become Ready, and say of which revision', async () => {
  const revision = `main@sha1:${await repo.git('rev-parse', 'main')}`
  const output = await it.apply(sync)
  assert.equal(
    output,
    'gitrepository.source.toolkit.fluxcd.io/site created\nkustomization.kustomize.toolkit.fluxcd.io/site created\n',
  )
  await it.kubectl('wait', 'gitrepo/site', 'ks/site', '--for=condition=Ready', '--timeout=5m')
  assert.equal(await value('settings'), 'one')
  assert.match(
    await it.kubectl('get', 'gitrepo'),
    new RegExp(
      `^NAME +URL +AGE +READY +STATUS *\\nsite +${repo.url} +\\S+ +True +stored artifact for revision '${revision}'\\n$`,
    ),
  )
  assert.match(
    await it.kubectl('get', 'ks'),
    new RegExp(`^NAME +AGE +READY +STATUS *\\nsite +\\S+ +True +Applied revision: ${revision}\\n$`),
  )
})

test('describe shows conditions, inventory and what happened', async () => {
  const text = await it.kubectl('describe', 'ks', 'site')
  for (const expected of [
    /Reason: +ReconciliationSucceeded\n/,
    /Id: +default_settings__ConfigMap\n/,
    /Events:\n.*\n.*\n(.*\n)* +Normal +ReconciliationSucceeded +\S+( \(.*\))? +kustomize-controller +Reconciliation finished in/,
  ]) {
    assert.match(text, expected)
  }
})

test('a push is applied on request, objects removed from git are pruned, and watchers see it', async () => {
  const rows = await kubectlLines(it.kubeconfig, ['get', 'ks', 'site', '--watch'])
  await eventually(() => rows.length >= 2)
  const revision = `main@sha1:${await repo.push({ 'apps/settings.yaml': configMap('settings', 'two'), 'apps/extra.yaml': null })}`
  await reconcile('gitrepo/site')
  await eventually(async () => assert.equal(await value('settings'), 'two'))
  await eventually(() =>
    assert.ok(
      rows.some(row => row.includes(`Applied revision: ${revision}`)),
      rows.join('\n'),
    ),
  )
  await assert.rejects(value('extra'), /NotFound/)
})

test('an edit of what git holds is undone at the next reconcile, a suspended one is left alone', async () => {
  const edit = () => it.kubectl('patch', 'configmap', 'settings', '-p', '{"data":{"value":"mine"}}')
  await edit()
  await reconcile('ks/site')
  await eventually(async () => assert.equal(await value('settings'), 'two'))

  await it.kubectl('patch', 'ks', 'site', '--type=merge', '-p', '{"spec":{"suspend":true}}')
  await edit()
  await reconcile('ks/site')
  await sleep(2_000) // an unsuspended one takes a tenth of that
  assert.equal(await value('settings'), 'mine')
  await it.kubectl('patch', 'ks', 'site', '--type=merge', '-p', '{"spec":{"suspend":false}}')
  await eventually(async () => assert.equal(await value('settings'), 'two'))
})

test('an unchanged remote costs one request', async () => {
  const before = repo.operations().length
  await reconcile('gitrepo/site')
  await it.kubectl('wait', 'gitrepo/site', '--for=condition=Ready', '--timeout=5m')
  await eventually(() => repo.operations().length > before)
  assert.deepEqual(repo.operations().slice(before), ['ls-refs'])
})

test('a deleted Kustomization takes its objects with it', async () => {
  assert.match(await it.kubectl('delete', 'ks', 'site', '--timeout=5m'), /"site" deleted/)
  await assert.rejects(value('settings'), /NotFound/)
  await it.kubectl('delete', 'gitrepo', 'site', '--timeout=5m')
})
