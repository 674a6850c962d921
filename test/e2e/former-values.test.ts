/** A policy of a cluster may quote what an object was before: that holds no value of a Secret either, in what all readers of a unit see. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'

/** Refuses to change or delete objects whose name ends with -kept, and quotes their value. */
const quoting = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: quoting}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE, DELETE], resources: [configmaps, secrets]}]}
  validations: [{expression: "!oldObject.metadata.name.endsWith('-kept')", messageExpression: "'it is <' + string(oldObject.data.value) + '>'"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: quoting}
spec: {policyName: quoting, validationActions: [Deny]}
`

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\ndata: {value: "${value}"}\n`

const secret = (name: string, key: string, value: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: default}\nstringData: {${key}: "${value}"}\n`

const unit = (name: string): string => `
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  retryInterval: 2s
  prune: true
  path: ./${name}
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: prod}}
  postBuild: {substituteFrom: [{kind: Secret, name: variables}]}
---`

const release = `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: released, namespace: default}
spec:
  interval: 1h
  timeout: 30s
  chart: {spec: {chart: ./chart, interval: 1h, reconcileStrategy: Revision, sourceRef: {kind: GitRepository, name: fleet}}}
  kubeConfig: {secretRef: {name: prod}}
  valuesFrom: [{kind: Secret, name: values, valuesKey: password, targetPath: password}]
---`

const filesOf = (folder: string, value: string) => ({
  [`${folder}/secret.yaml`]: secret(`${folder}-kept`, 'value', value),
  [`${folder}/config.yaml`]: configMap(`${folder}-kept`, 'db://${variable}@db'),
})

test('the value that a Secret or a variable had, when a cluster refuses to change or to delete an object, and quotes it', async () => {
  const files = {
    ...filesOf('changed', 'planted-in-a-secret'),
    ...filesOf('pruned', 'planted-in-a-secret'),
    ...filesOf('deleted', 'planted-in-a-secret'),
    'chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 1.0.0\n',
    'chart/values.yaml': 'password: none\n',
    'chart/templates/config.yaml': configMap('released-kept', 'db://{{ .Values.password }}@db'),
  }
  const [target, repo, on] = await Promise.all([
    cluster(),
    gitRepo(files),
    hub({ flags: ['--log-level', 'info', '--prune-guard=off'] }),
  ])
  const ready = async (kind: string, name: string): Promise<{ status?: string; message?: string }> =>
    JSON.parse(
      (await on.kubectl('get', `${kind}/${name}`, '-o', 'jsonpath={.status.conditions[?(@.type=="Ready")]}')) || '{}',
    )
  const units = ['changed', 'pruned', 'deleted']
  const yaml = [
    kubeconfigSecret('prod', target),
    secret('variables', 'variable', 'planted-in-a-variable'),
    secret('values', 'password', 'planted-in-values'),
    fleetRepository(repo),
    ...units.map(unit),
    release,
  ]
  await on.apply(yaml.join('\n---\n'))
  await eventually(async () => {
    for (const name of units) assert.equal((await ready('kustomization', name)).status, 'True', name)
    assert.equal((await ready('helmrelease', 'released')).status, 'True')
  })
  await target.apply(quoting)
  const trial = ['delete', 'configmap/changed-kept', '-n', 'default', '--dry-run=server']
  await eventually(() => assert.rejects(target.kubectl(...trial), /it is <db:\/\/planted-in-a-variable@db>/))

  await on.apply(
    [secret('variables', 'variable', 'another-one'), secret('values', 'password', 'another-one')].join('---\n'),
  )
  await repo.push({
    'changed/secret.yaml': secret('changed-kept', 'value', 'another-one'),
    'pruned/secret.yaml': configMap('left', 'x'),
    'pruned/config.yaml': configMap('right', 'x'),
  })
  await on.kubectl('annotate', 'gitrepository/fleet', 'reconcile.fluxcd.io/requestedAt=now')
  await on.kubectl('delete', 'kustomization/deleted', '--wait=false')
  await on.kubectl('annotate', 'helmrelease/released', 'reconcile.fluxcd.io/requestedAt=now')

  const refusedAs = (kind: string, name: string, ...expected: readonly RegExp[]) =>
    eventually(async () => {
      const { message = '' } = await ready(kind, name)
      for (const pattern of expected) assert.match(message, pattern, name)
    })
  const secretAndVariable = [
    /Secret\/default\/\w+-kept .*it is <\*\*\*>/,
    /ConfigMap\/default\/\w+-kept .*it is <\*\*\*>/,
  ]
  await refusedAs('kustomization', 'changed', ...secretAndVariable)
  await refusedAs('kustomization', 'pruned', ...secretAndVariable)
  // As in Flux, the status says nothing of a deletion that fails. The log does, and the Run.
  await eventually(() => {
    for (const kind of ['Secret', 'ConfigMap'])
      assert.match(on.said(), new RegExp(`${kind}/default/deleted-kept .*it is <\\*\\*\\*>`))
  })
  await refusedAs('helmrelease', 'released', /it is <.*\*\*\*.*>/)

  const shown: Readonly<Record<string, string>> = {
    objects: await on.kubectl('get', 'kustomizations,helmreleases', '-o', 'json'),
    events: await on.kubectl('get', 'events', '-o', 'json'),
    runs: await on.kubectl('get', 'runs', '-o', 'json'),
    log: on.said(),
  }
  for (const [where, text] of Object.entries(shown)) {
    assert.match(text, /it is \S*\*\*\*/, where)
    assert.doesNotMatch(text, /planted/, where)
  }
})
