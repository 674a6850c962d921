/** Secret: a small amount of confidential data; base64 on the wire. */
import { checkImmutable, checkKeys, decodedSize, maxDataBytes } from './config-data.ts'
import type { Kind } from './kind.ts'
import { shownAge } from './native-columns.ts'
import type { KubernetesObject } from './object.ts'
import type { FieldError } from './schema/field-error.ts'
import { invalid, required, tooLong } from './schema/field-error.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, map, object, optional, text } from './schema/schema.ts'

const schema = object('Small pieces of data that must stay secret.', {
  data: optional(map('The data by key, base64.', text('Base64 of any bytes.', { format: 'byte' }))),
  stringData: optional(map('Data by key as plain text. Write-only: it is stored in `data`.', text('Plain text.'))),
  immutable: optional(flag('Whether the data is immutable.')),
  type: optional(text('Type of the Secret, which determines the required keys.', { default: 'Opaque' })),
})

export type Secret = KubernetesObject & TypeOf<typeof schema>

/** Keys that Secrets of a type must have. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
}
const accountName = 'kubernetes.io/service-account.name'

function checkSecret(object: Secret, old?: Secret): FieldError[] {
  const { data = {}, type = 'Opaque' } = object
  const { annotations = {} } = object.metadata
  const missing = (key: string) => !Object.hasOwn(data, key) || (type === 'kubernetes.io/ssh-auth' && !data[key])
  const needed = Object.hasOwn(requiredKeys, type) ? requiredKeys[type]! : []
  const errors = [
    ...(old && type !== (old.type ?? 'Opaque') ? [invalid('type', type, 'field is immutable')] : []),
    ...checkImmutable(object, old, ['data']),
    ...checkKeys('data', data),
    ...(decodedSize(data) > maxDataBytes ? [tooLong('data', maxDataBytes)] : []),
    ...needed.filter(missing).map(key => required(`data[${key}]`)),
  ]
  if (type === 'kubernetes.io/service-account-token' && !annotations[accountName])
    errors.push(required(`metadata.annotations[${accountName}]`))
  if (type === 'kubernetes.io/basic-auth' && missing('username') && missing('password'))
    errors.push(required('data[username]'), required('data[password]'))
  return [...errors, ...checkDockerConfig(object)]
}

const checkDockerConfig = (object: Secret): FieldError[] => {
  const key = /^kubernetes\.io\/docker(cfg|configjson)$/.test(object.type ?? '')
    ? requiredKeys[object.type!]![0]!
    : undefined
  const config = key && secretText(object, key)
  if (config === undefined) return []
  try {
    JSON.parse(config)
    return []
  } catch {
    // The parser's own message would quote the secret.
    const problem = config === '' ? 'unexpected end of JSON input' : 'invalid JSON'
    return [invalid(`data[${key}]`, '<secret contents redacted>', problem)]
  }
}

export const secret: Kind<Secret> = {
  group: '',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  shortNames: [],
  categories: [],
  namespaced: true,
  hasGeneration: false,
  native: true,
  check: checkSecret,
  sealedFields: ['data'],
  versions: [
    {
      name: 'v1',
      storage: true,
      schema,
      columns: [
        { name: 'Type', type: 'string', jsonPath: '.type' },
        { name: 'Data', type: 'string', cell: ({ data = {} }) => Object.keys(data).length },
        shownAge,
      ],
    },
  ],
}

/** The bytes under a key; undefined if the key does not exist. */
export const secretBytes = (from: Secret, key: string): Buffer | undefined => {
  if (!from.data || !Object.hasOwn(from.data, key)) return undefined
  return Buffer.from(from.data[key]!, 'base64')
}

/** The UTF-8 text under a key; undefined if the key does not exist. */
const secretText = (from: Secret, key: string): string | undefined => secretBytes(from, key)?.toString('utf8')
