import { builtInKinds, storageVersionOf } from '../../../lib/foundations/kinds/all.ts'
import { delivery } from '../../../lib/foundations/kinds/delivery.ts'
import type { Kind, KindVersion } from '../../../lib/foundations/kinds/kind.ts'
import { isHubGroup } from '../../../lib/foundations/kinds/references.ts'
import { run } from '../../../lib/foundations/kinds/run.ts'
import type { StructuralSchema } from '../../../lib/foundations/kinds/schema/schema.ts'
import type { Generator } from '../generator.ts'
import { annotations } from '../reference/annotations.ts'
import { conditions } from '../reference/conditions.ts'
import { fieldRows } from '../reference/field-rows.ts'
import { markdownTable } from '../reference/markdown-table.ts'
import { onlyOn, reasons } from '../reference/reasons.ts'
import { wordsOfKinds } from '../reference/words-of-kinds.ts'

/** docs/reference/kinds: a page per kind, from its declaration and from the code that reconciles it. */
export const kinds: Generator = {
  name: 'kinds',
  make: root => {
    const wordsOf = wordsOfKinds(root)
    const pages = documentedKinds.map(kind => [pathOf(kind), page(kind, wordsOf(kind.kind))] as const)
    return Object.fromEntries([['docs/reference/kinds.md', index()], ...pages])
  },
}

/** Kinds of Flux and of Keelson. Kubernetes documents its own. */
export const documentedKinds: readonly Kind[] = [
  ...builtInKinds.filter(({ group }) => isHubGroup(group)),
  run as unknown as Kind,
  delivery as unknown as Kind,
].toSorted((a, b) => (a.kind < b.kind ? -1 : 1))

const fileOf = ({ kind }: Kind): string => `${kind.toLowerCase()}.md`
const pathOf = (kind: Kind): string => `docs/reference/kinds/${fileOf(kind)}`
const made = '<!-- made by npm run docs: change the declaration, not this page -->'

const index = (): string => `# Kinds

${made}

Fields, columns, conditions and reasons of each kind, made from its declaration. \`kubectl explain KIND.spec\` prints the same fields.
Kubernetes' own kinds that a hub serves (Namespace, Secret, ConfigMap, ServiceAccount, roles and so on) are as in Kubernetes.

${markdownTable(
  ['kind', 'API group', 'what it is'],
  documentedKinds.map(kind => [`[${kind.kind}](kinds/${fileOf(kind)})`, kind.group, describe(kind)]),
)}
`

const describe = (kind: Kind): string => storageVersionOf(kind).schema.description ?? ''

const page = (kind: Kind, words: ReadonlySet<string>): string => {
  const version = storageVersionOf(kind)
  const parts = Object.entries(version.schema.properties ?? {})
  return [
    `# ${kind.kind}`,
    made,
    describe(kind),
    facts(kind, version),
    ...parts.map(([name, schema]) => fields(name, schema)),
    columns(version),
    markers(kind),
    states(kind, version),
    endings(kind, words),
  ]
    .filter(part => part !== '')
    .join('\n\n')
    .concat('\n')
}

const facts = (kind: Kind, version: KindVersion): string => {
  const others = kind.versions.filter(other => other !== version && other.served !== false)
  return markdownTable(
    ['', ''],
    [
      ['apiVersion', `\`${kind.group}/${version.name}\``],
      ...(others.length > 0 ? [['also served', others.map(({ name }) => `\`${name}\``).join(', ')]] : []),
      ['kubectl', [kind.plural, ...kind.shortNames].map(name => `\`${name}\``).join(', ')],
      ['scope', kind.namespaced ? 'namespaced' : 'cluster'],
      ...(kind.readOnly ? [['written by', 'the hub alone: you can read it, not change it']] : []),
    ],
  )
}

const fields = (name: string, schema: StructuralSchema): string =>
  `## ${name}\n\n${markdownTable(['field', 'type', 'description'], fieldRows(name, schema))}`

const columns = ({ columns }: KindVersion): string =>
  columns.length === 0
    ? ''
    : `## Columns of kubectl get\n\n${markdownTable(
        ['column', 'shown', 'from'],
        columns.map(column => [
          column.name,
          column.priority ? 'with `-o wide`' : 'always',
          'jsonPath' in column ? `\`${column.jsonPath}\`` : (column.description ?? 'computed'),
        ]),
      )}`

const markers = ({ kind }: Kind): string => {
  const rows = annotations.filter(({ on }) => on.includes(kind)).map(({ name, means }) => [`\`${name}\``, means])
  return rows.length === 0 ? '' : `## Annotations and labels\n\n${markdownTable(['name', 'what it does'], rows)}`
}

const states = ({ kind }: Kind, { schema }: KindVersion): string => {
  if (!schema.properties?.status?.properties?.conditions) return ''
  const rows = conditions.filter(({ on }) => on?.includes(kind) ?? true)
  return `## Conditions\n\n${markdownTable(
    ['type', 'what it means'],
    rows.map(({ type, means }) => [`\`${type}\``, means]),
  )}`
}

const endings = ({ kind }: Kind, words: ReadonlySet<string>): string => {
  const rows = Object.entries(reasons).filter(([reason]) => onlyOn[reason]?.includes(kind) ?? words.has(reason))
  if (rows.length === 0) return ''
  return `## Reasons\n\nReasons of the conditions and events of a ${kind}:\n\n${markdownTable(
    ['reason', 'what it means'],
    rows.map(([reason, means]) => [`\`${reason}\``, means]),
  )}`
}
