import assert from 'node:assert/strict'
import type { Condition } from '../../../lib/foundations/kinds/object.ts'
import type { AttackClass, Attempt } from '../attack.ts'
import { type HostileBuild, hostileBuilds } from '../hostile-builds.ts'
import { type Manifest, manifest } from '../manifests.ts'
import { type AttackWorld, verdictOf } from '../world.ts'
import { expensiveWrites } from './expensive-writes.ts'
import { created, victimIsServed, victimUnit } from './victims-unit.ts'

const described: Readonly<Record<NonNullable<HostileBuild['budget']>, string>> = {
  bases: 'kustomizations loaded',
  depth: 'levels of nesting',
  resources: 'resources at a time',
  nodes: 'YAML nodes read and created',
  bytes: 'bytes read and created',
  steps: 'steps',
}

/** What the condition of a build over its budget says. */
const overBudget = (budget: NonNullable<HostileBuild['budget']>): RegExp =>
  new RegExp(
    `over budget: more than \\d+ ${described[budget]}.* the limit is ${budget}=\\d+, .*--build-limits=${budget}=\\d+`,
  )

/** Runs an object of mallory's, and what it says in the end; the victim is served meanwhile. */
const outcomeOf = async (world: AttackWorld, object: Manifest): Promise<Condition> => {
  await victimUnit(world)
  await created(world, object)
  const [condition] = await Promise.all([
    verdictOf(world.mallory, object.path, { within: 120_000 }),
    victimIsServed(world),
  ])
  return condition
}

const builds = ({ title, budget, message, files }: HostileBuild): Attempt => ({
  title: `Kustomization: a build with ${title} ends alone, and says why`,
  async run(world) {
    const { mallory, malloryRepo, freshName } = world
    const name = freshName()
    const tree = Object.entries(files()).map(([path, text]) => [`${name}/${path}`, text])
    await malloryRepo.push(Object.fromEntries(tree), { branch: name })
    const source = manifest('GitRepository', name, {
      spec: { url: malloryRepo.url, ref: { branch: name }, interval: '1h' },
    })
    await created(world, source)
    assert.equal((await verdictOf(mallory, source.path)).status, 'True')
    const sourceRef = { kind: 'GitRepository', name }
    const spec = { sourceRef, path: name, prune: false, interval: '1h', retryInterval: '1h' }
    const unit = manifest('Kustomization', name, { spec })
    const { status, reason, message: said } = await outcomeOf(world, unit)
    assert.deepEqual([status, reason], ['False', 'BuildFailed'], said)
    assert.match(said, message ?? overBudget(budget!))
    assert.doesNotMatch(said, /call stack|undefined|Invalid string length/)
    for (const { path } of [unit, source]) await mallory.request('DELETE', path)
  },
})

// ---- variables ----

const longText = 'x'.repeat(200_000)

const substitutes = (title: string, data: string, value: string, pattern: RegExp): Attempt => ({
  title: `Kustomization: variables that ${title} end that build alone, and say why`,
  async run(world) {
    const { mallory, malloryRepo, freshName } = world
    const name = freshName()
    const objects = Array.from(
      { length: 300 },
      (_, i) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${i}, namespace: mallory}\ndata:\n  ${data}\n`,
    )
    await malloryRepo.push({ [`${name}/x.yaml`]: objects.join('---\n') }, { branch: name })
    const source = manifest('GitRepository', name, {
      spec: { url: malloryRepo.url, ref: { branch: name }, interval: '1h' },
    })
    await created(world, source)
    await verdictOf(mallory, source.path)
    const sourceRef = { kind: 'GitRepository', name }
    const spec = {
      sourceRef,
      path: name,
      prune: false,
      interval: '1h',
      retryInterval: '1h',
      postBuild: { substitute: { v: value } },
    }
    const unit = manifest('Kustomization', name, { spec })
    const { status, message } = await outcomeOf(world, unit)
    assert.equal(status, 'False', message)
    assert.match(message, pattern)
    for (const { path } of [unit, source]) await mallory.request('DELETE', path)
  },
})

const variables = [
  substitutes('fill 300 objects', `a: "\${v}\${v}\${v}"`, longText, overBudget('bytes')),
  substitutes(
    'stand 1,000 times in an object',
    `a: "${'${v}'.repeat(1000)}"`,
    longText,
    /the result is longer than \d+ characters/,
  ),
  substitutes(
    'replace every letter by a long text',
    `a: "\${v//x/${'y'.repeat(500)}}"`,
    longText,
    /the replacements are too long|longer than/,
  ),
  substitutes('become lists of 50,000 items', 'a: ${v}', `[${'1, '.repeat(50_000)}1]`, overBudget('nodes')),
]

// ---- templates ----

const template = (title: string, fields: object, pattern: RegExp): Attempt => ({
  title: `ResourceSet: ${title} ends alone, and says why`,
  async run(world) {
    const set = manifest('ResourceSet', world.freshName(), { spec: fields })
    const { status, message } = await outcomeOf(world, set)
    assert.equal(status, 'False', message)
    assert.match(message, pattern)
    await world.mallory.request('DELETE', set.path)
  },
})

const object = (data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'c<< inputs.id >>', namespace: mallory}\ndata: {a: '${data}'}\n`
const inputs = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `${i}` }))
const list = (item: string, count: number) =>
  `kind: List\nitems:\n- &a {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: mallory}, data: {a: x}}\n<< repeat ${count} "${item}\\n" >>`

const templates = [
  template(
    'a template that doubles a text',
    { resourcesTemplate: '<< $x := "x" >><< range until 60 >><< $x = print $x $x >><< end >><< $x >>' },
    /made more than|output exceeds/,
  ),
  template(
    'a loop of 10^12 turns',
    { resourcesTemplate: '<< range until 1000000 >><< range until 1000000 >><< end >><< end >>' },
    /exceeded \d+ steps|over budget|until|made more/,
  ),
  template(
    'a template of 1 MB for each of 500 inputs',
    { inputs: inputs(500), resourcesTemplate: object('<< repeat 1000000 "x" >>') },
    overBudget('bytes'),
  ),
  template(
    'loops for each of 500 inputs',
    { inputs: inputs(500), resourcesTemplate: `<< range until 20000 >><< end >>${object('x')}` },
    overBudget('steps'),
  ),
  template(
    '60 objects for each of 500 inputs',
    {
      inputs: inputs(500),
      resourcesTemplate: `<< range $i := until 60 >>---\n${object('x').replace("'c<< inputs.id >>'", "'c<< inputs.id >>-<< $i >>'")}<< end >>`,
    },
    overBudget('resources'),
  ),
  template('a List of 30,000 aliases', { resourcesTemplate: list('- *a', 30_000) }, overBudget('resources')),
  template(
    'aliases of aliases',
    {
      resourcesTemplate: `kind: ConfigMap\nspec:\n${Array.from({ length: 9 }, (_, i) => `  a${i}: &a${i} [${Array.from({ length: 10 }, () => (i ? `*a${i - 1}` : 'lol')).join(', ')}]`).join('\n')}\n`,
    },
    /excessive aliasing/,
  ),
  template(
    'templates that call themselves',
    { resourcesTemplate: '<< define "x" >><< template "x" >><< end >><< template "x" >>' },
    /maximum template depth/,
  ),
]

// ---- expressions ----

const healthChecks = (title: string, current: string): Attempt => ({
  title: `Kustomization: a health expression with ${title} ends by its cost`,
  async run(world) {
    const { mallory, malloryRepo, freshName } = world
    const name = freshName()
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: mallory}\ndata: {a: '${'x'.repeat(100_000)}'}\n`
    await malloryRepo.push({ [`${name}/x.yaml`]: text }, { branch: name })
    const source = manifest('GitRepository', name, {
      spec: { url: malloryRepo.url, ref: { branch: name }, interval: '1h' },
    })
    await created(world, source)
    await verdictOf(mallory, source.path)
    const healthCheckExprs = [{ apiVersion: 'v1', kind: 'ConfigMap', current }]
    const sourceRef = { kind: 'GitRepository', name }
    const spec = {
      sourceRef,
      path: name,
      prune: false,
      wait: true,
      timeout: '5s',
      interval: '1h',
      retryInterval: '1h',
      healthCheckExprs,
    }
    const unit = manifest('Kustomization', name, { spec })
    const { status } = await outcomeOf(world, unit)
    assert.equal(status, 'False')
    for (const { path } of [unit, source]) await mallory.request('DELETE', path)
  },
})

const hundred = `[${Array.from({ length: 100 }, (_, i) => i).join(', ')}]`
const nestedLoops = (depth: number): string =>
  depth === 0 ? 'false' : `${hundred}.exists(x${depth}, ${nestedLoops(depth - 1)})`
const expressions = [
  healthChecks('100^4 turns', nestedLoops(4)),
  healthChecks(
    '100^3 regular expressions over 100 KB',
    `${hundred}.exists(a, ${hundred}.exists(b, ${hundred}.exists(c, data.a.matches('(x+)+y'))))`,
  ),
  healthChecks(
    '100^3 searches in 100 KB',
    `${hundred}.exists(a, ${hundred}.exists(b, ${hundred}.exists(c, data.a.contains('xxxxxy'))))`,
  ),
  // What is hidden in one operator or function.
  ...[
    "'none' in data.a.split('')",
    "data.a.split('') == data.a.split('')",
    "sets.equivalent(data.a.split(''), data.a.split(''))",
    "data.a.upperAscii() == ''",
    "data.a.replace('x', 'yy') == ''",
    "timestamp('2026-01-01T00:00:00Z').getHours('Europe/Paris') == 25",
  ].map(hidden =>
    healthChecks(`100^2 times ${hidden}`, `${hundred}.exists(a, ${hundred}.exists(b, ${hidden} && false))`),
  ),
]

/** Work that a few lines ask for, and that would stop everyone else's. */
export const expensiveWork: AttackClass = {
  name: 'builds',
  rule: 'Work that exceeds its budget ends alone, with a condition that names the limit; larger work runs on worker threads',
  oneIn: 5,
  attempts: [...hostileBuilds.map(builds), ...variables, ...templates, ...expressions, ...expensiveWrites],
}
