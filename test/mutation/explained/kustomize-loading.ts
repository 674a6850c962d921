import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/kustomize')

const otherWord = because('only the other word is looked for')
const sparesReason = because('spares finding out why a directory is no file with resources')
const anyWord = because('any word of its own will do as a key')
const emptyText = because('the fields of a text are missing, like those of an empty object')

const findExact =
  'const found = fieldNamed(form, name => name === key) ?? fieldNamed(form, name => equalsIgnoringCase(key, name))'

export const explained: readonly Explanation[] = [
  because('base64 has no text of 70 characters: their count is a multiple of four')(
    'generators/base64.ts',
    'if (text.length < LINE) return text',
    'text.length < LINE → text.length <= LINE',
  ),
  because('text that begins with the separator is all of the text: reading it again fails again')(
    'generators/helm-charts.ts',
    'if (start < 0) throw error',
    'start < 0 → start <= 0',
  ),
  because('spares looking anew from every place of a text')(
    'remote-target.ts',
    'const azure = /^.*?_git\\/[^/]*/.exec(text)?.[0]',
    '/^.*?_git\\/[^/]*/ → /.*?_git\\/[^/]*/',
  ),
  sparesReason('accumulate.ts', 'if (target.loader.isDirectory(path)) {', 'target.loader.isDirectory(path) → false'),
  sparesReason(
    'accumulate.ts',
    'if (target.loader.isDirectory(path)) {',
    '{ await addDirectoryInstead(() => asFile()!, gathered, target, context, path) co… → {}',
  ),
  anyWord(
    'build-tree.ts',
    "changes.unshift(step('managed by', setMetadataEntries(MANAGED_BY, [METADATA_LABELS], context.budget)))",
    `'managed by' → ""`,
  ),
  anyWord(
    'build-tree.ts',
    "const changes = [step(['clean', kustomization.buildMetadata], cleanAnnotations(kustomization.buildMetadata))]",
    `'clean' → ""`,
  ),
  anyWord(
    'steps.ts',
    "generate: () => kept('Secret', withGlobalOptions(entry, generatorOptions), generateSecret),",
    `'Secret' → ""`,
  ),
  because('only whether the count changes is looked at')(
    'read-log.ts',
    'this.outsideReads++',
    'this.outsideReads++ → this.outsideReads--',
  ),
  otherWord(
    'generators/helm-values.ts',
    "const merged = strategicMerge(above, below, { schema, newElements: 'append' })",
    `'append' → ""`,
  ),
  because('spares looking at spellings: no two fields are told apart by case alone')(
    'go-struct.ts',
    findExact,
    'name => name === key → () => undefined',
  ),
  because('spares looking at spellings: no two fields are told apart by case alone')(
    'go-struct.ts',
    findExact,
    'name === key → false',
  ),
  emptyText(
    'go-struct.ts',
    "return typeof form === 'object' && 'struct' in form ? {} : ''",
    "typeof form === 'object' && 'struct' in form → false",
  ),
  emptyText('go-struct.ts', "return typeof form === 'object' && 'struct' in form ? {} : ''", `'object' → ""`),
  emptyText('go-struct.ts', "return typeof form === 'object' && 'struct' in form ? {} : ''", `'struct' → ""`),
]
