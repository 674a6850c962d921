import { unflatten } from './flatten.ts'
import type { Format } from './formats/format.ts'
import type { MasterKey } from './master-key.ts'
import { SopsError } from './sops-error.ts'
import { Branch, Comment, fieldOf, type Item, type SopsValue, Timestamp } from './tree.ts'

/** The sops metadata of an encrypted document. */
export interface Metadata {
  /** Any key of a group decrypts its part: the data key itself, or a share of it if there are several groups. */
  readonly keyGroups: readonly (readonly MasterKey[])[]
  /** The number of shares needed. */
  readonly shamirThreshold: number
  /** Encrypted. */
  readonly mac: string
  /** RFC 3339, to the second. The MAC is bound to it. */
  readonly lastModified: string
  readonly macOnlyEncrypted: boolean
  readonly rule: EncryptionRule
}

/** Which values are encrypted; `type` is the name of the metadata field. */
export interface EncryptionRule {
  readonly type: (typeof ruleTypes)[number]
  readonly value: string
}

const ruleTypes = [
  'unencrypted_suffix',
  'encrypted_suffix',
  'unencrypted_regex',
  'encrypted_regex',
  'unencrypted_comment_regex',
  'encrypted_comment_regex',
] as const

export interface EncryptedDocuments {
  readonly documents: readonly Branch[]
  readonly metadata: Metadata
}

const maxKeys = 1000

/** Separates the metadata from the documents. Fails with SopsError `metadata`. */
export const splitMetadata = (documents: readonly Branch[], { metadata: place }: Format): EncryptedDocuments => {
  if (place !== 'prefixed') {
    const found = documents[0]?.items.filter(({ key }) => key === 'sops') ?? []
    if (found.length > 1) throw malformed('found duplicate sops entry')
    const [entry] = found
    if (!entry) throw notFound()
    if (!(entry.value instanceof Branch)) throw malformed('found sops entry that is not a mapping')
    const nested = place === 'section' ? unflatten(entry.value.items.map(unescaped)) : entry.value
    const rest = documents.map(({ items }) => new Branch(items.filter(({ key }) => key !== 'sops')))
    return { documents: rest, metadata: readMetadata(nested) }
  }
  const [own, others] = partition(documents[0]!.items)
  if (own.length === 0) throw notFound()
  return { documents: [new Branch(others)], metadata: readMetadata(unflatten(own)) }
}

const prefix = 'sops_'

const partition = (items: readonly Item[]): [Item[], Item[]] => {
  const own: Item[] = []
  const others: Item[] = []
  for (const item of items) {
    if (typeof item.key === 'string' && item.key.startsWith(prefix))
      own.push({ ...item, key: item.key.slice(prefix.length) })
    else others.push(item)
  }
  return [own, others]
}

/** INI files carry line breaks of the metadata as `\n`. */
const unescaped = (item: Item): Item =>
  typeof item.value === 'string' ? { ...item, value: item.value.replaceAll('\\n', '\n') } : item

const readMetadata = (sops: Branch): Metadata => ({
  keyGroups: readGroups(sops),
  shamirThreshold: numberAt(sops, 'shamir_threshold'),
  mac: textAt(sops, 'mac'),
  lastModified: toSeconds(textAt(sops, 'lastmodified')),
  macOnlyEncrypted: flagAt(sops, 'mac_only_encrypted'),
  rule: readRule(sops),
})

const readRule = (sops: Branch): EncryptionRule => {
  const rules = ruleTypes.map(type => ({ type, value: textAt(sops, type) })).filter(({ value }) => value !== '')
  if (rules.length > 1) throw malformed(`Cannot use more than one of ${ruleTypes.join(', ')} in the same file`)
  return rules[0] ?? { type: 'unencrypted_suffix', value: '_unencrypted' }
}

const readGroups = (sops: Branch): MasterKey[][] => {
  const single = readGroup(sops)
  const groups = single.length > 0 ? [single] : branchesAt(sops, 'key_groups').map(readGroup)
  if (groups.length === 0) throw malformed('No keys found in file')
  if (groups.flat().length > maxKeys) throw malformed(`more than ${maxKeys} keys`)
  return groups
}

/** In the order in which sops tries keys: age and OpenPGP before the services. */
const readGroup = (group: Branch): MasterKey[] => [
  ...branchesAt(group, 'age').map(key => ({
    type: 'age' as const,
    recipient: textAt(key, 'recipient'),
    encrypted: textAt(key, 'enc'),
  })),
  ...branchesAt(group, 'pgp').map(key => ({
    type: 'pgp' as const,
    fingerprint: textAt(key, 'fp'),
    encrypted: textAt(key, 'enc'),
  })),
  ...branchesAt(group, 'kms').map(key => ({
    type: 'kms' as const,
    arn: textAt(key, 'arn'),
    role: textAt(key, 'role') || undefined,
    profile: textAt(key, 'aws_profile') || undefined,
    context: textsAt(key, 'context'),
    encrypted: textAt(key, 'enc'),
  })),
  ...branchesAt(group, 'gcp_kms').map(key => ({
    type: 'gcp_kms' as const,
    resourceId: textAt(key, 'resource_id'),
    encrypted: textAt(key, 'enc'),
  })),
  ...branchesAt(group, 'hckms').map(key => ({
    type: 'hckms' as const,
    keyId: textAt(key, 'key_id'),
    encrypted: textAt(key, 'enc'),
  })),
  ...branchesAt(group, 'azure_kv').map(key => ({
    type: 'azure_kv' as const,
    vaultUrl: textAt(key, 'vault_url'),
    name: textAt(key, 'name'),
    version: textAt(key, 'version'),
    encrypted: textAt(key, 'enc'),
  })),
  ...branchesAt(group, 'hc_vault').map(key => ({
    type: 'hc_vault' as const,
    address: textAt(key, 'vault_address'),
    enginePath: textAt(key, 'engine_path'),
    keyName: textAt(key, 'key_name'),
    encrypted: textAt(key, 'enc'),
  })),
]

/** '' if absent; numbers and booleans as text, since flat metadata has only text. */
const textAt = (branch: Branch, key: string): string => textOf(fieldOf(branch, key)) ?? ''

const textOf = (value: SopsValue | undefined): string | undefined => {
  if (value instanceof Timestamp) return value.text
  return ['string', 'boolean', 'bigint', 'number'].includes(typeof value) ? String(value) : undefined
}

const numberAt = (branch: Branch, key: string): number => {
  const value = Number(textAt(branch, key))
  if (Number.isInteger(value) && value >= 0 && value <= 255) return value
  throw malformed(`${key} must be a number from 0 to 255`)
}

const flagAt = (branch: Branch, key: string): boolean => {
  const text = textAt(branch, key)
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true
  if (/^(|0|f|F|FALSE|false|False)$/.test(text)) return false
  throw malformed(`${key} must be true or false`)
}

const branchesAt = (branch: Branch, key: string): Branch[] => {
  const value = fieldOf(branch, key) ?? null
  if (value === null) return []
  if (value instanceof Branch) return value.items.length > 0 ? [value] : []
  if (!Array.isArray(value)) throw malformed(`${key} must be a list`)
  return value
    .filter((item: SopsValue) => !(item instanceof Comment))
    .map((item: SopsValue) => {
      if (item instanceof Branch) return item
      throw malformed(`${key} holds something other than mappings`)
    })
}

const textsAt = (branch: Branch, key: string): Readonly<Record<string, string>> => {
  const value = fieldOf(branch, key)
  if (!(value instanceof Branch)) return {}
  const entries = value.items.flatMap(item =>
    typeof item.key === 'string' ? [[item.key, textOf(item.value) ?? '']] : [],
  )
  return Object.assign(Object.create(null), Object.fromEntries(entries))
}

const rfc3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[-+]\d\d:\d\d)$/i

const toSeconds = (text: string): string => {
  const match = rfc3339.exec(text)
  if (!match) throw malformed('lastmodified is not a time')
  const [, time, zone] = match
  return `${time}${zone === '+00:00' ? 'Z' : zone}`
}

const notFound = (): SopsError => new SopsError('metadata', 'sops metadata not found')
const malformed = (problem: string): SopsError => new SopsError('metadata', problem)
