import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BuildCache,
  build,
  printResources,
  RemoteStatusError,
  type Remotes,
} from '../../../../lib/engines/kustomize/build.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'
import { differenceOfRebuilds, type Files } from '../../../differential/rebuilds.ts'

/** Everything that a build may remember, in one tree. */
const TREE: Files = {
  'top/kustomization.yaml': `bases: [../left, ../right]
components: [../part]
namePrefix: top-
vars:
- {name: TOP, objref: {apiVersion: v1, kind: ConfigMap, name: settings}, fieldref: {fieldPath: data.host}}
configurations: [places.yaml]
patches: [{path: patch.yaml}]
transformers: [labels.yaml]
`,
  'top/places.yaml': 'varReference: [{kind: Widget, path: spec/words}]\n',
  'top/patch.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {patched: "yes"}\n',
  'top/labels.yaml':
    'apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: l}\nlabels: {team: blue}\nfieldSpecs: [{path: metadata/labels, create: true}]\n',
  'left/kustomization.yaml': `resources: [all.yaml, widget.yaml]
vars:
- {name: LEFT, objref: {apiVersion: v1, kind: Service, name: web}}
configurations: [places.yaml]
crds: [crd.json]
configMapGenerator: [{name: made, files: [data.txt], envs: [data.env]}]
secretGenerator: [{name: hidden, files: [data.txt]}]
`,
  'left/places.yaml':
    'varReference: [{kind: Widget, path: spec/host}]\nnamePrefix: [{kind: Widget, path: spec/prefixed}]\n',
  'left/crd.json': JSON.stringify({
    Widget: {
      Schema: {
        properties: { apiVersion: {}, kind: {}, metadata: {}, spec: { $ref: 'Spec' } },
      },
    },
    Spec: {
      Schema: {
        properties: {
          config: { 'x-kubernetes-object-ref-api-version': 'v1', 'x-kubernetes-object-ref-kind': 'ConfigMap' },
        },
      },
    },
  }),
  'left/all.yaml': 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n',
  'left/widget.yaml':
    'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {host: $(LEFT), words: $(TOP), prefixed: x, config: {name: made}}\n',
  'left/data.txt': 'text\n',
  'left/data.env': 'A=1\n',
  'right/kustomization.yaml': 'resources: [settings.yaml, deep]\nimageTags: [{name: nginx, newTag: "2"}]\n',
  'right/settings.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {host: example.com}\n',
  'right/deep/kustomization.yaml': 'resources: [pod.yaml]\npatchesStrategicMerge: [patch.yaml]\n',
  'right/deep/pod.yaml':
    'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: nginx, envFrom: [{configMapRef: {name: made}}, {secretRef: {name: hidden}}]}]}\n',
  'right/deep/patch.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {a: b}}\n',
  'part/kustomization.yaml':
    'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [extra.yaml]\nnameSuffix: -s\n',
  'part/extra.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\n',
}

const without = (path: string): Files => Object.fromEntries(Object.entries(TREE).filter(([name]) => name !== path))

for (const [path, text] of Object.entries(TREE))
  test(`gives the same result with a cache when ${path} changes, is deleted, breaks, becomes a directory, and is restored`, async () => {
    const changed = path.endsWith('kustomization.yaml')
      ? `${text}buildMetadata: [originAnnotations]\n`
      : text.replace(/(?<=name: )(?=[a-z])|(?<=text|A=)/, 'x')
    const states: Files[] = [
      TREE,
      { ...TREE, [path]: changed },
      { ...TREE, [path]: `${text}# note\n` },
      without(path),
      without(path),
      { ...without(path), [`${path}/x`]: text },
      { ...TREE, [path]: 'a: [' },
      TREE,
      TREE,
      { ...TREE, [path]: `${text.trim()}\n\n` },
    ]
    for (const directory of ['top', 'left'])
      assert.equal(await differenceOfRebuilds({ path: directory, states }), undefined)
  })

test('makes nothing again of a tree but what a change concerns', async () => {
  const cache = new BuildCache()
  const anew = async (files: Files): Promise<readonly string[]> => {
    const before = new Map<string, unknown>([...cache.directories, ...cache.resources])
    await build(memoryTree(files), 'top', { cache })
    const after = new Map<string, unknown>([...cache.directories, ...cache.resources])
    return [...after].filter(([key, kept]) => before.get(key) !== kept).map(([key]) => key.slice(0, 40))
  }
  assert.equal((await anew(TREE)).length, 12)
  assert.deepEqual(await anew({ ...TREE, 'top/kustomization.yaml': `${TREE['top/kustomization.yaml']}# note\n` }), [])
  assert.deepEqual(await anew({ ...TREE, 'right/deep/patch.yaml': `${TREE['right/deep/patch.yaml']}# note\n` }), [
    'directory ["right/deep",null,""]',
    'directory ["right",null,""]',
  ])
  assert.deepEqual(await anew({ ...TREE, 'left/data.env': 'A=2\n' }), [
    'directory ["left",null,""]',
    // These are as they were before.
    ...['directory ["right/deep",null,""]', 'directory ["right",null,""]'],
    'resources ["ConfigMap",{"envs":["data.en',
  ])
})

test('warns of deprecated fields of bases that it takes from the cache, in the same order', async () => {
  const cache = new BuildCache()
  const { warnings } = await build(memoryTree(TREE), 'top', { cache })
  assert.equal(warnings.length, 5)
  const again = await build(memoryTree({ ...TREE, 'part/extra.yaml': `${TREE['part/extra.yaml']}# note\n` }), 'top', {
    cache,
  })
  assert.deepEqual(again.warnings, warnings)
})

const pod = (name: string): string => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`
const remote = 'https://files.example/pod.yaml'

test('asks for remote files at every build, also those of bases and of generators', async () => {
  const base = `resources: [${remote}]\nconfigMapGenerator: [{name: c, files: [${remote}], options: {disableNameSuffixHash: true}}]\n`
  const tree: Files = { 'kustomization.yaml': 'resources: [base]\n', 'base/kustomization.yaml': base }
  const cache = new BuildCache()
  const built = async (text: string): Promise<string> => {
    const remotes: Remotes = {
      file: async () => Buffer.from(text),
      repository: async () => {
        throw new RemoteStatusError(404, 'Not Found')
      },
    }
    return printResources((await build(memoryTree(tree), '', { cache, remotes })).resources)
  }
  const expected = (name: string): string =>
    `${pod(name)}---\napiVersion: v1\ndata:\n  pod.yaml: |\n    ${pod(name).trimEnd().replaceAll('\n', '\n    ')}\nkind: ConfigMap\nmetadata:\n  name: c\n`
  assert.equal(await built(pod('one')), expected('one'))
  assert.equal(await built(pod('two')), expected('two'))
  assert.equal(await built(pod('two')), expected('two'))
})

test('keeps what it knows over builds that fail', async () => {
  const cache = new BuildCache()
  await build(memoryTree(TREE), 'top', { cache })
  const kept = new Map<string, unknown>(cache.directories)
  await assert.rejects(build(memoryTree({ ...TREE, 'top/patch.yaml': 'a: [' }), 'top', { cache }))
  assert.deepEqual(new Map<string, unknown>(cache.directories), kept)
})

test('keeps nothing of what plugins and links may change unseen', async () => {
  const cache = new BuildCache()
  const tree = memoryTree(TREE)
  const runner = { locate: () => undefined, run: async () => assert.fail('runs nothing') }
  await build(tree, 'top', { cache, plugins: { runner } })
  await build({ ...tree, realPath: path => path }, 'top', { cache })
  assert.deepEqual([cache.directories.size, cache.resources.size, cache.whole], [0, 0, undefined])
})
