/** Folders of a few kilobytes, or megabytes, that would cost whoever builds them minutes or gigabytes. */

export interface HostileBuild {
  /** What the folder does, after `a build with`. */
  readonly title: string
  /** The budget that it goes over; undefined where the engine has a rule of its own, as YAML's parsers have for aliases. */
  readonly budget?: 'bases' | 'depth' | 'resources' | 'nodes' | 'bytes' | 'steps'
  /** What the condition says where no budget does. */
  readonly message?: RegExp
  files(): Readonly<Record<string, string>>
}

const each = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const manifest = (kind: string, name: string, fields = '') =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: mallory}\n${fields}`
const configMap = (name: string, fields?: string) => manifest('ConfigMap', name, fields)
const kustomization = (text: string) => ({ 'kustomization.yaml': text })
const megabyte = 'x'.repeat(1_000_000)
const withResource = (text: string, more = '') => ({ ...kustomization(`resources: [x.yaml]\n${more}`), 'x.yaml': text })

// ---- YAML ----

const kinds = ['ConfigMap', 'Secret', 'Deployment', 'Widget']
const aliasesOfText = (kind: string, copies: number): HostileBuild => ({
  title: `${copies} aliases of a text of 1 MB in a ${kind}`,
  budget: 'bytes',
  files: () =>
    withResource(
      manifest(kind, 'x', `data: {big: &big '${megabyte}', ${each(copies, i => `k${i}: *big`).join(', ')}}`),
    ),
})
const laughs = (kind: string, width: number, depth: number): HostileBuild => ({
  title: `aliases of aliases in a ${kind}, ${width} wide and ${depth} deep`,
  message: /document contains excessive aliasing/,
  files: () =>
    withResource(
      manifest(
        kind,
        'x',
        `spec:\n${each(depth, i => `  a${i}: &a${i} [${each(width, () => (i ? `*a${i - 1}` : 'lol')).join(', ')}]`).join('\n')}\n`,
      ),
    ),
})
const mergeChain = (kind: string, keys: number, links: number): HostileBuild => ({
  title: `a chain of ${links} merge keys over ${keys} fields in a ${kind}`,
  message: /document contains excessive aliasing|more than \d+ (YAML nodes|steps)/,
  files: () =>
    withResource(
      manifest(
        kind,
        'x',
        `spec:\n  m0: &m0 {${each(keys, i => `k${i}: v`).join(', ')}}\n${each(links, i => `  m${i + 1}: &m${i + 1} {<<: *m${i}, n${i}: v}`).join('\n')}\n`,
      ),
    ),
})
const mergeList: HostileBuild = {
  title: 'a merge key that lists one mapping 20,000 times',
  message: /document contains excessive aliasing|more than \d+ steps/,
  files: () =>
    withResource(
      configMap(
        'x',
        `spec:\n  m0: &m0 {${each(2000, i => `k${i}: v`).join(', ')}}\n  m1: {<<: [${each(20_000, () => '*m0').join(', ')}]}\n`,
      ),
    ),
}
const laughsInKustomization: HostileBuild = {
  title: 'aliases of aliases in the kustomization file itself',
  message: /document contains excessive aliasing/,
  files: () =>
    withResource(
      configMap('x'),
      `x:\n${each(9, i => `  a${i}: &a${i} [${each(10, () => (i ? `*a${i - 1}` : 'lol')).join(', ')}]`).join('\n')}\n`,
    ),
}
const nested = (open: string, close: string): HostileBuild => ({
  title: `100,000 nested ${open}`,
  message: /exceeded max depth/,
  files: () => withResource(configMap('x', `spec: ${open.repeat(100_000)}${close.repeat(100_000)}\n`)),
})

// ---- bases ----

const diamonds = (levels: number, suffix: string): HostileBuild => ({
  title: `2^${levels} bases by ${levels} diamonds of ${suffix}`,
  budget: 'bases',
  files() {
    const files: Record<string, string> = kustomization('resources: [a0, b0]\n')
    for (let level = 0; level < levels; level++)
      for (const side of ['a', 'b']) {
        const below = level + 1 < levels ? `resources: [../a${level + 1}, ../b${level + 1}]\n` : 'resources: [x.yaml]\n'
        files[`${side}${level}/kustomization.yaml`] =
          `${suffix}: ${suffix === 'namePrefix' ? `${side}-` : `-${side}`}\n${below}`
        files[`${side}${level}/x.yaml`] = configMap('x')
      }
    return files
  },
})
const chain = (levels: number): HostileBuild => ({
  title: `bases ${levels} levels deep`,
  budget: 'depth',
  files: () => ({
    ...kustomization('resources: [b0]\n'),
    ...Object.fromEntries(
      each(levels, i => [
        `b${i}/kustomization.yaml`,
        i + 1 < levels ? `resources: [../b${i + 1}]\n` : 'configMapGenerator: [{name: x}]\n',
      ]),
    ),
  }),
})
const components: HostileBuild = {
  title: '3,000 components over 1,000 resources',
  budget: 'steps',
  files: () => ({
    ...withResource(
      each(1000, i => configMap(`c${i}`)).join('---\n'),
      `components: [${each(3000, i => `c${i}`).join(', ')}]\n`,
    ),
    ...Object.fromEntries(
      each(3000, i => [
        `c${i}/kustomization.yaml`,
        'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamespace: mallory\n',
      ]),
    ),
  }),
}

// ---- growth ----

const replacements = (kind: string): HostileBuild => ({
  title: `40 replacements that double a ${kind}`,
  budget: 'nodes',
  files: () =>
    withResource(
      manifest(kind, 'x', 'spec: {seed: {k: v}}\n'),
      `replacements: [${each(40, i => `{source: {kind: ${kind}, fieldPath: spec}, targets: [{select: {kind: ${kind}}, fieldPaths: [spec.n${i}], options: {create: true}}]}`).join(', ')}]\n`,
    ),
})
const replacedText = (delimiter: string): HostileBuild => ({
  title: `60 replacements that double a text at '${delimiter}'`,
  budget: 'bytes',
  files: () =>
    withResource(
      configMap('x', 'data: {a: b}\n'),
      `replacements: [${each(60, () => `{source: {kind: ConfigMap, fieldPath: data.a}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a], options: {delimiter: '${delimiter}', index: -1}}]}`).join(', ')}]\n`,
    ),
})
const patched = (title: string, operations: string, target: string): HostileBuild => ({
  title,
  budget: 'nodes',
  files: () => withResource(configMap('x', 'spec: {seed: {k: v}}\n'), `${target}\n  patch: |-\n    ${operations}\n`),
})
const copies = each(40, i => `- {op: copy, from: /spec, path: /spec/n${i}}`).join('\n    ')
const jsonPatches = [
  patched('a JSON patch that copies 40 times', copies, 'patches:\n- target: {kind: ConfigMap}'),
  patched(
    'a patchesJson6902 that copies 40 times',
    copies,
    'patchesJson6902:\n- target: {version: v1, kind: ConfigMap, name: x, namespace: mallory}',
  ),
]
const patchedInMany: HostileBuild = {
  title: 'a strategic patch of 2,000 fields for each of 2,000 objects',
  message: /more than \d+ (YAML nodes|steps)/,
  files: () => ({
    ...withResource(
      each(2000, i => configMap(`c${i}`)).join('---\n'),
      'patches: [{target: {kind: ConfigMap}, path: p.yaml}]\n',
    ),
    'p.yaml': configMap('any', `data: {${each(2000, i => `k${i}: v`).join(', ')}}\n`),
  }),
}
const labels = (field: string): HostileBuild => ({
  title: `${field} of 2,000 entries for each of 2,000 objects`,
  message: /more than \d+ (YAML nodes|steps)/,
  files: () =>
    withResource(
      each(2000, i => configMap(`c${i}`)).join('---\n'),
      `${field}: {${each(2000, i => `l${i}: v`).join(', ')}}\n`,
    ),
})

// ---- generators and resources ----

const generated = (kind: string): HostileBuild => ({
  title: `a ${kind}Generator of 500 MB from a file of 1 MB`,
  budget: 'bytes',
  files: () => ({
    ...kustomization(`${kind}Generator: [{name: g, files: [${each(500, i => `'k${i}=big'`).join(', ')}]}]\n`),
    big: megabyte,
  }),
})
const generators = (kind: string): HostileBuild => ({
  title: `500 ${kind}Generators of 1 MB each`,
  budget: 'bytes',
  files: () => ({
    ...kustomization(`${kind}Generator: [${each(500, i => `{name: g${i}, files: [big]}`).join(', ')}]\n`),
    big: megabyte,
  }),
})
const aliasedLiterals = (kind: string): HostileBuild => ({
  title: `2,000 ${kind}Generators that share a literal of 1 MB by an alias`,
  budget: 'bytes',
  files: () =>
    kustomization(
      `${kind}Generator: [{name: g, literals: &all ['k=${megabyte}']}, ${each(2000, i => `{name: g${i}, literals: *all}`).join(', ')}]\n`,
    ),
})
const readAgain: HostileBuild = {
  title: 'a file of 1 MB that 300 bases read',
  budget: 'bytes',
  files: () => ({
    ...kustomization(`resources: [${each(300, i => `b${i}`).join(', ')}]\n`),
    ...Object.fromEntries(
      each(300, i => [`b${i}/kustomization.yaml`, `configMapGenerator: [{name: g${i}, files: [../big/big]}]\n`]),
    ),
    'big/big': megabyte,
  }),
}
const manyGenerators: HostileBuild = {
  title: '30,000 configMapGenerators',
  message: /more than \d+ (resources|steps)/,
  files: () => kustomization(`configMapGenerator: [${each(30_000, i => `{name: g${i}}`).join(', ')}]\n`),
}
const documents = (kind: string, count: number): HostileBuild => ({
  title: `${count} documents of ${kind} in one file`,
  budget: 'resources',
  files: () => withResource(each(count, i => manifest(kind, `c${i}`)).join('---\n')),
})
const items = (kind: string, count: number): HostileBuild => ({
  title: `a ${kind} of ${count} items`,
  message: /more than \d+ (resources|YAML nodes|MiB of memory)/,
  files: () =>
    withResource(
      `apiVersion: v1\nkind: ${kind}\nmetadata: {name: l}\nitems:\n${each(count, i => `- {apiVersion: v1, kind: ConfigMap, metadata: {name: c${i}}}`).join('\n')}\n`,
    ),
})
const manyFiles: HostileBuild = {
  title: '300 files of 1,000 resources each',
  budget: 'resources',
  files: () => ({
    ...kustomization(`resources: [${each(300, i => `x${i}.yaml`).join(', ')}]\n`),
    ...Object.fromEntries(each(300, i => [`x${i}.yaml`, each(1000, j => configMap(`c${i}-${j}`)).join('---\n')])),
  }),
}
const withoutKustomization: HostileBuild = {
  title: 'no kustomization file and 30,000 resources',
  budget: 'resources',
  files: () =>
    Object.fromEntries(each(30, i => [`x${i}.yaml`, each(1000, j => configMap(`c${i}-${j}`)).join('---\n')])),
}

// ---- files that are read for their fields ----

/** Six megabytes, and three million values. */
const manyValues = `a: [${'0,'.repeat(3_000_000)}0]\n`
const fieldFile = (field: string, entry: string): HostileBuild => ({
  title: `${field} in a file of 3,000,000 values`,
  budget: 'nodes',
  files: () => ({ ...withResource(configMap('x'), `${field}: ${entry}\n`), 'fields.yaml': manyValues }),
})
const environment = (kind: string): HostileBuild => ({
  title: `a ${kind}Generator of 200,000 variables in an env file`,
  budget: 'steps',
  files: () => ({
    ...kustomization(`${kind}Generator: [{name: x, envs: [env]}]\n`),
    env: each(200_000, i => `K${i}=v`).join('\n'),
  }),
})

export const hostileBuilds: readonly HostileBuild[] = [
  ...kinds.map(kind => aliasesOfText(kind, 2000)),
  ...kinds.map(kind => laughs(kind, 10, 9)),
  laughs('ConfigMap', 2, 30),
  laughs('ConfigMap', 100, 5),
  mergeChain('ConfigMap', 500, 2000),
  mergeChain('Widget', 5000, 500),
  mergeList,
  laughsInKustomization,
  nested('[', ']'),
  nested('{a: ', '}'),
  diamonds(24, 'nameSuffix'),
  diamonds(24, 'namePrefix'),
  chain(300),
  components,
  ...['ConfigMap', 'Widget'].map(replacements),
  ...['/', '.', ','].map(replacedText),
  ...jsonPatches,
  patchedInMany,
  ...['commonLabels', 'commonAnnotations'].map(labels),
  ...['configMap', 'secret'].flatMap(kind => [generated(kind), generators(kind), aliasedLiterals(kind)]),
  readAgain,
  manyGenerators,
  documents('ConfigMap', 300_000),
  documents('Secret', 30_000),
  items('List', 300_000),
  items('ConfigMapList', 30_000),
  manyFiles,
  withoutKustomization,
  fieldFile('openapi', '{path: fields.yaml}'),
  fieldFile('crds', '[fields.yaml]'),
  fieldFile('configurations', '[fields.yaml]'),
  fieldFile('replacements', '[{path: fields.yaml}]'),
  fieldFile('patches', '[{path: fields.yaml, target: {kind: ConfigMap}}]'),
  fieldFile('patchesStrategicMerge', '[fields.yaml]'),
  fieldFile('patchesJson6902', '[{path: fields.yaml, target: {version: v1, kind: ConfigMap, name: x}}]'),
  fieldFile('transformers', '[fields.yaml]'),
  ...['configMap', 'secret'].map(environment),
]
