/** A hub that follows the source of a FluxInstance, and reports on itself as an installation of Flux. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../bed/eventually.ts'
import { flux, fluxBinary } from '../bed/flux.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'

const instance = (url: string) => `
apiVersion: v1
kind: Namespace
metadata: {name: flux-system}
---
apiVersion: fluxcd.controlplane.io/v1
kind: FluxInstance
metadata: {name: flux, namespace: flux-system}
spec:
  distribution: {version: 2.x, registry: ghcr.io/fluxcd}
  components: [source-controller, kustomize-controller]
  cluster: {type: aws, multitenant: true}
  sync: {kind: GitRepository, url: '${url}', ref: refs/heads/main, path: clusters/hub}
`

test('a hub reconciles itself from the source of its FluxInstance, and the FluxReport shows it', async () => {
  const repo = await gitRepo()
  const settings =
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: default}\ndata: {from: git}\n'
  // As in the repositories of flux-operator's users, the instance is in the folder that it names.
  await repo.push({ 'clusters/hub/settings.yaml': settings, 'clusters/hub/instance.yaml': instance(repo.url) })
  const it = await hub()
  await it.apply(instance(repo.url))
  const read = async (...args: string[]) => it.kubectl('-n', 'flux-system', 'get', ...args)
  await eventually(async () =>
    assert.equal(await it.kubectl('get', 'configmap', 'settings', '-o', 'jsonpath={.data.from}'), 'git'),
  )
  await it.kubectl('-n', 'flux-system', 'wait', 'ks/flux-system', 'fluxinstance/flux', '--for=condition=Ready')
  const told = await read(
    'fluxinstance',
    'flux',
    '-o',
    'jsonpath={.status.conditions[?(@.type=="NotApplicable")].message}',
  )
  assert.match(told, /^spec\.cluster\.multitenant: use the settings/m)
  const report = JSON.parse(await read('fluxreport', 'flux', '-o', 'json'))
  const commit = (await repo.git('rev-parse', 'main')).trim()
  assert.deepEqual(report.spec.sync, {
    ...{ id: 'kustomization/flux-system', path: 'clusters/hub', ready: true, source: repo.url },
    status: `Applied revision: refs/heads/main@sha1:${commit}`,
  })
  const { stats } = report.spec.reconcilers.find(({ kind }: { kind: string }) => kind === 'Kustomization')
  assert.deepEqual(stats, { failing: 0, running: 1, suspended: 0 })
  assert.match(await read('fluxreport'), /^NAME +AGE +READY +STATUS\nflux +\S+ +True +Reporting finished in/)
  await assert.rejects(read('fluxreport', '-w'), /watch is not supported|MethodNotAllowed/)
  if (fluxBinary) {
    const { stdout } = await flux(it.kubeconfig, ['get', 'kustomizations', '-n', 'flux-system'])
    assert.match(stdout, /flux-system\s+refs\/heads\/main@sha1:/)
  }

  await it.kubectl('-n', 'flux-system', 'delete', 'fluxinstance', 'flux')
  assert.equal(await it.kubectl('get', 'configmap', 'settings', '-o', 'jsonpath={.data.from}'), 'git')
  assert.equal(await read('ks,gitrepo', '-o', 'name'), '')
})
