import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseYaml } from '../../../../lib/engines/yaml/parse.ts'
import { Budget } from '../../../../lib/foundations/budget/budget.ts'
import type { KustomizationSpec } from '../../../../lib/foundations/kinds/kustomization.ts'
import {
  ignoredFieldsIn,
  withKustomizationFile,
} from '../../../../lib/reconcile/kustomization/build/kustomization-file.ts'
import { filesOf } from './files.ts'

const typeMeta = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' }

/** By text, what the real libraries make of it (`test/recorders/kustomization-files.ts`). */
const recorded = JSON.parse(
  readFileSync(new URL('kustomization-files.recorded.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, { readonly output?: string; readonly error?: string }>>

/** The kustomization file that is built, and which files a generated one names. */
const prepared = (
  contents: Readonly<Record<string, string>>,
  spec: Partial<KustomizationSpec> = {},
  folder = 'app',
) => {
  const { files, manifests } = withKustomizationFile(filesOf(contents), folder, spec as KustomizationSpec, new Budget())
  const name = files.list(folder)!.find(name => name.toLowerCase().startsWith('kustomization'))
  const text = Buffer.from(files.read(`${folder}/${name}`.replace(/^\//, ''))!).toString()
  return { name, text, manifests }
}
const built = (...args: Parameters<typeof prepared>) => JSON.parse(prepared(...args).text)

test('KS-065 builds a kustomization file as it is, whatever its name, when nothing is to be edited', () => {
  const text = 'resources: [a.yaml] # as it is\n'
  for (const name of ['kustomization.yaml', 'kustomization.yml', 'Kustomization']) {
    assert.deepEqual(prepared({ [`app/${name}`]: text, 'app/a.yaml': '' }), { name, text, manifests: [] })
  }
})

test('KS-066 KS-067 lists all manifests below a folder, and folders with a kustomization file as themselves', () => {
  const contents = {
    'app/b.yml': '',
    'app/a.yaml': '',
    'app/notes.md': '',
    'app/sub/deep/c.yaml': '',
    'app/own/kustomization.yml': '',
    'app/own/d.yaml': '',
    'other/e.yaml': '',
  }
  const { text, manifests } = prepared(contents)
  assert.deepEqual(JSON.parse(text), { resources: ['./a.yaml', './b.yml', './own', './sub/deep/c.yaml'] })
  assert.deepEqual(manifests, ['app/a.yaml', 'app/b.yml', 'app/sub/deep/c.yaml'])
})

test('gives kustomize something to build where there is nothing, as Flux does', () => {
  assert.deepEqual(built({ 'app/notes.md': '' }), { namespace: '_placeholder' })
  const withoutResources = { 'app/kustomization.yaml': 'generators: [g.yaml]\n' }
  assert.deepEqual(built(withoutResources), {
    ...typeMeta,
    generators: ['g.yaml'],
    buildMetadata: ['originAnnotations'],
  })
  assert.deepEqual(built({ 'app/kustomization.yaml': '' }), { ...typeMeta, buildMetadata: ['originAnnotations'] })
})

test('KS-156 puts the fields of the spec over those of the file, patches and components behind its own', () => {
  const file = 'resources: [a.yaml]\nnamespace: old\npatches: [{patch: one}]\ncomponents: [x]\n'
  const spec = {
    targetNamespace: 'new',
    namePrefix: 'p-',
    nameSuffix: '-s',
    patches: [{ patch: 'two', target: { kind: 'Pod' } }],
    components: ['../y'],
    buildMetadata: ['originAnnotations' as const],
  }
  assert.deepEqual(built({ 'app/kustomization.yaml': file }, spec), {
    ...typeMeta,
    resources: ['a.yaml'],
    namespace: 'new',
    patches: [{ patch: 'one' }, { patch: 'two', target: { kind: 'Pod' } }],
    components: ['x', '../y'],
    namePrefix: 'p-',
    nameSuffix: '-s',
    buildMetadata: ['originAnnotations'],
  })
})

test('KS-163 KS-164 merges images by name: the tag or digest is replaced as one, the rest is kept', () => {
  const file = `resources: [a.yaml]
images:
- {name: a, newName: r/a, newTag: v1}
- {name: b, digest: sha256:1}
- {name: c, newTag: v1}
`
  const images = [
    { name: 'a', newTag: 'v2' },
    { name: 'b', newTag: 'v2' },
    { name: 'c', newName: 'r/c' },
    { name: 'd', newTag: 'v1' },
    { name: 'd', newName: 'r/d' },
  ]
  assert.deepEqual(built({ 'app/kustomization.yaml': file }, { images }).images, [
    { name: 'a', newName: 'r/a', newTag: 'v2' },
    { name: 'b', newTag: 'v2' },
    { name: 'c', newName: 'r/c', newTag: 'v1' },
    { name: 'd', newName: 'r/d', newTag: 'v1' },
  ])
})

test('KS-173 KS-174 leaves out missing components on request, and refuses those from elsewhere', () => {
  const contents = { 'app/kustomization.yaml': 'resources: [a.yaml]\n', 'there/kustomization.yaml': '' }
  const components = ['../there', '../missing']
  assert.deepEqual(built(contents, { components }).components, components)
  assert.deepEqual(built(contents, { components, ignoreMissingComponents: true }).components, ['../there'])
  for (const component of ['https://example.com/x', 'git@example.com:x', '/etc', 'file:///etc', 'github.com/a/b']) {
    assert.throws(() => built(contents, { components: [component] }), {
      message: `component path '${component}' must be local and relative`,
    })
  }
})

test('rewrites a kustomization file as kustomize-controller does', () => {
  for (const [text, { output, error }] of Object.entries(recorded)) {
    const contents = { 'app/kustomization.yaml': text }
    const spec = { buildMetadata: ['originAnnotations' as const] }
    if (error !== undefined) assert.throws(() => built(contents, spec), { message: `app/kustomization.yaml: ${error}` })
    else
      assert.deepEqual(parseYaml(prepared(contents, spec).text)[0], { ...Object(parseYaml(output!)[0]), ...spec }, text)
  }
})

test('reports which fields it leaves out', () => {
  const file = (text: string) => ignoredFieldsIn(filesOf({ 'app/kustomization.yml': text }), 'app')
  assert.deepEqual(
    file('resource: [a]\nresources: [b]\npatches: [{patch: x, targets: {}}, {path: y, targets: {}}]\n'),
    ['app/kustomization.yml: patches.targets', 'app/kustomization.yml: resource'],
  )
  assert.deepEqual(file('resources: [b]\nhelmCharts: [{valuesInline: {any: {thing: 1}}}]\n'), [])
  assert.deepEqual(file('resources: [\n'), [])
  assert.deepEqual(ignoredFieldsIn(filesOf({ 'app/a.yaml': 'a: 1\n' }), 'app'), [])
})
