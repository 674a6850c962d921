import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/kustomize')

const nothing = because('undefined is what comes back either way')
const known = because('spares finding it out again')
const noAddress = because('what is no address is not fetched')

export const explained: readonly Explanation[] = [
  because('only the last one is looked at, which stands behind it')(
    'memory/build-memory.ts',
    'private readonly open: OpenPart[] = []',
    '[] → ["Stryker was here"]',
  ),
  because('spares comparing bytes, and their digests')(
    'memory/build-memory.ts',
    '} finally {',
    '{ cache.tree = this.tree.files } → {}',
  ),
  known('read-log.ts', 'if (digest === undefined) {', 'digest === undefined → true'),
  known('read-log.ts', 'this.known.set(bytes, digest)', 'this.known.set(bytes, digest) → ;'),
  because('no two of these paths are the same')(
    'read-log.ts',
    'return [...local, ...remote].sort((a, b) => (a.path < b.path ? -1 : 1))',
    'a.path < b.path → a.path <= b.path',
  ),
  noAddress(
    'kustomization-target.ts',
    'const sources = generators.flatMap(({ files = [], envs = [] }) => [...files.map(pathOfSource), ...envs])',
    '[] → ["Stryker was here"]',
  ),
  noAddress(
    'kustomization-target.ts',
    'const paths = [...patches, ...patchesJson6902, ...replacements].flatMap(({ path }) => path ?? [])',
    '[] → ["Stryker was here"]',
  ),
  because('spares making a candidate that no name leads to')(
    'name-references/candidates.ts',
    'if (resource.previous.length === 0) continue',
    'resource.previous.length === 0 → false',
  ),
  nothing('vars/resolve-vars.ts', '} catch {', '{ return undefined } → {}'),
  because('a dollar stands before the bracket: it is never the first')(
    'vars/resolve-vars.ts',
    'if (end < 0) {',
    'end < 0 → end <= 0',
  ),
  because('what is neither of the other two words is written so')(
    'vars/var-value.ts',
    "return { tag: '', text: formatFloat(number, 'g', -1), whole: formatFloat(number, 'f', -1) }",
    `'f' → ""`,
  ),
  because('who appends to a list that was put together elsewhere has looked for the id there')(
    'resource-map.ts',
    'this.ids ??= new Set(this.list.map(known => known.currentKey()))',
    'known => known.currentKey() → () => undefined',
  ),
  because('undefined is no number either')(
    'label-selector.ts',
    'const number = value === undefined ? null : integer(value)',
    'value === undefined → false',
  ),
  because('it is no duration either')(
    'remote-target.ts',
    "const timeout = query.get('timeout') ?? ''",
    `'' → "Stryker was here!"`,
  ),
  because('it is no boolean either')(
    'remote-target.ts',
    "submodules: parseBool(query.get('submodules') ?? '') ?? true,",
    `'' → "Stryker was here!"`,
  ),
]
