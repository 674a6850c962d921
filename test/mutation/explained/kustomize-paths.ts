import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/kustomize')

const slower = because('what the quick way leaves out goes the slow one, which comes to the same')
const unlike = because('no kind or var is like what is put in the place of nothing')
const plain =
  "const isPlainField = (segment: string): boolean => segment !== '' && !/^[-+]?\\d+$|^[-*]$|\\[|^\\s|\\s$/.test(segment)"
const pattern = '/^[-+]?\\d+$|^[-*]$|\\[|^\\s|\\s$/'
const literal =
  'return /^[A-Za-z0-9_/-]*$/.test(pattern) ? text => text === pattern : compilePattern(`^(?:${pattern})$`)'

const saved = because('spares making anew what is the same')
const sameType = because('no type has that number either')

export const explained: readonly Explanation[] = [
  ...[
    "segment !== '' && !/^[-+]?\\d+$|^[-*]$|\\[|^\\s|\\s$/.test(segment) → false",
    `!${pattern}.test(segment) → ${pattern}.test(segment)`,
    ...[
      '/[-+]?\\d+$|^[-*]$|\\[|^\\s|\\s$/',
      '/^[-+]?\\d+|^[-*]$|\\[|^\\s|\\s$/',
      '/^[-+]?\\D+$|^[-*]$|\\[|^\\s|\\s$/',
      '/^[-+]?\\d+$|[-*]$|\\[|^\\s|\\s$/',
      '/^[-+]?\\d+$|^[-*]|\\[|^\\s|\\s$/',
      '/^[-+]?\\d+$|^[-*]$|\\[|\\s|\\s$/',
      '/^[-+]?\\d+$|^[-*]$|\\[|^\\S|\\s$/',
      '/^[-+]?\\d+$|^[-*]$|\\[|^\\s|\\S$/',
      '/^[-+]?\\d+$|^[-*]$|\\[|^\\s|\\s/',
    ].map(other => `${pattern} → ${other}`),
    "(segment: string): boolean => segment !== '' && !/^[-+]?\\d+$|^[-*]$|\\[|^\\s|\\s$/.… → () => undefined",
  ].map(change => slower('field-tree.ts', plain, change)),
  slower(
    'field-tree.ts',
    'if (!spec.segments.every(isPlainField)) return false',
    '!spec.segments.every(isPlainField) → true',
  ),
  slower(
    'field-tree.ts',
    'export const addPath = <Action>(tree: FieldTree<Action>, spec: FieldSpec, action: Action): boolean => {',
    '{ if (!spec.segments.every(isPlainField)) return false let node = tree for (cons… → {}',
  ),
  slower(
    'field-tree.ts',
    'for (const segment of spec.segments) {',
    '{ let next = node.fields.get(segment) if (!next) { next = emptyTree() node.field… → {}',
  ),
  ...[
    "node.kind === 'seq' → false",
    `'seq' → ""`,
    '{ for (const item of node.content) visitFields(tree, item, visit) return } → {}',
  ].map(change => slower('field-tree.ts', "if (node.kind === 'seq') {", change)),
  ...["node.kind !== 'map' → true", "node.kind !== 'map' → node.kind === 'map'", `'map' → ""`].map(change =>
    slower('field-tree.ts', "if (node.kind !== 'map') {", change),
  ),
  slower('field-tree.ts', 'if (!isMissing(node)) throw new UnexpectedKind()', '!isMissing(node) → true'),
  slower('field-tree.ts', 'for (let i = 0; i < content.length; i += 2) {', 'i += 2 → i -= 2'),
  slower('field-tree.ts', 'if (next) visitTree(next, content[i + 1]!, visit)', 'next → true'),
  because('nobody looks at the tag of a map or list')(
    'field-spec.ts',
    "found.tag = kind === 'scalar' ? (options.createTag ?? '') : ''",
    "kind === 'scalar' → true",
  ),
  because('quotes mean nothing for maps and lists')(
    'node-path.ts',
    "if (kind === 'scalar' && (tag === '!!str' || tag === '') && !tagged && style === '' && resolvesToOtherType(value))",
    "kind === 'scalar' → true",
  ),
  slower('selector.ts', literal, '/^[A-Za-z0-9_/-]*$/ → /^[A-Za-z0-9_/-]$/'),
  because('a look at the kind spares one at all of the object’s type')(
    'field-spec.ts',
    'if (spec.kind && spec.kind !== kind) return',
    'spec.kind && spec.kind !== kind → false',
  ),
  unlike(
    'sort-resources.ts',
    'const first = options ? (options.orderFirst ?? []) : legacyOrder.first',
    '[] → ["Stryker was here"]',
  ),
  unlike(
    'sort-resources.ts',
    'const last = options ? (options.orderLast ?? []) : legacyOrder.last',
    '[] → ["Stryker was here"]',
  ),
  ...[
    'own === added || added === NO_FIELD_SPECS → false',
    'own === added → false',
    'added === NO_FIELD_SPECS → false',
    'own === added || added === NO_FIELD_SPECS → own === added && added === NO_FIELD_SPECS',
  ].map(change => saved('merge-field-specs.ts', 'if (own === added || added === NO_FIELD_SPECS) return own', change)),
  saved(
    'merge-field-specs.ts',
    'if (own === NO_FIELD_SPECS && added === DEFAULT_FIELD_SPECS) return added',
    'own === NO_FIELD_SPECS && added === DEFAULT_FIELD_SPECS → false',
  ),
  ...[
    'own === added || added.length === 0 → own === added && added.length === 0',
    'own === added || added.length === 0 → false',
    'own === added → false',
    'added.length === 0 → false',
  ].map(change => saved('merge-field-specs.ts', 'if (own === added || added.length === 0) return own', change)),
  ...["child.kind !== 'scalar' || child.anchor !== undefined → true", `'scalar' → ""`].map(change =>
    saved(
      'de-anchor.ts',
      "if (child.kind !== 'scalar' || child.anchor !== undefined) content[i] = resolved(child)",
      change,
    ),
  ),
  because('whether a million copies or one less are too many is our choice')(
    'de-anchor.ts',
    "if (made > LIMIT) throw new YamlError('document contains excessive aliasing')",
    'made > LIMIT → made >= LIMIT',
  ),
  because('what nothing is called has no definition')(
    'crds.ts',
    'if (reference !== undefined && !seen.has(reference)) visit(reference, own, new Set([...seen, reference]))',
    'reference !== undefined → true',
  ),
  sameType(
    'schema/build-schema.ts',
    "types: [{ configMapGenerator: [-1, ['name']], secretGenerator: [-1, ['name']] }],",
    '-1 → +1',
  ),
  sameType(
    'schema/table-schema.ts',
    'const schemaOf = (...[type, mergeKeys, elements = -1]: FieldTable): TypeSchema => ({',
    '-1 → +1',
  ),
  because('types are known by their numbers, whatever these are')(
    'schema/swagger-table.ts',
    'const types: TypeTable[] = [...(base?.types ?? [])]',
    '[] → ["Stryker was here"]',
  ),
  because('what lists hold that do not merge is not asked for')(
    'schema/swagger-table.ts',
    'if (!mergeKeys) return [typeIndex(schema)]',
    '!mergeKeys → false',
  ),
  because('spares making the object again')(
    'object-snapshot.ts',
    'get node(): YamlNode | undefined {',
    '{ return this.kept } → {}',
  ),
  unlike('object-snapshot.ts', 'varNames: [],', '[] → ["Stryker was here"]'),
  because('a copy is only asked of what was kept')(
    'object-snapshot.ts',
    'if (!kept) return undefined',
    '!kept → false',
  ),
  because('spares asking again')(
    'object-snapshot.ts',
    'if (!this.derived.has(derivation)) this.derived.set(derivation, derivation(readNode()))',
    '!this.derived.has(derivation) → true',
  ),
  because('a copy that looks for shared nodes is as good where there are none')(
    'object-snapshot.ts',
    'if (node.alias || seen.has(node)) return true',
    'node.alias || seen.has(node) → true',
  ),
  because('a copy that looks for shared nodes is as good where there are none')(
    'object-snapshot.ts',
    'return node.content.some(meets)',
    'node.content.some(meets) → node.content.every(meets)',
  ),
  saved(
    'resource-map.ts',
    'if (!this.list.some(resource => resource.isEmpty)) return',
    '!this.list.some(resource => resource.isEmpty) → false',
  ),
  saved(
    'resource-map.ts',
    'return this.list.filter(resource => resource.name === id.name && resource.currentKey() === key)',
    'resource.name === id.name → true',
  ),
  saved('resource.ts', 'if (this.current?.node) return this.current.node', 'this.current?.node → false'),
  saved('resource.ts', 'if (this.current) return this.current.id', 'this.current → false'),
  saved('resource.ts', 'if (known) return () => known.identity', 'known → false'),
  because('no two vars are of one name')(
    'vars/var-set.ts',
    'return [...this.vars.values()].sort((a, b) => (a.name < b.name ? -1 : 1))',
    'a.name < b.name → a.name <= b.name',
  ),
]
