import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BuildOptions, build, printResources } from '../../../../lib/engines/kustomize/build.ts'
import { KustomizeError } from '../../../../lib/engines/kustomize/kustomize-error.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'

const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n'

const output = async (files: Record<string, string>, path = '', options: BuildOptions = {}): Promise<string> =>
  printResources((await build(memoryTree(files), path, options)).resources)

test('reports which files it read, with digests', async () => {
  const tree = memoryTree({
    'app/kustomization.yaml': 'resources: [../base]\n',
    'base/kustomization.yaml': 'resources: [a.yaml]\n',
    'base/a.yaml': CONFIG_MAP,
    'base/unused.yaml': 'x: 1\n',
  })
  const { filesRead } = await build(tree, 'app')
  assert.deepEqual(
    filesRead.map(({ path }) => path),
    ['app/kustomization.yaml', 'base/a.yaml', 'base/kustomization.yaml'],
  )
  assert.match(filesRead[1]!.digest, /^sha256:[0-9a-f]{64}$/)
})

test('reports from which file and overlay an object came', async () => {
  const tree = memoryTree({
    'app/kustomization.yaml': 'resources: [../base]\nconfigMapGenerator: [{name: made, literals: [a=b]}]\n',
    'base/kustomization.yaml': 'resources: [a.yaml]\n',
    'base/a.yaml': CONFIG_MAP,
  })
  const { resources } = await build(tree, 'app')
  assert.deepEqual(
    resources.map(({ origin }) => origin),
    [
      { file: 'base/a.yaml', overlay: 'app' },
      { file: 'app/kustomization.yaml', overlay: 'app' },
    ],
  )
})

test('gives objects as data, with the types that Go would see', async () => {
  const { resources } = await build(
    memoryTree({
      'kustomization.yaml': 'resources: [a.yaml]\n',
      'a.yaml': `${CONFIG_MAP}data:\n  on: on\n  n: "1"\n  mode: 0644\n  big: 9007199254740993\n`,
    }),
    '',
  )
  assert.deepEqual(resources[0]!.object, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { on: 'on', n: '1', mode: 420, big: 9007199254740993n },
  })
})

test('refuses that a component gives two objects one id, as kustomize does', async () => {
  const rename = '[{"op": "replace", "path": "/metadata/name", "value": "renamed"}]'
  const files = {
    'kustomization.yaml': 'resources: [a.yaml]\nconfigMapGenerator: [{name: made}]\ncomponents: [part]\n',
    'a.yaml': CONFIG_MAP,
    'part/kustomization.yaml': `apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: ConfigMap}\n  patch: '${rename}'\n`,
  }
  await assert.rejects(output(files), {
    message:
      'accumulating components: accumulateDirectory: "recursed merging from path \'/part\': may not add resource with an already registered id: ConfigMap.v1.[noGrp]/renamed.[noNs]"',
  })
})

test('warns of unused vars; one whose value fits nowhere counts as used', async () => {
  const { warnings } = await build(
    memoryTree({
      'kustomization.yaml': `resources: [a.yaml]
vars:
${['USED', 'MAP', 'A', 'B'].map(name => `- {name: ${name}, objref: {apiVersion: v1, kind: Pod, name: p}, fieldref: {fieldPath: ${name === 'MAP' ? 'spec' : 'kind'}}}`).join('\n')}
`,
      'a.yaml':
        'apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {used: $(USED), map: $(MAP), not: $$(B) $(C)}}\nspec: {x: y}\n',
    }),
    '',
  )
  assert.deepEqual(warnings.slice(1), ['well-defined vars that were never replaced: A,B'])
})

test('warns of fields that are deprecated, in words of kustomize', async () => {
  const { warnings } = await build(
    memoryTree({
      'kustomization.yaml':
        'vars: []\nbases: [base]\npatchesStrategicMerge: []\ncommonLabels: {}\npatchesJson6902: []\nimageTags: []\n',
      'base/kustomization.yaml': 'resources: []\n',
    }),
    '',
  )
  const fix = "Run 'kustomize edit fix' to update your Kustomization automatically."
  assert.deepEqual(warnings, [
    `# Warning: 'bases' is deprecated. Please use 'resources' instead. ${fix}`,
    `# Warning: 'commonLabels' is deprecated. Please use 'labels' instead. ${fix}`,
    `# Warning: 'imageTags' is deprecated. Please use 'images' instead. ${fix}`,
    `# Warning: 'patchesJson6902' is deprecated. Please use 'patches' instead. ${fix}`,
    `# Warning: 'patchesStrategicMerge' is deprecated. Please use 'patches' instead. ${fix}`,
    `# Warning: 'vars' is deprecated. Please use 'replacements' instead. [EXPERIMENTAL] ${fix}`,
  ])
})

test('names the objects that what is generated could be merged into', async () => {
  const rename = '[{"op": "replace", "path": "/metadata/name", "value": "b"}]'
  const files = {
    'kustomization.yaml': 'resources: [base]\nconfigMapGenerator: [{name: a, behavior: merge}]\n',
    'base/kustomization.yaml': `resources: [one, a.yaml]\n`,
    'base/one/kustomization.yaml': `resources: [../a.yaml]\npatches: [{target: {name: a}, patch: '${rename}', options: {allowNameChange: true}}]\n`,
    'base/a.yaml': CONFIG_MAP,
  }
  const ids = 'ConfigMap.v1.[noGrp]/b.[noNs] ConfigMap.v1.[noGrp]/a.[noNs]'
  await assert.rejects(output(files), {
    message: `merging from generator: found multiple objects [${ids}] that could accept merge of ConfigMap.v1.[noGrp]/a.[noNs]`,
    file: 'kustomization.yaml',
    field: 'behavior',
  })
})

test('refuses two objects that came to one id, where kustomize would crash', async () => {
  const rename = '[{"op": "replace", "path": "/metadata/name", "value": "a"}]'
  const files = {
    'kustomization.yaml': `resources: [a.yaml, b.yaml]\npatches: [{target: {name: b}, patch: '${rename}'}]\n`,
    'a.yaml': CONFIG_MAP,
    'b.yaml': CONFIG_MAP.replace('name: a', 'name: b'),
  }
  await assert.rejects(output(files), {
    message: 'may not add resource with an already registered id: ConfigMap.v1.[noGrp]/a.[noNs]',
    file: 'b.yaml',
  })
})

test('refuses a list of annotations that can be no pairs, where kustomize would crash', async () => {
  const files = { 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': `${CONFIG_MAP}  annotations: [x]\n` }
  await assert.rejects(output(files), { message: 'annotation "x" has no value', file: 'a.yaml' })
})

test('names file and field of a fault', async () => {
  const files = { 'kustomization.yaml': 'resources: [a.yaml]\nnamePrefixx: p-\n', 'a.yaml': CONFIG_MAP }
  await assert.rejects(build(memoryTree(files), ''), (error: KustomizeError) => {
    assert.equal(error.message, 'invalid Kustomization: json: unknown field "namePrefixx"')
    assert.deepEqual([error.file, error.field], ['kustomization.yaml', 'namePrefixx'])
    return true
  })
})

test('reads nothing above the root of the tree', async () => {
  const files = { 'app/kustomization.yaml': 'resources: [../../../etc/passwd]\n' }
  await assert.rejects(build(memoryTree(files), 'app', { shownRoot: '/tree' }), KustomizeError)
})

test('names the directory of a build when YAML is at fault that no object can be blamed for', async () => {
  const hashed = `${CONFIG_MAP}  annotations: {internal.config.kubernetes.io/needsHashSuffix: enabled}\ndata: {a: !!int x}\n`
  await assert.rejects(output({ 'app/kustomization.yaml': 'resources: [a.yaml]\n', 'app/a.yaml': hashed }, 'app'), {
    name: 'KustomizeError',
    message: 'yaml: cannot decode !!str `x` as a !!int',
    file: 'app',
  })
})

test('keeps files of other directories out when restricted to the root', async () => {
  const files = { 'app/kustomization.yaml': 'resources: [../a.yaml]\n', 'a.yaml': CONFIG_MAP }
  assert.equal(await output(files, 'app'), CONFIG_MAP)
  await assert.rejects(output(files, 'app', { loadRestrictions: 'root-only' }), /is not in or below '\/app'/)
})

test('finds bases that refer to each other in a circle', async () => {
  const files = { 'a/kustomization.yaml': 'resources: [../b]\n', 'b/kustomization.yaml': 'resources: [../a]\n' }
  await assert.rejects(output(files, 'a'), /cycle detected: candidate root '\/a' contains visited root '\/a'/)
})

test('takes prototype names for fields like any other', async () => {
  const object = `${CONFIG_MAP}data:\n  __proto__: x\n  constructor: y\n`
  const patch = '[{"op": "add", "path": "/__proto__/polluted", "value": 1}]'
  const files = { 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': object }
  assert.equal(
    await output(files),
    `apiVersion: v1\ndata:\n  __proto__: x\n  constructor: "y"\nkind: ConfigMap\nmetadata:\n  name: a\n`,
  )
  const patched = {
    ...files,
    'kustomization.yaml': `resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: '${patch}'\n`,
  }
  await assert.rejects(output(patched), KustomizeError)
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
})

test('changes a shared label value at every place of the object, as kustomize does', async () => {
  const files = {
    'kustomization.yaml':
      'resources: [a.yaml]\nlabels:\n- pairs: {app: a}\n  includeTemplates: true\n- pairs: {app: b}\n',
    'a.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  template: {}\n',
  }
  assert.equal((await output(files)).match(/app: b/g)?.length, 2)
})

test('gives every target of a JSON patch the same, also what later operations of it put into earlier ones', async () => {
  const widget = (name: string): string => `apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: ${name}\n`
  const files = {
    'kustomization.yaml':
      'resources: [a.yaml, b.yaml]\npatches:\n- target: {kind: Widget}\n  patch: |-\n    - {op: add, path: /list, value: []}\n    - {op: add, path: /list/-, value: one}\n',
    'a.yaml': widget('a'),
    'b.yaml': widget('b'),
  }
  const { resources } = await build(memoryTree(files), '')
  assert.deepEqual(
    resources.map(({ object }) => object.list),
    [['one'], ['one']],
  )
})

test('a name may get a hash in any kind of object, which changes with what is in it', async () => {
  const nameOf = async (spec: string): Promise<string> => {
    const widget = 'apiVersion: v1\nkind: Widget\nmetadata:\n  name: w\n  annotations:\n'
    const hashed = `${widget}    internal.config.kubernetes.io/needsHashSuffix: enabled\nspec: ${spec}\n`
    const text = await output({ 'kustomization.yaml': 'resources: [w.yaml]\n', 'w.yaml': hashed })
    return /name: (w-[a-z0-9]{10})$/m.exec(text)![1]!
  }
  const names = await Promise.all(['{a: 1}', '{a: 2}', '{a: 1}', 'text'].map(nameOf))
  assert.equal(names[0], names[2])
  assert.equal(new Set(names).size, 3)
})

test('a replacement finds nothing below what is not there', async () => {
  for (const path of ['data.none.0', 'data.none.[a=b]', 'data.none.-', 'data.list.-'])
    await assert.rejects(
      output({
        'kustomization.yaml': `resources: [a.yaml]\nreplacements: [{source: {fieldPath: "${path}"}, targets: [{}]}]\n`,
        'a.yaml': `${CONFIG_MAP}data: {list: []}\n`,
      }),
      { message: `fieldPath \`${path}\` is missing for replacement source [noKind].[noVer].[noGrp]/[noName].[noNs]` },
    )
})

test('definitions that refer to themselves report each kind once', async () => {
  const reference = { 'x-kubernetes-object-ref-api-version': 'v1', 'x-kubernetes-object-ref-kind': 'ConfigMap' }
  const properties = (more: object) => ({ Schema: { properties: { ref: reference, ...more } } })
  const text = await output({
    'kustomization.yaml': 'resources: [a.yaml, w.yaml]\ncrds: [d.json]\nnamePrefix: p-\n',
    'a.yaml': CONFIG_MAP,
    'w.yaml':
      'apiVersion: v1\nkind: Widget\nmetadata: {name: w}\nref: {name: a}\nown: {ref: {name: a}}\nother: {ref: {name: a}, again: {ref: {name: a}}, back: {ref: {name: a}}}\n',
    'd.json': JSON.stringify({
      Widget: properties({ kind: {}, apiVersion: {}, metadata: {}, own: { $ref: 'Widget' }, other: { $ref: 'Other' } }),
      Other: properties({ again: { $ref: 'Other' }, back: { $ref: 'Widget' } }),
    }),
  })
  assert.match(
    text,
    /other:\n {2}again:\n {4}ref:\n {6}name: a\n {2}back:\n {4}ref:\n {6}name: a\n {2}ref:\n {4}name: p-a\nown:\n {2}ref:\n {4}name: a\nref:\n {2}name: p-a\n/,
  )
})

test('names that an object had before need as many namespaces and kinds', async () => {
  const named = (rest: string) => ({
    'kustomization.yaml': 'resources: [a.yaml]\n',
    'a.yaml': `${CONFIG_MAP}  annotations: {internal.config.kubernetes.io/previousNames: "old,older"${rest}}\n`,
  })
  const namespaces = ', internal.config.kubernetes.io/previousNamespaces: "x,y"'
  const kinds = ', internal.config.kubernetes.io/previousKinds: "A,B"'
  for (const rest of ['', namespaces, kinds])
    await assert.rejects(output(named(rest)), { message: /number of previous names, .* not equal/ })
  assert.equal(await output(named(namespaces + kinds)), CONFIG_MAP)
})

test('aliases may neither contain themselves nor make a million nodes of a few', async () => {
  const itself = `${CONFIG_MAP}a: &x {b: [*x]}\n`
  await assert.rejects(output({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': itself }), {
    message: /anchor 'x' value contains itself/,
  })
  const lists = Array.from({ length: 7 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join()}]`)
  const deep = [6, 7].map(n => `l0: &l0 [${'1,'.repeat(10)}]\n${lists.slice(0, n).join('\n')}\n`)
  const wide = `l0: &l0 [${'1,'.repeat(1000)}]\nl1: [${'*l0,'.repeat(1000)}]\n`
  for (const bomb of [...deep, wide])
    await assert.rejects(output({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': CONFIG_MAP + bomb }), {
      message: /document contains excessive aliasing/,
    })
})
