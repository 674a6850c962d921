import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BuildCache, build } from '../../../../lib/engines/kustomize/build.ts'
import { Budget, BudgetExceeded, type Limits } from '../../../../lib/foundations/budget/budget.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'

type Files = Readonly<Record<string, string>>

const configMap = (name: string, data = '') => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${data}`

/** How a build of the folder `app` ends that may cost so much. */
const overBudget = async (files: Files, limits: Limits): Promise<BudgetExceeded> => {
  const budget = new Budget(limits)
  const error = await build(memoryTree(files), 'app', { budget }).then(
    () => assert.fail(`stayed within its budget: ${JSON.stringify(budget.used)}`),
    error => error,
  )
  assert(error instanceof BudgetExceeded, error)
  return error
}

const costOf = async (files: Files, limits: Limits = {}) => {
  const budget = new Budget(limits)
  await build(memoryTree(files), 'app', { budget })
  return budget.used
}

/** Kustomizations of which each names the next twice, by two more in between: a chain of diamonds. */
const diamonds = (levels: number): Files => {
  const files: Record<string, string> = { 'app/kustomization.yaml': 'resources: [../a0, ../b0]\n' }
  for (let level = 0; level < levels; level++) {
    const below = level + 1 < levels ? `resources: [../a${level + 1}, ../b${level + 1}]\n` : 'resources: [x.yaml]\n'
    for (const side of ['a', 'b']) {
      files[`${side}${level}/kustomization.yaml`] = `nameSuffix: -${side}\n${below}`
      files[`${side}${level}/x.yaml`] = configMap('x')
    }
  }
  return files
}

test('ends a build that loads more kustomizations than it may, and names the budget and a place', async () => {
  const error = await overBudget(diamonds(24), { bases: 1000 })
  assert.deepEqual([error.budget, error.limit, error.used], ['bases', 1000, 1001])
  assert.match(error.place, /^\/[ab]\d+$/)
  assert.equal((await costOf(diamonds(5), { bases: 62 })).bases, 62)
})

test('what a memory spares is not paid for, within a build and in the next', async () => {
  const cache = new BuildCache()
  const spent = async () => {
    const budget = new Budget()
    await build(memoryTree(diamonds(3)), 'app', { budget, cache })
    return budget.used.bases
  }
  assert.equal((await costOf(diamonds(3))).bases, 14)
  assert.equal(await spent(), 10)
  assert.equal(await spent(), 0)
})

test('limits the nesting of kustomizations', async () => {
  const files: Record<string, string> = {}
  const levels = 50
  for (let level = 0; level < levels; level++)
    files[`${level === 0 ? 'app' : `b${level}`}/kustomization.yaml`] =
      level + 1 < levels ? `resources: [../b${level + 1}]\n` : 'resources: [x.yaml]\n'
  files[`b${levels - 1}/x.yaml`] = configMap('x')
  assert.equal((await costOf(files, { depth: 49 })).depth, 49)
  const error = await overBudget(files, { depth: 20 })
  assert.deepEqual([error.budget, error.place], ['depth', '/b21'])
})

test('bounds resources at a time, wherever they come from', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => configMap(`c${i}`)).join('---\n')
  const files = { 'app/kustomization.yaml': 'resources: [many.yaml]\n', 'app/many.yaml': many(20) }
  assert.equal((await costOf(files, { resources: 20 })).resources, 20)
  assert.equal((await overBudget(files, { resources: 19 })).budget, 'resources')
  const names = Array.from({ length: 20 }, (_, i) => `{name: g${i}}`).join(', ')
  assert.equal(
    (await overBudget({ 'app/kustomization.yaml': `configMapGenerator: [${names}]\n` }, { resources: 19 })).budget,
    'resources',
  )
})

test('every reading of a file is paid for, and so are the data of generators', async () => {
  const files = Array.from({ length: 500 }, (_, i) => `'k${i}=big'`).join(', ')
  const error = await overBudget(
    {
      'app/kustomization.yaml': `configMapGenerator: [{name: g, files: [${files}]}]\n`,
      'app/big': 'x'.repeat(1000),
    },
    { bytes: 400_000 },
  )
  assert.equal(error.budget, 'bytes')
  const generators = Array.from({ length: 500 }, (_, i) => `{name: g${i}, literals: *all}`).join(', ')
  assert.equal(
    (
      await overBudget(
        {
          'app/kustomization.yaml': `configMapGenerator: [{name: g, literals: &all ['k=${'x'.repeat(1000)}']}, ${generators}]\n`,
        },
        { bytes: 400_000 },
      )
    ).budget,
    'bytes',
  )
})

test('replacements that double a structure or a text end', async () => {
  const source = { 'app/x.yaml': configMap('x', 'data: {a: b}\nspec: {seed: {k: v}}\n') }
  const structure = Array.from(
    { length: 40 },
    (_, i) =>
      `{source: {kind: ConfigMap, fieldPath: spec}, targets: [{select: {kind: ConfigMap}, fieldPaths: [spec.n${i}], options: {create: true}}]}`,
  ).join(', ')
  const grown = await overBudget(
    { ...source, 'app/kustomization.yaml': `resources: [x.yaml]\nreplacements: [${structure}]\n` },
    { nodes: 100_000 },
  )
  assert.equal(grown.budget, 'nodes')
  const text = Array.from(
    { length: 60 },
    () =>
      "{source: {kind: ConfigMap, fieldPath: data.a}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a], options: {delimiter: '/', index: -1}}]}",
  ).join(', ')
  const long = await overBudget(
    { ...source, 'app/kustomization.yaml': `resources: [x.yaml]\nreplacements: [${text}]\n` },
    { bytes: 1_000_000 },
  )
  assert.equal(long.budget, 'bytes')
})

test('JSON patches that copy, and patches of many targets, are paid for', async () => {
  const copies = Array.from({ length: 40 }, (_, i) => `- {op: copy, from: /spec, path: /spec/n${i}}`).join('\n    ')
  const error = await overBudget(
    {
      'app/x.yaml': configMap('x', 'spec: {seed: {k: v}}\n'),
      'app/kustomization.yaml': `resources: [x.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    ${copies}\n`,
    },
    { nodes: 100_000 },
  )
  assert.equal(error.budget, 'nodes')
  const many = Array.from({ length: 100 }, (_, i) => configMap(`c${i}`)).join('---\n')
  const data = Array.from({ length: 200 }, (_, i) => `k${i}: v`).join(', ')
  const strategic = {
    'app/many.yaml': many,
    'app/kustomization.yaml': `resources: [many.yaml]\npatches: [{target: {kind: ConfigMap}, path: p.yaml}]\n`,
    'app/p.yaml': configMap('any', `data: {${data}}\n`),
  }
  assert.equal((await overBudget(strategic, { nodes: 20_000 })).budget, 'nodes')
})

test('aliases are paid for with the texts that they repeat', async () => {
  const aliases = Array.from({ length: 300 }, (_, i) => `k${i}: *big`).join(', ')
  const files = {
    'app/kustomization.yaml': 'resources: [x.yaml]\n',
    'app/x.yaml': configMap('x', `data: {big: &big '${'x'.repeat(1000)}', ${aliases}}\n`),
  }
  assert.equal((await overBudget(files, { bytes: 100_000 })).budget, 'bytes')
})

test('labels of many resources are paid for, and so is what is printed', async () => {
  const files = {
    'app/kustomization.yaml': `resources: [many.yaml]\ncommonAnnotations: {a: ${'x'.repeat(5000)}}\n`,
    'app/many.yaml': Array.from({ length: 100 }, (_, i) => configMap(`c${i}`)).join('---\n'),
  }
  assert.equal((await overBudget(files, { bytes: 100_000 })).budget, 'bytes')
  const labels = Array.from({ length: 200 }, (_, i) => `l${i}: v`).join(', ')
  const labelled = { ...files, 'app/kustomization.yaml': `resources: [many.yaml]\ncommonLabels: {${labels}}\n` }
  assert.equal((await overBudget(labelled, { nodes: 10_000 })).budget, 'nodes')
})

test("every transformer's steps count", async () => {
  const images = Array.from({ length: 100 }, (_, i) => `{name: i${i}, newTag: '1'}`).join(', ')
  const files = {
    'app/kustomization.yaml': `resources: [many.yaml]\nimages: [${images}]\n`,
    'app/many.yaml': Array.from({ length: 100 }, (_, i) => configMap(`c${i}`)).join('---\n'),
  }
  const error = await overBudget(files, { steps: 5000 })
  assert.deepEqual([error.budget, error.place], ['steps', 'app/kustomization.yaml'])
})

test('counts the same whether anything is limited or not', async () => {
  const files = diamonds(4)
  const cost = await costOf(files)
  assert.deepEqual(await costOf(files, cost), cost)
})
