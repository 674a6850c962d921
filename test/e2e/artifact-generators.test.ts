/** A monorepo, split into artifacts that Kustomizations and HelmReleases use, on one hub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { command } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { flux, fluxBinary } from '../bed/flux.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\ndata: {value: "${value}"}\n`

const files = {
  'apps/web/config.yaml': configMap('web', '1'),
  'apps/api/config.yaml': configMap('api', '1'),
  'charts/shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'charts/shop/values.yaml': 'color: blue\nsize: small\n',
  'charts/shop/templates/config.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\ndata: {value: "{{ .Values.color }} {{ .Values.size }}"}\n',
  'prod/values.yaml': 'color: green\n',
}

const generators = `
apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata: {name: apps, namespace: default}
spec:
  sources: [{alias: repo, kind: GitRepository, name: fleet}]
  pathPattern: '@repo/apps/{app}'
  artifacts:
    - name: 'app-{app}'
      originRevision: '@repo'
      copy: [{from: '@repo/apps/{app}/**', to: '@artifact/'}]
---
apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata: {name: charts, namespace: default}
spec:
  sources: [{alias: repo, kind: GitRepository, name: fleet}]
  artifacts:
    - name: shop
      copy:
        - {from: '@repo/charts/shop', to: '@artifact/'}
        - {from: '@repo/prod/values.yaml', to: '@artifact/shop/values.yaml', strategy: Merge}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: shop, namespace: default}
spec:
  interval: 1h
  chartRef: {kind: ExternalArtifact, name: shop}
  kubeConfig: {secretRef: {name: prod}}
---`

const unit = (app: string) => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${app}, namespace: default}
spec:
  interval: 1h
  prune: true
  sourceRef: {kind: ExternalArtifact, name: app-${app}}
---`

const annotation = (name: string): string => `jsonpath={.metadata.annotations.${name.replaceAll('.', String.raw`\.`)}}`

test('AG-005 AG-048 AG-050 a push to a monorepo reaches the units of the folders that it changes, by their artifacts, and no others', async () => {
  const flags = ['--feature-gates', 'ExternalArtifact=true']
  const [prod, repo, it] = await Promise.all([cluster(), gitRepo(files), hub({ flags })])
  await it.apply(`${fleetRepository(repo)}${kubeconfigSecret('prod', prod)}${generators}${unit('web')}${unit('api')}`)
  const value = (name: string) =>
    (name === 'shop' ? prod : it).kubectl('get', 'configmap', name, '-o', 'jsonpath={.data.value}')
  const becomes = (name: string, expected: string) => eventually(async () => assert.equal(await value(name), expected))
  await Promise.all([becomes('web', '1'), becomes('api', '1'), becomes('shop', 'green small')])
  await it.kubectl('wait', 'ks/api', '--for=condition=Ready', '--timeout=1m')
  const version = () => it.kubectl('get', 'ks', 'api', '-o', 'jsonpath={.metadata.resourceVersion}')
  const before = await version()

  await repo.push({
    'apps/web/config.yaml': configMap('web', '2'),
    'charts/shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.1.0\n',
    'prod/values.yaml': 'color: red\n',
    'apps/new/config.yaml': configMap('new', '1'),
  })
  await it.apply(unit('new'))
  await it.kubectl('annotate', 'gitrepository/fleet', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
  await Promise.all([becomes('web', '2'), becomes('shop', 'red small'), becomes('new', '1')])
  assert.equal(await version(), before)
  const origin = ['-o', String.raw`jsonpath={.status.artifact.metadata.org\.opencontainers\.image\.revision}`]
  assert.match(await it.kubectl('get', 'externalartifact', 'app-web', ...origin), /^main@sha1:/)

  const keelson = (...args: string[]) =>
    command(process.execPath, [program, ...args], {
      env: { ...process.env, KUBECONFIG: it.kubeconfig },
    })
  const tree = await keelson('tree', 'artifactgenerator', 'apps', '-n', 'default')
  assert.match(tree, /^ArtifactGenerator\/default\/apps .*ready/)
  for (const app of ['api', 'new', 'web']) assert.match(tree, new RegExp(`ExternalArtifact/default/app-${app}`))
  await keelson('suspend', 'artifactgenerator/charts', '-n', 'default', '--reason', 'test')
  assert.equal(
    await it.kubectl('get', 'artifactgenerator', 'charts', '-o', annotation('source.extensions.fluxcd.io/reconcile')),
    'disabled',
  )
  assert.match(
    await keelson('why', 'artifactgenerator/charts', '-n', 'default'),
    /^ArtifactGenerator\/default\/charts is suspended/,
  )
  if (fluxBinary) {
    const { stdout } = await flux(it.kubeconfig, ['tree', 'artifact', 'generator', 'apps', '-n', 'default'])
    assert.match(stdout, /ExternalArtifact\/default\/app-web/)
    const listed = await flux(it.kubeconfig, ['get', 'artifacts', 'generators', '-n', 'default'])
    assert.match(
      listed.stdout,
      /apps\s+False\s+True\s+reconciliation succeeded, generated 3[\s\S]*charts\s+True\s+True/,
    )
    const exported = await flux(it.kubeconfig, ['export', 'artifact', 'generator', 'apps', '-n', 'default'])
    assert.match(exported.stdout, /pathPattern: ['"]?@repo\/apps\/\{app\}/)
  }

  await it.kubectl('delete', 'artifactgenerator', 'apps')
  assert.equal(
    await it.kubectl('get', 'externalartifact', '-o', 'name'),
    'externalartifact.source.toolkit.fluxcd.io/shop\n',
  )
})
