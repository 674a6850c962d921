/** Fleets as Flux's flagship repositories have them, each with its own cluster named at the root and no edit below it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import {
  admin,
  clusterNamespace,
  configMap,
  dataOf,
  forEach,
  kustomization,
  read,
  ready,
  release,
  request,
  root,
  source,
} from './fleet-parts.ts'

test('flux2-multi-tenancy: two clusters from one repository; tenants stay in their namespaces, on the hub and on the cluster', async () => {
  const tenant = await gitRepo({ 'app.yaml': configMap('app', 'apps', { of: 'dev-team' }) })
  const team = 'metadata: {name: dev-team, namespace: apps}'
  const [fleet, it, [production, staging]] = await Promise.all([
    gitRepo({
      ...forEach(['production', 'staging'], name => ({
        [`clusters/${name}/tenants.yaml`]: kustomization(
          'tenants',
          `path: ./tenants/${name}, serviceAccountName: kustomize-controller`,
        ),
        [`tenants/${name}/kustomization.yaml`]: `resources: [../base/dev-team]\npatches: [{path: path.yaml}]\n`,
        [`tenants/${name}/path.yaml`]: `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n${team}\nspec: {path: ./}\n`,
      })),
      'tenants/base/dev-team/kustomization.yaml': 'namespace: apps\nresources: [rbac.yaml, sync.yaml]\n',
      'tenants/base/dev-team/rbac.yaml': [
        'apiVersion: v1\nkind: Namespace\nmetadata: {name: apps}',
        `apiVersion: v1\nkind: ServiceAccount\n${team}`,
        `apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n${team}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}\nsubjects: [{kind: ServiceAccount, name: dev-team, namespace: apps}]\n`,
      ].join('\n---\n'),
      'tenants/base/dev-team/sync.yaml': `${source('dev-team', tenant.url, 'apps')}---${kustomization('dev-team', 'serviceAccountName: dev-team', { namespace: 'apps', source: 'dev-team' })}`,
    }),
    hub({ flags: ['--no-cross-namespace-refs', '--default-service-account=default', '--no-remote-bases'] }),
    Promise.all([cluster({ name: 'production' }), cluster({ name: 'staging' })]),
  ])
  await it.kubectl('create', 'namespace', 'clusters')
  for (const at of [production, staging]) {
    await admin(at)
    await it.apply(
      `${kubeconfigSecret(at.name, at, 'clusters')}
---
apiVersion: v1
kind: Namespace
metadata:
  name: ${at.name}-flux-system
  annotations: {keelson.dev/target: clusters/${at.name}, keelson.dev/target-namespace: flux-system}
${source('flux-system', fleet.url, `${at.name}-flux-system`)}${root(at.name, `${at.name}-flux-system`, 'serviceAccountName: kustomize-controller')}`,
    )
  }
  for (const at of [production, staging]) {
    await ready(it, 'flux-system', `${at.name}-flux-system`)
    await ready(it, 'dev-team', `${at.name}-apps`)
    assert.equal((await dataOf(at, 'app', 'apps')).of, 'dev-team')
  }

  const intrusions = {
    'a ConfigMap of another namespace': configMap('intruder', 'kube-system', {}),
    'a Kustomization of another namespace': kustomization('intruder', 'path: ./'),
    'a source of another namespace with the Secret that it reads': `apiVersion: v1\nkind: Secret\nmetadata: {name: intruder, namespace: flux-system}\n---\n${source('intruder', 'https://example.com', 'flux-system').replace('ref: {', 'secretRef: {name: intruder}, ref: {')}`,
    'a Kustomization in a namespace that is not there': kustomization('intruder', 'path: ./', { namespace: 'fresh' }),
  }
  for (const [what, intrusion] of Object.entries(intrusions)) {
    await tenant.push({ 'app.yaml': configMap('app', 'apps', { after: what }), 'intrusion.yaml': intrusion })
    await request(it, 'gitrepository', 'dev-team', 'production-apps')
    await eventually(async () => {
      const { status } = await read(it, 'dev-team', 'production-apps')
      const told = conditionOf(status?.conditions, 'Ready')
      assert.equal(told?.status, 'False', what)
      assert.match(told?.message ?? '', /forbidden|may not/, what)
    })
  }
  const names = await it.kubectl('get', 'kustomizations', '-A', '-o', 'name')
  assert.doesNotMatch(names, /intruder/)
  assert.doesNotMatch(await it.kubectl('get', 'secrets,gitrepositories', '-A', '-o', 'name'), /intruder/)
  assert.doesNotMatch(await it.kubectl('get', 'namespaces', '-o', 'name'), /fresh/)

  const inner = {
    unnamed: kustomization('unnamed', 'path: ./inner', { namespace: 'apps', source: 'dev-team' }),
    elsewhere: kustomization('elsewhere', 'path: ./inner, serviceAccountName: dev-team', { namespace: 'apps' }).replace(
      'name: flux-system}',
      'name: flux-system, namespace: flux-system}',
    ),
    borrowed: kustomization('borrowed', 'path: ./inner, serviceAccountName: dev-team', {
      namespace: 'apps',
      source: 'dev-team',
      annotations: 'keelson.dev/target: clusters/staging',
    }),
  }
  await tenant.push({
    'intrusion.yaml': null,
    'kustomization.yaml': 'resources: [app.yaml, inner.yaml]\n',
    'inner.yaml': Object.values(inner).join('\n---'),
    'inner/inner.yaml': configMap('inner', 'apps', {}),
  })
  await request(it, 'gitrepository', 'dev-team', 'production-apps')
  const refused = {
    unnamed: /system:serviceaccount:apps:default.*cannot|forbidden/,
    elsewhere: /cross-namespace/,
    borrowed: /in another namespace; only a Namespace may name that/,
  }
  for (const [name, message] of Object.entries(refused))
    await eventually(async () => {
      const { status } = await read(it, name, 'production-apps')
      assert.match(conditionOf(status?.conditions, 'Ready')?.message ?? '', message, name)
    })
})

test('flux2-kustomize-helm-example: one waits for the other on each cluster, releases too, and the root for all', async () => {
  const [fleet, it, [production, staging]] = await Promise.all([
    gitRepo({
      ...forEach(['production', 'staging'], name => ({
        [`clusters/${name}/infrastructure.yaml`]: [
          kustomization('infra-controllers', 'path: ./infrastructure/controllers, wait: true'),
          kustomization(
            'infra-configs',
            'path: ./infrastructure/configs, wait: true, dependsOn: [{name: infra-controllers}]',
          ),
        ].join('\n---'),
        [`clusters/${name}/apps.yaml`]: kustomization(
          'apps',
          `path: ./apps/${name}, wait: true, dependsOn: [{name: infra-configs}]`,
        ),
        [`apps/${name}/kustomization.yaml`]: `resources: [../base/podinfo]\npatches: [{path: values.yaml, target: {kind: ConfigMap}}]\n`,
        [`apps/${name}/values.yaml`]: configMap('podinfo', 'podinfo', { of: name }),
      })),
      'apps/base/podinfo/kustomization.yaml': 'resources: [podinfo.yaml, release.yaml]\n',
      'apps/base/podinfo/release.yaml': release,
      'charts/podinfo/Chart.yaml': 'apiVersion: v2\nname: podinfo\nversion: 1.0.0\n',
      'charts/podinfo/templates/app.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: released}\ndata: {greeting: "{{ .Values.greeting }}", namespace: "{{ .Release.Namespace }}"}\n',
      'apps/base/podinfo/podinfo.yaml': configMap('podinfo', 'podinfo', {}),
      'infrastructure/controllers/controllers.yaml':
        'apiVersion: v1\nkind: Namespace\nmetadata: {name: podinfo}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ingress}\n',
      'infrastructure/controllers/spare.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: spare}\n',
      'infrastructure/configs/configs.yaml': configMap('issuer', 'ingress', {}),
    }),
    hub(),
    Promise.all([cluster({ name: 'production' }), cluster({ name: 'staging' })]),
  ])
  for (const at of [production, staging])
    await it.apply(`${clusterNamespace(at.name)}
${kubeconfigSecret(at.name, at, `${at.name}-flux-system`)}${source('flux-system', fleet.url, `${at.name}-flux-system`)}${root(at.name, `${at.name}-flux-system`, 'wait: true')}`)
  for (const at of [production, staging]) {
    await ready(it, 'flux-system', `${at.name}-flux-system`)
    assert.equal((await dataOf(at, 'podinfo', 'podinfo')).of, at.name)
    assert.deepEqual(await dataOf(at, 'released', 'podinfo'), { greeting: 'hello', namespace: 'podinfo' })
    const { status } = await read(it, 'apps', `${at.name}-flux-system`)
    assert.equal(conditionOf(status?.conditions, 'Ready')?.status, 'True', 'the root waits for what it built')
  }
  await fleet.push({ 'clusters/production/apps.yaml': null, 'infrastructure/controllers/spare.yaml': null })
  await request(it, 'gitrepository', 'flux-system', 'production-flux-system')
  await eventually(async () => {
    assert.equal(
      await production.kubectl('get', 'configmap', '-n', 'podinfo', '-o', 'name', '--ignore-not-found', 'podinfo'),
      '',
    )
  })
  const phase = ['-o', 'jsonpath={.status.phase}', '--ignore-not-found']
  await eventually(async () =>
    assert.notEqual(
      await production.kubectl('get', 'namespace/spare', ...phase),
      'Active',
      'what it holds was looked for',
    ),
  )
  assert.equal((await dataOf(staging, 'podinfo', 'podinfo')).of, 'staging')
})

test('d1-fleet: a ResourceSet makes tenants on each cluster, and facts of the cluster are substituted in what they apply', async () => {
  const tenants = `apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: tenants, namespace: flux-system}
spec:
  inputs: [{tenant: frontend}, {tenant: backend}]
  resourcesTemplate: |
    apiVersion: v1
    kind: Namespace
    metadata: {name: << inputs.tenant >>}
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: flux-runtime-info
      namespace: << inputs.tenant >>
      annotations: {fluxcd.controlplane.io/copyFrom: flux-system/flux-runtime-info}
    ---
    apiVersion: v1
    kind: ServiceAccount
    metadata: {name: flux, namespace: << inputs.tenant >>}
    ---
    apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata: {name: flux, namespace: << inputs.tenant >>}
    roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}
    subjects: [{kind: ServiceAccount, name: flux, namespace: << inputs.tenant >>}]
    ---
    apiVersion: kustomize.toolkit.fluxcd.io/v1
    kind: Kustomization
    metadata: {name: apps, namespace: << inputs.tenant >>}
    spec:
      interval: 1h
      retryInterval: 2s
      timeout: 1m
      prune: true
      wait: true
      serviceAccountName: flux
      path: ./components/<< inputs.tenant >>
      sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}
      postBuild: {substituteFrom: [{kind: ConfigMap, name: flux-runtime-info}]}
`
  const runtimeInfo = (name: string) =>
    `apiVersion: v1\nkind: Namespace\nmetadata: {name: flux-system}\n---\n${configMap('flux-runtime-info', 'flux-system', { CLUSTER_NAME: name })}`
  const component = (name: string) => configMap('app', name, { cluster: '${CLUSTER_NAME}' })
  const [fleet, it, [production, staging]] = await Promise.all([
    gitRepo({
      ...forEach(['production', 'staging'], name => ({
        [`clusters/${name}/tenants.yaml`]: kustomization('tenants', 'path: ./tenants, wait: true'),
        [`clusters/${name}/runtime-info.yaml`]: runtimeInfo(name),
      })),
      'tenants/tenants.yaml': tenants,
      'components/frontend/app.yaml': component('frontend'),
      'components/backend/app.yaml': component('backend'),
    }),
    hub(),
    Promise.all([cluster({ name: 'production' }), cluster({ name: 'staging' })]),
  ])
  for (const at of [production, staging])
    await it.apply(`${clusterNamespace(at.name)}
${kubeconfigSecret(at.name, at, `${at.name}-flux-system`)}${source('flux-system', fleet.url, `${at.name}-flux-system`)}${root(at.name, `${at.name}-flux-system`, 'wait: true')}`)
  for (const at of [production, staging])
    for (const tenant of ['frontend', 'backend'])
      await eventually(async () => assert.equal((await dataOf(at, 'app', tenant)).cluster, at.name), { within: 60_000 })

  await fleet.push({ 'clusters/staging/runtime-info.yaml': runtimeInfo('moved') })
  await request(it, 'gitrepository', 'flux-system', 'staging-flux-system')
  await eventually(async () =>
    assert.equal((await dataOf(staging, 'flux-runtime-info', 'flux-system')).CLUSTER_NAME, 'moved'),
  )
  await request(it, 'resourceset', 'tenants', 'staging-flux-system')
  await eventually(async () =>
    assert.equal((await dataOf(staging, 'flux-runtime-info', 'frontend')).CLUSTER_NAME, 'moved'),
  )
  await request(it, 'kustomization', 'apps', 'staging-frontend')
  await eventually(async () => assert.equal((await dataOf(staging, 'app', 'frontend')).cluster, 'moved'))
  assert.equal((await dataOf(production, 'app', 'frontend')).cluster, 'production')
})
