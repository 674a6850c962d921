import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/kustomize')

const saved = because('spares making anew what is the same')
const unlike = because('no text in the place of nothing is like what is looked for')
const unused = because('the key of no other step begins so, and no list of references is a text')

const references = 'name-references/fix-name-references.ts'
const step = "return memory.dependentStep(['references', group, version, kind, isDefault ? 'default' : references], {"

export const explained: readonly Explanation[] = [
  ...[
    'resource.name === name || resource.previous.some(id => id.name === name) → true',
    'this.list.filter(resource => resource.name === name || resource.previous.some(id… → this.list',
    'id.name === name → true',
  ].map(change =>
    because('who asks looks at the whole id of those it gets')(
      'resource-map.ts',
      'return this.list.filter(resource => resource.name === name || resource.previous.some(id => id.name === name))',
      change,
    ),
  ),
  saved(
    references,
    'const rest = all.filter(reference => !addPath(tree, reference.spec, reference))',
    'all.filter(reference => !addPath(tree, reference.spec, reference)) → all',
  ),
  saved(
    'replacements/match-path.ts',
    '/^[A-Za-z0-9_/-]*$/.test(pattern) ? text => text.includes(pattern) : compilePattern(pattern)',
    '/^[A-Za-z0-9_/-]*$/ → /^[A-Za-z0-9_/-]$/',
  ),
  unlike('replacements/replacement.ts', 'const { select, reject = [], options } = target', '[] → ["Stryker was here"]'),

  saved(references, 'if (!fix) {', '!fix → true'),
  saved(references, 'byGvk.set(key, fix)', 'byGvk.set(key, fix) → ;'),
  saved(
    references,
    'const isDefault = references === DEFAULT_FIELD_SPECS.nameReference',
    'references === DEFAULT_FIELD_SPECS.nameReference → false',
  ),
  unused(references, step, `'references' → ""`),
  unused(references, step, `'default' → ""`),
  ...['own.all.length > 0 → true', 'own.all.length > 0 → own.all.length >= 0'].map(change =>
    saved(references, 'if (own.all.length > 0) fixReferencesOf(resource, own, candidates, tracker)', change),
  ),
  saved(references, 'const nothingRenamed = candidates.byName.size === 0', 'candidates.byName.size === 0 → false'),
  saved(references, 'if (nothingRenamed) tracker.dependOnUnknown()', 'nothingRenamed → false'),
  ...['nothingRenamed → false', 'nothingRenamed ? referrer.view! : referrer.node! → referrer.node!'].map(change =>
    saved(references, 'visitTree(tree, nothingRenamed ? referrer.view! : referrer.node!, fix)', change),
  ),
  saved('name-references/candidates.ts', 'if (fingerprint === undefined) {', 'fingerprint === undefined → true'),
  saved(
    'name-references/candidates.ts',
    'this.fingerprints.set(name, fingerprint)',
    'this.fingerprints.set(name, fingerprint) → ;',
  ),
  unlike(
    'name-references/candidates.ts',
    "for (const subject of field(resource.view, 'subjects')?.content ?? []) {",
    '[] → ["Stryker was here"]',
  ),
  saved('name-references/search.ts', 'if (!namespace || all.length === 0) return all', 'all.length === 0 → false'),
  because('what is found in the namespace was in it first, so that something was')(
    'name-references/search.ts',
    'if (original.length > 0 || this.lookup.hadNamespace(namespace.value)) return original',
    'original.length > 0 → false',
  ),
  saved('name-references/search.ts', 'if (named.length === 0) return undefined', 'named.length === 0 → false'),
]
