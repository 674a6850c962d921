import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build } from '../../../../lib/engines/kustomize/build.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'

/** The values that helm is given for an entry of `helmCharts`, with this values.yaml in the chart. */
const valuesFor = async (entry: string, own: string): Promise<string> => {
  let given = ''
  const helm = {
    pull: async () => assert.fail('pulls nothing'),
    template: async ({ values }: { values: readonly Uint8Array[] }) => {
      given = Buffer.concat(values).toString()
      return ''
    },
  }
  const tree = { 'kustomization.yaml': `helmCharts: [{name: x, ${entry}}]\n`, 'charts/x/values.yaml': own }
  await build(memoryTree(tree), '', { helm: { helm } })
  return given
}

/** Values as a chart might have them that is made from an object: lists go by the keys that the object's kind has. */
const ODD_VALUES = `apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
      - {name: a, image: a}
      - {name: b, image: b}
named:
- {name: a, v: 1}
on: 0x10
5: five
`
const ODD_INLINE = `valuesInline: {named: [{name: b}], spec: {template: {spec: {containers: [{name: c, image: c}, {name: b, image: z}]}}}}`

test('merges values as kustomize merges objects: what is new in a list goes to its end, and unknown lists are replaced', async () => {
  assert.equal(
    await valuesFor(ODD_INLINE, ODD_VALUES),
    `"5": five
apiVersion: apps/v1
kind: Deployment
named:
- name: b
"on": 16
spec:
  template:
    spec:
      containers:
      - image: a
        name: a
      - image: z
        name: b
      - image: c
        name: c
`,
  )
})

test('merges values of the kustomization with those of the chart, as the entry says', async () => {
  const merged = (how: string): Promise<string> =>
    valuesFor(`${how}valuesInline: {a: 2, list: [z], map: {a: 3, c: 4}}`, 'a: 1\nlist: [x]\nmap: {a: 1, b: 2}\n')
  assert.equal(await merged(''), 'a: 2\nlist:\n- z\nmap:\n  a: 3\n  b: 2\n  c: 4\n')
  assert.equal(await merged('valuesMerge: merge, '), 'a: 1\nlist:\n- x\nmap:\n  a: 1\n  b: 2\n  c: 4\n')
  assert.equal(await merged('valuesMerge: replace, '), 'a: 2\nlist:\n- z\nmap:\n  a: 3\n  c: 4\n')
})

test('gives helm nulls and numbers of the kustomization as they are', async () => {
  const inline = 'valuesMerge: replace, valuesInline: {a: null, b: 1.50, c: [null, 0x10], d: {}}'
  assert.equal(await valuesFor(inline, 'x: y\n'), 'a: null\nb: 1.5\nc:\n- null\n- 16\nd: {}\n')
})

test('reads merged values as kustomize reads YAML: no word but true and false is a boolean, and days are moments', async () => {
  assert.equal(
    await valuesFor('valuesInline: {z: 1}', 'a: yes\nb: 2001-01-01\n1.0: x\n'),
    '"1.0": x\na: "yes"\nb: "2001-01-01T00:00:00Z"\nz: 1\n',
  )
})

test('names the directory where a chart should be that nobody can pull', async () => {
  await assert.rejects(
    build(memoryTree({ 'kustomization.yaml': 'helmCharts: [{name: x}]\n' }), '', {
      helm: { helm: { pull: async () => assert.fail('pulls'), template: async () => '' } },
    }),
    { name: 'KustomizeError', file: 'charts/x', field: 'helmCharts' },
  )
})

test('says that values are none that can be merged', async () => {
  await assert.rejects(valuesFor('valuesInline: {a: 1}', ''), {
    message: 'could not parse values file into rnode: EOF',
  })
  await assert.rejects(
    valuesFor('valuesInline: {a: 1}', 'a: ['),
    /^KustomizeError: could not parse values file into rnode: yaml: line 1: /,
  )
})
