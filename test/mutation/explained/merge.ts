import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/merge')

const saved = because('spares making anew what is the same')
const distinct = because('no two of what is sorted are equal')
const nameless = because('stands for none, where nobody reads it: any text that is no name will do')
const ours = because('nothing else is thrown: a fault of ours would stay one')
const unlike = because('no text in the place of nothing is like what is looked for')

const unionShortcut = 'if (a === b || isEmpty(b)) return a'

export const explained: readonly Explanation[] = [
  saved('compare.ts', 'if (before === after) return same', 'before === after → false'),
  saved('compare.ts', 'if (part === same) return', 'part === same → false'),
  saved('field-set.ts', 'if (a === b) return true', 'a === b → false'),
  saved('field-set.ts', 'if (a === b) return a', 'a === b → false'),
  saved('field-set.ts', 'if (left === child) continue', 'left === child → false'),
  saved(
    'field-set.ts',
    'return below || self !== a.self ? fieldSet(self, below ?? a.below) : a',
    'below || self !== a.self → true',
  ),
  saved('field-set.ts', unionShortcut, 'a === b || isEmpty(b) → false'),
  saved('field-set.ts', unionShortcut, 'a === b || isEmpty(b) → a === b && isEmpty(b)'),
  saved('field-set.ts', unionShortcut, 'a === b → false'),
  saved('field-set.ts', 'if (isEmpty(a)) return b', 'isEmpty(a) → false'),
  saved('fields-of.ts', 'if (set.below.size === 0) return set', 'set.below.size === 0 → false'),
  saved('merge-values.ts', 'if (live === undefined) return applied', 'live === undefined → false'),
  saved(
    'ownership.ts',
    'if (!isEmpty(fields)) left.set(key, fields === owner.fields ? owner : { ...owner, fields })',
    'fields === owner.fields → false',
  ),
  saved('remove-fields.ts', 'if (fields.below.size === 0) return value', 'fields.below.size === 0 → false'),

  distinct(
    'conflict.ts',
    '.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))',
    'sortKey(a) < sortKey(b) → sortKey(a) <= sortKey(b)',
  ),
  because('what stays is in the order of the original, and the item that it is put before is none of it')(
    'strategic-merge-patch.ts',
    'while (rest.length > 0 && placeIn(original, rest[0]) < place) result.push(rest.shift())',
    'placeIn(original, rest[0]) < place → placeIn(original, rest[0]) <= place',
  ),

  nameless(
    'conflict.ts',
    "const sortKey = ({ manager, operation, apiVersion, subresource = '' }: Ownership): string =>",
    `'' → "Stryker was here!"`,
  ),
  nameless(
    'managed-fields.ts',
    "export const managerKey = ({ manager, operation, apiVersion, subresource = '' }: Manager): string =>",
    `'' → "Stryker was here!"`,
  ),
  nameless(
    'managed-fields.ts',
    "JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource])",
    `'' → "Stryker was here!"`,
  ),
  because('subresources begin with small letters: none comes before all of them in both cases')(
    'managed-fields.ts',
    "compareText(a.subresource ?? '', b.subresource ?? '')",
    `'' → "Stryker was here!"`,
  ),
  nameless(
    'track-update.ts',
    "const left = afterChange(knownOwners(owners, writing), '', change, true)",
    `'' → "Stryker was here!"`,
  ),

  ours(
    'applicable.ts',
    'if (!(error instanceof UnidentifiedItem)) throw error',
    '!(error instanceof UnidentifiedItem) → false',
  ),
  ours('fields-v1.ts', '} catch (error) {', '{ if (error instanceof Malformed) return undefined throw error } → {}'),
  ours('fields-v1.ts', 'if (error instanceof Malformed) return undefined', 'error instanceof Malformed → true'),

  unlike('parts.ts', "const names = schema['x-kubernetes-list-map-keys'] ?? []", '[] → ["Stryker was here"]'),
  unlike(
    'strategic-merge-patch.ts',
    "schema['x-kubernetes-patch-strategy']?.split(',') ?? []",
    '[] → ["Stryker was here"]',
  ),
  unlike(
    'strategic-merge-patch.ts',
    'if (!live) return changes && arranged(schema, withoutDirectives(changes) as unknown[], order, [])',
    '[] → ["Stryker was here"]',
  ),

  because('a schema names no field `undefined`: it is said for the types')(
    'fields-of.ts',
    'const isNamed = name !== undefined && isNamedField(schema, name)',
    'name !== undefined → true',
  ),
  because('no key, and no position, leads nowhere one step later')(
    'json-patch.ts',
    'if (segments.length === 0) throw inapplicable(nowhere)',
    'segments.length === 0 → false',
  ),
  because('no key, and no position, leads nowhere one step later')(
    'json-patch.ts',
    'if (position === undefined) throw inapplicable(nowhere)',
    'position === undefined → false',
  ),
  because('undefined is what comes back either way')('last-applied.ts', '} catch {', '{ return undefined } → {}'),
  because('merging the same items into the list once more changes nothing')(
    'strategic-merge-patch.ts',
    'values.delete(name)',
    'values.delete(name) → ;',
  ),
]
