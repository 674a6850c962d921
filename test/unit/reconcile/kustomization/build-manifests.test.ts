import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kustomization, KustomizationSpec } from '../../../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import { createReferences } from '../../../../lib/hub/references/references.ts'
import type { CachedBuild } from '../../../../lib/reconcile/kustomization/build/build-cache.ts'
import { buildManifests } from '../../../../lib/reconcile/kustomization/build/build-manifests.ts'
import { defaultKustomizationSettings } from '../../../../lib/reconcile/kustomization/settings.ts'
import { filesOf } from './files.ts'

interface Given {
  readonly files: Readonly<Record<string, string>>
  readonly spec?: Partial<KustomizationSpec>
  /** ConfigMaps and Secrets in the hub, by `Kind/namespace/name`: their data, base64 for Secrets. */
  readonly hub?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly strict?: boolean
}

/** Nothing is remembered from build to build. */
const cached: CachedBuild = async ({ files }, render) => (await render(files, undefined)).manifests

const build = async ({ files, spec = {}, hub = {}, strict = true }: Given): Promise<readonly KubernetesObject[]> => {
  const kustomization = {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'app', namespace: 'apps' },
    spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' }, ...spec },
  } as Kustomization
  const artifact = { digest: 'sha256:0', path: '', revision: 'main@sha1:0', url: '', lastUpdateTime: '' }
  const get = async ({ kind, namespace, name }: ObjectRef) => {
    const data = hub[`${kind}/${namespace}/${name}`]
    return data && ({ metadata: { name }, data } as never)
  }
  const { objects } = await buildManifests(
    kustomization,
    { artifact, files: filesOf(files), folder: spec.path ?? '' },
    { references: createReferences({ get, list: nothingElse, referrers: nothingElse }), cached },
    { ...defaultKustomizationSettings, strictSubstitution: strict },
  )
  return objects
}

const nothingElse = () => assert.fail('objects are only read')

const one = async (given: Given): Promise<KubernetesObject> => (await build(given))[0]!

const object = (kind: string, name: string, more = '', apiVersion = 'v1'): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${more}`

const configMap = (name: string, data = 'value: "1"'): string => object('ConfigMap', name, `data:\n  ${data}\n`)

const pod = (spec: string): string => object('Pod', 'p', `spec:\n${spec}`)
const container = (image: string, at = '  containers:'): string => `${at}\n  - name: c\n    image: ${image}\n`
const imageOf = async (image: string, images: NonNullable<KustomizationSpec['images']>) => {
  const { spec } = await one({ files: { 'a.yaml': pod(container(image)) }, spec: { images } })
  return (spec as { containers: { image: string }[] }).containers[0]!.image
}

test('KS-071 builds the same from the same tree, in whatever order its files come', async () => {
  const files = { 'b.yaml': configMap('b'), 'a.yaml': configMap('a'), 'sub/c.yaml': configMap('c') }
  const reversed = Object.fromEntries(Object.entries(files).reverse())
  assert.deepEqual(await build({ files }), await build({ files: reversed }))
})

test('KS-073 writes no file, so that builds at the same time share nothing', async () => {
  const files = { 'a.yaml': configMap('a') }
  const builds = await Promise.all(
    ['x', 'y', 'z'].map(async namePrefix => (await one({ files, spec: { namePrefix } })).metadata.name),
  )
  assert.deepEqual(builds, ['xa', 'ya', 'za'])
  assert.deepEqual(files, { 'a.yaml': configMap('a') })
})

test('KS-074 KS-075 KS-076 puts namespaced objects into the target namespace, wherever they were', async () => {
  const objects = await build({
    files: {
      'a.yaml': configMap('a'),
      'b.yaml': object('ConfigMap', 'b', '  namespace: other\n'),
      'c.yaml': object('ClusterRole', 'c', '', 'rbac.authorization.k8s.io/v1'),
    },
    spec: { targetNamespace: 'target' },
  })
  assert.deepEqual(Object.fromEntries(objects.map(({ metadata }) => [metadata.name, metadata.namespace])), {
    a: 'target',
    b: 'target',
    c: undefined,
  })
})

test('KS-077 takes the ServiceAccounts of bindings along into the target namespace', async () => {
  const binding = `roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects:
- {kind: ServiceAccount, name: runner, namespace: old}
- {kind: ServiceAccount, name: default, namespace: old}
- {kind: ServiceAccount, name: stranger, namespace: elsewhere}
`
  const objects = await build({
    files: {
      'a.yaml': object('ServiceAccount', 'runner', '  namespace: old\n'),
      'b.yaml': object('ClusterRoleBinding', 'b', binding, 'rbac.authorization.k8s.io/v1'),
    },
    spec: { targetNamespace: 'target' },
  })
  const { subjects } = objects.find(({ kind }) => kind === 'ClusterRoleBinding') as unknown as {
    subjects: { name: string; namespace: string }[]
  }
  assert.deepEqual(
    subjects.map(({ name, namespace }) => `${namespace}/${name}`),
    ['target/runner', 'target/default', 'elsewhere/stranger'],
  )
})

test('KS-144 KS-145 KS-146 gives names a prefix and a suffix, also where they are referred to', async () => {
  const objects = await build({
    files: {
      'a.yaml': configMap('settings'),
      'b.yaml': pod(`${container('nginx')}  volumes:\n  - name: v\n    configMap: {name: settings}\n`),
    },
    spec: { namePrefix: 'pre-', nameSuffix: '-post' },
  })
  const found = objects.find(({ kind }) => kind === 'Pod') as unknown as {
    metadata: { name: string }
    spec: { volumes: { configMap: { name: string } }[] }
  }
  assert.equal(found.metadata.name, 'pre-p-post')
  assert.equal(found.spec.volumes[0]!.configMap.name, 'pre-settings-post')
})

const valuesAfter = async (patches: NonNullable<KustomizationSpec['patches']>) => {
  const files = { 'a.yaml': configMap('a'), 'b.yaml': configMap('b'), 'c.yaml': object('Secret', 'c') }
  const objects = await build({ files, spec: { patches } })
  return Object.fromEntries(
    objects.map(({ metadata, data }) => [metadata.name, (data as { value?: string } | undefined)?.value]),
  )
}

test('KS-149 KS-153 applies a strategic merge patch to all that its target matches, whatever name the patch has', async () => {
  const patch = configMap('not-used', 'value: patched')
  assert.deepEqual(await valuesAfter([{ patch, target: { kind: 'ConfigMap' } }]), {
    a: 'patched',
    b: 'patched',
    c: undefined,
  })
})

test('KS-150 applies a JSON 6902 patch to all that its target matches', async () => {
  const patch = '- {op: replace, path: /data/value, value: patched}'
  assert.deepEqual(await valuesAfter([{ patch, target: { kind: 'ConfigMap' } }]), {
    a: 'patched',
    b: 'patched',
    c: undefined,
  })
})

test('KS-154 lets a patch be whose target matches nothing', async () => {
  const patch = '- {op: replace, path: /data/value, value: patched}'
  assert.deepEqual(await valuesAfter([{ patch, target: { name: 'nobody' } }]), { a: '1', b: '1', c: undefined })
})

test('KS-155 names path and file when a JSON 6902 patch finds nothing to change', async () => {
  const patch = '- {op: replace, path: /data/none/deep, value: x}'
  await assert.rejects(valuesAfter([{ patch, target: { name: 'a' } }]), /\/data\/none\/deep.*a\.yaml/s)
})

test('KS-157 removes objects by $patch: delete', async () => {
  const patch = `${configMap('a')}$patch: delete\n`
  assert.deepEqual(await valuesAfter([{ patch, target: { name: 'a' } }]), { b: '1', c: undefined })
})

test('KS-159 KS-160 KS-161 replaces name, tag, or both of an image', async () => {
  assert.equal(await imageOf('app:1', [{ name: 'app', newName: 'registry/app' }]), 'registry/app:1')
  assert.equal(await imageOf('app:1', [{ name: 'app', newTag: '2' }]), 'app:2')
  assert.equal(await imageOf('app:1', [{ name: 'app', newName: 'other', newTag: '2' }]), 'other:2')
})

test('KS-162 puts a digest in place of the tag', async () => {
  const digest = `sha256:${'0'.repeat(64)}`
  assert.equal(await imageOf('app:1', [{ name: 'app', digest }]), `app@${digest}`)
})

test('KS-166 leaves an image alone whose name only begins alike', async () => {
  assert.equal(await imageOf('apple:1', [{ name: 'app', newTag: '2' }]), 'apple:1')
  assert.equal(await imageOf('registry/app:1', [{ name: 'app', newTag: '2' }]), 'registry/app:1')
})

test('KS-165 finds images of init containers and in the templates of CronJobs', async () => {
  const template = `${container('app:1', '          containers:').replaceAll('\n  ', '\n          ')}`
  const cronJob = `spec:\n  jobTemplate:\n    spec:\n      template:\n        spec:\n${template}`
  const files = {
    'a.yaml': pod(container('app:1', '  initContainers:') + container('app:1')),
    'b.yaml': object('CronJob', 'j', cronJob, 'batch/v1'),
  }
  const objects = await build({ files, spec: { images: [{ name: 'app', newTag: '2' }] } })
  assert.deepEqual(JSON.stringify(objects).match(/app:\d/g), ['app:2', 'app:2', 'app:2'])
})

test('KS-172 fails without a component, and KS-173 omits it if requested', async () => {
  const files = { 'app/a.yaml': configMap('a') }
  const spec = { path: 'app', components: ['../nowhere'] }
  await assert.rejects(build({ files, spec }), /nowhere/)
  assert.equal((await build({ files, spec: { ...spec, ignoreMissingComponents: true } })).length, 1)
})

const substituted = async (text: string, given: Omit<Given, 'files'>) =>
  ((await one({ files: { 'a.yaml': configMap('a', `value: "${text}"`) }, ...given })).data as { value: string }).value

const from = (kind: 'ConfigMap' | 'Secret', name: string, optional = false) => ({ kind, name, optional })

test('KS-175 KS-176 KS-177 replaces variables of the spec, of ConfigMaps and of Secrets', async () => {
  const spec = { postBuild: { substitute: { a: '1' }, substituteFrom: [from('ConfigMap', 'c'), from('Secret', 's')] } }
  const hub = { 'ConfigMap/apps/c': { b: '2' }, 'Secret/apps/s': { c: btoa('3') } }
  assert.equal(await substituted('v${a}${b}${c}', { spec, hub }), 'v123')
})

test('KS-178 KS-179 reads its own namespace only, and fails with the name of a missing object', async () => {
  const spec = { postBuild: { substituteFrom: [from('ConfigMap', 'c')] } }
  const hub = { 'ConfigMap/other/c': { a: '1' } }
  await assert.rejects(
    substituted('${a}', { spec, hub }),
    /^Error: post build failed for 'ConfigMap\.v1\.\[noGrp\]\/a': substitute from 'ConfigMap\/c' error: configmaps "c" not found$/,
  )
})

test('KS-180 KS-196 KS-197 changes nothing, defaults included, where there is no variable at all', async () => {
  const untouched = '${a:=default}'
  assert.equal(await substituted(untouched, {}), untouched)
  assert.equal(
    await substituted(untouched, { spec: { postBuild: { substituteFrom: [from('ConfigMap', 'c', true)] } } }),
    untouched,
  )
  const spec = { postBuild: { substituteFrom: [from('ConfigMap', 'c')] } }
  assert.equal(await substituted(untouched, { spec, hub: { 'ConfigMap/apps/c': {} } }), untouched)
})

test('KS-198 substitutes without variables where the strategy is Always', async () => {
  assert.equal(await substituted('${a:=default}', { spec: { postBuild: { substituteStrategy: 'Always' } } }), 'default')
})
